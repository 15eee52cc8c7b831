/*
 * spargio/sched/time.h - a timer that can be moved, for those who wait for more
 *
 * A fiber waits until the timer's time as it knows it, and leaves a waiter
 * with the timer; a reset wakes it, and it looks again.
 */
#ifndef SPARGIO_SCHED_TIME_H
#define SPARGIO_SCHED_TIME_H

#include "spargio/sched/fiber.h"

#include <spargio/time.h>

/* When it goes off, as things are now. */
int64_t sp__timer_when(struct sp_timer *timer);

/* Leave @w to be woken by a reset. Ask for the time after that, not before. */
void sp__timer_watch(struct sp_timer *timer, struct sp__waiter *w);
void sp__timer_unwatch(struct sp_timer *timer, struct sp__waiter *w);

/* The deadline in force for @fiber if it were to wait until @deadline. */
int64_t sp__deadline_of(const struct sp_fiber *fiber, int64_t deadline);

#endif
