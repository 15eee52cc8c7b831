/*
 * spargio/io/op.h - an operation in flight
 *
 * The operation is on the stack of the fiber that waits for it. So the fiber
 * does not return before the kernel has completed the operation: a cancel
 * requests an early end and still waits. The fiber is pinned while it waits.
 */
#ifndef SPARGIO_IO_OP_H
#define SPARGIO_IO_OP_H

#include "spargio/sched/pool.h"
#include "spargio/sched/shard.h"

#include <liburing.h>

struct sp__op {
	struct io_uring_sqe sqe; /* the operation as an SQE */
	struct sp_fiber *fiber;
	uint64_t epoch;
	uint32_t code; /* wake-up code for the fiber */
	int32_t res;
	uint32_t flags; /* flags of the CQE */
	bool done;
	bool let_go;	 /* the completion woke and unpinned @fiber */
	uint32_t events; /* epoll: the poll(2) events to wait for */
	bool offloaded;	 /* a thread of the pool executes it; see offload.h */
	struct sp_shard *shard;
	uint32_t closes; /* shard->closes when the operation was started */

	/*
	 * If set, called for each CQE instead of waking @fiber; for multishot
	 * operations. It runs on the scheduler's stack and must not wait. At
	 * the last CQE @done is set.
	 */
	void (*event)(struct sp__op *op);

	/* Links of the back end and of offload. */
	struct sp__op *next;
	struct sp__op **link;
	struct sp__job job;
};

/*
 * Run the SQE of @op on the caller's shard and wait. Yields. Returns the
 * result, -ECANCELED or -ETIMEDOUT. If the operation succeeded despite the
 * cancel, its result is returned, so that a descriptor or bytes are not lost.
 */
int sp__op_run(struct sp__op *op, int64_t deadline, const char *why);

/*
 * As sp__op_run(), but repeated after -EINTR, and after -ECANCELED if nobody
 * has cancelled the fiber. For operations that have no effect when they are
 * interrupted: all except close(2).
 */
int sp__op_call(struct sp__op *op, int64_t deadline, const char *why);

/* sp_op_raw_until() without counting the operation. Yields. */
int sp__op_raw(void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
	       int64_t deadline, uint32_t *flags);

/* sp_wait_fd_until() with @why for the dump. */
int sp__wait_fd(int fd, uint32_t events, int64_t deadline, const char *why);

/*
 * The two halves of sp__op_run(), for a fiber that waits for more than one
 * event. The caller pins @op->fiber and, after completion, unpins it with
 * sp__op_unpin().
 */
void sp__op_start(struct sp_shard *shard, struct sp__op *op);
/* Make sure that @op has ended: cancel it unless done, then wait. Yields. */
void sp__op_finish(struct sp__op *op);

/*
 * Unpin the fiber, unless the completion has already done so: then the fiber
 * may have been stolen by another shard and runs there.
 */
void sp__op_unpin(struct sp__op *op);

/* Back end: lists of operations, linked by next and link. Owner's thread. */
static inline void sp__op_push(struct sp__op **head, struct sp__op *op)
{
	op->next = *head;
	op->link = head;
	if (op->next != NULL)
		op->next->link = &op->next;
	*head = op;
}

static inline void sp__op_detach(struct sp__op *op)
{
	*op->link = op->next;
	if (op->next != NULL)
		op->next->link = op->link;
	op->link = NULL;
}

/* Back end: @op has completed. Owner's thread. */
void sp__op_complete(struct sp_shard *shard, struct sp__op *op, int32_t res,
		     uint32_t flags);

#endif
