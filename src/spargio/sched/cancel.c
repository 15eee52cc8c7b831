#include "spargio/sched/cancel.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/wake.h"

bool sp__fiber_is_cancelled(const struct sp_fiber *fiber)
{
	return atomic_load(&fiber->cancelled) ||
	       atomic_load(&fiber->shard->rt->closing);
}

void sp__fiber_cancel(struct sp_fiber *fiber)
{
	uint64_t word;

	/* Sequentially consistent against begin_wait() in wait.c. */
	atomic_store(&fiber->cancelled, true);
	word = atomic_load(&fiber->wake);
	if ((word & SP__CODE_MASK) == SP__PENDING && (word & SP__CANCELLABLE))
		sp__wake(fiber, word >> SP__EPOCH_SHIFT, SP__CANCELLED);
}
