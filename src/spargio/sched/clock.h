/*
 * spargio/sched/clock.h - where the time comes from
 *
 * A pointer, so that a simulation can replace the clock without a branch in
 * sp_now(). It costs as much as a call of clock_gettime() in another object.
 */
#ifndef SPARGIO_SCHED_CLOCK_H
#define SPARGIO_SCHED_CLOCK_H

#include <time.h>

/* From now on call @read_clock instead of clock_gettime(), in all threads. */
void sp__clock_replace(int (*read_clock)(clockid_t id, struct timespec *out));

#endif
