#include "spargio/sched/backend.h"
#include "spargio/sched/current.h"
#include "spargio/sched/msg_inbox.h"
#include "spargio/sched/msg_ring.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/spin.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <spargio/message.h>
#include <spargio/time.h>

#include <errno.h>

/* Maximum messages in a row from one source, before the next source. */
#define RUN_MAX 32

static int kind_of(const struct sp__msg_inbox *inbox, uint16_t tag)
{
	return inbox->kinds == NULL ? SP__TAG_PLAIN : inbox->kinds[tag];
}

/* The sending and the receiving shard. */
struct route {
	struct sp_shard *from;
	struct sp_shard *to;
	int kind;
};

static int find_route(uint32_t shard, uint16_t tag, struct route *out)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp_rt *rt;

	if (self == NULL)
		return -EPERM;
	rt = self->shard->rt;
	if (shard >= rt->nshards)
		return -EINVAL;
	out->from = self->shard;
	out->to = &rt->shards[shard];
	out->kind = kind_of(out->to->msg_inbox, tag);
	return 0;
}

static struct sp__msg_ring *ring_of(const struct route *r)
{
	return &r->to->msg_inbox->rings[r->kind][r->from->index];
}

static bool has_room(const struct route *r, uint32_t slots)
{
	if (sp__msg_ring_has_room(ring_of(r), slots))
		return true;
	sp__count(&r->from->counts.refused, 1);
	return false;
}

/*
 * Send to a counted tag. Wakes the receiver if the sum reaches counted_wake.
 */
static int add_to_sum(const struct route *r, uint64_t value)
{
	struct sp__msg_inbox *inbox = r->to->msg_inbox;
	int i = r->kind - SP__TAG_COUNTED;
	uint64_t before = atomic_fetch_add(&inbox->sums[i], value);

	sp__count(&r->from->counts.sent, 1);
	if (before < inbox->counted_wake &&
	    before + value >= inbox->counted_wake)
		sp__shard_notify(r->to);
	return 0;
}

static int fill_message(const struct route *r, uint16_t tag, uint64_t value)
{
	if (!has_room(r, 1))
		return -EAGAIN;
	sp__msg_ring_fill(ring_of(r), (uint16_t)r->from->index, tag, value);
	sp__count(&r->from->counts.sent, 1);
	return 0;
}

static void publish_ring(const struct route *r)
{
	sp__msg_ring_publish(ring_of(r));
	sp__shard_notify(r->to);
}

/*
 * Hot: once per message. Cost: the stores of a slot, two stores, and one
 * read-modify-write to check whether the receiver sleeps. bench/ping_pong.c
 * measures this.
 */
int sp_msg_send(uint32_t shard, uint16_t tag, uint64_t value)
{
	struct route r;
	int err = find_route(shard, tag, &r);

	if (err < 0)
		return err;
	if (r.kind >= SP__TAG_COUNTED)
		return add_to_sum(&r, value);
	err = fill_message(&r, tag, value);
	if (err == 0)
		publish_ring(&r);
	return err;
}

/*
 * Hot: once per message in long runs. Cost: a slot and two stores to the
 * sender's own cache lines. bench/sync.c: mailbox_push.
 */
int sp_msg_send_nowait(uint32_t shard, uint16_t tag, uint64_t value)
{
	struct route r;
	int err = find_route(shard, tag, &r);

	if (err < 0)
		return err;
	if (r.kind >= SP__TAG_COUNTED)
		return add_to_sum(&r, value);
	err = fill_message(&r, tag, value);
	if (err == 0)
		r.from->msg_inbox->unpublished = true;
	else
		/*
		 * The mailbox is full: publish its messages, so that the
		 * receiver can take them.
		 */
		publish_ring(&r);
	return err;
}

/*
 * Fill as many messages as the mailbox has room for, without publishing them.
 * Returns their number.
 */
static size_t fill_many(const struct route *r, uint16_t tag,
			const uint64_t *values, size_t count)
{
	struct sp__msg_ring *ring = ring_of(r);
	size_t n = 0;

	for (; n < count && n < INT32_MAX && sp__msg_ring_has_room(ring, 1);
	     n++)
		sp__msg_ring_fill(ring, (uint16_t)r->from->index, tag,
				  values[n]);
	sp__count(&r->from->counts.sent, n);
	if (n < count)
		sp__count(&r->from->counts.refused, 1);
	return n;
}

/* When the filled messages become visible to the receiver. */
enum publication {
	PUBLISH_LATER, /* unless the mailbox is full */
	PUBLISH,
	PUBLISH_AND_WAKE, /* send a wake-up even to a shard that is awake */
};

static void wake_directly(const struct route *r)
{
	if (r->to == r->from)
		return;
	sp__count(&r->from->counts.shard_wakeups, 1);
	r->from->backend->wakeup(r->from, r->to);
}

static int send_many(uint32_t shard, uint16_t tag, const uint64_t *values,
		     size_t count, enum publication how)
{
	struct route r;
	int err = find_route(shard, tag, &r);
	size_t n = 0;

	if (err < 0)
		return err;
	if (r.kind >= SP__TAG_COUNTED) {
		for (; n < count && n < INT32_MAX; n++)
			add_to_sum(&r, values[n]);
	} else {
		n = fill_many(&r, tag, values, count);
		if (how == PUBLISH_LATER && n == count)
			r.from->msg_inbox->unpublished = true;
		else
			publish_ring(&r);
	}
	if (how == PUBLISH_AND_WAKE && n > 0)
		wake_directly(&r);
	return n == 0 && count > 0 ? -EAGAIN : (int)n;
}

int sp_msg_send_many(uint32_t shard, uint16_t tag, const uint64_t *values,
		     size_t count)
{
	return send_many(shard, tag, values, count, PUBLISH);
}

int sp_msg_send_many_nowait(uint32_t shard, uint16_t tag,
			    const uint64_t *values, size_t count)
{
	return send_many(shard, tag, values, count, PUBLISH_LATER);
}

int sp_msg_send_many_direct(uint32_t shard, uint16_t tag,
			    const uint64_t *values, size_t count)
{
	return send_many(shard, tag, values, count, PUBLISH_AND_WAKE);
}

int sp_msg_send_data(uint32_t shard, uint16_t tag, const void *data, size_t len)
{
	struct route r;
	int err = find_route(shard, tag, &r);

	if (err < 0)
		return err;
	if (len == 0 || len > SP_MSG_DATA_MAX || r.kind >= SP__TAG_COUNTED)
		return -EINVAL;
	if (!has_room(&r, sp__msg_ring_slots(len)))
		return -EAGAIN;
	sp__msg_ring_fill_data(ring_of(&r), (uint16_t)r.from->index, tag, data,
			       len);
	sp__count(&r.from->counts.sent, 1);
	publish_ring(&r);
	return 0;
}

static struct sp_ticket ticket_to(const struct sp_shard *from,
				  const struct sp_shard *to)
{
	struct sp_ticket t = { .shard = to->index, .from = from->index };

	for (int kind = 0; kind < to->msg_inbox->ring_kinds; kind++)
		t.index[kind] =
			to->msg_inbox->rings[kind][from->index].ring.filled;
	return t;
}

int sp_msg_send_ticket(uint32_t shard, uint16_t tag, uint64_t value,
		       struct sp_ticket *out)
{
	int err = sp_msg_send(shard, tag, value);
	struct sp_shard *from;

	if (err < 0)
		return err;
	from = sp__shard_self();
	*out = ticket_to(from, &from->rt->shards[shard]);
	return 0;
}

int sp_msg_send_direct(uint32_t shard, uint16_t tag, uint64_t value)
{
	int ret = send_many(shard, tag, &value, 1, PUBLISH_AND_WAKE);

	return ret < 0 ? ret : 0;
}

void sp_msg_publish(uint32_t shard)
{
	struct sp_shard *from = sp__shard_self();

	if (from != NULL && shard < from->rt->nshards)
		sp__msg_inbox_publish(from, &from->rt->shards[shard]);
}

void sp_msg_publish_all(void)
{
	struct sp_shard *from = sp__shard_self();

	if (from != NULL)
		sp__msg_inbox_publish_all(from);
}

/* Waiting until messages are taken */

static bool index_passed(uint32_t head, uint32_t index)
{
	return (int32_t)(head - index) >= 0;
}

static bool ticket_reached(const struct sp__msg_inbox *inbox,
			   const struct sp_ticket *t)
{
	if (t->from == SP_MSG_OUTSIDE)
		return index_passed(sp__spsc_ring_taken(&inbox->outside.ring),
				    t->index[SP__TAG_PLAIN]);
	for (int kind = 0; kind < inbox->ring_kinds; kind++) {
		const struct sp__msg_ring *ring = &inbox->rings[kind][t->from];

		if (!index_passed(sp__spsc_ring_taken(&ring->ring),
				  t->index[kind]))
			return false;
	}
	return true;
}

/* Sleep until the receiver has taken messages, perhaps not yet that of @t. */
static int wait_once(struct sp_fiber *self, struct sp__msg_inbox *inbox,
		     const struct sp_ticket *t, int64_t deadline)
{
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	int err = 0;

	w.epoch = sp__wait_begin(self);
	sp__spin_lock(&inbox->flush_lock);
	sp__waitlist_add(&inbox->flushers, &w);
	sp__spin_unlock(&inbox->flush_lock);
	/* See wake_flushers() in msg_inbox.c. */
	atomic_fetch_add(&inbox->flushing, 1);
	if (!ticket_reached(inbox, t) || !sp__wait_drop(self, w.epoch))
		err = sp__code_error(
			sp__wait_end(self, w.epoch, deadline, "flush", inbox));
	sp__spin_lock(&inbox->flush_lock);
	sp__waitlist_remove(&w);
	sp__spin_unlock(&inbox->flush_lock);
	atomic_fetch_sub(&inbox->flushing, 1);
	return err;
}

int sp_msg_wait(const struct sp_ticket *ticket)
{
	return sp_msg_wait_until(ticket, SP_NEVER);
}

int sp_msg_wait_until(const struct sp_ticket *ticket, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__msg_inbox *inbox;
	struct sp_rt *rt;
	int err = 0;

	if (self == NULL)
		return -EPERM;
	rt = self->shard->rt;
	if (ticket->shard >= rt->nshards ||
	    (ticket->from >= rt->nshards && ticket->from != SP_MSG_OUTSIDE))
		return -EINVAL;
	sp_msg_publish(ticket->shard);
	inbox = rt->shards[ticket->shard].msg_inbox;
	while (err == 0 && !ticket_reached(inbox, ticket))
		err = wait_once(self, inbox, ticket, deadline);
	return err;
}

int sp_msg_flush(uint32_t shard)
{
	return sp_msg_flush_until(shard, SP_NEVER);
}

int sp_msg_flush_until(uint32_t shard, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp_ticket ticket;

	if (self == NULL)
		return -EPERM;
	if (shard >= self->shard->rt->nshards)
		return -EINVAL;
	ticket = ticket_to(self->shard, &self->shard->rt->shards[shard]);
	return sp_msg_wait_until(&ticket, deadline);
}

/* Receiving */

static struct sp__msg_ring *next_ready(struct sp__msg_inbox *inbox, int kind)
{
	uint32_t n = inbox->sources;
	uint32_t *next = &inbox->next[kind];

	if (++inbox->run >= RUN_MAX) {
		inbox->run = 0;
		*next = *next + 1 == n ? 0 : *next + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (sp__msg_ring_ready(&inbox->rings[kind][*next]))
			return &inbox->rings[kind][*next];
		*next = *next + 1 == n ? 0 : *next + 1;
	}
	return NULL;
}

static bool take_message(struct sp_shard *shard, bool hot_only,
			 struct sp_msg *out)
{
	struct sp__msg_inbox *inbox = shard->msg_inbox;
	struct sp__msg_ring *ring = NULL;

	if (inbox->ring_kinds > SP__TAG_HOT)
		ring = next_ready(inbox, SP__TAG_HOT);
	if (ring == NULL && !hot_only) {
		ring = next_ready(inbox, SP__TAG_PLAIN);
		if (ring == NULL && sp__msg_ring_ready(&inbox->outside))
			ring = &inbox->outside;
	}
	if (ring == NULL)
		return false;
	sp__msg_ring_take(ring, out);
	inbox->taken = true;
	sp__count(&shard->counts.received, 1);
	return true;
}

static int recv_until(struct sp_msg *out, bool hot_only, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	int err = 0;

	if (self == NULL)
		return -EPERM;
	while (!take_message(self->shard, hot_only, out)) {
		struct sp__msg_inbox *inbox = self->shard->msg_inbox;
		struct sp__waiter w = { .fiber = self, .code = SP__EVENT };

		if (err < 0)
			return err;
		/*
		 * The lists belong to the shard, so the fiber must stay on it.
		 */
		self->pins++;
		w.epoch = sp__wait_begin(self);
		sp__waitlist_add(hot_only ? &inbox->hot_receivers
					  : &inbox->receivers,
				 &w);
		err = sp__code_error(sp__wait_end(self, w.epoch, deadline,
						  "message", inbox));
		sp__waitlist_remove(&w);
		self->pins--;
	}
	return 0;
}

int sp_msg_recv(struct sp_msg *out)
{
	return recv_until(out, false, SP_NEVER);
}

int sp_msg_recv_until(struct sp_msg *out, int64_t deadline)
{
	return recv_until(out, false, deadline);
}

int sp_msg_recv_hot(struct sp_msg *out)
{
	return recv_until(out, true, SP_NEVER);
}

int sp_msg_recv_hot_until(struct sp_msg *out, int64_t deadline)
{
	return recv_until(out, true, deadline);
}

int sp_msg_recv_many(struct sp_msg *out, size_t max)
{
	return sp_msg_recv_many_until(out, max, SP_NEVER);
}

int sp_msg_recv_many_until(struct sp_msg *out, size_t max, int64_t deadline)
{
	struct sp_shard *shard;
	size_t n = 1;
	int err;

	if (max == 0)
		return 0;
	err = recv_until(&out[0], false, deadline);
	if (err < 0)
		return err;
	shard = sp__shard_self();
	while (n < max && n < INT32_MAX && take_message(shard, false, &out[n]))
		n++;
	return (int)n;
}

int sp_msg_try_recv(struct sp_msg *out)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self == NULL)
		return -EPERM;
	return take_message(self->shard, false, out) ? 0 : -EAGAIN;
}

/* Counted tags */

static int sum_index(const struct sp__msg_inbox *inbox, uint16_t tag)
{
	int kind = kind_of(inbox, tag);

	return kind < SP__TAG_COUNTED ? -EINVAL : kind - SP__TAG_COUNTED;
}

int sp_count_take(uint16_t tag, uint64_t *out)
{
	struct sp_fiber *self = sp__fiber_self();
	int i;

	if (self == NULL)
		return -EPERM;
	i = sum_index(self->shard->msg_inbox, tag);
	if (i < 0)
		return i;
	*out = atomic_exchange(&self->shard->msg_inbox->sums[i], 0);
	return 0;
}

int sp_count_wait(uint16_t tag, uint64_t *out)
{
	return sp_count_wait_until(tag, SP_NEVER, out);
}

int sp_count_wait_until(uint16_t tag, int64_t deadline, uint64_t *out)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__msg_inbox *inbox;
	int err = 0;
	int i;

	if (self == NULL)
		return -EPERM;
	inbox = self->shard->msg_inbox;
	i = sum_index(inbox, tag);
	if (i < 0)
		return i;
	self->pins++;
	while (err == 0 && atomic_load(&inbox->sums[i]) < inbox->counted_wake) {
		struct sp__waiter w = { .fiber = self, .code = SP__EVENT };

		w.epoch = sp__wait_begin(self);
		sp__waitlist_add(&inbox->counters[i], &w);
		inbox->counting |= UINT64_C(1) << i;
		err = sp__code_error(
			sp__wait_end(self, w.epoch, deadline, "count", inbox));
		sp__waitlist_remove(&w);
		if (sp__waitlist_empty(&inbox->counters[i]))
			inbox->counting &= ~(UINT64_C(1) << i);
	}
	self->pins--;
	if (err == 0)
		*out = atomic_exchange(&inbox->sums[i], 0);
	return err;
}
