#include "spargio/sched/wait.h"
#include "spargio/sched/cancel.h"
#include "spargio/sched/switch.h"
#include "spargio/sched/wake.h"

#include <spargio/time.h>

#include <assert.h>
#include <errno.h>

static uint64_t begin_wait(struct sp_fiber *fiber, uint64_t flags)
{
	uint64_t epoch =
		(atomic_load_explicit(&fiber->wake, memory_order_relaxed) >>
		 SP__EPOCH_SHIFT) +
		1;

	/*
	 * Sequentially consistent against sp__fiber_cancel() and sp_stop():
	 * either they see this wait, or sp__wait_end() sees their flags.
	 */
	atomic_exchange(&fiber->wake, epoch << SP__EPOCH_SHIFT | flags);
	return epoch;
}

uint64_t sp__wait_begin(struct sp_fiber *fiber)
{
	return begin_wait(fiber, fiber->shield == 0 ? SP__CANCELLABLE : 0);
}

uint64_t sp__wait_begin_shielded(struct sp_fiber *fiber)
{
	return begin_wait(fiber, 0);
}

bool sp__wait_drop(struct sp_fiber *fiber, uint64_t epoch)
{
	return sp__wake_claim(fiber, epoch, SP__EVENT);
}

void sp__wait_void(struct sp_fiber *fiber)
{
	sp__wait_begin_shielded(fiber);
	atomic_fetch_or(&fiber->wake, SP__EVENT);
}

/*
 * A refused wait uses a part of the turn's budget, and yields if the budget is
 * used up. Otherwise a fiber that repeats a refused wait in a loop would keep
 * other fibers from running.
 */
static uint32_t refuse_wait(struct sp_shard *shard, uint32_t code)
{
	if (--shard->budget < 0) {
		/* see sp_no_yield_begin() */
		assert(shard->current->no_yield == 0);
		sp__shard_switch(shard, SP__SWITCH_REQUEUE);
	}
	return code;
}

int sp__wait_refused(struct sp_fiber *fiber)
{
	if (fiber->shield != 0 || !sp__fiber_is_cancelled(fiber))
		return 0;
	return sp__code_error(refuse_wait(fiber->shard, SP__CANCELLED));
}

static void record_wait(struct sp_fiber *fiber, const char *why, const void *on)
{
	struct sp_shard *shard = fiber->shard;

	atomic_store_explicit(&fiber->waits_for, why, memory_order_relaxed);
	atomic_store_explicit(&fiber->waits_on, on, memory_order_relaxed);
	atomic_store_explicit(&fiber->waits_since, shard->turn_began,
			      memory_order_relaxed);
	atomic_store_explicit(&fiber->state, SP__FIBER_WAITING,
			      memory_order_relaxed);
}

uint32_t sp__wait_end(struct sp_fiber *fiber, uint64_t epoch, int64_t deadline,
		      const char *why, const void *on)
{
	struct sp_shard *shard = fiber->shard;
	bool cancellable =
		atomic_load_explicit(&fiber->wake, memory_order_relaxed) &
		SP__CANCELLABLE;

	assert(fiber->no_yield == 0); /* see sp_no_yield_begin() */
	if (cancellable) {
		if (deadline > fiber->deadline)
			deadline = fiber->deadline;
		if (sp__fiber_is_cancelled(fiber) &&
		    sp__wake_claim(fiber, epoch, SP__CANCELLED))
			return refuse_wait(shard, SP__CANCELLED);
	}
	fiber->timed = deadline != SP_NEVER;
	if (fiber->timed) {
		if (deadline <= sp_now() &&
		    sp__wake_claim(fiber, epoch, SP__TIMED_OUT))
			return refuse_wait(shard, SP__TIMED_OUT);
		sp__timer_wheel_set(&shard->timer_wheel, &fiber->timer,
				    deadline);
	}
	record_wait(fiber, why, on);
	sp__shard_switch(shard, SP__SWITCH_NONE);
	/* Pairs with the release in sp__wake_claim(). */
	return (uint32_t)(atomic_load_explicit(&fiber->wake,
					       memory_order_acquire) &
			  SP__CODE_MASK);
}

int sp__code_error(uint32_t code)
{
	if (code == SP__TIMED_OUT)
		return -ETIMEDOUT;
	if (code == SP__CANCELLED)
		return -ECANCELED;
	return 0;
}
