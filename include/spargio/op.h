/*
 * spargio/op.h - io_uring operations, and readiness of foreign descriptors
 *
 * An operation is described by a submission queue entry of io_uring, on the
 * epoll back end as well: there the runtime executes the operation by system
 * calls, and returns -EOPNOTSUPP for an opcode that is not in the table of
 * src/spargio/io/sync_ops.c.
 *
 * The caller owns the buffers, which may be on the fiber's stack: a call does
 * not return while the kernel still uses the buffers, even if it is cancelled.
 */
#ifndef SPARGIO_OP_H
#define SPARGIO_OP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct io_uring_sqe;

/*
 * Call @fill to describe an operation in an entry, run the operation and
 * return the result in its CQE. *@flags, unless @flags is NULL, gets the flags
 * of the CQE. @fill must not set user_data; in it sp_shard() is the shard on
 * which the operation runs, also for sp_op_raw_on() and placement.h. Yields.
 *
 * The result is not translated: -ETIMEDOUT can be the deadline or an error of
 * a socket. The operation must have exactly one CQE: multishot, zero-copy send
 * and IOSQE_IO_LINK are not allowed.
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
 * As sp_op_raw_until(), on the ring of @shard. Afterwards a stealable fiber
 * stays on @shard; a pinned fiber returns to its own shard.
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
