#include "spargio/net/socket.h"
#include "spargio/io/sys.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"

#include <spargio/socket.h>
#include <spargio/time.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

int sp__socket_run(struct sp__op *op, uint32_t events, int64_t deadline,
		   const char *why)
{
	for (;;) {
		int res = sp__op_run(op, deadline, why);

		/*
		 * Translate only an error of the kernel. After a deadline res
		 * is -ETIMEDOUT, but op->res is -ECANCELED.
		 */
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

/*
 * Send by a system call without waiting. -EAGAIN if the socket buffer is full
 * or the turn's budget is used up. Each send uses a part of the budget, so
 * that a fiber whose sends never have to wait still yields.
 */
static int send_now(const struct sp__op *op)
{
	struct sp_fiber *self = sp__fiber_self();
	int res;

	if (self == NULL)
		return -EPERM;
	assert(self->no_yield == 0); /* the send may have to wait */
	res = sp__wait_refused(self);
	if (res < 0)
		return res;
	if (self->shard->budget <= 0)
		return -EAGAIN;
	self->shard->budget--;
	if (sp__sys()->sqe_try(&op->sqe, &res) != SP__DONE)
		return -EAGAIN;
	sp__count(&self->shard->counts.ops, 1);
	return sp__socket_error(res);
}

int sp__socket_send(struct sp__op *op, int64_t deadline)
{
	int res = send_now(op);

	if (res != -EAGAIN && res != -EINTR)
		return res;
	return sp__socket_run(op, POLLOUT, deadline, "send");
}

/*
 * Limit the length of one call to INT_MAX, because the result is an int; the
 * kernel does not transfer more in one call either.
 */
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
	return sp_send_until(fd, data, len, SP_NEVER);
}

int sp_send_until(int fd, const void *data, size_t len, int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_send(&op.sqe, fd, data, at_once(len), 0);
	return sp__socket_send(&op, deadline);
}

/*
 * Transfer all bytes. With MSG_WAITALL a new kernel does not return before
 * that. Older kernels and the epoll back end can return after a part; then
 * send or receive the rest.
 */

#define SOME 16 /* entries that are copied if the first one is partly done */

struct rest {
	const struct iovec *iov;
	size_t count;
	size_t skip; /* bytes of the first entry to skip */
	bool begun;
};

/* Advance by @n bytes and skip empty entries. */
static void advance_rest(struct rest *rest, size_t n)
{
	rest->skip += n;
	while (rest->count > 0 && rest->skip >= rest->iov->iov_len) {
		rest->skip -= rest->iov->iov_len;
		rest->iov++;
		rest->count--;
	}
}

static struct iovec first_of(const struct rest *rest)
{
	return (struct iovec){
		.iov_base = (char *)rest->iov->iov_base + rest->skip,
		.iov_len = rest->iov->iov_len - rest->skip,
	};
}

/*
 * The caller's vector must not be changed: if its first entry is partly done,
 * copy the next entries to @some.
 */
static struct msghdr header_of(const struct rest *rest, struct iovec some[SOME])
{
	size_t n = rest->count < IOV_MAX ? rest->count : IOV_MAX;

	if (rest->skip == 0) /* the kernel only reads the vector */
		return (struct msghdr){ .msg_iov = (struct iovec *)rest->iov,
					.msg_iovlen = n };
	n = n < SOME ? n : SOME;
	memcpy(some, rest->iov, n * sizeof(*some));
	some[0] = first_of(rest);
	return (struct msghdr){ .msg_iov = some, .msg_iovlen = n };
}

static int recv_rest(int fd, const struct rest *rest, int64_t deadline)
{
	struct sp__op op = { 0 };
	struct iovec some[SOME];
	struct msghdr msg;

	if (rest->count == 1) {
		some[0] = first_of(rest);
		return recv_with(fd, some[0].iov_base, some[0].iov_len,
				 MSG_WAITALL, deadline);
	}
	msg = header_of(rest, some);
	io_uring_prep_recvmsg(&op.sqe, fd, &msg, MSG_WAITALL);
	return sp__socket_run(&op, POLLIN, deadline, "receive");
}

static int send_rest(int fd, const struct rest *rest, int64_t deadline)
{
	struct sp__op op = { 0 };
	struct iovec some[SOME];
	struct msghdr msg;

	if (rest->count == 1) {
		some[0] = first_of(rest);
		io_uring_prep_send(&op.sqe, fd, some[0].iov_base,
				   at_once(some[0].iov_len), MSG_WAITALL);
	} else {
		msg = header_of(rest, some);
		io_uring_prep_sendmsg(&op.sqe, fd, &msg, MSG_WAITALL);
	}
	/* The last send was partial, so the socket buffer is full: wait. */
	if (rest->begun)
		return sp__socket_run(&op, POLLOUT, deadline, "send");
	return sp__socket_send(&op, deadline);
}

int sp_recvv_exact_until(int fd, const struct iovec *iov, size_t count,
			 int64_t deadline)
{
	struct rest rest = { .iov = iov, .count = count };

	advance_rest(&rest, 0);
	while (rest.count > 0) {
		int n = recv_rest(fd, &rest, deadline);

		if (n == 0)
			return rest.begun ? -EPIPE : 0;
		if (n < 0)
			return n;
		rest.begun = true;
		advance_rest(&rest, (size_t)n);
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

	advance_rest(&rest, 0);
	while (rest.count > 0) {
		int n = send_rest(fd, &rest, deadline);

		if (n < 0)
			return n;
		rest.begun = true;
		advance_rest(&rest, (size_t)n);
	}
	return 0;
}

int sp_sendv_all(int fd, const struct iovec *iov, size_t count)
{
	return sp_sendv_all_until(fd, iov, count, SP_NEVER);
}

int sp_send_all_until(int fd, const void *data, size_t len, int64_t deadline)
{
	/* The cast is safe because the kernel only reads @data. */
	struct iovec one = { .iov_base = (void *)data, .iov_len = len };

	return sp_sendv_all_until(fd, &one, 1, deadline);
}

int sp_send_all(int fd, const void *data, size_t len)
{
	return sp_send_all_until(fd, data, len, SP_NEVER);
}

int sp_shutdown(int fd, int how)
{
	return sp__sys()->shutdown(fd, how) < 0 ? -sp_errno() : 0;
}
