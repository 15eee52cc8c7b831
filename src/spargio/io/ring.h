/*
 * spargio/io/ring.h - an io_uring without liburing
 *
 * Set up by raw system calls: with NO_SQARRAY liburing 2.3 would write its SQ
 * array into ring memory that does not exist. One thread owns a ring; there are
 * no locks.
 */
#ifndef SPARGIO_IO_RING_H
#define SPARGIO_IO_RING_H

#include "spargio/io/uring_abi.h"

#include <spargio/runtime.h>

#include <stdatomic.h>

struct sp__ring {
	int fd;
	int enter_fd; /* the registered index if registration worked, else fd */
	unsigned int enter_flags;
	unsigned int features;
	unsigned int setup;
	/* one bit for each opcode the kernel supports */
	uint64_t opcodes[256 / 64];

	/*
	 * Submission. tail counts filled entries, *ktail those visible to the
	 * kernel.
	 */
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

/*
 * Called on the thread that will use the ring, that of the shard with the index
 * @shard. 0 or a negative errno.
 */
int sp__ring_open(struct sp__ring *ring, const struct sp_opts *opts,
		  uint32_t shard);
/* Called on the same thread after the last sp__ring_enter(). */
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

/*
 * True if the kernel supports the opcode; probed once, when the ring was made.
 */
static inline bool sp__ring_knows(const struct sp__ring *ring, uint8_t opcode)
{
	return ring->opcodes[opcode / 64] >> opcode % 64 & 1;
}

/* True if the kernel has completions that become visible only by entering. */
static inline bool sp__ring_has_deferred(const struct sp__ring *ring)
{
	return atomic_load_explicit(ring->kflags, memory_order_relaxed) &
	       (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

/* The end of the completions that can be read. */
static inline unsigned int sp__ring_cq_tail(const struct sp__ring *ring)
{
	/*
	 * Pairs with the kernel's release of the tail: the entries are filled.
	 */
	return atomic_load_explicit(ring->cq_tail, memory_order_acquire);
}

/* True if a completion can be read. */
static inline bool sp__ring_has_cqe(const struct sp__ring *ring)
{
	return atomic_load_explicit(ring->cq_head, memory_order_relaxed) !=
	       sp__ring_cq_tail(ring);
}

/* Take the oldest completion before @tail; false if there is none. */
bool sp__ring_take_cqe(struct sp__ring *ring, unsigned int tail,
		       struct io_uring_cqe *out);

/*
 * Submit pending entries and wait for @want completions (0 or 1), for at most
 * @timeout_ns; INT64_MAX means without limit. 0 or a negative errno. -ETIME,
 * -EINTR and -EBUSY (completion queue full: reap first) are normal.
 */
int sp__ring_enter(struct sp__ring *ring, unsigned int want,
		   int64_t timeout_ns);

/* Submit pending entries without waiting. */
int sp__ring_submit(struct sp__ring *ring);

#endif
