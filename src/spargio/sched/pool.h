/*
 * spargio/sched/pool.h - threads for blocking calls
 *
 * The numbers of threads and of waiting jobs are bounded. A thread is created
 * when a job is submitted and no thread is idle.
 */
#ifndef SPARGIO_SCHED_POOL_H
#define SPARGIO_SCHED_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct sp__pool;

struct sp__job {
	struct sp__job *next;
	void (*run)(struct sp__job *job); /* runs on a thread of the pool */
};

int sp__pool_new(uint32_t threads, uint32_t queue, struct sp__pool **out);

/*
 * End the threads after their current jobs; waiting jobs are dropped. False if
 * a thread had not ended by @deadline: the call may be repeated.
 */
bool sp__pool_stop(struct sp__pool *pool, int64_t deadline);
void sp__pool_free(struct sp__pool *pool);

/* 0, -EAGAIN (queue full), -ESHUTDOWN. Any thread. */
int sp__pool_submit(struct sp__pool *pool, struct sp__job *job);

/*
 * As sp__pool_submit(), but without a limit of waiting jobs: for callers that
 * limit the number of their jobs themselves.
 */
int sp__pool_push(struct sp__pool *pool, struct sp__job *job);

/* Remove a waiting @job, so that it never runs. False if it has started. */
bool sp__pool_withdraw(struct sp__pool *pool, struct sp__job *job);

/*
 * For a simulation: call @later(@arg) for each new job instead of creating
 * threads; @later arranges a call of sp__pool_run_one() at a virtual time.
 */
void sp__pool_simulate(struct sp__pool *pool,
		       void (*later)(void *arg, struct sp__pool *pool),
		       void *arg);
/* Run the oldest waiting job, if there is one, on the caller's thread. */
void sp__pool_run_one(struct sp__pool *pool);

/*
 * sp_block_until() for an argument on the heap: after an error @drop(@arg) has
 * been called, or will be when @fn has returned. Yields.
 */
int sp__block(int (*fn)(void *), void *arg, void (*drop)(void *),
	      int64_t deadline, int *ret);

void sp__pool_stats(struct sp__pool *pool, uint32_t *threads, uint32_t *queued);

#endif
