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
 * True if an idle shard should steal from this one. A lone fiber that the
 * scheduler itself queues runs next anyway: waking an idle shard for it would
 * cost more than it could save.
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

void sp__shard_queue(struct sp_shard *s, struct sp_fiber *f)
{
	struct sp_fiber *before;

	if (s->current == NULL) {
		sp__shard_queue_last(s, f);
		return;
	}
	/* Woken by a fiber: it runs next; the former next fiber is queued. */
	atomic_store_explicit(&f->state, SP__FIBER_READY, memory_order_relaxed);
	if (s->rt->nshards > 1)
		atomic_store_explicit(&s->next_fiber_since, s->turn_began,
				      memory_order_relaxed);
	/* Pairs with the exchange in take_next_fiber(). */
	before = atomic_exchange_explicit(&s->next_fiber, f,
					  memory_order_acq_rel);
	if (before != NULL)
		sp__shard_queue_last(s, before);
}

void sp__shard_deliver(struct sp_shard *s, struct sp_fiber *f)
{
	struct sp_fiber *first =
		atomic_load_explicit(&s->fiber_inbox, memory_order_relaxed);

	do {
		f->qnext = first;
		/* Pairs with the acquire in drain_fiber_inbox(). */
	} while (!atomic_compare_exchange_weak_explicit(&s->fiber_inbox, &first,
							f, memory_order_release,
							memory_order_relaxed));
	sp__shard_notify(s);
}

void sp__shard_notify(struct sp_shard *s)
{
	struct sp_shard *here = sp__shard_self();
	/*
	 * A read-modify-write, not a load: of this and the exchange by which
	 * the shard parks, one comes first. Either we see PARKED and wake
	 * it, or it sees what we published before.
	 */
	uint32_t park = atomic_fetch_add(&s->park, 0);

	if (s == here)
		return;
	if (park != SP__PARKED) {
		sp__shard_offload_stuck(s);
		return;
	}
	if (!atomic_compare_exchange_strong(&s->park, &park, SP__NOTIFIED))
		return;
	if (here != NULL)
		sp__count(&here->counts.shard_wakeups, 1);
	s->backend->wakeup(here, s);
}

void sp__shard_wake_idle(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;

	if (atomic_load_explicit(&rt->parked, memory_order_relaxed) == 0 ||
	    atomic_load_explicit(&rt->searching, memory_order_relaxed) != 0)
		return;
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

/* Its fiber inbox has not been emptied for long: a fiber blocks the shard. */
bool sp__shard_is_stuck(const struct sp_shard *s, int64_t now)
{
	return atomic_load_explicit(&s->fiber_inbox, memory_order_relaxed) !=
		       NULL &&
	       atomic_load_explicit(&s->park, memory_order_relaxed) ==
		       SP__RUNNING &&
	       now - atomic_load_explicit(&s->last_poll, memory_order_relaxed) >
		       SP__STUCK_NS;
}

void sp__shard_offload_stuck(struct sp_shard *s)
{
	if (s->rt->nshards > 1 &&
	    atomic_load_explicit(&s->rt->parked, memory_order_relaxed) != 0 &&
	    sp__shard_is_stuck(s, sp_now()))
		sp__shard_wake_idle(s);
}
