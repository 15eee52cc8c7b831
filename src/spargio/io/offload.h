/*
 * spargio/io/offload.h - operations that a thread of the pool carries out
 *
 * For operations without an opcode in the ring and, on epoll, for operations
 * that can only block. The operation is on its fiber's stack and contains the
 * pool's job, so no memory is allocated. No operation is refused because the
 * queue is full: there are at most as many operations as waiting fibers.
 *
 * All functions are called by the owner of the shard.
 */
#ifndef SPARGIO_IO_OFFLOAD_H
#define SPARGIO_IO_OFFLOAD_H

#include "spargio/io/op.h"

/* As the back end's start(): completes later, never from within this call. */
void sp__offload_start(struct sp_shard *shard, struct sp__op *op);

/*
 * If no thread has started the operation, it ends with -ECANCELED; otherwise
 * the thread completes it.
 */
void sp__offload_cancel(struct sp_shard *shard, struct sp__op *op);

/* Complete the operations that have finished. */
void sp__offload_poll(struct sp_shard *shard);

/*
 * True if sp__offload_poll() would complete an operation; cheap, for spinning.
 */
static inline bool sp__offload_ready(const struct sp_shard *shard)
{
	return shard->offload.running != 0 &&
	       atomic_load_explicit(&shard->offload.finished,
				    memory_order_acquire) != NULL;
}

#endif
