#include "spargio/socket.h"

#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>

int sp__socket_run(struct sp__op *op, uint32_t events, int64_t deadline,
		   const char *why)
{
	for (;;) {
		int res = sp__op_run(op, deadline, why);

		/* After a deadline the operation says that it was cancelled. */
		if (res == op->res)
			res = sp__socket_error(res);
		if (res == -EAGAIN || res == -EINPROGRESS) {
			res = sp__wait_fd(op->sqe.fd, events, deadline, why);
			if (res >= 0)
				continue;
		}
		if (res != -EINTR)
			return res;
	}
}

/* The kernel moves no more than this at once, and the result is an int. */
static unsigned int at_once(size_t len)
{
	return len > INT_MAX ? INT_MAX : (unsigned int)len;
}

static int recv_with(int fd, void *data, size_t len, int flags,
		     int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_recv(&op.sqe, fd, data, at_once(len), flags);
	return sp__socket_run(&op, POLLIN, deadline, "receive");
}

static int send_with(int fd, const void *data, size_t len, int flags,
		     int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_send(&op.sqe, fd, data, at_once(len), flags);
	return sp__socket_run(&op, POLLOUT, deadline, "send");
}

int sp_recv(int fd, void *data, size_t len)
{
	return recv_with(fd, data, len, 0, SP_NEVER);
}

int sp_recv_until(int fd, void *data, size_t len, int64_t deadline)
{
	return recv_with(fd, data, len, 0, deadline);
}

int sp_send(int fd, const void *data, size_t len)
{
	return send_with(fd, data, len, 0, SP_NEVER);
}

int sp_send_until(int fd, const void *data, size_t len, int64_t deadline)
{
	return send_with(fd, data, len, 0, deadline);
}

/*
 * All bytes. MSG_WAITALL makes the kernel go on by itself after a part; older
 * ones and the epoll back end return it, and we go on.
 */

struct rest {
	const struct iovec *iov;
	size_t count;
	size_t skip; /* of the first */
};

/* Step over @n bytes, and over what is empty. */
static void advance(struct rest *rest, size_t n)
{
	rest->skip += n;
	while (rest->count > 0 && rest->skip >= rest->iov->iov_len) {
		rest->skip -= rest->iov->iov_len;
		rest->iov++;
		rest->count--;
	}
}

static struct msghdr header_of(const struct rest *rest)
{
	/* The kernel only reads the vector. */
	return (struct msghdr){
		.msg_iov = (struct iovec *)rest->iov,
		.msg_iovlen = rest->count < IOV_MAX ? rest->count : IOV_MAX,
	};
}

static int recv_rest(int fd, const struct rest *rest, int64_t deadline)
{
	struct sp__op op = { 0 };
	struct msghdr msg = header_of(rest);

	if (rest->count == 1 || rest->skip != 0)
		return recv_with(fd, (char *)rest->iov->iov_base + rest->skip,
				 rest->iov->iov_len - rest->skip, MSG_WAITALL,
				 deadline);
	io_uring_prep_recvmsg(&op.sqe, fd, &msg, MSG_WAITALL);
	return sp__socket_run(&op, POLLIN, deadline, "receive");
}

static int send_rest(int fd, const struct rest *rest, int64_t deadline)
{
	struct sp__op op = { 0 };
	struct msghdr msg = header_of(rest);

	if (rest->count == 1 || rest->skip != 0)
		return send_with(fd,
				 (const char *)rest->iov->iov_base + rest->skip,
				 rest->iov->iov_len - rest->skip, MSG_WAITALL,
				 deadline);
	io_uring_prep_sendmsg(&op.sqe, fd, &msg, MSG_WAITALL);
	return sp__socket_run(&op, POLLOUT, deadline, "send");
}

int sp_recvv_exact_until(int fd, const struct iovec *iov, size_t count,
			 int64_t deadline)
{
	struct rest rest = { .iov = iov, .count = count };
	int begun = 0;

	advance(&rest, 0);
	while (rest.count > 0) {
		int n = recv_rest(fd, &rest, deadline);

		if (n == 0)
			return begun ? -EPIPE : 0;
		if (n < 0)
			return n;
		begun = 1;
		advance(&rest, (size_t)n);
	}
	return 1;
}

int sp_recvv_exact(int fd, const struct iovec *iov, size_t count)
{
	return sp_recvv_exact_until(fd, iov, count, SP_NEVER);
}

int sp_recv_exact_until(int fd, void *data, size_t len, int64_t deadline)
{
	struct iovec one = { .iov_base = data, .iov_len = len };

	return sp_recvv_exact_until(fd, &one, 1, deadline);
}

int sp_recv_exact(int fd, void *data, size_t len)
{
	return sp_recv_exact_until(fd, data, len, SP_NEVER);
}

int sp_sendv_all_until(int fd, const struct iovec *iov, size_t count,
		       int64_t deadline)
{
	struct rest rest = { .iov = iov, .count = count };

	advance(&rest, 0);
	while (rest.count > 0) {
		int n = send_rest(fd, &rest, deadline);

		if (n < 0)
			return n;
		advance(&rest, (size_t)n);
	}
	return 0;
}

int sp_sendv_all(int fd, const struct iovec *iov, size_t count)
{
	return sp_sendv_all_until(fd, iov, count, SP_NEVER);
}

int sp_send_all_until(int fd, const void *data, size_t len, int64_t deadline)
{
	/* The kernel only reads it. */
	struct iovec one = { .iov_base = (void *)data, .iov_len = len };

	return sp_sendv_all_until(fd, &one, 1, deadline);
}

int sp_send_all(int fd, const void *data, size_t len)
{
	return sp_send_all_until(fd, data, len, SP_NEVER);
}

int sp_shutdown(int fd, int how)
{
	return shutdown(fd, how) < 0 ? -sp_errno() : 0;
}
