/*
 * spargio/sched/backend.h - what a shard needs from the kernel
 *
 * There are two: io_uring (io/uring.c) and epoll with the blocking pool
 * (io/epoll.c). The scheduler calls them through this struct only, so the
 * scheduler does not depend on src/spargio/io.
 *
 * An operation is described the same way for both, as an SQE: the ring copies
 * it into its queue, the other one carries it out by system calls.
 */
#ifndef SPARGIO_SCHED_BACKEND_H
#define SPARGIO_SCHED_BACKEND_H

#include "spargio/sched/shard.h"

struct sp__op;

struct sp__backend {
	const char *name;

	/* Called on the shard's thread, before its loop. */
	int (*open)(struct sp_shard *shard);
	/* On the same thread, after it; no operation is in flight. */
	void (*leave)(struct sp_shard *shard);
	/* On any thread, once nobody can wake the shard any more. */
	void (*close)(struct sp_shard *shard);

	/*
	 * Take @op, whose SQE is filled in. sp__op_complete() is called for it
	 * later, never from inside. It cannot fail: an error is a result.
	 */
	void (*start)(struct sp_shard *shard, struct sp__op *op);

	/* Ask for @op to end early; it still completes. Never refused. */
	void (*cancel)(struct sp_shard *shard, struct sp__op *op);

	/* The same for everything in flight. */
	void (*cancel_all)(struct sp_shard *shard);

	/* Submit what was started and complete what has come; do not wait. */
	void (*poll)(struct sp_shard *shard);

	/* True if poll() would complete something; cheap, for spinning. */
	bool (*ready)(struct sp_shard *shard);

	/* poll(), but sleep until a completion, a wake-up or @deadline. */
	void (*wait)(struct sp_shard *shard, int64_t deadline);

	/* Wake @target out of wait(). @from is the caller's shard or NULL. */
	void (*wakeup)(struct sp_shard *from, struct sp_shard *target);

	/*
	 * Let operations take their buffers from @ring; see recv_buffers.h.
	 * Returns what it can do beyond that, or a negative errno. NULL: there is no such
	 * thing, nor are there operations with more than one completion.
	 */
	int (*provide)(struct sp_shard *shard, void *ring, uint32_t entries);
};

enum {
	SP__PROVIDE_BUNDLES = 1, /* one completion for several buffers */
};

#endif
