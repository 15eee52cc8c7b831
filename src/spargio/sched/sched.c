/*
 * The main loop of a shard.
 *
 * A fiber that gives up its thread switches directly to the next fiber (see
 * switch.c). If no fiber is runnable, or the turn is over, it switches to the
 * shard's own stack, where this loop polls for events: completions, fibers
 * from other threads, messages, timers. A turn is 61 fibers or 200 us, so that
 * many runnable fibers cannot keep the shard from polling.
 */
#include "spargio/sched/sched.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/idle.h"
#include "spargio/sched/msg_inbox.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/shutdown.h"
#include "spargio/sched/switch.h"
#include "spargio/sched/wake.h"

#include <spargio/time.h>

#define TURN_FIBERS 61

static struct sp_fiber *reverse_list(struct sp_fiber *list)
{
	struct sp_fiber *out = NULL;

	while (list != NULL) {
		struct sp_fiber *next = list->qnext;

		list->qnext = out;
		out = list;
		list = next;
	}
	return out;
}

static void drain_fiber_inbox(struct sp_shard *s)
{
	struct sp_fiber *f;

	if (atomic_load_explicit(&s->fiber_inbox, memory_order_relaxed) == NULL)
		return;
	if (atomic_load_explicit(&s->inbox_movable, memory_order_relaxed))
		atomic_store(&s->inbox_movable, false);
	/* Pairs with the release in sp__shard_deliver(). */
	f = reverse_list(atomic_exchange_explicit(&s->fiber_inbox, NULL,
						  memory_order_acquire));
	while (f != NULL) {
		struct sp_fiber *next = f->qnext;

		sp__timer_wheel_clear(&s->timer_wheel, &f->timer);
		f->shard = s;
		sp__shard_queue_last(s, f);
		f = next;
	}
}

static void expire_timers(struct sp_shard *s, int64_t now)
{
	struct sp__timer *timer;

	while ((timer = sp__timer_wheel_expire(&s->timer_wheel, now)) != NULL) {
		struct sp_fiber *f =
			(struct sp_fiber *)((char *)timer -
					    offsetof(struct sp_fiber, timer));
		uint64_t word =
			atomic_load_explicit(&f->wake, memory_order_relaxed);

		/* Fails if the fiber was woken already and is in the inbox. */
		sp__wake(f, word >> SP__EPOCH_SHIFT, SP__TIMED_OUT);
	}
}

static void poll_events(struct sp_shard *s)
{
	if (atomic_load_explicit(&s->rt->closing, memory_order_relaxed) &&
	    !s->closing_seen)
		sp__closing_seen(s);
	s->backend->poll(s);
	drain_fiber_inbox(s);
	sp__msg_inbox_deliver(s);
	if (s->timer_wheel.count != 0)
		expire_timers(s, sp_now());
	atomic_store_explicit(&s->counts.runnable,
			      s->local.len + sp__shard_stealable(s),
			      memory_order_relaxed);
}

static void run_turn(struct sp_shard *s)
{
	s->turn++;
	s->budget = TURN_FIBERS;
	/* Reuse a known time: reading the clock is costly for a short turn. */
	s->turn_began = s->woke_at != 0 ? s->woke_at : sp_now();
	s->woke_at = 0;
	atomic_store_explicit(&s->last_poll, s->turn_began,
			      memory_order_relaxed);
	sp__shard_run_fibers(s);
	poll_events(s);
	if (!sp__shard_runnable(s)) {
		sp__shard_idle(s);
		poll_events(s);
		if (s->searched && sp__shard_runnable(s))
			sp__shard_pass_on(s);
	}
}

/* No fiber runs any more: wait for every operation to complete, then leave. */
static void cancel_and_drain_ops(struct sp_shard *s)
{
	s->stopping = true;
	s->backend->cancel_all(s);
	while (s->inflight > 0)
		s->backend->wait(s, SP_NEVER);
}

void sp__shard_loop(struct sp_shard *s)
{
	sp__shard_busy_from(s, sp_now());
	while (!atomic_load_explicit(&s->rt->ending, memory_order_acquire))
		run_turn(s);
	cancel_and_drain_ops(s);
}
