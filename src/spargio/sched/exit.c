#include "spargio/sched/exit.h"
#include "spargio/sched/fiber_alloc.h"
#include "spargio/sched/wake.h"

struct sp_fiber *sp__fiber_hand_over(struct sp_fiber *fiber)
{
	struct sp_fiber *joiner = NULL;
	struct sp__waiter *w;

	sp__spin_lock(&fiber->lock);
	w = fiber->joiner;
	/* After the claim nobody else can wake the joiner. */
	if (w != NULL && sp__wake_claim(w->fiber, w->epoch, w->code)) {
		fiber->claimed = w->fiber;
		if (w->fiber->shard == fiber->shard) {
			/*
			 * The joiner stays registered, so no other fiber takes
			 * the result.
			 */
			joiner = w->fiber;
			fiber->done = true;
		}
	}
	sp__spin_unlock(&fiber->lock);
	return joiner;
}

/*
 * Wake the joiner while the lock is held, a rule of sync.h: the joiner takes
 * the lock before it continues. The joiner may be a fiber of another runtime,
 * which may end right after the wake-up.
 */
void sp__fiber_reap(struct sp_shard *here, struct sp_fiber *fiber)
{
	struct sp__waiter *w;
	bool unwanted;

	atomic_store_explicit(&fiber->state, SP__FIBER_DONE,
			      memory_order_relaxed);
	sp__spin_lock(&fiber->lock);
	fiber->done = true;
	w = fiber->joiner;
	unwanted = w == NULL && fiber->detached;
	if (fiber->claimed != NULL)
		sp__wake_deliver(fiber->claimed);
	else if (w != NULL)
		sp__wake(w->fiber, w->epoch, w->code);
	sp__spin_unlock(&fiber->lock);
	if (unwanted)
		sp__fiber_free(here->rt, here, fiber);
}
