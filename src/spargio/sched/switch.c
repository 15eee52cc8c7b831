/*
 * Which fiber of a shard runs next, and how one is left for another.
 */
#include "spargio/sched/switch.h"
#include "spargio/sched/current.h"
#include "spargio/sched/exit.h"
#include "spargio/sched/group_member.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/shutdown.h"

#include <spargio/time.h>

#include <assert.h>

#define TURN_NS	 (200 * SP_US)
#define LIFO_MAX 3

static struct sp_fiber *lifo_take(struct sp_shard *s)
{
	if (atomic_load_explicit(&s->lifo, memory_order_relaxed) == NULL)
		return NULL;
	/* A thief may have been faster. */
	return atomic_exchange_explicit(&s->lifo, NULL, memory_order_acq_rel);
}

/*
 * True once the turn has lasted long enough; it then has no budget left, so
 * that a fiber that yields goes round by the scheduler. The clock is asked
 * rarely.
 */
static bool turn_is_over(struct sp_shard *s)
{
	if (--s->budget < 0)
		return true;
	if ((s->budget & 7) != 0 || sp_now() - s->turn_began <= TURN_NS)
		return false;
	s->budget = -1;
	return true;
}

static struct sp_fiber *pick(struct sp_shard *s)
{
	struct sp_fiber *f = NULL;

	if (turn_is_over(s))
		return NULL;
	if (s->lifo_run < LIFO_MAX) {
		f = lifo_take(s);
		if (f != NULL) {
			s->lifo_run++;
			return f;
		}
	}
	s->lifo_run = 0;
	s->local_first = !s->local_first;
	if (s->local_first)
		f = sp__fifo_pop(&s->local);
	if (f == NULL)
		f = sp__runq_pop(&s->runq);
	if (f == NULL)
		f = sp__shard_spill_pop(s);
	if (f == NULL)
		f = sp__fifo_pop(&s->local);
	return f != NULL ? f : lifo_take(s);
}

static void settle(struct sp_shard *s)
{
	struct sp_fiber *f = s->after_fiber;
	enum sp__after after = s->after;

	if (f == NULL)
		return; /* it was the scheduler that we come from */
	s->after_fiber = NULL;
	/* Pairs with the acquire in steal_inbox(): its registers are saved. */
	atomic_store_explicit(&f->on_stack, false, memory_order_release);
	switch (after) {
	case SP__AFTER_NONE:
		break;
	case SP__AFTER_QUEUE:
		sp__shard_queue_last(s, f);
		break;
	case SP__AFTER_HOP:
		atomic_store_explicit(&f->state, SP__FIBER_READY,
				      memory_order_relaxed);
		sp__shard_deliver(&s->rt->shards[s->hop_to], f);
		break;
	case SP__AFTER_BURY:
		sp__fiber_bury(s, f);
		sp__count_finished(s);
		break;
	case SP__AFTER_COUNT:
		sp__count_finished(s);
		break;
	}
}

/* @f is about to run on @s. */
static void enter(struct sp_shard *s, struct sp_fiber *f)
{
	s->current = f;
	f->shard = s;
	atomic_store_explicit(&f->on_stack, true, memory_order_relaxed);
	atomic_store_explicit(&f->seen_on, s->index, memory_order_relaxed);
	atomic_store_explicit(&f->state, SP__FIBER_RUNNING,
			      memory_order_relaxed);
	atomic_store_explicit(&s->running, f, memory_order_relaxed);
	sp__count(&s->counts.switches, 1);
}

void sp__shard_switch(struct sp_shard *s, enum sp__after after)
{
	struct sp_fiber *self = s->current;
	struct sp_fiber *next = pick(s);

	if (next == NULL && after == SP__AFTER_QUEUE && s->budget >= 0)
		return; /* a yield with nobody to yield to */
	s->after = after;
	s->after_fiber = self;
	if (next == NULL) {
		s->current = NULL;
		sp__context_switch(&self->ctx, &s->sched);
	} else {
		enter(s, next);
		sp__context_switch(&self->ctx, &next->ctx);
	}
	/* Perhaps on another thread: @s is not to be used any more. */
	settle(sp__shard_self());
}

static void drop_locals(struct sp_fiber *f)
{
	struct sp_rt *rt = f->shard->rt;

	for (int i = 0; i < SP__LOCALS; i++) {
		void (*drop)(void *) =
			atomic_load_explicit(&rt->local_drop[i],
					     memory_order_relaxed);
		void *value = f->locals[i];

		f->locals[i] = NULL;
		if (value != NULL && drop != NULL)
			drop(value);
	}
	f->has_locals = false;
}

/* What is the fiber's own goes with it. */
static void clean_up(struct sp_fiber *f)
{
	if (f->has_locals)
		drop_locals(f);
	if (f->group != NULL)
		sp__group_leave(f);
	if (f->token != NULL)
		sp__token_leave(f);
}

/*
 * Who runs after a fiber that has ended: whoever waits for its end, which
 * then saves queueing it and a way round by the scheduler, or the next in turn.
 */
static struct sp_fiber *successor(struct sp_shard *s, struct sp_fiber *f)
{
	struct sp_fiber *joiner = NULL;

	s->after = SP__AFTER_BURY;
	s->after_fiber = f;
	if (s->budget > 0)
		joiner = sp__fiber_hand_over(f);
	if (joiner == NULL)
		return pick(s);
	s->budget--;
	s->after = SP__AFTER_COUNT;
	sp__wheel_clear(&s->wheel, &joiner->timer);
	return joiner;
}

/* All of a fiber's life; returns where to go when it is over. */
static struct sp__context *live(struct sp_fiber *f)
{
	struct sp_fiber *next;
	struct sp_shard *s;

	settle(sp__shard_self());
	f->ret = f->fn(f->arg);
	clean_up(f);

	s = f->shard;
	assert(f->pins == 0 && f->no_yield == 0);
	next = successor(s, f);
	if (next == NULL) {
		s->current = NULL;
		return &s->sched;
	}
	enter(s, next);
	return &next->ctx;
}

SP__UNSEEN void sp__fiber_main(void *arg)
{
	struct sp_fiber *f = arg;

	sp__context_arrived();
	sp__context_leave(&f->ctx, live(f));
}

static void run(struct sp_shard *s, struct sp_fiber *f)
{
	enter(s, f);
	sp__context_switch(&s->sched, &f->ctx);
	settle(s);
	atomic_store_explicit(&s->running, NULL, memory_order_relaxed);
}

void sp__shard_run_fibers(struct sp_shard *s)
{
	struct sp_fiber *f;

	while ((f = pick(s)) != NULL)
		run(s, f);
}
