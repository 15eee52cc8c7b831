#include "spargio/sched/clock.h"

#include <spargio/time.h>

#include <stdatomic.h>

static int (*_Atomic read_clock)(clockid_t id,
				 struct timespec *out) = clock_gettime;

static int64_t clock_ns(clockid_t id)
{
	int (*read_time)(clockid_t, struct timespec *) =
		atomic_load_explicit(&read_clock, memory_order_relaxed);
	struct timespec t;

	read_time(id, &t);
	return (int64_t)t.tv_sec * SP_S + t.tv_nsec;
}

void sp__clock_replace(int (*with)(clockid_t id, struct timespec *out))
{
	atomic_store(&read_clock, with);
}

int64_t sp_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t sp_wall_now(void)
{
	return clock_ns(CLOCK_REALTIME);
}

int64_t sp_in(int64_t ns)
{
	int64_t when;

	if (__builtin_add_overflow(sp_now(), ns, &when))
		return SP_NEVER;
	return when;
}
