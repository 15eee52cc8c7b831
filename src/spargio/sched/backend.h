/*
 * spargio/sched/backend.h - the interface between a shard and the kernel
 *
 * There are three back ends: io_uring (io/uring.c), epoll with the blocking
 * pool (io/epoll.c) and the simulation (sim/backend.c). The scheduler calls
 * them only through this struct, so it does not depend on src/spargio/io.
 *
 * An SQE describes an operation for all of them: io_uring copies the SQE into
 * its queue, epoll executes it by system calls.
 */
#ifndef SPARGIO_SCHED_BACKEND_H
#define SPARGIO_SCHED_BACKEND_H

#include "spargio/sched/shard.h"

struct sp__op;

struct sp__backend {
	const char *name;

	/* Called on the shard's thread, before its loop. */
	int (*open)(struct sp_shard *shard);
	/* On the same thread, after the loop; no operation is in flight. */
	void (*leave)(struct sp_shard *shard);
	/* On any thread, when nobody can wake the shard any more. */
	void (*close)(struct sp_shard *shard);

	/*
	 * Start @op, whose SQE is filled in. The back end calls
	 * sp__op_complete() for @op later, never from within this call. The
	 * call cannot fail: an error becomes the result of @op.
	 */
	void (*start)(struct sp_shard *shard, struct sp__op *op);

	/* Request that @op ends early; @op still completes. Cannot fail. */
	void (*cancel)(struct sp_shard *shard, struct sp__op *op);

	/* Cancel all operations in flight. */
	void (*cancel_all)(struct sp_shard *shard);

	/* Submit started operations and deliver completions; do not wait. */
	void (*poll)(struct sp_shard *shard);

	/* True if poll() would complete something; cheap, for spinning. */
	bool (*ready)(struct sp_shard *shard);

	/* As poll(), but sleep until a completion, a wake-up or @deadline. */
	void (*wait)(struct sp_shard *shard, int64_t deadline);

	/* Wake @target out of wait(). @from is the caller's shard or NULL. */
	void (*wakeup)(struct sp_shard *from, struct sp_shard *target);

	/*
	 * Let operations take their buffers from @ring; see recv_buffers.h.
	 * Returns a mask of SP__PROVIDE_..., or a negative errno. The pointer
	 * is NULL if the back end has neither shared buffers nor multishot
	 * operations.
	 */
	int (*provide)(struct sp_shard *shard, void *ring, uint32_t entries);
};

enum {
	SP__PROVIDE_BUNDLES = 1, /* one completion for several buffers */
};

#endif
