/*
 * spargio/sync/sync.h - the wait list of the public synchronisation types
 *
 * A rule for everything built on it: wake under the lock, and take the lock
 * after every wait. Then a waker no longer uses the fiber, its shard and the
 * object when the woken fiber continues, which may free all three.
 */
#ifndef SPARGIO_SYNC_SYNC_H
#define SPARGIO_SYNC_SYNC_H

#include "spargio/sched/fiber.h"

#include <spargio/sync.h>

/* Lock @q and return its list; initialise the list on first use. */
struct sp__waitlist *sp__waiters_lock(struct sp_waiters *q);
void sp__waiters_unlock(struct sp_waiters *q);

/*
 * Sleep at the end of the list and return the wake-up code. The lock is held
 * before and after, but not during the sleep. @w must not be in a list, and is
 * in none afterwards; its fiber is the caller, its code is the one a waker
 * uses. Yields.
 */
uint32_t sp__waiters_sleep(struct sp_waiters *q, struct sp__waiter *w,
			   int64_t deadline, const char *why, const void *on);

/*
 * The same at the front of the list, for a waiter that was woken without
 * success.
 */
uint32_t sp__waiters_sleep_first(struct sp_waiters *q, struct sp__waiter *w,
				 int64_t deadline, const char *why,
				 const void *on);

#endif
