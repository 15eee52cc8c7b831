/*
 * spargio/sched/wait.h - the one way a fiber waits
 */
#ifndef SPARGIO_SCHED_WAIT_H
#define SPARGIO_SCHED_WAIT_H

#include "spargio/sched/fiber.h"

/*
 * Begin a wait and return its epoch. From here on sp__wake() works, so the
 * fiber can be put into lists before it sleeps.
 */
uint64_t sp__wait_begin(struct sp_fiber *fiber);

/* A wait that neither cancellation nor shutdown ends. */
uint64_t sp__wait_begin_shielded(struct sp_fiber *fiber);

/*
 * Sleep until woken or until @deadline; returns the wake-up code. Yields. @why
 * and @on are for the dump; @why must be a literal.
 *
 * Hot: once per suspension. Cost: one compare-and-swap by the waker, one
 * context switch if another fiber is runnable here, none if woken already.
 */
uint32_t sp__wait_end(struct sp_fiber *fiber, uint64_t epoch, int64_t deadline,
		      const char *why, const void *on);

/*
 * Call it before an operation with effects: -ECANCELED if the fiber was
 * cancelled, else 0. May yield.
 */
int sp__wait_refused(struct sp_fiber *fiber);

/*
 * Give up a wait. True: nobody woke the fiber. False: it was woken, and
 * sp__wait_end() must be called to take the wake-up.
 */
bool sp__wait_drop(struct sp_fiber *fiber, uint64_t epoch);

/* @fiber will never run again: let every later sp__wake() fail. */
void sp__wait_void(struct sp_fiber *fiber);

/* Convert a wake-up code to 0, -ETIMEDOUT or -ECANCELED. */
int sp__code_error(uint32_t code);

#endif
