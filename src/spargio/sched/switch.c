/*
 * Which fiber of a shard runs next, and the switch to it.
 *
 * Order: the fiber woken last runs next (its data is in the cache), at most
 * three times in a row; then the queues of pinned and stealable fibers
 * alternate, oldest first.
 *
 * A fiber that is switching out is still running on its stack. Requeueing,
 * migrating or reaping it is therefore deferred to whatever runs next on this
 * thread, in finish_switch().
 */
#include "spargio/sched/switch.h"
#include "spargio/sched/current.h"
#include "spargio/sched/exit.h"
#include "spargio/sched/group_member.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/shutdown.h"

#include <spargio/time.h>

#include <assert.h>

#define TURN_NS	       (200 * SP_US)
#define NEXT_FIBER_MAX 3

static struct sp_fiber *take_next_fiber(struct sp_shard *s)
{
	if (atomic_load_explicit(&s->next_fiber, memory_order_relaxed) == NULL)
		return NULL;
	/* An idle shard may have stolen the fiber. */
	return atomic_exchange_explicit(&s->next_fiber, NULL,
					memory_order_acq_rel);
}

/*
 * True if the turn has lasted long enough. The budget is then negative, so
 * that a fiber that yields switches to the scheduler. The clock is read only
 * at every eighth call.
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

static struct sp_fiber *pick_next_fiber(struct sp_shard *s)
{
	struct sp_fiber *f = NULL;

	if (turn_is_over(s))
		return NULL;
	if (s->next_fiber_run < NEXT_FIBER_MAX) {
		f = take_next_fiber(s);
		if (f != NULL) {
			s->next_fiber_run++;
			return f;
		}
	}
	s->next_fiber_run = 0;
	s->local_first = !s->local_first;
	if (s->local_first)
		f = sp__fifo_pop(&s->local);
	if (f == NULL)
		f = sp__runq_pop(&s->runq);
	if (f == NULL)
		f = sp__shard_spill_pop(s);
	if (f == NULL)
		f = sp__fifo_pop(&s->local);
	return f != NULL ? f : take_next_fiber(s);
}

static void finish_switch(struct sp_shard *s)
{
	struct sp_fiber *f = s->switched_from;
	enum sp__switch_action action = s->switch_action;

	if (f == NULL)
		return; /* switched from the scheduler */
	s->switched_from = NULL;
	/*
	 * Pairs with the acquire in may_leave(): the fiber's registers are
	 * saved.
	 */
	atomic_store_explicit(&f->on_stack, false, memory_order_release);
	switch (action) {
	case SP__SWITCH_NONE:
		break;
	case SP__SWITCH_REQUEUE:
		sp__shard_queue_last(s, f);
		break;
	case SP__SWITCH_MIGRATE:
		atomic_store_explicit(&f->state, SP__FIBER_READY,
				      memory_order_relaxed);
		sp__shard_deliver(&s->rt->shards[s->migrate_to], f);
		break;
	case SP__SWITCH_REAP:
		sp__fiber_reap(s, f);
		sp__count_finished(s);
		break;
	case SP__SWITCH_COUNT:
		sp__count_finished(s);
		break;
	}
}

/* @f is about to run on @s. */
static void enter_fiber(struct sp_shard *s, struct sp_fiber *f)
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

static void leave_for_scheduler(struct sp_shard *s, struct sp_fiber *f)
{
	s->current = NULL;
	sp__cxx_exceptions_switch(s->exceptions, &f->exceptions,
				  &s->sched_exceptions);
}

static void leave_for_fiber(struct sp_shard *s, struct sp_fiber *f,
			    struct sp_fiber *next)
{
	enter_fiber(s, next);
	sp__cxx_exceptions_switch(s->exceptions, &f->exceptions,
				  &next->exceptions);
}

static __attribute__((noinline, cold)) void switch_without_fenv(
	const struct sp_shard *s, struct sp__context *from,
	struct sp__context *to)
{
	struct sp__fenv own;

	sp__fenv_read(&own);
	sp__fenv_write(&s->fenv);
	sp__context_switch(from, to);
	sp__fenv_write(&own);
}

/*
 * Switch from @from to @to. If the fiber has changed the floating-point control
 * words, the change does not affect the context @to.
 */
static inline void switch_context(struct sp_shard *s, struct sp__context *from,
				  struct sp__context *to)
{
	if (sp__fenv_differs(&s->fenv))
		switch_without_fenv(s, from, to);
	else
		sp__context_switch(from, to);
}

void sp__shard_switch(struct sp_shard *s, enum sp__switch_action action)
{
	struct sp_fiber *self = s->current;
	struct sp_fiber *next = pick_next_fiber(s);

	if (next == NULL && action == SP__SWITCH_REQUEUE && s->budget >= 0)
		return; /* no other fiber is runnable */
	s->switch_action = action;
	s->switched_from = self;
	if (next == NULL) {
		leave_for_scheduler(s, self);
		switch_context(s, &self->ctx, &s->sched);
	} else {
		leave_for_fiber(s, self, next);
		switch_context(s, &self->ctx, &next->ctx);
	}
	/* The fiber may now run on another shard: enter_fiber() has set it. */
	finish_switch(self->shard);
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

/* Release what the fiber owns. */
static void release_fiber_resources(struct sp_fiber *f)
{
	if (f->has_locals)
		drop_locals(f);
	if (f->group != NULL)
		sp__group_leave(f);
	if (f->token != NULL)
		sp__token_leave(f);
}

/*
 * Choose what runs after a fiber that has ended: its joiner, which saves a
 * queue operation and a switch to the scheduler, or else the next fiber.
 */
static struct sp_fiber *choose_successor(struct sp_shard *s, struct sp_fiber *f)
{
	struct sp_fiber *joiner = NULL;

	s->switch_action = SP__SWITCH_REAP;
	s->switched_from = f;
	if (s->budget > 0)
		joiner = sp__fiber_hand_over(f);
	if (joiner == NULL)
		return pick_next_fiber(s);
	s->budget--;
	s->switch_action = SP__SWITCH_COUNT;
	sp__timer_wheel_clear(&s->timer_wheel, &joiner->timer);
	return joiner;
}

/* Run @f from start to end; returns the context to switch to afterwards. */
static struct sp__context *fiber_run(struct sp_fiber *f)
{
	struct sp_fiber *next;
	struct sp_shard *s;

	finish_switch(f->shard);
	f->ret = f->fn(f->arg);
	release_fiber_resources(f);

	s = f->shard;
	assert(f->pins == 0 && f->no_yield == 0);
	if (sp__fenv_differs(&s->fenv))
		sp__fenv_write(&s->fenv);
	next = choose_successor(s, f);
	if (next == NULL) {
		leave_for_scheduler(s, f);
		return &s->sched;
	}
	leave_for_fiber(s, f, next);
	return &next->ctx;
}

SP__UNSEEN void sp__fiber_main(void *arg)
{
	struct sp_fiber *f = arg;

	sp__context_arrived();
	sp__context_leave(&f->ctx, fiber_run(f));
}

static void run_fiber(struct sp_shard *s, struct sp_fiber *f)
{
	enter_fiber(s, f);
	sp__cxx_exceptions_switch(s->exceptions, &s->sched_exceptions,
				  &f->exceptions);
	sp__context_switch(&s->sched, &f->ctx);
	finish_switch(s);
	atomic_store_explicit(&s->running, NULL, memory_order_relaxed);
}

void sp__shard_run_fibers(struct sp_shard *s)
{
	struct sp_fiber *f;

	while ((f = pick_next_fiber(s)) != NULL)
		run_fiber(s, f);
}
