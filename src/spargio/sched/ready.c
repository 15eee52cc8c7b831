#include "spargio/sched/ready.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/current.h"
#include "spargio/sched/runtime.h"

static bool may_be_stolen(const struct sp_fiber *f)
{
	return f->stealable && f->pins == 0;
}

static void spill_push(struct sp_shard *s, struct sp_fiber *f)
{
	sp__spin_lock(&s->spill_lock);
	sp__fifo_push(&s->spill, f);
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
	f = sp__fifo_pop(&s->spill);
	atomic_store_explicit(&s->spill_len, s->spill.len,
			      memory_order_relaxed);
	sp__spin_unlock(&s->spill_lock);
	return f;
}

/*
 * True if an idle shard should steal from this one. A single fiber queued by
 * the scheduler runs next anyway: waking an idle shard for it would cost more
 * than it saves.
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
		sp__fifo_push(&s->local, f);
	else if (!sp__runq_push(&s->runq, f))
		spill_push(s, f);
	if (needs_help(s))
		sp__shard_wake_idle(s);
}

/* Returns true if the shard slept. */
static bool notify_shard(struct sp_shard *s)
{
	struct sp_shard *here = sp__shard_self();
	/*
	 * A read-modify-write, not a load: it is ordered with the exchange by
	 * which the shard parks. Either we see PARKED and wake the shard, or
	 * the shard sees what we published before.
	 */
	uint32_t park = atomic_fetch_add(&s->park, 0);

	if (park != SP__PARKED || s == here)
		return false;
	if (!atomic_compare_exchange_strong(&s->park, &park, SP__NOTIFIED))
		return true; /* another thread wakes the shard */
	if (here != NULL)
		sp__count(&here->counts.shard_wakeups, 1);
	if (here != NULL && here->rt == s->rt)
		here->woken = s;
	s->backend->wakeup(here, s);
	return true;
}

/* Wake a parked shard other than @s, if there is one. */
static void wake_parked(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;

	for (uint32_t i = 1; i < rt->nshards; i++) {
		struct sp_shard *other =
			&rt->shards[(s->index + i) % rt->nshards];

		if (atomic_load_explicit(&other->park, memory_order_relaxed) ==
		    SP__PARKED) {
			sp__shard_notify(other);
			return;
		}
	}
}

void sp__shard_request_watch(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;

	/*
	 * Sequentially consistent, like the preceding stores and park_shard():
	 * either we see that a shard is parked and no shard watches, or the
	 * parking shard sees the fiber.
	 */
	if (atomic_load(&rt->parked) != 0 && !atomic_load(&rt->watched))
		wake_parked(s);
}

void sp__shard_queue(struct sp_shard *s, struct sp_fiber *f)
{
	struct sp_fiber *before;
	bool movable;

	if (s->current == NULL) {
		sp__shard_queue_last(s, f);
		return;
	}
	/*
	 * The running fiber woke @f: run @f next, queue the former next fiber.
	 */
	atomic_store_explicit(&f->state, SP__FIBER_READY, memory_order_relaxed);
	movable = s->rt->nshards > 1 && may_be_stolen(f);
	if (s->rt->nshards > 1)
		atomic_store_explicit(&s->next_fiber_since,
				      movable ? s->turn_began : SP_NEVER,
				      memory_order_relaxed);
	/*
	 * Pairs with the exchange in take_next_fiber(); sequentially consistent
	 * for sp__shard_request_watch(). From here on @f may run elsewhere.
	 */
	before = atomic_exchange(&s->next_fiber, f);
	if (before != NULL)
		sp__shard_queue_last(s, before);
	/* The running fiber may compute for a long time before it waits. */
	if (movable)
		sp__shard_request_watch(s);
}

void sp__shard_deliver(struct sp_shard *s, struct sp_fiber *f)
{
	struct sp_fiber *first =
		atomic_load_explicit(&s->fiber_inbox, memory_order_relaxed);
	bool movable = s->rt->nshards > 1 && f->stealable;

	do {
		f->qnext = first;
		/*
		 * Pairs with the acquire in drain_fiber_inbox(); sequentially
		 * consistent for sp__shard_request_watch().
		 */
	} while (!atomic_compare_exchange_weak_explicit(&s->fiber_inbox, &first,
							f, memory_order_seq_cst,
							memory_order_relaxed));
	/*
	 * Set the flag after the push, because drain_fiber_inbox() clears the
	 * flag before it takes the fibers. So the flag may be set if the inbox
	 * is empty, but it is always set if a stealable fiber is in the inbox.
	 */
	if (movable)
		atomic_store(&s->inbox_movable, true);
	/* A shard that is awake may not check its inbox for a long time. */
	if (!notify_shard(s) && movable)
		sp__shard_request_watch(s);
}

void sp__shard_notify(struct sp_shard *s)
{
	(void)notify_shard(s);
}

void sp__shard_wake_idle(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;

	/*
	 * The fiber was pushed by a plain store. Pairs with the fence in
	 * park_shard() and with the decrement in steal_work(): either we see
	 * the idle shard, or that shard sees the fiber.
	 */
	sp__full_fence();
	if (atomic_load_explicit(&rt->parked, memory_order_relaxed) != 0 &&
	    atomic_load_explicit(&rt->searching, memory_order_relaxed) == 0)
		wake_parked(s);
}

/*
 * True if the fiber inbox was not emptied for a long time: a fiber blocks the
 * shard.
 */
bool sp__shard_is_stuck(const struct sp_shard *s, int64_t now)
{
	return atomic_load_explicit(&s->fiber_inbox, memory_order_relaxed) !=
		       NULL &&
	       atomic_load_explicit(&s->park, memory_order_relaxed) ==
		       SP__RUNNING &&
	       now - atomic_load_explicit(&s->last_poll, memory_order_relaxed) >
		       SP__STUCK_NS;
}
