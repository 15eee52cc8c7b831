#include "spargio/io/sys.h"
#include "spargio/net/socket.h"

#include <spargio/datagram.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static int set_up(int fd, const struct sp_addr *at,
		  const struct sp_datagram_opts *opts)
{
	struct sp_tcp_opts sizes = { .send_buffer = opts->send_buffer,
				     .recv_buffer = opts->recv_buffer };
	int one = 1;
	int err = sp_tcp_set(fd, &sizes);

	if (err < 0)
		return err;
	if (opts->reuse_port &&
	    sp__sys()->setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one,
				  sizeof(one)) < 0)
		return -sp_errno();
	return sp__sys()->bind(fd, &at->any, at->len) < 0 ? -sp_errno() : 0;
}

int sp_datagram_open(const struct sp_addr *at,
		     const struct sp_datagram_opts *opts, int *out)
{
	static const struct sp_datagram_opts none;
	int fd = sp__sys()->socket(at->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC,
				   0);
	int err;

	if (fd < 0)
		return -sp_errno();
	err = set_up(fd, at, opts == NULL ? &none : opts);
	if (err < 0) {
		sp__sys()->close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

int sp_sendto(int fd, const void *data, size_t len, const struct sp_addr *to)
{
	return sp_sendto_until(fd, data, len, to, SP_NEVER);
}

int sp_sendto_until(int fd, const void *data, size_t len,
		    const struct sp_addr *to, int64_t deadline)
{
	/* The casts are safe because the kernel only reads @data and @to. */
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct sp__op op = { 0 };
	int ret;

	if (to != NULL) {
		msg.msg_name = (void *)&to->any;
		msg.msg_namelen = to->len;
	}
	io_uring_prep_sendmsg(&op.sqe, fd, &msg, 0);
	ret = sp__socket_send(&op, deadline);
	return ret < 0 ? ret : 0;
}

int sp_recvfrom(int fd, void *data, size_t len, struct sp_addr *from)
{
	return sp_recvfrom_until(fd, data, len, SP_NEVER, from);
}

int sp_recvfrom_until(int fd, void *data, size_t len, int64_t deadline,
		      struct sp_addr *from)
{
	struct iovec iov = { .iov_base = data, .iov_len = len };
	struct sp_addr addr;
	struct msghdr msg = { .msg_name = &addr.any,
			      .msg_namelen = sizeof(addr.un),
			      .msg_iov = &iov,
			      .msg_iovlen = 1 };
	struct sp__op op = { 0 };
	int ret;

	io_uring_prep_recvmsg(&op.sqe, fd, &msg, MSG_TRUNC);
	ret = sp__socket_run(&op, POLLIN, deadline, "receive");
	if (ret >= 0 && from != NULL) {
		*from = addr;
		from->len = msg.msg_namelen;
	}
	return ret;
}
