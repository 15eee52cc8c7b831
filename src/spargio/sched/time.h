/*
 * spargio/sched/time.h - waiting for a timer and other events together
 *
 * A fiber adds a waiter to the timer and sleeps until the timer's current
 * time; a reset wakes the fiber, which reads the time again.
 */
#ifndef SPARGIO_SCHED_TIME_H
#define SPARGIO_SCHED_TIME_H

#include "spargio/sched/fiber.h"

#include <spargio/time.h>

/*
 * Add @w to the waiters that a reset wakes. Call sp_timer_when() after this
 * function, not before.
 */
void sp__timer_watch(struct sp_timer *timer, struct sp__waiter *w);
void sp__timer_unwatch(struct sp_timer *timer, struct sp__waiter *w);

/*
 * The earlier of @deadline and the deadline of sp_deadline_push() of @fiber.
 */
int64_t sp__deadline_of(const struct sp_fiber *fiber, int64_t deadline);

#endif
