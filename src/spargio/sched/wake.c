#include "spargio/sched/wake.h"
#include "spargio/sched/current.h"
#include "spargio/sched/ready.h"

#include <assert.h>

/* Replace code 0 of this epoch by @code; exactly one caller succeeds. */
static bool claim_wait(struct sp_fiber *fiber, uint64_t epoch, uint32_t code)
{
	uint64_t old = atomic_load_explicit(&fiber->wake, memory_order_relaxed);

	do {
		if (old >> SP__EPOCH_SHIFT != epoch ||
		    (old & SP__CODE_MASK) != SP__PENDING)
			return false;
		/* Release: the woken fiber sees what the waker did before. */
	} while (!atomic_compare_exchange_weak_explicit(&fiber->wake, &old,
							old | code,
							memory_order_acq_rel,
							memory_order_relaxed));
	return true;
}

bool sp__wake(struct sp_fiber *fiber, uint64_t epoch, uint32_t code)
{
	if (!claim_wait(fiber, epoch, code))
		return false;
	sp__wake_deliver(fiber);
	return true;
}

bool sp__wake_claim(struct sp_fiber *fiber, uint64_t epoch, uint32_t code)
{
	return claim_wait(fiber, epoch, code);
}

void sp__wake_deliver(struct sp_fiber *fiber)
{
	struct sp_shard *here = sp__shard_self();
	/* does not change while the fiber waits */
	struct sp_shard *its = fiber->shard;

	assert(its != NULL);
	if (here != NULL)
		sp__count(&here->counts.wakes, 1);
	if (here != its || its->current == fiber) {
		sp__shard_deliver(its, fiber);
		return;
	}
	sp__timer_wheel_clear(&its->timer_wheel, &fiber->timer);
	sp__shard_queue(its, fiber);
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
		/*
		 * After the wake-up do not access w: it is on the stack of the
		 * fiber, which may already run.
		 */
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
