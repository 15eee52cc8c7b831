/*
 * spargio/sync.h - locks, wait groups, once and barriers for fibers, across
 *		    shards
 *
 * The types are structures to embed. An all-zero structure, or SP_..._INIT, is
 * ready for use; no function makes or frees it. Fields that begin with an
 * underscore are private. Do not move a structure that is in use, and reuse
 * its memory only when no call on it is running.
 *
 * Threads	Fibers of any shard, also of several runtimes. Functions marked
 *		"any thread" may also be called outside a fiber.
 * Blocking	Calls marked "yields" let other fibers run while they wait;
 *		outside a fiber they return -EPERM. Each of them has a form
 *		with a deadline, ..._until() (see time.h). A call that need not
 *		wait succeeds even if the caller is cancelled or the deadline
 *		has passed.
 * Errors	0, -ECANCELED, -ETIMEDOUT, -EPERM, and the errors named below.
 */
#ifndef SPARGIO_SYNC_H
#define SPARGIO_SYNC_H

#include <spargio/waiters.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_fiber;

/*
 * A mutex. The fiber that unlocks the mutex may lock it again before a waiter
 * does; this keeps a mutex fast if two shards contend for it. A waiter that
 * has failed several times gets the mutex next, so no fiber waits forever.
 */
struct sp_mutex {
	SP__ATOMIC(uintptr_t) _word;
	SP__ATOMIC(const void *) _where;
	struct sp_waiters _waiters;
};

/* -EDEADLK if the caller holds @mutex. Yields. */
int sp_mutex_lock(struct sp_mutex *mutex);
int sp_mutex_lock_until(struct sp_mutex *mutex, int64_t deadline);
int sp_mutex_trylock(struct sp_mutex *mutex); /* -EBUSY if it is locked */
/* -EPERM if the caller does not hold @mutex */
int sp_mutex_unlock(struct sp_mutex *mutex);

/*
 * A condition variable for state that a mutex protects. Waiters are woken in
 * order of arrival.
 */
struct sp_cond {
	struct sp_waiters _waiters;
};

/*
 * When sp_cond_wait() returns, the caller holds @mutex, except after -EPERM,
 * which means that the caller did not hold @mutex. Yields.
 */
int sp_cond_wait(struct sp_cond *cond, struct sp_mutex *mutex);
int sp_cond_wait_until(struct sp_cond *cond, struct sp_mutex *mutex,
		       int64_t deadline);
void sp_cond_signal(struct sp_cond *cond);    /* any thread */
void sp_cond_broadcast(struct sp_cond *cond); /* any thread */

/* A counting semaphore, first come, first served. */
struct sp_sem {
	struct sp_waiters _waiters;
	uint32_t _count;
};

int sp_sem_wait(struct sp_sem *sem); /* yields */
int sp_sem_wait_until(struct sp_sem *sem, int64_t deadline);
int sp_sem_trywait(struct sp_sem *sem); /* -EAGAIN at zero; any thread */
/* -EOVERFLOW at the maximum; any thread */
int sp_sem_post(struct sp_sem *sem);

/*
 * Many readers or one writer, in order of arrival. A reader that arrives after
 * a waiting writer waits behind it, so a fiber must not lock for reading twice.
 */
struct sp_rwlock {
	struct sp_waiters _waiters;
	uint32_t _readers;
	struct sp_fiber *_writer;
};

/* -EDEADLK if the caller holds the write lock. Yield. */
int sp_rwlock_rdlock(struct sp_rwlock *lock);
int sp_rwlock_rdlock_until(struct sp_rwlock *lock, int64_t deadline);
int sp_rwlock_wrlock(struct sp_rwlock *lock);
int sp_rwlock_wrlock_until(struct sp_rwlock *lock, int64_t deadline);
/* -EBUSY if @lock is locked for writing */
int sp_rwlock_tryrdlock(struct sp_rwlock *lock);
int sp_rwlock_trywrlock(struct sp_rwlock *lock); /* -EBUSY if it is locked */
/* -EPERM if @lock is not locked, or another fiber holds the write lock. */
int sp_rwlock_unlock(struct sp_rwlock *lock);

/* A wait group: a counter; fibers can wait until the counter is zero. */
struct sp_wg {
	struct sp_waiters _waiters;
	uint32_t _count;
};

int sp_wg_add(struct sp_wg *wg, uint32_t n); /* -EOVERFLOW; any thread */
/* -EINVAL if the counter is zero; any thread */
int sp_wg_done(struct sp_wg *wg);
int sp_wg_wait(struct sp_wg *wg); /* yields */
int sp_wg_wait_until(struct sp_wg *wg, int64_t deadline);

/* Whether a function was run, for sp_once(). */
struct sp_once {
	struct sp_waiters _waiters;
	SP__ATOMIC(bool) _done;
	struct sp_fiber *_runner;
};

/*
 * Run @fn once. Fibers that call sp_once() while @fn runs wait until @fn ends.
 * If @fn returns a negative errno, the caller that ran @fn returns that errno,
 * and the next caller runs @fn again. If @fn returns 0, it never runs again.
 * -EDEADLK if @fn calls sp_once() on the same object. Yields.
 */
int sp_once(struct sp_once *once, int (*fn)(void *), void *arg);
int sp_once_until(struct sp_once *once, int64_t deadline, int (*fn)(void *),
		  void *arg);

/* A barrier for a number of fibers, made by SP_BARRIER_INIT(count). */
struct sp_barrier {
	struct sp_waiters _waiters;
	uint32_t _count;
	uint32_t _arrived;
	uint32_t _round;
};

/*
 * Wait until as many fibers have arrived as the barrier counts; then all
 * continue and the barrier can be used again. Returns 1 to the last fiber and 0
 * to the others. A fiber whose wait is cancelled or times out is no longer
 * counted. -EINVAL if the count is 0. Yields.
 */
int sp_barrier_wait(struct sp_barrier *barrier);
int sp_barrier_wait_until(struct sp_barrier *barrier, int64_t deadline);

/* Initialisers. C++ before C++20 has no designated initialisers. */
#ifdef __cplusplus
#define SP_MUTEX_INIT \
	{             \
	}
#define SP_COND_INIT \
	{            \
	}
#define SP_RWLOCK_INIT \
	{              \
	}
#define SP_WG_INIT \
	{          \
	}
#define SP_ONCE_INIT \
	{            \
	}
#define SP_SEM_INIT(count)                       \
	{                                        \
		{}, static_cast<uint32_t>(count) \
	}
#define SP_BARRIER_INIT(count)                         \
	{                                              \
		{}, static_cast<uint32_t>(count), 0, 0 \
	}
#else
#define SP_MUTEX_INIT      \
	{                  \
		._word = 0 \
	}
#define SP_COND_INIT              \
	{                         \
		._waiters = { 0 } \
	}
#define SP_RWLOCK_INIT SP_COND_INIT
#define SP_WG_INIT     SP_COND_INIT
#define SP_ONCE_INIT   SP_COND_INIT
#define SP_SEM_INIT(count)        \
	{                         \
		._count = (count) \
	}
#define SP_BARRIER_INIT(count) SP_SEM_INIT(count)
#endif

#ifdef __cplusplus
}
#endif

#endif
