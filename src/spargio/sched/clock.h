/*
 * spargio/sched/clock.h - where the time comes from
 *
 * sp_now() reads the clock through a pointer to a function, which a simulation
 * replaces. The call costs as much as clock_gettime(), also in a shared
 * library.
 */
#ifndef SPARGIO_SCHED_CLOCK_H
#define SPARGIO_SCHED_CLOCK_H

#include <time.h>

/* From now on call @read_clock instead of clock_gettime(), in all threads. */
void sp__clock_replace(int (*read_clock)(clockid_t id, struct timespec *out));

#endif
