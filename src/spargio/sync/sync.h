/*
 * spargio/sync/sync.h - the wait list of the public synchronisation types
 *
 * A rule for all types that use the list: wake a fiber under the lock, and
 * take the lock after every wait. So when the woken fiber continues, the waker
 * no longer uses the fiber, its shard or the object, and the fiber may free
 * them.
 */
#ifndef SPARGIO_SYNC_SYNC_H
#define SPARGIO_SYNC_SYNC_H

#include "spargio/sched/fiber.h"

#include <spargio/sync.h>

/* Lock @q and return its list; initialise the list on first use. */
struct sp__waitlist *sp__waiters_lock(struct sp_waiters *q);
void sp__waiters_unlock(struct sp_waiters *q);

/*
 * Add @w at the end of the list, sleep, and return the wake-up code. The lock
 * is held before and after the call, but not during the sleep. @w must not be
 * in a list, and is in no list afterwards. w->fiber is the caller, w->code the
 * code that wakers use. Yields.
 */
uint32_t sp__waiters_sleep(struct sp_waiters *q, struct sp__waiter *w,
			   int64_t deadline, const char *why, const void *on);

/*
 * As sp__waiters_sleep(), but adds @w at the front of the list: for a waiter
 * that was woken but did not get the lock.
 */
uint32_t sp__waiters_sleep_first(struct sp_waiters *q, struct sp__waiter *w,
				 int64_t deadline, const char *why,
				 const void *on);

#endif
