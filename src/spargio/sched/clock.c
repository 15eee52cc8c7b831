#include <spargio/time.h>

#include <time.h>

int64_t sp_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SP_S + t.tv_nsec;
}

int64_t sp_in(int64_t ns)
{
	int64_t when;

	if (__builtin_add_overflow(sp_now(), ns, &when))
		return SP_NEVER;
	return when;
}
