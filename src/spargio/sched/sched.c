/*
 * The scheduler of one shard.
 *
 * A fiber that gives up its thread switches straight to the next one; only
 * when there is none, or the turn is over, does the shard's own stack run and
 * look around: completions, deliveries, messages, timers. A turn is 61 fibers
 * or 200 us, so that a crowd of runnable fibers cannot shut out the world.
 *
 * Order: the fiber woken last runs next (it has its data in the cache), at
 * most three times in a row; then the two queues in turns, pinned and
 * stealable, oldest first.
 *
 * A fiber still stands on its stack while it decides to leave. Whatever makes
 * it visible to other threads (queueing it after a yield, a hop, its end) is
 * therefore done by whoever runs next, in settle().
 */
#include "spargio/sched/backend.h"
#include "spargio/sched/group.h"
#include "spargio/sched/msg_inbox.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/spawn.h"

#include <spargio/time.h>

#include <assert.h>

#define TURN_FIBERS 61
#define TURN_NS	    (200 * SP_US)
#define LIFO_MAX    3

/* Fifo */

static void fifo_push(struct sp__fifo *q, struct sp_fiber *f)
{
	f->qnext = NULL;
	if (q->tail != NULL)
		q->tail->qnext = f;
	else
		q->head = f;
	q->tail = f;
	q->len++;
}

static struct sp_fiber *fifo_pop(struct sp__fifo *q)
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

/* Queues */

static bool may_be_stolen(const struct sp_fiber *f)
{
	return f->stealable && f->pins == 0;
}

static void spill_push(struct sp_shard *s, struct sp_fiber *f)
{
	sp__spin_lock(&s->spill_lock);
	fifo_push(&s->spill, f);
	atomic_store_explicit(&s->spill_len, s->spill.len,
			      memory_order_relaxed);
	sp__spin_unlock(&s->spill_lock);
}

struct sp_fiber *sp__shard_spill_pop(struct sp_shard *s)
{
	struct sp_fiber *f;

	if (atomic_load_explicit(&s->spill_len, memory_order_relaxed) == 0)
		return NULL;
	sp__spin_lock(&s->spill_lock);
	f = fifo_pop(&s->spill);
	atomic_store_explicit(&s->spill_len, s->spill.len,
			      memory_order_relaxed);
	sp__spin_unlock(&s->spill_lock);
	return f;
}

/*
 * Something waits that an idle shard could run. One that is queued by the
 * scheduler itself, and is alone, runs next: waking a thief for it would cost
 * more than the most it could save.
 */
static bool needs_help(const struct sp_shard *s)
{
	uint32_t stealable;

	if (s->rt->nshards == 1)
		return false;
	stealable = sp__shard_stealable(s);
	return stealable > 0 &&
	       (s->current != NULL || stealable + s->local.len > 1);
}

void sp__shard_queue_last(struct sp_shard *s, struct sp_fiber *f)
{
	atomic_store_explicit(&f->state, SP__FIBER_READY, memory_order_relaxed);
	if (!may_be_stolen(f) || s->rt->nshards == 1)
		fifo_push(&s->local, f);
	else if (!sp__runq_push(&s->runq, f))
		spill_push(s, f);
	if (needs_help(s))
		sp__shard_call_thief(s);
}

void sp__shard_queue(struct sp_shard *s, struct sp_fiber *f)
{
	struct sp_fiber *before;

	if (s->current == NULL) {
		sp__shard_queue_last(s, f);
		return;
	}
	/* Woken by a fiber: it runs next, and whoever was to goes to a queue. */
	atomic_store_explicit(&f->state, SP__FIBER_READY, memory_order_relaxed);
	if (s->rt->nshards > 1)
		atomic_store_explicit(&s->lifo_since, s->turn_began,
				      memory_order_relaxed);
	/* Pairs with the exchange in sp__shard_lifo_take(). */
	before = atomic_exchange_explicit(&s->lifo, f, memory_order_acq_rel);
	if (before != NULL)
		sp__shard_queue_last(s, before);
}

uint32_t sp__shard_stealable(const struct sp_shard *s)
{
	return sp__runq_len(&s->runq) +
	       atomic_load_explicit(&s->spill_len, memory_order_relaxed);
}

void sp__shard_deliver(struct sp_shard *s, struct sp_fiber *f)
{
	struct sp_fiber *first =
		atomic_load_explicit(&s->inbox, memory_order_relaxed);

	do {
		f->qnext = first;
		/* Pairs with the acquire in drain_inbox(). */
	} while (!atomic_compare_exchange_weak_explicit(&s->inbox, &first, f,
							memory_order_release,
							memory_order_relaxed));
	sp__shard_notify(s);
}

void sp__shard_notify(struct sp_shard *s)
{
	struct sp_shard *here = sp__shard_self();
	/*
	 * A read-modify-write, not a load: of this and the exchange by which
	 * the shard parks, one comes first. Either we see PARKED and ring, or
	 * it sees what we published before.
	 */
	uint32_t park = atomic_fetch_add(&s->park, 0);

	if (s == here)
		return;
	if (park != SP__PARKED) {
		sp__shard_rescue(s);
		return;
	}
	if (!atomic_compare_exchange_strong(&s->park, &park, SP__NOTIFIED))
		return;
	if (here != NULL)
		sp__count(&here->counts.doorbells, 1);
	s->backend->doorbell(here, s);
}

static struct sp_fiber *reversed(struct sp_fiber *list)
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

static void drain_inbox(struct sp_shard *s)
{
	struct sp_fiber *f;

	if (atomic_load_explicit(&s->inbox, memory_order_relaxed) == NULL)
		return;
	/* Pairs with the release in sp__shard_deliver(). */
	f = reversed(atomic_exchange_explicit(&s->inbox, NULL,
					      memory_order_acquire));
	while (f != NULL) {
		struct sp_fiber *next = f->qnext;

		sp__wheel_clear(&s->wheel, &f->timer);
		f->shard = s;
		sp__shard_queue_last(s, f);
		f = next;
	}
}

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
		f = fifo_pop(&s->local);
	if (f == NULL)
		f = sp__runq_pop(&s->runq);
	if (f == NULL)
		f = sp__shard_spill_pop(s);
	if (f == NULL)
		f = fifo_pop(&s->local);
	return f != NULL ? f : lifo_take(s);
}

/* Switching */

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

/* Turns */

static void expire_timers(struct sp_shard *s, int64_t now)
{
	struct sp__timer *timer;

	while ((timer = sp__wheel_expire(&s->wheel, now)) != NULL) {
		struct sp_fiber *f =
			(struct sp_fiber *)((char *)timer -
					    offsetof(struct sp_fiber, timer));
		uint64_t word =
			atomic_load_explicit(&f->wake, memory_order_relaxed);

		/* Fails if it is woken already and waits in the inbox. */
		sp__wake(f, word >> SP__EPOCH_SHIFT, SP__TIMED_OUT);
	}
}

static bool runnable(const struct sp_shard *s)
{
	return s->local.head != NULL ||
	       atomic_load_explicit(&s->lifo, memory_order_relaxed) != NULL ||
	       sp__shard_stealable(s) != 0;
}

static bool is_closing(const struct sp_shard *s)
{
	return atomic_load_explicit(&s->rt->closing, memory_order_relaxed);
}

bool sp__shard_has_work(struct sp_shard *s)
{
	return atomic_load_explicit(&s->inbox, memory_order_acquire) != NULL ||
	       sp__mail_wanted(s) || s->backend->ready(s) || runnable(s) ||
	       (is_closing(s) && !s->told) ||
	       (atomic_load_explicit(&s->rt->ending, memory_order_relaxed) &&
		!s->stopping);
}

static void look_around(struct sp_shard *s)
{
	if (is_closing(s) && !s->told)
		sp__closing_seen(s);
	s->backend->poll(s);
	drain_inbox(s);
	sp__mail_deliver(s);
	if (s->wheel.count != 0)
		expire_timers(s, sp_now());
	atomic_store_explicit(&s->counts.runnable,
			      s->local.len + sp__shard_stealable(s),
			      memory_order_relaxed);
}

static void turn(struct sp_shard *s)
{
	struct sp_fiber *f;

	s->budget = TURN_FIBERS;
	/* Asking the clock is a good part of a short turn's cost. */
	s->turn_began = s->woke_at != 0 ? s->woke_at : sp_now();
	s->woke_at = 0;
	atomic_store_explicit(&s->looked, s->turn_began, memory_order_relaxed);
	while ((f = pick(s)) != NULL)
		run(s, f);
	look_around(s);
	if (!runnable(s)) {
		sp__shard_idle(s);
		look_around(s);
	}
}

/* No fiber runs any more: see every operation through, then leave. */
static void wind_up(struct sp_shard *s)
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
		turn(s);
	wind_up(s);
}
