/*
 * spargio/pool.h - call what blocks without blocking the shard
 *
 * The pool is bounded: sp_opts.pool_threads run, sp_opts.pool_queue wait, more
 * are refused with -EAGAIN.
 */
#ifndef SPARGIO_POOL_H
#define SPARGIO_POOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Run @fn(@arg) on a thread of the pool and wait; *@ret is what it returned.
 * Yields.
 *
 * -EAGAIN, -ESHUTDOWN: it was not and will not be run. -ECANCELED and
 * -ETIMEDOUT: it was not run, or it is running still and nobody will hear of
 * its result; so @arg must then outlive it, and not be on the caller's stack.
 */
int sp_block(int (*fn)(void *), void *arg, int *ret);
int sp_block_until(int (*fn)(void *), void *arg, int64_t deadline, int *ret);

#ifdef __cplusplus
}
#endif

#endif
