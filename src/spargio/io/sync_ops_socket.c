#include "spargio/io/sync_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

static int sys_result(ssize_t ret)
{
	return ret < 0 ? -errno : (int)ret;
}

static void *pointer_of(uint64_t value)
{
	return (void *)(uintptr_t)value;
}

int sp__try_recv(const struct io_uring_sqe *sqe)
{
	return sys_result(recv(sqe->fd, pointer_of(sqe->addr), sqe->len,
			       (int)sqe->msg_flags | MSG_DONTWAIT));
}

/* No SIGPIPE, as with a ring. */
int sp__try_send(const struct io_uring_sqe *sqe)
{
	return sys_result(
		send(sqe->fd, pointer_of(sqe->addr), sqe->len,
		     (int)sqe->msg_flags | MSG_DONTWAIT | MSG_NOSIGNAL));
}

int sp__try_recvmsg(const struct io_uring_sqe *sqe)
{
	return sys_result(recvmsg(sqe->fd, pointer_of(sqe->addr),
				  (int)sqe->msg_flags | MSG_DONTWAIT));
}

int sp__try_sendmsg(const struct io_uring_sqe *sqe)
{
	return sys_result(
		sendmsg(sqe->fd, pointer_of(sqe->addr),
			(int)sqe->msg_flags | MSG_DONTWAIT | MSG_NOSIGNAL));
}

/*
 * accept() has no flag like MSG_DONTWAIT, so the listener itself is made
 * non-blocking. It stays non-blocking, because another shard may be about to
 * call accept() in this function.
 */
int sp__try_accept(const struct io_uring_sqe *sqe)
{
	int flags = fcntl(sqe->fd, F_GETFL);

	if (flags < 0)
		return -errno;
	if (!(flags & O_NONBLOCK) &&
	    fcntl(sqe->fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return sys_result(accept4(sqe->fd, pointer_of(sqe->addr),
				  pointer_of(sqe->addr2),
				  (int)sqe->accept_flags));
}

/*
 * As sp__try_accept(), but the mode of the socket is restored, because no
 * other thread connects it. A second connect() returns the result of the first
 * attempt.
 */
int sp__try_connect(const struct io_uring_sqe *sqe)
{
	int flags = fcntl(sqe->fd, F_GETFL);
	int res;

	if (flags < 0 || fcntl(sqe->fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	res = sys_result(
		connect(sqe->fd, pointer_of(sqe->addr), (socklen_t)sqe->off));
	(void)fcntl(sqe->fd, F_SETFL, flags);
	return res == -EINPROGRESS || res == -EALREADY ? -EAGAIN : res;
}
