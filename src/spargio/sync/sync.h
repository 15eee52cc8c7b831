/*
 * spargio/sync/sync.h - the list inside the types of sync.h
 *
 * A rule for everything built on it: wake under the lock, and take the lock
 * after every wait. Then a waker has let go of the fiber, its shard and the
 * object before the woken one goes on, which may end all three.
 */
#ifndef SPARGIO_SYNC_SYNC_H
#define SPARGIO_SYNC_SYNC_H

#include "spargio/sched/fiber.h"

#include <spargio/sync.h>

/* Lock @q and return its list, made ready if it is used for the first time. */
struct sp__waitlist *sp__waiters_lock(struct sp_waiters *q);
void sp__waiters_unlock(struct sp_waiters *q);

/*
 * Sleep at the end of the list and return the code. The lock is held before
 * and after, not meanwhile. @w must not be in a list and is in none after; its
 * fiber is the caller, its code what a waker shall say. Yields.
 */
uint32_t sp__waiters_sleep(struct sp_waiters *q, struct sp__waiter *w,
			   int64_t deadline, const char *why, const void *on);

/* The same at the front, for one that had its turn in vain. */
uint32_t sp__waiters_sleep_first(struct sp_waiters *q, struct sp__waiter *w,
				 int64_t deadline, const char *why,
				 const void *on);

#endif
