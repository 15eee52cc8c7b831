/*
 * spargio/sched/wait.h - how a fiber waits
 */
#ifndef SPARGIO_SCHED_WAIT_H
#define SPARGIO_SCHED_WAIT_H

#include "spargio/sched/fiber.h"

/*
 * Begin a wait and return its epoch. From here on sp__wake() ends the wait, so
 * the fiber can be put into wait lists before it sleeps.
 */
uint64_t sp__wait_begin(struct sp_fiber *fiber);

/* As sp__wait_begin(), but neither a cancel nor sp_stop() ends the wait. */
uint64_t sp__wait_begin_shielded(struct sp_fiber *fiber);

/*
 * Sleep until woken or until @deadline; returns the wake-up code. Yields. @why
 * and @on are for the dump; @why must be a literal.
 *
 * Hot: once per suspension. Cost: one compare-and-swap by the waker, and one
 * context switch if another fiber of this shard is runnable.
 */
uint32_t sp__wait_end(struct sp_fiber *fiber, uint64_t epoch, int64_t deadline,
		      const char *why, const void *on);

/*
 * Called before an operation that has effects. Returns -ECANCELED if the fiber
 * was cancelled, else 0. May yield.
 */
int sp__wait_refused(struct sp_fiber *fiber);

/*
 * Give up a wait before sp__wait_end(). Returns true if no waker has claimed
 * the wait. False if a waker has: then call sp__wait_end() to take the
 * wake-up.
 */
bool sp__wait_drop(struct sp_fiber *fiber, uint64_t epoch);

/* @fiber will never run again: let every later sp__wake() fail. */
void sp__wait_void(struct sp_fiber *fiber);

/* Convert a wake-up code to 0, -ETIMEDOUT or -ECANCELED. */
int sp__code_error(uint32_t code);

#endif
