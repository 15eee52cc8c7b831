/*
 * Operations that move data between two descriptors. They wait until both are
 * ready: the source readable, the target writable.
 */
#include "spargio/io/sync_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* Offset -1 means the current position, as in an SQE. */
static ssize_t splice_with(const struct io_uring_sqe *sqe, unsigned int flags)
{
	loff_t in = (loff_t)sqe->splice_off_in, out = (loff_t)sqe->off;
	ssize_t ret = splice(sqe->splice_fd_in, in < 0 ? NULL : &in, sqe->fd,
			     out < 0 ? NULL : &out, sqe->len, flags);

	return ret < 0 ? -errno : ret;
}

static bool is_kind(int fd, mode_t kind)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

/*
 * SPLICE_F_NONBLOCK applies to pipes only. Reading from a socket blocks if it
 * has no data, so the socket is polled before. Writing to a socket blocks if
 * its buffer is full, so the socket is made non-blocking for the call; no
 * other fiber writes to the same socket at that time.
 */
int sp__try_splice(const struct io_uring_sqe *sqe)
{
	struct pollfd in = { .fd = sqe->splice_fd_in, .events = POLLIN };
	bool from_socket = is_kind(in.fd, S_IFSOCK);
	bool to_socket = is_kind(sqe->fd, S_IFSOCK);
	ssize_t ret;
	int mode;

	/* Reading a file may wait for a disk: only the pool may do that. */
	if ((!from_socket && !is_kind(in.fd, S_IFIFO)) ||
	    (!to_socket && !is_kind(sqe->fd, S_IFIFO)))
		return -EOPNOTSUPP;
	if (from_socket && poll(&in, 1, 0) == 0)
		return -EAGAIN;
	mode = to_socket ? fcntl(sqe->fd, F_GETFL) : O_NONBLOCK;
	if (mode < 0)
		return -errno;
	if (!(mode & O_NONBLOCK) &&
	    fcntl(sqe->fd, F_SETFL, mode | O_NONBLOCK) < 0)
		return -errno;
	ret = splice_with(sqe, sqe->splice_flags | SPLICE_F_NONBLOCK);
	if (!(mode & O_NONBLOCK))
		(void)fcntl(sqe->fd, F_SETFL, mode);
	return (int)ret;
}

int sp__block_splice(const struct io_uring_sqe *sqe)
{
	return (int)splice_with(sqe, sqe->splice_flags);
}

int sp__wait_splice(const struct io_uring_sqe *sqe,
		    struct pollfd fds[SP__WAIT_FDS])
{
	fds[0] = (struct pollfd){ .fd = sqe->splice_fd_in, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = sqe->fd, .events = POLLOUT };
	return sqe->splice_flags & SPLICE_F_NONBLOCK ? 0 : 2;
}
