/*
 * spargio/sched/ready.h - a shard's queues of runnable fibers, and its wake-up
 */
#ifndef SPARGIO_SCHED_READY_H
#define SPARGIO_SCHED_READY_H

#include "spargio/sched/shard.h"

#include <spargio/time.h>

static inline void sp__fifo_push(struct sp__fifo *q, struct sp_fiber *f)
{
	f->qnext = NULL;
	if (q->tail != NULL)
		q->tail->qnext = f;
	else
		q->head = f;
	q->tail = f;
	q->len++;
}

static inline struct sp_fiber *sp__fifo_pop(struct sp__fifo *q)
{
	struct sp_fiber *f = q->head;

	if (f == NULL)
		return NULL;
	q->head = f->qnext;
	if (q->head == NULL)
		q->tail = NULL;
	q->len--;
	return f;
}

/* Owner: make @fiber runnable, after all fibers that are runnable here. */
void sp__shard_queue_last(struct sp_shard *shard, struct sp_fiber *fiber);

/*
 * Owner: make @fiber runnable here. If a fiber is running, @fiber runs next.
 */
void sp__shard_queue(struct sp_shard *shard, struct sp_fiber *fiber);

/* Any thread: give @fiber to @shard, which makes it runnable. */
void sp__shard_deliver(struct sp_shard *shard, struct sp_fiber *fiber);

/*
 * Any thread: wake @shard if it sleeps, after something was published for it.
 */
void sp__shard_notify(struct sp_shard *shard);

/* Wake one idle shard, if there is one, to steal from @shard. */
void sp__shard_wake_idle(struct sp_shard *shard);

/* Any thread: take the oldest fiber of the spill queue, or NULL. */
struct sp_fiber *sp__shard_spill_pop(struct sp_shard *shard);

/*
 * Any thread: called when a stealable fiber waits at @shard while another
 * fiber runs there. If a shard is parked and no shard watches the others, wake
 * a parked shard, which then watches them.
 */
void sp__shard_request_watch(struct sp_shard *shard);

/*
 * A shard is stuck if fibers have been in its inbox for longer than
 * SP__STUCK_NS, because the running fiber does not yield.
 */
#define SP__STUCK_NS (1 * SP_MS)
bool sp__shard_is_stuck(const struct sp_shard *shard, int64_t now);

/* The number of queued stealable fibers. */
static inline uint32_t sp__shard_stealable(const struct sp_shard *s)
{
	return sp__runq_len(&s->runq) +
	       atomic_load_explicit(&s->spill_len, memory_order_relaxed);
}

/* Owner: true if a fiber is queued here. */
static inline bool sp__shard_runnable(const struct sp_shard *s)
{
	return s->local.head != NULL ||
	       atomic_load_explicit(&s->next_fiber, memory_order_relaxed) !=
		       NULL ||
	       sp__shard_stealable(s) != 0;
}

#endif
