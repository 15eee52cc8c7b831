/*
 * spargio/io/op.h - an operation in flight
 *
 * It lives on the stack of the fiber that waits for it, which therefore does
 * not return before the kernel has let go: cancelling means asking for an
 * early end and still waiting. While it waits the fiber is pinned.
 */
#ifndef SPARGIO_IO_OP_H
#define SPARGIO_IO_OP_H

#include "spargio/sched/pool.h"
#include "spargio/sched/shard.h"

#include <liburing.h>

struct sp__op {
	struct io_uring_sqe sqe; /* what to do */
	struct sp_fiber *fiber;
	uint64_t epoch;
	uint32_t code; /* to wake it with */
	int32_t res;
	uint32_t flags; /* of the CQE */
	bool done;
	bool let_go;	/* its completion woke @fiber, and took its pin away */
	bool offloaded; /* a thread of the pool does it; see offload.h */
	struct sp_shard *shard;

	/*
	 * Instead of waking @fiber: called for each CQE, on the scheduler's
	 * stack, so it must not wait. How a multishot operation is heard; the
	 * last CQE is the one after which @done is set.
	 */
	void (*event)(struct sp__op *op);

	/* The back end's, and offload's. */
	struct sp__op *next;
	struct sp__op **link;
	struct sp__job job;
};

/*
 * Carry out the SQE of @op on the caller's shard and wait. Yields. Returns the
 * result, -ECANCELED or -ETIMEDOUT; a result that came in spite of the cancel
 * counts, so what it carries (a descriptor, bytes) is not lost.
 */
int sp__op_run(struct sp__op *op, int64_t deadline, const char *why);

/*
 * The same, begun again when a signal has interrupted it. For what has no
 * effect when it is interrupted, which is everything but close(2).
 */
int sp__op_call(struct sp__op *op, int64_t deadline, const char *why);

/* sp_op_raw_until(), not counted. Yields. */
int sp__op_raw(void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
	       int64_t deadline, uint32_t *flags);

/* sp_wait_fd_until() with a word of its own for the dump. */
int sp__wait_fd(int fd, uint32_t events, int64_t deadline, const char *why);

/*
 * Two halves of it, for those who wait for more than one thing. @op->fiber is
 * pinned by the caller, and unpinned by sp__op_unpin() when it is done.
 */
void sp__op_start(struct sp_shard *shard, struct sp__op *op);
/* Make sure it has ended: cancel unless done, then wait. Yields. */
void sp__op_finish(struct sp__op *op);

/*
 * Its fiber may move again. If the completion was what woke it, that was so
 * from then on: an idle shard may have taken it.
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

/* Back end: @op is over. Owner's thread. */
void sp__op_complete(struct sp_shard *shard, struct sp__op *op, int32_t res,
		     uint32_t flags);

#endif
