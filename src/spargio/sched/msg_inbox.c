#include "spargio/sched/msg_inbox.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/wake.h"

#include <errno.h>
#include <stdlib.h>

static int open_rings(struct sp__msg_ring **out, uint32_t count,
		      uint32_t capacity)
{
	struct sp__msg_ring *rings =
		aligned_alloc(SP__CACHE_LINE, count * sizeof(*rings));

	if (rings == NULL)
		return -ENOMEM;
	*out = rings;
	for (uint32_t i = 0; i < count; i++)
		rings[i] = (struct sp__msg_ring){ 0 };
	for (uint32_t i = 0; i < count; i++)
		if (sp__msg_ring_init(&rings[i], capacity) < 0)
			return -ENOMEM;
	return 0;
}

static void close_rings(struct sp__msg_ring *rings, uint32_t count)
{
	if (rings == NULL)
		return;
	for (uint32_t i = 0; i < count; i++)
		sp__msg_ring_fini(&rings[i]);
	free(rings);
}

void sp__msg_inbox_close(struct sp_shard *shard)
{
	struct sp__msg_inbox *inbox = shard->msg_inbox;

	if (inbox == NULL)
		return;
	for (int kind = 0; kind < SP__MSG_RING_KINDS; kind++)
		close_rings(inbox->rings[kind], inbox->sources);
	sp__msg_ring_fini(&inbox->outside);
	free(inbox);
	shard->msg_inbox = NULL;
}

int sp__msg_inbox_open(struct sp_shard *shard)
{
	struct sp_rt *rt = shard->rt;
	uint32_t capacity = rt->opts.mailbox_capacity;
	struct sp__msg_inbox *inbox =
		aligned_alloc(SP__CACHE_LINE,
			      (sizeof(*inbox) + SP__CACHE_LINE - 1) &
				      ~(size_t)(SP__CACHE_LINE - 1));
	int err;

	if (inbox == NULL)
		return -ENOMEM;
	*inbox = (struct sp__msg_inbox){
		.sources = rt->nshards,
		.kinds = rt->tag_kinds,
		.ring_kinds =
			rt->opts.hot_tag_count == 0 ? 1 : SP__MSG_RING_KINDS,
		.counted_wake = rt->opts.counted_wake,
	};
	shard->msg_inbox = inbox;
	sp__waitlist_init(&inbox->receivers);
	sp__waitlist_init(&inbox->hot_receivers);
	sp__waitlist_init(&inbox->flushers);
	for (int i = 0; i < SP__COUNTED_MAX; i++)
		sp__waitlist_init(&inbox->counters[i]);
	err = sp__msg_ring_init(&inbox->outside, capacity);
	for (int kind = 0; err == 0 && kind < inbox->ring_kinds; kind++)
		err = open_rings(&inbox->rings[kind], inbox->sources, capacity);
	if (err < 0)
		sp__msg_inbox_close(shard);
	return err;
}

int sp__msg_inbox_kinds(const struct sp_opts *opts, uint8_t **out)
{
	uint8_t *kinds;

	if (opts->hot_tag_count == 0 && opts->counted_tag_count == 0) {
		*out = NULL;
		return 0;
	}
	if (opts->counted_tag_count > SP__COUNTED_MAX)
		return -EINVAL;
	kinds = calloc(UINT16_MAX + 1, 1);
	if (kinds == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < opts->hot_tag_count; i++)
		kinds[opts->hot_tags[i]] = SP__TAG_HOT;
	for (uint32_t i = 0; i < opts->counted_tag_count; i++) {
		uint8_t *kind = &kinds[opts->counted_tags[i]];

		if (*kind != SP__TAG_PLAIN) {
			free(kinds);
			return -EINVAL;
		}
		*kind = (uint8_t)(SP__TAG_COUNTED + i);
	}
	*out = kinds;
	return 0;
}

static bool rings_ready(struct sp__msg_ring *rings, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (sp__msg_ring_ready(&rings[i]))
			return true;
	return false;
}

static bool hot_ready(struct sp__msg_inbox *inbox)
{
	return inbox->ring_kinds > SP__TAG_HOT &&
	       rings_ready(inbox->rings[SP__TAG_HOT], inbox->sources);
}

static bool plain_ready(struct sp__msg_inbox *inbox)
{
	return rings_ready(inbox->rings[SP__TAG_PLAIN], inbox->sources) ||
	       sp__msg_ring_ready(&inbox->outside);
}

static bool sum_ready(const struct sp__msg_inbox *inbox, int i)
{
	return atomic_load_explicit(&inbox->sums[i], memory_order_acquire) >=
	       inbox->counted_wake;
}

static bool sums_ready(const struct sp__msg_inbox *inbox)
{
	for (uint64_t left = inbox->counting; left != 0; left &= left - 1)
		if (sum_ready(inbox, __builtin_ctzll(left)))
			return true;
	return false;
}

bool sp__msg_inbox_wanted(struct sp_shard *shard)
{
	struct sp__msg_inbox *inbox = shard->msg_inbox;

	if (!sp__waitlist_empty(&inbox->receivers) &&
	    (plain_ready(inbox) || hot_ready(inbox)))
		return true;
	if (!sp__waitlist_empty(&inbox->hot_receivers) && hot_ready(inbox))
		return true;
	return inbox->counting != 0 && sums_ready(inbox);
}

void sp__msg_inbox_publish(struct sp_shard *from, struct sp_shard *to)
{
	bool news = false;

	for (int kind = 0; kind < to->msg_inbox->ring_kinds; kind++) {
		struct sp__msg_ring *ring =
			&to->msg_inbox->rings[kind][from->index];

		if (!sp__spsc_ring_unpublished(&ring->ring))
			continue;
		sp__msg_ring_publish(ring);
		news = true;
	}
	if (news)
		sp__shard_notify(to);
}

void sp__msg_inbox_publish_all(struct sp_shard *shard)
{
	struct sp_rt *rt = shard->rt;

	shard->msg_inbox->unpublished = false;
	for (uint32_t i = 0; i < rt->nshards; i++)
		sp__msg_inbox_publish(shard, &rt->shards[i]);
}

/*
 * Wake senders that wait until their messages are taken. The read-modify-write
 * pairs with that in sp_msg_wait_until(): either we see the waiter, or the
 * waiter sees that we have taken the messages.
 */
static void wake_flushers(struct sp__msg_inbox *inbox)
{
	inbox->taken = false;
	if (atomic_fetch_add(&inbox->flushing, 0) == 0)
		return;
	sp__spin_lock(&inbox->flush_lock);
	sp__waitlist_wake_all(&inbox->flushers);
	sp__spin_unlock(&inbox->flush_lock);
}

void sp__msg_inbox_deliver(struct sp_shard *shard)
{
	struct sp__msg_inbox *inbox = shard->msg_inbox;

	if (inbox->unpublished)
		sp__msg_inbox_publish_all(shard);
	if (inbox->taken)
		wake_flushers(inbox);
	if (!sp__waitlist_empty(&inbox->hot_receivers) && hot_ready(inbox))
		sp__waitlist_wake_one(&inbox->hot_receivers);
	if (!sp__waitlist_empty(&inbox->receivers) &&
	    (plain_ready(inbox) || hot_ready(inbox)))
		sp__waitlist_wake_one(&inbox->receivers);
	for (uint64_t left = inbox->counting; left != 0; left &= left - 1) {
		int i = __builtin_ctzll(left);

		if (sum_ready(inbox, i))
			sp__waitlist_wake_one(&inbox->counters[i]);
	}
}
