/*
 * spargio/sched/ready.h - a shard's queues of runnable fibers, and waking it
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

/* Owner: make @fiber runnable behind the others. */
void sp__shard_queue_last(struct sp_shard *shard, struct sp_fiber *fiber);

/* Owner: make @fiber runnable here. If a fiber woke it, it runs next. */
void sp__shard_queue(struct sp_shard *shard, struct sp_fiber *fiber);

/* Anybody: hand @fiber to @shard, which makes it runnable. */
void sp__shard_deliver(struct sp_shard *shard, struct sp_fiber *fiber);

/* Anybody: wake @shard if it sleeps, after publishing something for it. */
void sp__shard_notify(struct sp_shard *shard);

/* Wake one idle shard, if there is one, to steal from @shard. */
void sp__shard_wake_idle(struct sp_shard *shard);

/* Anybody: the oldest fiber of the spill, or NULL. */
struct sp_fiber *sp__shard_spill_pop(struct sp_shard *shard);

/*
 * Anybody: a fiber that may be stolen waits at @shard for the fiber that runs
 * there. If an idle shard exists and none looks at the others now and then,
 * wake one to do so.
 */
void sp__shard_request_watch(struct sp_shard *shard);

/*
 * Fibers have been in the inbox of @shard for longer than SP__STUCK_NS, because
 * a fiber that runs there does not yield.
 */
#define SP__STUCK_NS (1 * SP_MS)
bool sp__shard_is_stuck(const struct sp_shard *shard, int64_t now);

/* How many stealable fibers are queued. */
static inline uint32_t sp__shard_stealable(const struct sp_shard *s)
{
	return sp__runq_len(&s->runq) +
	       atomic_load_explicit(&s->spill_len, memory_order_relaxed);
}

/* Owner: some fiber is queued here. */
static inline bool sp__shard_runnable(const struct sp_shard *s)
{
	return s->local.head != NULL ||
	       atomic_load_explicit(&s->next_fiber, memory_order_relaxed) !=
		       NULL ||
	       sp__shard_stealable(s) != 0;
}

#endif
