/*
 * Messages from threads that are not shards of the runtime: each shard has one
 * mailbox for all of them, with a lock.
 */
#include "spargio/sched/msg_inbox.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/spin.h"
#include "spargio/sched/visit.h"

#include <spargio/fiber.h>
#include <spargio/message.h>

#include <errno.h>

/* A call of sp_msg_post...(): @len bytes of data, or @count values. */
struct post {
	uint16_t tag;
	const uint64_t *values;
	size_t count;
	const void *data;
	size_t len;
};

static int post_to_sum(struct sp_shard *to, int sum, const struct post *p)
{
	size_t n = 0;

	if (p->len != 0)
		return -EINVAL;
	for (; n < p->count && n < INT32_MAX; n++)
		atomic_fetch_add(&to->msg_inbox->sums[sum], p->values[n]);
	return (int)n;
}

/*
 * Write the messages of @p to the mailbox. Returns the number of messages that
 * fitted. The lock is held.
 */
static int fill_posted(struct sp__msg_ring *ring, const struct post *p)
{
	size_t n = 0;

	if (p->len != 0) {
		if (!sp__msg_ring_has_room(ring, sp__msg_ring_slots(p->len)))
			return 0;
		sp__msg_ring_fill_data(ring, SP_MSG_OUTSIDE, p->tag, p->data,
				       p->len);
		return 1;
	}
	for (; n < p->count && n < INT32_MAX && sp__msg_ring_has_room(ring, 1);
	     n++)
		sp__msg_ring_fill(ring, SP_MSG_OUTSIDE, p->tag, p->values[n]);
	return (int)n;
}

/*
 * Post to shard @to, which exists. Returns the number of accepted messages, or
 * an error if none was accepted.
 */
static int post_to_shard(struct sp_shard *to, const struct post *p,
			 struct sp_ticket *ticket)
{
	struct sp__msg_inbox *inbox = to->msg_inbox;
	int kind = inbox->kinds == NULL ? SP__TAG_PLAIN : inbox->kinds[p->tag];
	int n;

	sp__spin_lock(&inbox->outside_lock);
	if (kind >= SP__TAG_COUNTED) {
		n = post_to_sum(to, kind - SP__TAG_COUNTED, p);
	} else {
		n = fill_posted(&inbox->outside, p);
		sp__msg_ring_publish(&inbox->outside);
	}
	*ticket = (struct sp_ticket){
		.shard = to->index,
		.from = SP_MSG_OUTSIDE,
		.index = { inbox->outside.ring.filled },
	};
	sp__spin_unlock(&inbox->outside_lock);
	if (n > 0)
		sp__shard_notify(to);
	return n == 0 && p->count > 0 ? -EAGAIN : n;
}

static int post_msg(struct sp_rt *rt, uint32_t shard, const struct post *p,
		    struct sp_ticket *ticket)
{
	int ret = rt == NULL ? -EINVAL : sp__visit_begin(rt);

	if (ret < 0)
		return ret;
	if (shard >= rt->nshards)
		ret = -EINVAL;
	else if (atomic_load(&rt->closing))
		ret = -ESHUTDOWN;
	else
		ret = post_to_shard(&rt->shards[shard], p, ticket);
	sp__visit_end(rt);
	return ret;
}

int sp_msg_post(struct sp_rt *rt, uint32_t shard, uint16_t tag, uint64_t value)
{
	struct sp_ticket ticket;

	return sp_msg_post_ticket(rt, shard, tag, value, &ticket);
}

int sp_msg_post_ticket(struct sp_rt *rt, uint32_t shard, uint16_t tag,
		       uint64_t value, struct sp_ticket *out)
{
	struct post p = { .tag = tag, .values = &value, .count = 1 };
	int ret = post_msg(rt, shard, &p, out);

	return ret < 0 ? ret : 0;
}

int sp_msg_post_many(struct sp_rt *rt, uint32_t shard, uint16_t tag,
		     const uint64_t *values, size_t count)
{
	struct post p = { .tag = tag, .values = values, .count = count };
	struct sp_ticket ticket;

	return post_msg(rt, shard, &p, &ticket);
}

int sp_msg_post_data(struct sp_rt *rt, uint32_t shard, uint16_t tag,
		     const void *data, size_t len)
{
	struct post p = { .tag = tag, .count = 1, .data = data, .len = len };
	struct sp_ticket ticket;
	int ret;

	if (len == 0 || len > SP_MSG_DATA_MAX)
		return -EINVAL;
	ret = post_msg(rt, shard, &p, &ticket);
	return ret < 0 ? ret : 0;
}

struct ticket_wait {
	const struct sp_ticket *ticket;
	int64_t deadline;
};

static int wait_main(void *arg)
{
	const struct ticket_wait *wait = arg;

	return sp_msg_wait_until(wait->ticket, wait->deadline);
}

int sp_msg_wait_thread(struct sp_rt *rt, const struct sp_ticket *ticket,
		       int64_t deadline)
{
	struct ticket_wait wait = { ticket, deadline };
	int ret;
	int err = sp_call_on(rt, ticket->shard, wait_main, &wait, &ret);

	return err < 0 ? err : ret;
}
