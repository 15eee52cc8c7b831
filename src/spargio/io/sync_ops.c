#include "spargio/io/sync_ops.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct row {
	/*
	 * Execute the SQE without blocking and return its result. -EAGAIN =
	 * wait and try again, -EOPNOTSUPP = wait and call block(). A NULL
	 * pointer = call block() immediately.
	 */
	int (*attempt)(const struct io_uring_sqe *sqe);
	/* Execute the SQE in a thread of the pool. NULL = never necessary. */
	int (*block)(const struct io_uring_sqe *sqe);
	/* Events of sqe->fd to wait for. Not used if wait is set. */
	uint32_t events;
	/*
	 * Set the descriptors and events, all of which must be ready, and
	 * return their number. 0 = the SQE says not to wait: its result is
	 * -EAGAIN.
	 */
	int (*wait)(const struct io_uring_sqe *sqe,
		    struct pollfd fds[SP__WAIT_FDS]);
};

static int sys_result(ssize_t ret)
{
	return ret < 0 ? -errno : (int)ret;
}

static int attempt_nop(const struct io_uring_sqe *sqe)
{
	(void)sqe;
	return 0;
}

static int attempt_poll(const struct io_uring_sqe *sqe)
{
	struct pollfd p = { .fd = sqe->fd,
			    .events = (short)sqe->poll32_events };
	int ret = poll(&p, 1, 0);

	if (ret <= 0)
		return ret < 0 ? -errno : -EAGAIN;
	return p.revents & POLLNVAL ? -EBADF : p.revents;
}

static int wait_poll(const struct io_uring_sqe *sqe,
		     struct pollfd fds[SP__WAIT_FDS])
{
	fds[0] = (struct pollfd){ .fd = sqe->fd,
				  .events = (short)sqe->poll32_events };
	return 1;
}

#define SOME 8 /* entries of a vector that one write to a pipe uses */

/* The common arguments of the four reads and writes. */
struct vector {
	struct iovec one, some[SOME];
	const struct iovec *iov;
	int count;
	off_t offset;
};

static void vector_of(const struct io_uring_sqe *sqe, struct vector *v)
{
	v->offset = (off_t)sqe->off;
	v->iov = (const struct iovec *)(uintptr_t)sqe->addr;
	v->count = (int)sqe->len;
	if (sqe->opcode == IORING_OP_READ || sqe->opcode == IORING_OP_WRITE) {
		v->one = (struct iovec){ .iov_base = (void *)v->iov,
					 .iov_len = sqe->len };
		v->iov = &v->one;
		v->count = 1;
	}
}

/*
 * Like a ring, ignore the offset for descriptors without positions, such as
 * sockets.
 */

static int read_with(const struct io_uring_sqe *sqe, int flags)
{
	struct vector v;
	ssize_t ret;

	vector_of(sqe, &v);
	ret = preadv2(sqe->fd, v.iov, v.count, v.offset, flags);
	if (ret < 0 && errno == ESPIPE)
		ret = preadv2(sqe->fd, v.iov, v.count, -1, flags);
	return sys_result(ret);
}

static int write_with(const struct io_uring_sqe *sqe, int flags)
{
	struct vector v;
	ssize_t ret;

	vector_of(sqe, &v);
	ret = pwritev2(sqe->fd, v.iov, v.count, v.offset, flags);
	if (ret < 0 && errno == ESPIPE)
		ret = pwritev2(sqe->fd, v.iov, v.count, -1, flags);
	return sys_result(ret);
}

static size_t vector_len(const struct vector *v)
{
	size_t len = 0;

	for (int i = 0; i < v->count; i++)
		len += v->iov[i].iov_len;
	return len;
}

/*
 * Shorten a write to a pipe. A pipe that is ready takes PIPE_BUF bytes without
 * waiting, see pipe(7); a longer write would wait for the reader of the pipe.
 */
static void bound_to_pipe(struct vector *v)
{
	size_t room = PIPE_BUF;
	int n = 0;

	if (vector_len(v) <= PIPE_BUF)
		return;
	for (int i = 0; i < v->count && n < SOME && room > 0; i++) {
		struct iovec piece = v->iov[i];

		if (piece.iov_len == 0)
			continue;
		if (piece.iov_len > room)
			piece.iov_len = room;
		room -= piece.iov_len;
		v->some[n++] = piece;
	}
	v->iov = v->some;
	v->count = n;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

static int attempt_read(const struct io_uring_sqe *sqe)
{
	return read_with(sqe, RWF_NOWAIT);
}

static int attempt_write(const struct io_uring_sqe *sqe)
{
	return write_with(sqe, RWF_NOWAIT);
}

static int block_read(const struct io_uring_sqe *sqe)
{
	return read_with(sqe, 0);
}

static int block_write(const struct io_uring_sqe *sqe)
{
	struct vector v;

	if (!is_pipe(sqe->fd))
		return write_with(sqe, 0);
	vector_of(sqe, &v);
	bound_to_pipe(&v);
	return sys_result(writev(sqe->fd, v.iov, v.count));
}

/* clang-format off */
static const struct row rows[256] = {
	[IORING_OP_NOP]		= { attempt_nop,    NULL,	  0, NULL },
	[IORING_OP_POLL_ADD]	= { attempt_poll,   NULL,	  0, wait_poll },
	[IORING_OP_READV]	= { attempt_read,   block_read,   POLLIN, NULL },
	[IORING_OP_WRITEV]	= { attempt_write,  block_write,  POLLOUT, NULL },
	[IORING_OP_READ]	= { attempt_read,   block_read,   POLLIN, NULL },
	[IORING_OP_WRITE]	= { attempt_write,  block_write,  POLLOUT, NULL },
	/* Sockets, in sync_ops_socket.c */
	[IORING_OP_RECV]	= { sp__try_recv,    NULL,	  POLLIN, NULL },
	[IORING_OP_SEND]	= { sp__try_send,    NULL,	  POLLOUT, NULL },
	[IORING_OP_RECVMSG]	= { sp__try_recvmsg, NULL,	  POLLIN, NULL },
	[IORING_OP_SENDMSG]	= { sp__try_sendmsg, NULL,	  POLLOUT, NULL },
	[IORING_OP_ACCEPT]	= { sp__try_accept,  NULL,	  POLLIN, NULL },
	[IORING_OP_CONNECT]	= { sp__try_connect, NULL,	  POLLOUT, NULL },
	/* Two descriptors, in sync_ops_splice.c */
	[IORING_OP_SPLICE]	= { sp__try_splice, sp__block_splice, 0,
				    sp__wait_splice },
	/* Files, in sync_ops_file.c */
	[IORING_OP_FSYNC]	= { .block = sp__block_fsync },
	[IORING_OP_OPENAT]	= { .block = sp__block_openat },
	[IORING_OP_OPENAT2]	= { .block = sp__block_openat2 },
	[IORING_OP_CLOSE]	= { .block = sp__block_close },
	[IORING_OP_FALLOCATE]	= { .block = sp__block_fallocate },
	[SP__OP_FTRUNCATE]	= { .block = sp__block_ftruncate },
	[IORING_OP_STATX]	= { .block = sp__block_statx },
	[IORING_OP_RENAMEAT]	= { .block = sp__block_renameat },
	[IORING_OP_UNLINKAT]	= { .block = sp__block_unlinkat },
	[IORING_OP_MKDIRAT]	= { .block = sp__block_mkdirat },
	[IORING_OP_LINKAT]	= { .block = sp__block_linkat },
	[IORING_OP_SYMLINKAT]	= { .block = sp__block_symlinkat },
	[SP__OP_FCHMOD]		= { .block = sp__block_fchmod },
	[SP__OP_FCHMODAT]	= { .block = sp__block_fchmodat },
	[SP__OP_READLINKAT]	= { .block = sp__block_readlinkat },
	[SP__OP_REALPATH]	= { .block = sp__block_realpath },
	[SP__OP_GETDENTS]	= { .block = sp__block_getdents },
};
/* clang-format on */

/* The descriptors that the operation waits for; returns their number. */
static int wait_fds(const struct io_uring_sqe *sqe,
		    struct pollfd fds[SP__WAIT_FDS])
{
	const struct row *row = &rows[sqe->opcode];

	if (row->wait != NULL)
		return row->wait(sqe, fds);
	fds[0] = (struct pollfd){ .fd = sqe->fd, .events = (short)row->events };
	return 1;
}

/*
 * True if the descriptor has one of the events; a regular file is always ready.
 */
static bool is_ready(struct pollfd p)
{
	return poll(&p, 1, 0) != 0;
}

static bool all_ready(const struct pollfd *fds, int count)
{
	for (int i = 0; i < count; i++)
		if (!is_ready(fds[i]))
			return false;
	return true;
}

enum sp__attempt sp__sqe_try(const struct io_uring_sqe *sqe, int *res)
{
	const struct row *row = &rows[sqe->opcode];
	struct pollfd fds[SP__WAIT_FDS];

	if (row->attempt == NULL)
		return SP__MUST_BLOCK;
	*res = row->attempt(sqe);
	if (*res == -EAGAIN)
		return wait_fds(sqe, fds) > 0 ? SP__NOT_READY : SP__DONE;
	/*
	 * The file does not support RWF_NOWAIT (pipes do since Linux 6.4).
	 * Wait until the descriptor is ready before the pool is used: a pool
	 * thread that blocks in the call would block even after a cancel.
	 */
	if (*res == -EOPNOTSUPP && row->block != NULL)
		return all_ready(fds, wait_fds(sqe, fds)) ? SP__MUST_BLOCK
							  : SP__NOT_READY;
	return SP__DONE;
}

int sp__sqe_block(const struct io_uring_sqe *sqe)
{
	const struct row *row = &rows[sqe->opcode];

	return row->block == NULL ? -EOPNOTSUPP : row->block(sqe);
}

struct pollfd sp__sqe_wait(const struct io_uring_sqe *sqe)
{
	struct pollfd fds[SP__WAIT_FDS] = { 0 };
	int count = wait_fds(sqe, fds);

	return count > 1 && is_ready(fds[0]) ? fds[1] : fds[0];
}

bool sp__sqe_known(uint8_t opcode)
{
	return rows[opcode].attempt != NULL || rows[opcode].block != NULL;
}
