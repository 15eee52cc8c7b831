/*
 * spargio/pool.h - run blocking calls without blocking the shard
 *
 * The pool is bounded: sp_opts.pool_threads jobs run and sp_opts.pool_queue
 * jobs wait. Further jobs are refused with -EAGAIN.
 */
#ifndef SPARGIO_POOL_H
#define SPARGIO_POOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Run @fn(@arg) on a thread of the pool and wait; *@ret is its return value.
 * Yields.
 *
 * After -EAGAIN or -ESHUTDOWN @fn was not run. After -ECANCELED or -ETIMEDOUT
 * @fn was not run, or @fn is still running and its result will be dropped.
 * @arg must stay valid until @fn ends, so it must not be on the caller's
 * stack.
 */
int sp_block(int (*fn)(void *), void *arg, int *ret);
int sp_block_until(int (*fn)(void *), void *arg, int64_t deadline, int *ret);

#ifdef __cplusplus
}
#endif

#endif
