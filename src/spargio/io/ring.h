/*
 * spargio/io/ring.h - an io_uring of our own making
 *
 * Set up by raw system calls: liburing 2.3 would write its SQ array into ring
 * memory that is not there with NO_SQARRAY. One thread owns a ring; nothing
 * here locks.
 */
#ifndef SPARGIO_IO_RING_H
#define SPARGIO_IO_RING_H

#include "spargio/io/uring_abi.h"

#include <spargio/runtime.h>

#include <stdatomic.h>

struct sp__ring {
	int fd;
	int enter_fd; /* the registered index, where that works */
	unsigned int enter_flags;
	unsigned int features;
	unsigned int setup;
	uint64_t opcodes[256 / 64]; /* a bit for each that the kernel knows */

	/* Submission. tail is ours, *ktail what the kernel may see. */
	unsigned int sq_mask, sq_entries, tail, submitted;
	_Atomic unsigned int *khead, *ktail, *kflags;
	struct io_uring_sqe *sqes;

	/* Completion. */
	unsigned int cq_mask;
	_Atomic unsigned int *cq_head, *cq_tail;
	struct io_uring_cqe *cqes;

	void *rings;
	size_t rings_size, sqes_size;
};

/* On the thread that will use it. 0 or a negative errno. */
int sp__ring_open(struct sp__ring *ring, const struct sp_opts *opts);
/* On that thread: it will not be entered any more. */
void sp__ring_leave(struct sp__ring *ring);
/* On any thread. */
void sp__ring_close(struct sp__ring *ring);

/*
 * A free submission entry, cleared. NULL if the queue is full: enter and try
 * again.
 */
struct io_uring_sqe *sp__ring_sqe(struct sp__ring *ring);

/* Entries filled but not yet given to the kernel. */
static inline unsigned int sp__ring_pending(const struct sp__ring *ring)
{
	return ring->tail - ring->submitted;
}

/* Whether the kernel has the opcode; asked once, when the ring was made. */
static inline bool sp__ring_knows(const struct sp__ring *ring, uint8_t opcode)
{
	return ring->opcodes[opcode / 64] >> opcode % 64 & 1;
}

/* The kernel has completions that only entering makes visible. */
static inline bool sp__ring_has_deferred(const struct sp__ring *ring)
{
	return atomic_load_explicit(ring->kflags, memory_order_relaxed) &
	       (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

/* Where the completions that can be read end. */
static inline unsigned int sp__ring_cq_tail(const struct sp__ring *ring)
{
	/* Pairs with the kernel's release of the tail: they are filled. */
	return atomic_load_explicit(ring->cq_tail, memory_order_acquire);
}

/* True if a completion can be read. */
static inline bool sp__ring_has_cqe(const struct sp__ring *ring)
{
	return atomic_load_explicit(ring->cq_head, memory_order_relaxed) !=
	       sp__ring_cq_tail(ring);
}

/* Take the first completion before @tail; false if there is none. */
bool sp__ring_take_cqe(struct sp__ring *ring, unsigned int tail,
		       struct io_uring_cqe *out);

/*
 * Submit what is pending and wait for @want completions (0 or 1), at the
 * longest @timeout_ns; INT64_MAX is for ever. 0 or a negative errno: -ETIME,
 * -EINTR and -EBUSY (the completion queue is full: reap first) are ordinary.
 */
int sp__ring_enter(struct sp__ring *ring, unsigned int want,
		   int64_t timeout_ns);

/* Submit what is pending, nothing else. */
int sp__ring_submit(struct sp__ring *ring);

#endif
