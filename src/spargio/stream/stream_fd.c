#include "spargio/stream/stream_fd.h"
#include "spargio/io/iov.h"
#include "spargio/io/sys.h"
#include "spargio/net/socket.h"

#include <spargio/file.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

int sp__stream_fd_init(struct sp__stream_fd *e, int fd)
{
	struct stat st;

	if (sp__sys()->fstat(fd, &st) < 0)
		return -errno;
	*e = (struct sp__stream_fd){ .fd = fd,
				     .is_socket = S_ISSOCK(st.st_mode) };
	return 0;
}

void sp__stream_fd_fini(struct sp__stream_fd *e)
{
	/*
	 * The atomic operation makes sure that all accesses of the other half
	 * come before the close.
	 */
	if (e->halves == NULL || atomic_fetch_sub(&e->halves->left, 1) > 1)
		return;
	sp_close(e->fd);
	free(e->halves);
}

ssize_t sp__stream_fd_read(const struct sp__stream_fd *e, void *data,
			   size_t len, int64_t deadline)
{
	return e->is_socket ? sp_recv_until(e->fd, data, len, deadline)
			    : sp_read_until(e->fd, data, len, deadline);
}

/* Write some bytes, at least one. */
static ssize_t write_some(const struct sp__stream_fd *e,
			  const struct iovec *iov, int n, int64_t deadline)
{
	struct sp__op op = { 0 };
	/* The cast is safe because the kernel only reads the vector. */
	struct msghdr msg = { .msg_iov = (struct iovec *)iov,
			      .msg_iovlen = (size_t)n };

	if (!e->is_socket)
		return sp_writev_until(e->fd, iov, n, deadline);
	io_uring_prep_sendmsg(&op.sqe, e->fd, &msg, 0);
	return sp__socket_send(&op, deadline);
}

int sp__stream_fd_write_all(const struct sp__stream_fd *e,
			    const struct iovec *iov, int n, int64_t deadline,
			    size_t *put)
{
	struct sp__iov left;

	*put = 0;
	sp__iov_init(&left, iov, n);
	while (sp__iov_left(&left)) {
		int some = sp__iov_next(&left);
		ssize_t ret = write_some(e, left.some, some, deadline);

		/*
		 * Nothing was written and there is no error: a retry would loop
		 * forever.
		 */
		if (ret <= 0)
			return ret < 0 ? (int)ret : -EIO;
		*put += (size_t)ret;
		sp__iov_advance(&left, (size_t)ret);
	}
	return 0;
}
