/*
 * spargio/sched/time.h - waiting for a timer and other events together
 *
 * A fiber sleeps until the timer's current time and leaves a waiter with the
 * timer; a reset wakes the fiber, which checks again.
 */
#ifndef SPARGIO_SCHED_TIME_H
#define SPARGIO_SCHED_TIME_H

#include "spargio/sched/fiber.h"

#include <spargio/time.h>

/* The time at which the timer currently fires. */
int64_t sp__timer_when(struct sp_timer *timer);

/*
 * Add @w to the waiters that a reset wakes. Read the time after this call, not
 * before.
 */
void sp__timer_watch(struct sp_timer *timer, struct sp__waiter *w);
void sp__timer_unwatch(struct sp_timer *timer, struct sp__waiter *w);

/* The effective deadline if @fiber waited until @deadline. */
int64_t sp__deadline_of(const struct sp_fiber *fiber, int64_t deadline);

#endif
