/*
 * spargio/sched/pool.h - threads for what would block a shard
 *
 * Bounded in threads and in waiting jobs. Threads are made when the first job
 * finds none idle.
 */
#ifndef SPARGIO_SCHED_POOL_H
#define SPARGIO_SCHED_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct sp__pool;

struct sp__job {
	struct sp__job *next;
	void (*run)(struct sp__job *job); /* on a thread of the pool */
};

int sp__pool_new(uint32_t threads, uint32_t queue, struct sp__pool **out);

/*
 * End the threads, which finish what they run; waiting jobs are dropped. False
 * if one had not ended by @deadline: the call may be repeated.
 */
bool sp__pool_stop(struct sp__pool *pool, int64_t deadline);
void sp__pool_free(struct sp__pool *pool);

/* 0, -EAGAIN (queue full), -ESHUTDOWN. Any thread. */
int sp__pool_submit(struct sp__pool *pool, struct sp__job *job);

/* The same without a bound, for jobs that are bounded elsewhere. */
int sp__pool_push(struct sp__pool *pool, struct sp__job *job);

/* True if @job had not begun and now never will. */
bool sp__pool_withdraw(struct sp__pool *pool, struct sp__job *job);

/*
 * sp_block_until() for an argument on the heap: after an error @drop(@arg) has
 * been called, or will be when @fn has returned. Yields.
 */
int sp__block(int (*fn)(void *), void *arg, void (*drop)(void *),
	      int64_t deadline, int *ret);

void sp__pool_stats(struct sp__pool *pool, uint32_t *threads, uint32_t *queued);

#endif
