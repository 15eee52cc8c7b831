/*
 * spargio/io/sync_ops.h - execute an SQE by system calls
 *
 * For the epoll back end and for operations without an opcode in the ring. To
 * add an operation, add a row in sync_ops.c, one in sim/disk.c, and a case in
 * tests/unit/test_spargio_sync_ops.c: docs/extending.md.
 */
#ifndef SPARGIO_IO_SYNC_OPS_H
#define SPARGIO_IO_SYNC_OPS_H

#include "spargio/io/uring_abi.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Operations for which no kernel has an opcode have numbers far above those of
 * the kernel. No ring supports them, so the pool executes them, by the same
 * rule as for any opcode that an older kernel lacks.
 *
 *		 fd	 addr	 len	 off
 * FCHMOD	 file		 mode
 * FCHMODAT	 dir	 path	 mode
 * READLINKAT	 dir	 path	 size	 char *out
 * REALPATH		 path		 char *out
 * GETDENTS	 dir	 buffer	 size
 */
enum sp__own_op {
	SP__OP_FCHMOD = 224,
	SP__OP_FCHMODAT,
	SP__OP_READLINKAT,
	SP__OP_REALPATH,
	SP__OP_GETDENTS,
};

enum sp__attempt {
	SP__DONE,	/* *@res is the result */
	SP__NOT_READY,	/* wait for sp__sqe_wait() and try again */
	SP__MUST_BLOCK, /* only sp__sqe_block() can execute the SQE */
};

/* Maximum descriptors that an operation waits for. */
#define SP__WAIT_FDS 2

/* Execute the SQE if that is possible without blocking. */
enum sp__attempt sp__sqe_try(const struct io_uring_sqe *sqe, int *res);

/* Rows for sockets, in sync_ops_socket.c: a result, or -EAGAIN. */
int sp__try_recv(const struct io_uring_sqe *sqe);
int sp__try_send(const struct io_uring_sqe *sqe);
int sp__try_recvmsg(const struct io_uring_sqe *sqe);
int sp__try_sendmsg(const struct io_uring_sqe *sqe);
int sp__try_accept(const struct io_uring_sqe *sqe);
int sp__try_connect(const struct io_uring_sqe *sqe);

/* Execute the SQE, blocking if necessary. -EOPNOTSUPP for an unknown opcode. */
int sp__sqe_block(const struct io_uring_sqe *sqe);

/*
 * The descriptor and events to wait for when sp__sqe_try() has returned
 * SP__NOT_READY. If the operation has two descriptors, the result is one that
 * is not ready.
 */
struct pollfd sp__sqe_wait(const struct io_uring_sqe *sqe);

/* True if the opcode has a row in the table of sync_ops.c. */
bool sp__sqe_known(uint8_t opcode);

/* Rows of sync_ops_splice.c */
int sp__try_splice(const struct io_uring_sqe *sqe);
int sp__block_splice(const struct io_uring_sqe *sqe);
int sp__wait_splice(const struct io_uring_sqe *sqe,
		    struct pollfd fds[SP__WAIT_FDS]);

/* Rows of sync_ops_file.c */
int sp__block_fsync(const struct io_uring_sqe *sqe);
int sp__block_openat(const struct io_uring_sqe *sqe);
int sp__block_openat2(const struct io_uring_sqe *sqe);
int sp__block_close(const struct io_uring_sqe *sqe);
int sp__block_fallocate(const struct io_uring_sqe *sqe);
int sp__block_ftruncate(const struct io_uring_sqe *sqe);
int sp__block_statx(const struct io_uring_sqe *sqe);
int sp__block_renameat(const struct io_uring_sqe *sqe);
int sp__block_unlinkat(const struct io_uring_sqe *sqe);
int sp__block_mkdirat(const struct io_uring_sqe *sqe);
int sp__block_linkat(const struct io_uring_sqe *sqe);
int sp__block_symlinkat(const struct io_uring_sqe *sqe);
int sp__block_fchmod(const struct io_uring_sqe *sqe);
int sp__block_fchmodat(const struct io_uring_sqe *sqe);
int sp__block_readlinkat(const struct io_uring_sqe *sqe);
int sp__block_realpath(const struct io_uring_sqe *sqe);
int sp__block_getdents(const struct io_uring_sqe *sqe);

#endif
