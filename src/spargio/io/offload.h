/*
 * spargio/io/offload.h - operations that a thread of the pool carries out
 *
 * For what the ring has no opcode for, and on epoll for what can only be done
 * by blocking. The operation stays on its fiber's stack and is the pool's job
 * itself, so nothing is allocated and nothing is refused for want of room:
 * there are no more of them than fibers that wait.
 *
 * All of it is called by the owner of the shard.
 */
#ifndef SPARGIO_IO_OFFLOAD_H
#define SPARGIO_IO_OFFLOAD_H

#include "spargio/io/op.h"

/* As the back end's start(): completes later, never from inside. */
void sp__offload_start(struct sp_shard *shard, struct sp__op *op);

/* It ends with -ECANCELED if no thread has begun it; else it runs on. */
void sp__offload_cancel(struct sp_shard *shard, struct sp__op *op);

/* Complete what has finished. */
void sp__offload_poll(struct sp_shard *shard);

/* Whether that would complete something; cheap, for spinning. */
static inline bool sp__offload_ready(const struct sp_shard *shard)
{
	return shard->offload.running != 0 &&
	       atomic_load_explicit(&shard->offload.finished,
				    memory_order_acquire) != NULL;
}

#endif
