/*
 * spargio/meet.h - points where fibers wait for each other, across shards
 *
 * A wait group, something that is done once, a barrier. What sync.h says of
 * its locks holds for these types: embed them, all-zero is ready, fibers of any
 * shard, each call that yields has an _until form, and the same errors.
 */
#ifndef SPARGIO_MEET_H
#define SPARGIO_MEET_H

#include <spargio/waiters.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sp_fiber;

/* A wait group: wait until as many were done as were added. */
struct sp_wg {
	struct sp_waiters _waiters;
	uint32_t _count;
};
#define SP_WG_INIT                \
	{                         \
		._waiters = { 0 } \
	}

int sp_wg_add(struct sp_wg *wg, uint32_t n); /* -EOVERFLOW; any thread */
int sp_wg_done(struct sp_wg *wg); /* -EINVAL if none is left; any thread */
int sp_wg_wait(struct sp_wg *wg); /* yields */
int sp_wg_wait_until(struct sp_wg *wg, int64_t deadline);

/*
 * Do something once. Who comes while @fn runs waits for it. If @fn returns a
 * negative errno, its caller gets that and the next one tries again; 0 is for
 * good. -EDEADLK if @fn comes back to the same once. Yields.
 */
struct sp_once {
	struct sp_waiters _waiters;
	atomic_bool _done;
	struct sp_fiber *_runner;
};
#define SP_ONCE_INIT              \
	{                         \
		._waiters = { 0 } \
	}

int sp_once(struct sp_once *once, int (*fn)(void *), void *arg);
int sp_once_until(struct sp_once *once, int64_t deadline, int (*fn)(void *),
		  void *arg);

/*
 * A barrier: wait until @count fibers have come; then all go on and it can be
 * used again. 1 for the last one to come, 0 for the others. Who gives up no
 * longer counts. -EINVAL if the count is 0. Yields.
 */
struct sp_barrier {
	struct sp_waiters _waiters;
	uint32_t _count;
	uint32_t _arrived;
	uint32_t _round;
};
#define SP_BARRIER_INIT(count)    \
	{                         \
		._count = (count) \
	}

int sp_barrier_wait(struct sp_barrier *barrier);
int sp_barrier_wait_until(struct sp_barrier *barrier, int64_t deadline);

#endif
