#include "spargio/sched/fiber.h"
#include "spargio/sched/shard.h"

#include <spargio/time.h>

#include <assert.h>
#include <errno.h>

static uint64_t begin(struct sp_fiber *fiber, uint64_t flags)
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
	return begin(fiber, fiber->shield == 0 ? SP__CANCELLABLE : 0);
}

uint64_t sp__wait_begin_shielded(struct sp_fiber *fiber)
{
	return begin(fiber, 0);
}

/* Swap code 0 of this epoch for @code; one of all who try succeeds. */
static bool decide(struct sp_fiber *fiber, uint64_t epoch, uint32_t code)
{
	uint64_t old = atomic_load_explicit(&fiber->wake, memory_order_relaxed);

	do {
		if (old >> SP__EPOCH_SHIFT != epoch ||
		    (old & SP__CODE_MASK) != SP__PENDING)
			return false;
		/* Release: what the waker did before is seen by the woken. */
	} while (!atomic_compare_exchange_weak_explicit(&fiber->wake, &old,
							old | code,
							memory_order_acq_rel,
							memory_order_relaxed));
	return true;
}

bool sp__wait_drop(struct sp_fiber *fiber, uint64_t epoch)
{
	return decide(fiber, epoch, SP__EVENT);
}

void sp__wait_void(struct sp_fiber *fiber)
{
	sp__wait_begin_shielded(fiber);
	atomic_fetch_or(&fiber->wake, SP__EVENT);
}

bool sp__wake(struct sp_fiber *fiber, uint64_t epoch, uint32_t code)
{
	if (!decide(fiber, epoch, code))
		return false;
	sp__wake_deliver(fiber);
	return true;
}

bool sp__wake_claim(struct sp_fiber *fiber, uint64_t epoch, uint32_t code)
{
	return decide(fiber, epoch, code);
}

void sp__wake_deliver(struct sp_fiber *fiber)
{
	struct sp_shard *here = sp__shard_self();
	struct sp_shard *its = fiber->shard; /* fixed while it waits */

	assert(its != NULL);
	if (here != NULL)
		sp__count(&here->counts.wakes, 1);
	if (here != its || its->current == fiber) {
		sp__shard_deliver(its, fiber);
		return;
	}
	sp__wheel_clear(&its->wheel, &fiber->timer);
	sp__shard_queue(its, fiber);
}

/*
 * A fiber that does not take no for an answer would never leave its shard:
 * every refused wait costs it some of its turn.
 */
static uint32_t refuse(struct sp_shard *shard, uint32_t code)
{
	if (--shard->budget < 0)
		sp_yield();
	return code;
}

int sp__wait_refused(struct sp_fiber *fiber)
{
	if (fiber->shield != 0 || !sp__fiber_is_cancelled(fiber))
		return 0;
	return sp__code_error(refuse(fiber->shard, SP__CANCELLED));
}

static void note(struct sp_fiber *fiber, const char *why, const void *on)
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

	assert(fiber->no_yield == 0); /* a lock is held: see fiber.h */
	if (cancellable) {
		if (deadline > fiber->deadline)
			deadline = fiber->deadline;
		if (sp__fiber_is_cancelled(fiber) &&
		    decide(fiber, epoch, SP__CANCELLED))
			return refuse(shard, SP__CANCELLED);
	}
	fiber->timed = deadline != SP_NEVER;
	if (fiber->timed) {
		if (deadline <= sp_now() && decide(fiber, epoch, SP__TIMED_OUT))
			return refuse(shard, SP__TIMED_OUT);
		sp__wheel_set(&shard->wheel, &fiber->timer, deadline);
	}
	note(fiber, why, on);
	sp__shard_switch(shard, SP__AFTER_NONE);
	/* Pairs with the release in decide(). */
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

void sp__waitlist_init(struct sp__waitlist *list)
{
	list->head.next = list->head.prev = &list->head;
}

void sp__waitlist_add(struct sp__waitlist *list, struct sp__waiter *w)
{
	w->next = &list->head;
	w->prev = list->head.prev;
	w->prev->next = w;
	list->head.prev = w;
}

void sp__waitlist_remove(struct sp__waiter *w)
{
	if (w->prev == NULL)
		return;
	w->prev->next = w->next;
	w->next->prev = w->prev;
	w->prev = NULL;
}

bool sp__waitlist_empty(const struct sp__waitlist *list)
{
	return list->head.next == &list->head;
}

bool sp__waitlist_wake_one(struct sp__waitlist *list)
{
	while (!sp__waitlist_empty(list)) {
		struct sp__waiter *w = list->head.next;
		/* Once woken, w may be gone: it is on the fiber's stack. */
		struct sp_fiber *fiber = w->fiber;
		uint64_t epoch = w->epoch;
		uint32_t code = w->code;

		sp__waitlist_remove(w);
		if (sp__wake(fiber, epoch, code))
			return true;
	}
	return false;
}

void sp__waitlist_wake_all(struct sp__waitlist *list)
{
	while (sp__waitlist_wake_one(list))
		;
}
