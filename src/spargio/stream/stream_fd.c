/*
 * Streams of descriptors. Sockets use recv(2) and send(2), because send(2) can
 * suppress SIGPIPE; other descriptors use read(2) and write(2).
 */
#include "spargio/io/sys.h"
#include "spargio/net/socket.h"

#include <spargio/file.h>
#include <spargio/socket.h>
#include <spargio/stream.h>

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* The descriptor itself is the object: nothing has to be allocated. */
static int fd_of(void *object)
{
	return (int)(intptr_t)object;
}

static ssize_t file_read(void *object, void *data, size_t len, int64_t deadline)
{
	return sp_read_until(fd_of(object), data, len, deadline);
}

static ssize_t file_write(void *object, const struct iovec *parts, int count,
			  int64_t deadline)
{
	return sp_writev_until(fd_of(object), parts, count, deadline);
}

static ssize_t socket_read(void *object, void *data, size_t len,
			   int64_t deadline)
{
	return sp_recv_until(fd_of(object), data, len, deadline);
}

static ssize_t socket_write(void *object, const struct iovec *parts, int count,
			    int64_t deadline)
{
	struct sp__op op = { 0 };
	/* The cast is safe because the kernel only reads the vector. */
	struct msghdr msg = { .msg_iov = (struct iovec *)parts,
			      .msg_iovlen = (size_t)count };

	io_uring_prep_sendmsg(&op.sqe, fd_of(object), &msg, 0);
	return sp__socket_send(&op, deadline);
}

static int socket_shutdown(void *object, int64_t deadline)
{
	(void)deadline; /* shutdown(2) does not wait */
	return sp_shutdown(fd_of(object), SHUT_WR);
}

static void close_fd(void *object)
{
	sp_close(fd_of(object));
}

static const struct sp_stream_ops file_ops = {
	.read = file_read,
	.write = file_write,
	.close = close_fd,
};

static const struct sp_stream_ops socket_ops = {
	.read = socket_read,
	.write = socket_write,
	.shutdown = socket_shutdown,
	.close = close_fd,
};

int sp_stream_fd(int fd, struct sp_stream *out)
{
	struct stat st;

	if (sp__sys()->fstat(fd, &st) < 0)
		return -errno;
	out->ops = S_ISSOCK(st.st_mode) ? &socket_ops : &file_ops;
	out->object = (void *)(intptr_t)fd;
	return 0;
}
