#include "spargio/sched/msg_inbox.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/wake.h"

#include <errno.h>
#include <stdlib.h>

static int open_lanes(struct sp__lane **out, uint32_t count, uint32_t capacity)
{
	struct sp__lane *lanes =
		aligned_alloc(SP__CACHE_LINE, count * sizeof(*lanes));

	if (lanes == NULL)
		return -ENOMEM;
	*out = lanes;
	for (uint32_t i = 0; i < count; i++)
		lanes[i] = (struct sp__lane){ 0 };
	for (uint32_t i = 0; i < count; i++)
		if (sp__lane_init(&lanes[i], capacity) < 0)
			return -ENOMEM;
	return 0;
}

static void close_lanes(struct sp__lane *lanes, uint32_t count)
{
	if (lanes == NULL)
		return;
	for (uint32_t i = 0; i < count; i++)
		sp__lane_fini(&lanes[i]);
	free(lanes);
}

void sp__mail_close(struct sp_shard *shard)
{
	struct sp__mail *mail = shard->mail;

	if (mail == NULL)
		return;
	for (int lane = 0; lane < SP__LANES; lane++)
		close_lanes(mail->lanes[lane], mail->sources);
	sp__lane_fini(&mail->outside);
	free(mail);
	shard->mail = NULL;
}

int sp__mail_open(struct sp_shard *shard)
{
	struct sp_rt *rt = shard->rt;
	uint32_t capacity = rt->opts.mailbox_capacity;
	struct sp__mail *mail =
		aligned_alloc(SP__CACHE_LINE,
			      (sizeof(*mail) + SP__CACHE_LINE - 1) &
				      ~(size_t)(SP__CACHE_LINE - 1));
	int err;

	if (mail == NULL)
		return -ENOMEM;
	*mail = (struct sp__mail){
		.sources = rt->nshards,
		.kinds = rt->tag_kinds,
		.lane_kinds = rt->opts.hot_tag_count == 0 ? 1 : SP__LANES,
		.counted_wake = rt->opts.counted_wake,
	};
	shard->mail = mail;
	sp__waitlist_init(&mail->receivers);
	sp__waitlist_init(&mail->hot_receivers);
	sp__waitlist_init(&mail->flushers);
	for (int i = 0; i < SP__COUNTED_MAX; i++)
		sp__waitlist_init(&mail->counters[i]);
	err = sp__lane_init(&mail->outside, capacity);
	for (int lane = 0; err == 0 && lane < mail->lane_kinds; lane++)
		err = open_lanes(&mail->lanes[lane], mail->sources, capacity);
	if (err < 0)
		sp__mail_close(shard);
	return err;
}

int sp__mail_kinds(const struct sp_opts *opts, uint8_t **out)
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

static bool lanes_ready(struct sp__lane *lanes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (sp__lane_ready(&lanes[i]))
			return true;
	return false;
}

static bool hot_ready(struct sp__mail *mail)
{
	return mail->lane_kinds > SP__TAG_HOT &&
	       lanes_ready(mail->lanes[SP__TAG_HOT], mail->sources);
}

static bool plain_ready(struct sp__mail *mail)
{
	return lanes_ready(mail->lanes[SP__TAG_PLAIN], mail->sources) ||
	       sp__lane_ready(&mail->outside);
}

static bool sum_ready(const struct sp__mail *mail, int i)
{
	return atomic_load_explicit(&mail->sums[i], memory_order_acquire) >=
	       mail->counted_wake;
}

static bool sums_ready(const struct sp__mail *mail)
{
	for (uint64_t left = mail->counting; left != 0; left &= left - 1)
		if (sum_ready(mail, __builtin_ctzll(left)))
			return true;
	return false;
}

bool sp__mail_wanted(struct sp_shard *shard)
{
	struct sp__mail *mail = shard->mail;

	if (!sp__waitlist_empty(&mail->receivers) &&
	    (plain_ready(mail) || hot_ready(mail)))
		return true;
	if (!sp__waitlist_empty(&mail->hot_receivers) && hot_ready(mail))
		return true;
	return mail->counting != 0 && sums_ready(mail);
}

void sp__mail_publish(struct sp_shard *from, struct sp_shard *to)
{
	bool news = false;

	for (int kind = 0; kind < to->mail->lane_kinds; kind++) {
		struct sp__lane *lane = &to->mail->lanes[kind][from->index];

		if (atomic_load_explicit(&lane->tail, memory_order_relaxed) ==
		    lane->filled)
			continue;
		sp__lane_publish(lane);
		news = true;
	}
	if (news)
		sp__shard_notify(to);
}

/* Publish the lanes of this shard that have something unseen. */
static void publish_all(struct sp_shard *shard)
{
	struct sp_rt *rt = shard->rt;

	shard->mail->unpublished = false;
	for (uint32_t i = 0; i < rt->nshards; i++)
		sp__mail_publish(shard, &rt->shards[i]);
}

/*
 * Tell senders that wait for their messages to be taken. The read-modify-write
 * pairs with the one in sp_msg_wait_until(): either we see that somebody
 * waits, or it sees what we have taken.
 */
static void tell_flushers(struct sp__mail *mail)
{
	mail->taken = false;
	if (atomic_fetch_add(&mail->flushing, 0) == 0)
		return;
	sp__spin_lock(&mail->flush_lock);
	sp__waitlist_wake_all(&mail->flushers);
	sp__spin_unlock(&mail->flush_lock);
}

void sp__mail_deliver(struct sp_shard *shard)
{
	struct sp__mail *mail = shard->mail;

	if (mail->unpublished)
		publish_all(shard);
	if (mail->taken)
		tell_flushers(mail);
	if (!sp__waitlist_empty(&mail->hot_receivers) && hot_ready(mail))
		sp__waitlist_wake_one(&mail->hot_receivers);
	if (!sp__waitlist_empty(&mail->receivers) &&
	    (plain_ready(mail) || hot_ready(mail)))
		sp__waitlist_wake_one(&mail->receivers);
	for (uint64_t left = mail->counting; left != 0; left &= left - 1) {
		int i = __builtin_ctzll(left);

		if (sum_ready(mail, i))
			sp__waitlist_wake_one(&mail->counters[i]);
	}
}
