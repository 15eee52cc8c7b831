/*
 * An idle shard spins, then steals fibers from other shards, then sleeps.
 *
 * idle_spin.c decides how long it spins.
 *
 * Stealing too early is worse than not stealing: two shards that pass a lock to
 * each other would steal each other's fibers. A shard that has just run out of
 * work steals only where several fibers are queued (sp_opts.steal_locality);
 * after sp_opts.steal_delay_us it steals anywhere.
 *
 * If a fiber was woken by another fiber or is in the inbox, its own shard
 * should run it, so no idle shard is woken to steal it. But the running fiber
 * of that shard may compute for a long time. So one of the parked shards
 * watches the others, that is, it checks them every SP__STUCK_NS while one of
 * them runs, and steals a fiber that has waited too long.
 */
#include "spargio/sched/idle.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/msg_inbox.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/runtime.h"

#include <spargio/time.h>

#define SPIN_LOOKS	  32
#define NEXT_FIBER_OLD_NS (200 * SP_US)

/* Stealing */

/*
 * True if the next fiber of @victim may be stolen and has waited long enough.
 */
static bool next_fiber_is_old(const struct sp_shard *victim, int64_t now)
{
	return atomic_load_explicit(&victim->next_fiber,
				    memory_order_relaxed) != NULL &&
	       now - atomic_load_explicit(&victim->next_fiber_since,
					  memory_order_relaxed) >=
		       NEXT_FIBER_OLD_NS;
}

/* Steal the next fiber of a victim that is too busy to run it. */
static struct sp_fiber *steal_next_fiber(struct sp_shard *victim)
{
	struct sp_fiber *f;

	if (!next_fiber_is_old(victim, sp_now()))
		return NULL;
	/* Take the fiber before reading its fields: until then it may run. */
	f = atomic_exchange_explicit(&victim->next_fiber, NULL,
				     memory_order_acq_rel);
	if (f != NULL && (!f->stealable || f->pins != 0)) {
		sp__shard_deliver(victim, f);
		return NULL;
	}
	return f;
}

/*
 * True if a fiber in an inbox may run on another shard. Only its own shard may
 * run a fiber that has not left its stack yet, or whose deadline is in the
 * timer wheel of that shard.
 */
static bool may_leave(struct sp_fiber *f)
{
	/* Pairs with the release in finish_switch(). */
	return !atomic_load_explicit(&f->on_stack, memory_order_acquire) &&
	       f->stealable && f->pins == 0 && !f->timed;
}

/*
 * Steal the fibers that may move from the inbox of a shard that is stuck, and
 * put the others back.
 */
static struct sp_fiber *steal_fiber_inbox(struct sp_shard *s,
					  struct sp_shard *victim)
{
	struct sp_fiber *taken = NULL;
	struct sp_fiber *f;

	if (!sp__shard_is_stuck(victim, sp_now()))
		return NULL;
	/* Pairs with the release in sp__shard_deliver(). */
	f = atomic_exchange_explicit(&victim->fiber_inbox, NULL,
				     memory_order_acquire);
	while (f != NULL) {
		struct sp_fiber *next = f->qnext;

		if (!may_leave(f)) {
			sp__shard_deliver(victim, f);
		} else if (taken == NULL) {
			taken = f;
		} else {
			f->shard = s;
			sp__shard_queue_last(s, f);
		}
		f = next;
	}
	return taken;
}

static struct sp_fiber *steal_from(struct sp_shard *s, struct sp_shard *victim,
				   uint32_t at_least, uint32_t *moved)
{
	struct sp_fiber *f;

	*moved = 1;
	if (sp__shard_stealable(victim) < at_least) {
		if (at_least > 1)
			return NULL;
		f = steal_next_fiber(victim);
		return f != NULL ? f : steal_fiber_inbox(s, victim);
	}
	f = sp__runq_steal(&victim->runq, &s->runq, s->rt->opts.steal_batch,
			   moved);
	return f != NULL ? f : sp__shard_spill_pop(victim);
}

/*
 * The next shard to try. If the stride and the number of shards have a common
 * factor, steps of the stride alone would never reach some shards: so after
 * each cycle continue with the neighbour.
 */
static struct sp_shard *next_victim(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;
	uint32_t n = rt->nshards;
	struct sp_shard *victim = &rt->shards[s->victim % n];

	s->victim = (s->victim + rt->opts.steal_stride % n) % n;
	if (++s->victim_steps >= rt->steal_cycle) {
		s->victim_steps = 0;
		s->victim = (s->victim + 1) % n;
	}
	return victim;
}

static bool search_victims(struct sp_shard *s, uint32_t at_least)
{
	struct sp_rt *rt = s->rt;
	uint32_t tries = rt->opts.steal_budget;

	for (uint32_t i = 0; i < tries; i++) {
		struct sp_shard *victim = next_victim(s);
		struct sp_fiber *f;
		uint32_t moved;

		if (victim == s)
			continue;
		sp__count(&s->counts.steal_probes, 1);
		f = steal_from(s, victim, at_least, &moved);
		if (f == NULL)
			continue;
		sp__count(&s->counts.stolen, moved);
		sp__count(&s->counts.steals, 1);
		if (f->pins != 0) {
			/*
			 * This is a bug: these queues must not hold pinned
			 * fibers.
			 */
			sp__count(&s->counts.affinity_violations, 1);
			sp__shard_deliver(victim, f);
			continue;
		}
		f->shard = s;
		sp__shard_queue_last(s, f);
		return true;
	}
	return false;
}

static bool steal_work(struct sp_shard *s, uint32_t at_least)
{
	struct sp_rt *rt = s->rt;
	uint32_t most = rt->nshards / 2;
	bool found;

	if (rt->nshards == 1)
		return false;
	/* More searching shards would only contend for the same queues. */
	if (atomic_fetch_add(&rt->searching, 1) >= (most == 0 ? 1 : most)) {
		atomic_fetch_sub(&rt->searching, 1);
		return false;
	}
	s->searched = true;
	sp__count(&s->counts.steal_attempts, 1);
	found = search_victims(s, at_least);
	atomic_fetch_sub(&rt->searching, 1);
	return found;
}

/* True if another shard has at least @count fibers that may be stolen. */
static bool others_have(struct sp_shard *s, uint32_t count)
{
	struct sp_rt *rt = s->rt;

	for (uint32_t i = 0; i < rt->nshards; i++)
		if (i != s->index &&
		    sp__shard_stealable(&rt->shards[i]) >= count)
			return true;
	return false;
}

/* True if another shard has a fiber that may be stolen later. */
static bool others_keep(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;

	for (uint32_t i = 0; i < rt->nshards; i++) {
		struct sp_shard *other = &rt->shards[i];

		if (other == s)
			continue;
		if (atomic_load(&other->fiber_inbox) != NULL &&
		    atomic_load(&other->inbox_movable))
			return true;
		if (atomic_load(&other->next_fiber) != NULL &&
		    atomic_load_explicit(&other->next_fiber_since,
					 memory_order_relaxed) != SP_NEVER)
			return true;
	}
	return false;
}

/*
 * True if a fiber of others_keep() has waited so long that it may be stolen.
 */
static bool others_are_late(struct sp_shard *s, int64_t now)
{
	struct sp_rt *rt = s->rt;

	for (uint32_t i = 0; i < rt->nshards; i++) {
		struct sp_shard *other = &rt->shards[i];

		if (other != s && (next_fiber_is_old(other, now) ||
				   sp__shard_is_stuck(other, now)))
			return true;
	}
	return false;
}

static bool others_run(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;

	for (uint32_t i = 0; i < rt->nshards; i++)
		if (i != s->index &&
		    atomic_load_explicit(&rt->shards[i].park,
					 memory_order_relaxed) == SP__RUNNING)
			return true;
	return false;
}

/* Spinning */

static bool is_closing(const struct sp_shard *s)
{
	return atomic_load_explicit(&s->rt->closing, memory_order_relaxed);
}

/* True if the shard must not sleep; park_shard() checks it after parking. */
static bool has_work(struct sp_shard *s)
{
	return atomic_load_explicit(&s->fiber_inbox, memory_order_acquire) !=
		       NULL ||
	       sp__msg_inbox_wanted(s) || s->backend->ready(s) ||
	       sp__shard_runnable(s) || (is_closing(s) && !s->closing_seen) ||
	       (atomic_load_explicit(&s->rt->ending, memory_order_relaxed) &&
		!s->stopping);
}

static bool poll_for_work(struct sp_shard *s)
{
	for (int i = 0; i < SPIN_LOOKS; i++) {
		if (has_work(s))
			return true;
		sp__cpu_relax();
	}
	return false;
}

static int64_t spin_limit(struct sp_shard *s)
{
	int32_t us = s->rt->opts.spin_us;
	uint64_t wakeups = atomic_load_explicit(&s->counts.shard_wakeups,
						memory_order_relaxed);
	bool sent_wakeup = wakeups != s->wakeups_seen;

	s->wakeups_seen = wakeups;
	if (us == SP_SPIN_FOREVER)
		return SP_NEVER;
	if (us != SP_SPIN_ADAPTIVE)
		return us * SP_US;
	return sp__idle_spin_begin(&s->idle_spin, sent_wakeup);
}

/* False if the shard that this one woke last has not run since. */
static bool woken_has_started(const struct sp_shard *s)
{
	return s->woken == NULL ||
	       atomic_load_explicit(&s->woken->park, memory_order_relaxed) !=
		       SP__NOTIFIED;
}

/* The pause between two searches; see sp_opts.steal_backoff_us. */
struct search_pause {
	int64_t until;
	int64_t ns;
};

static bool steal_after_pause(struct sp_shard *s, int64_t now,
			      struct search_pause *pause)
{
	int64_t longest = s->rt->opts.steal_backoff_us * SP_US;

	if (now < pause->until)
		return false;
	if (steal_work(s, 1))
		return true;
	if (longest == 0)
		return false;
	pause->ns = pause->ns == 0 ? SP_US : 2 * pause->ns;
	if (pause->ns > longest)
		pause->ns = longest;
	pause->until = now + pause->ns;
	sp__count(&s->counts.steal_backoffs, 1);
	return false;
}

/* True if work came before the limit. Updates *@now while it spins. */
static bool spin_for_work(struct sp_shard *s, int64_t began, int64_t *now)
{
	int64_t limit = spin_limit(s);
	int64_t due = sp__timer_wheel_next(&s->timer_wheel);
	int64_t delay = s->rt->opts.steal_delay_us * SP_US;
	struct search_pause pause = { 0 };

	while (*now - began < limit) {
		if (poll_for_work(s) || *now >= due)
			return true;
		*now = sp_now();
		if (*now - began >= delay && steal_after_pause(s, *now, &pause))
			return true;
		if (sp__idle_spin_is_vain(&s->idle_spin, *now - began,
					  woken_has_started(s)))
			return false;
	}
	return false;
}

/* True if this shard becomes the one that watches the others. */
static bool watch_begin(struct sp_shard *s)
{
	bool watched = false;

	return others_keep(s) &&
	       atomic_compare_exchange_strong(&s->rt->watched, &watched, true);
}

/* True if a watching shard that found nothing should continue to watch. */
static bool may_watch_on(struct sp_shard *s)
{
	int64_t now = sp_now();

	return atomic_load(&s->park) == SP__PARKED && !has_work(s) &&
	       now < sp__timer_wheel_next(&s->timer_wheel) &&
	       !others_have(s, 1) && !others_are_late(s, now) && others_run(s);
}

static void sleep_shard(struct sp_shard *s)
{
	bool watching = watch_begin(s);

	do {
		int64_t deadline = sp__timer_wheel_next(&s->timer_wheel);
		int64_t soon = watching ? sp_in(SP__STUCK_NS) : SP_NEVER;

		sp__count(&s->counts.parks, 1);
		s->backend->wait(s, soon < deadline ? soon : deadline);
	} while (watching && may_watch_on(s));
	if (watching)
		atomic_store(&s->rt->watched, false);
}

static void park_shard(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;

	s->searched = true;
	atomic_fetch_add(&rt->parked, 1);
	/* From here on a publisher also wakes us: see sp__shard_notify(). */
	atomic_exchange(&s->park, SP__PARKED);
	/* Pairs with the fence in sp__shard_wake_idle(). */
	sp__full_fence();
	if (!has_work(s) && !others_have(s, 1))
		sleep_shard(s);
	atomic_store_explicit(&s->last_poll, sp_now(), memory_order_relaxed);
	atomic_exchange(&s->park, SP__RUNNING);
	atomic_fetch_sub(&rt->parked, 1);
}

void sp__shard_pass_on(struct sp_shard *s)
{
	s->searched = false;
	if (atomic_load(&s->rt->parked) == 0)
		return;
	if (others_have(s, 1))
		sp__shard_wake_idle(s);
	else if (others_keep(s))
		sp__shard_request_watch(s);
}

/*
 * End the busy period of the shard at @now, and add its length to the total
 * busy time.
 */
static void rest_from(struct sp_shard *s, int64_t now)
{
	uint64_t busy =
		atomic_load_explicit(&s->counts.busy, memory_order_relaxed);

	if (busy & SP__BUSY)
		atomic_store_explicit(&s->counts.busy,
				      ((uint64_t)now - busy) & ~SP__BUSY,
				      memory_order_relaxed);
}

void sp__shard_busy_from(struct sp_shard *s, int64_t now)
{
	uint64_t busy =
		atomic_load_explicit(&s->counts.busy, memory_order_relaxed);

	atomic_store_explicit(&s->counts.busy,
			      ((uint64_t)now - busy) | SP__BUSY,
			      memory_order_relaxed);
}

void sp__shard_idle(struct sp_shard *s)
{
	uint32_t locality = s->rt->opts.steal_locality;
	int64_t began = sp_now();
	int64_t now = began;
	bool slept = false;

	if (others_have(s, locality) && steal_work(s, locality)) {
		s->woke_at = now;
		return;
	}
	rest_from(s, began);
	if (spin_for_work(s, began, &now)) {
		sp__count(&s->counts.spins, 1);
	} else if (!steal_work(s, 1)) {
		park_shard(s);
		now = sp_now();
		slept = true;
	}
	sp__idle_spin_end(&s->idle_spin, now - began, slept);
	s->woke_at = now;
	sp__shard_busy_from(s, now);
}
