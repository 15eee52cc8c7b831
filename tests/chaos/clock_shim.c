/*
 * tests/chaos/clock_shim.c - a wall clock that the fault driver can set
 *
 * Preloaded into the collector. CHAOS_CLOCK names a file of one int64_t: what
 * to add to CLOCK_REALTIME, in nanoseconds. The driver changes it while the
 * collector runs. CLOCK_MONOTONIC stays as it is, as when an operator or NTP
 * steps the clock. Deadlines of the wall clock are given to the kernel without
 * the offset, so a wait lasts as long as it would with a kernel whose clock was
 * stepped.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000LL

static const volatile int64_t *clock_offset;
static int (*real_cond)(pthread_cond_t *, pthread_mutex_t *,
			const struct timespec *);
static int (*real_sem)(sem_t *, const struct timespec *);

__attribute__((constructor)) static void shim_load(void)
{
	const char *path = getenv("CHAOS_CLOCK");
	int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);

	real_cond = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	real_sem = dlsym(RTLD_NEXT, "sem_timedwait");
	if (fd < 0)
		return;
	void *at = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED)
		clock_offset = at;
	close(fd);
}

static struct timespec time_add(struct timespec t, int64_t ns)
{
	int64_t sum = t.tv_sec * NS + t.tv_nsec + ns;

	return (struct timespec){ .tv_sec = sum / NS, .tv_nsec = sum % NS };
}

/* A deadline of the wall clock; those of the monotonic one are small. */
static struct timespec deadline_real(const struct timespec *t)
{
	if (clock_offset == NULL || t->tv_sec < 1000000000)
		return *t;
	return time_add(*t, -*clock_offset);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	/* Not by libc: this is called before the constructor, too. */
	long err = syscall(SYS_clock_gettime, clock, t);

	if (err == 0 && clock_offset != NULL &&
	    (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		*t = time_add(*t, *clock_offset);
	return (int)err;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	tv->tv_sec = t.tv_sec;
	tv->tv_usec = t.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (out != NULL)
		*out = t.tv_sec;
	return t.tv_sec;
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond,
			   pthread_mutex_t *restrict mutex,
			   const struct timespec *restrict until)
{
	struct timespec real = deadline_real(until);

	return real_cond(cond, mutex, &real);
}

int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until)
{
	struct timespec real = deadline_real(until);

	return real_sem(sem, &real);
}
