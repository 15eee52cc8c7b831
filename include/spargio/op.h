/*
 * spargio/op.h - io_uring operations, and readiness of foreign descriptors
 *
 * An operation is described by a submission queue entry of io_uring, on the
 * epoll back end as well: there the runtime executes it by system calls, and
 * returns -EOPNOTSUPP for an opcode without a row in its table
 * (src/spargio/io/sync_ops.c).
 *
 * The caller owns the buffers, which may be on the fiber's stack: a call does
 * not return before the kernel has finished with them, even if it is cancelled.
 */
#ifndef SPARGIO_OP_H
#define SPARGIO_OP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct io_uring_sqe;

/*
 * Let @fill describe an operation (user_data is not yours), carry it out and
 * return the result of its CQE; *@flags, unless @flags is NULL, are the CQE's.
 * As it is: -ETIMEDOUT can be the deadline or what the kernel says of a socket.
 * One CQE only: no multishot, no zero-copy send, no IOSQE_IO_LINK. Yields.
 *
 *	static void fill(struct io_uring_sqe *sqe, void *arg)
 *	{
 *		io_uring_prep_splice(sqe, ...);
 *	}
 */
int sp_op_raw(void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
	      uint32_t *flags);
int sp_op_raw_until(void (*fill)(struct io_uring_sqe *sqe, void *arg),
		    void *arg, int64_t deadline, uint32_t *flags);

/*
 * The same on the ring of @shard. Afterwards a stealable fiber stays on @shard;
 * a pinned fiber returns to its own shard.
 */
int sp_op_raw_on(uint32_t shard,
		 void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
		 int64_t deadline, uint32_t *flags);

/*
 * Wait until @fd, which belongs to another library, has one of @events (POLLIN,
 * POLLOUT, ... of poll(2)). Returns the events that are set. Yields.
 *
 * As with poll(2) readiness is a hint: a late wake-up can end a wait although
 * the data was read in the meantime. Make the descriptor O_NONBLOCK, and wait
 * again after EAGAIN.
 */
int sp_wait_fd(int fd, uint32_t events);
int sp_wait_fd_until(int fd, uint32_t events, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
