#include "spargio/net/net.h"
#include "spargio/io/op.h"
#include "spargio/io/sys.h"
#include "spargio/net/socket.h"
#include "spargio/sched/current.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/wait.h"

#include <spargio/message.h>
#include <spargio/net.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG	   1024
#define MANY	   256 /* maximum of connects in flight at once */
#define UNIX_PAUSE (1 * SP_MS)

int sp__home(uint32_t home, uint32_t *out)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp_rt *rt;

	if (self == NULL)
		return -EPERM;
	rt = self->shard->rt;
	if (home == SP_HOME_HERE)
		home = self->shard->index;
	else if (home == SP_HOME_NEXT)
		home = atomic_fetch_add(&rt->round_robin, 1) % rt->nshards;
	else if (home >= rt->nshards)
		return -EINVAL;
	*out = home;
	return 0;
}

static int open_socket(const struct sp_addr *addr)
{
	int fd = sp__sys()->socket(addr->any.sa_family,
				   SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -sp_errno() : fd;
}

/* Listening */

static int switch_on(int fd, int level, int name)
{
	int one = 1;

	return sp__sys()->setsockopt(fd, level, name, &one, sizeof(one));
}

static int listen_on(int fd, const struct sp_addr *at,
		     const struct sp_listen_opts *opts)
{
	int backlog = opts->backlog == 0 ? BACKLOG : opts->backlog;

	if (at->any.sa_family != AF_UNIX &&
	    switch_on(fd, SOL_SOCKET, SO_REUSEADDR) < 0)
		return -sp_errno();
	if (opts->reuse_port && switch_on(fd, SOL_SOCKET, SO_REUSEPORT) < 0)
		return -sp_errno();
	if (opts->only_ip6 && switch_on(fd, IPPROTO_IPV6, IPV6_V6ONLY) < 0)
		return -sp_errno();
	if (sp__sys()->bind(fd, &at->any, at->len) < 0 ||
	    sp__sys()->listen(fd, backlog) < 0)
		return -sp_errno();
	return 0;
}

int sp_listen(const struct sp_addr *at, const struct sp_listen_opts *opts,
	      int *out)
{
	static const struct sp_listen_opts none;
	int fd = open_socket(at);
	int err;

	if (fd < 0)
		return fd;
	err = listen_on(fd, at, opts == NULL ? &none : opts);
	if (err < 0) {
		sp__sys()->close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

int sp_connect_socket(const struct sp_addr *to)
{
	return open_socket(to);
}

int sp_listener_share(int listener)
{
	return switch_on(listener, SOL_SOCKET, SO_REUSEPORT) < 0 ? -sp_errno()
								 : 0;
}

bool sp__accept_again(int err)
{
	switch (err) {
	case -ECONNABORTED:
	case -EPROTO:
	case -ENETDOWN:
	case -ENOPROTOOPT:
	case -EHOSTDOWN:
	case -ENONET:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return true; /* errors of the new connection; see accept(2) */
	default:
		return false;
	}
}

int sp_accept(int listener, uint32_t home, struct sp_conn *out)
{
	return sp_accept_until(listener, home, SP_NEVER, out);
}

int sp_accept_until(int listener, uint32_t home, int64_t deadline,
		    struct sp_conn *out)
{
	struct sp__op op = { 0 };
	uint32_t shard;
	int fd = sp__home(home, &shard);

	if (fd < 0)
		return fd;
	io_uring_prep_accept(&op.sqe, listener, NULL, NULL, SOCK_CLOEXEC);
	do
		fd = sp__socket_run(&op, POLLIN, deadline, "accept");
	while (sp__accept_again(fd));
	if (fd < 0)
		return fd;
	*out = (struct sp_conn){ .fd = fd, .home = shard };
	return 0;
}

/* Connecting */

/* Non-blocking connect(2). */
static int try_connect(int fd, const struct sp_addr *to)
{
	int flags = sp__sys()->fcntl(fd, F_GETFL, 0);
	int err;

	if (flags < 0 || sp__sys()->fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -sp_errno();
	err = sp__sys()->connect(fd, &to->any, to->len) < 0 ? -sp_errno() : 0;
	(void)sp__sys()->fcntl(fd, F_SETFL, flags);
	return err;
}

/*
 * connect(2) of a Unix socket succeeds or fails immediately. If the listener's
 * queue is full, no event tells when it has space: retry with a growing pause.
 */
static int connect_unix(int fd, const struct sp_addr *to, int64_t deadline)
{
	int64_t pause = UNIX_PAUSE;
	int err = sp__wait_refused(sp__fiber_self());

	while (err == 0) {
		int64_t until = sp_in(pause);

		err = try_connect(fd, to);
		if (err != -EAGAIN)
			return err;
		if (until >= deadline)
			return -ETIMEDOUT;
		err = sp_sleep_until(until);
		pause = pause < 64 * UNIX_PAUSE ? 2 * pause : pause;
	}
	return err;
}

int sp_connect_fd(int fd, const struct sp_addr *to)
{
	return sp_connect_fd_until(fd, to, SP_NEVER);
}

int sp_connect_fd_until(int fd, const struct sp_addr *to, int64_t deadline)
{
	struct sp__op op = { 0 };
	int err;

	if (sp__fiber_self() == NULL)
		return -EPERM;
	if (to->any.sa_family == AF_UNIX)
		return connect_unix(fd, to, deadline);
	io_uring_prep_connect(&op.sqe, fd, &to->any, to->len);
	err = sp__socket_run(&op, POLLOUT, deadline, "connect");
	/*
	 * sp__socket_run() has translated the kernel's -ETIMEDOUT to
	 * -ECONNABORTED. For a connect it is a timeout like the deadline.
	 */
	return op.res == -ETIMEDOUT ? -ETIMEDOUT : err;
}

int sp_connect(const struct sp_addr *to, uint32_t home, struct sp_conn *out)
{
	return sp_connect_until(to, home, SP_NEVER, out);
}

int sp_connect_until(const struct sp_addr *to, uint32_t home, int64_t deadline,
		     struct sp_conn *out)
{
	uint32_t shard;
	int err = sp__home(home, &shard);
	int fd;

	if (err < 0)
		return err;
	fd = open_socket(to);
	if (fd < 0)
		return fd;
	err = sp_connect_fd_until(fd, to, deadline);
	if (err < 0) {
		sp__sys()->close(fd);
		return err;
	}
	*out = (struct sp_conn){ .fd = fd, .home = shard };
	return 0;
}

/*
 * Start all connects of a batch, then wait for one after the other. A connect
 * that ends while the fiber waits for another one is not waited for.
 */

static void start_connect(struct sp_fiber *self, struct sp__op *op,
			  const struct sp_addr *to, struct sp_conn *out)
{
	out->fd = open_socket(to);
	*op = (struct sp__op){ .fiber = self, .code = SP__EVENT, .done = true };
	if (out->fd < 0 || to->any.sa_family == AF_UNIX)
		return;
	io_uring_prep_connect(&op->sqe, out->fd, &to->any, to->len);
	self->pins++;
	sp__op_start(self->shard, op);
}

static int finish_connect(struct sp_fiber *self, struct sp__op *op,
			  int64_t deadline)
{
	int err = 0;

	while (!op->done && err == 0) {
		op->epoch = sp__wait_begin(self);
		err = sp__code_error(
			sp__wait_end(self, op->epoch, deadline, "connect", op));
	}
	sp__op_finish(op);
	sp__op_unpin(op);
	return op->res == -ECANCELED && err < 0 ? err : op->res;
}

static void end_connect(struct sp_fiber *self, struct sp__op *op,
			const struct sp_addr *to, int64_t deadline,
			struct sp_conn *out)
{
	int err;

	if (out->fd < 0)
		return;
	err = to->any.sa_family == AF_UNIX ? connect_unix(out->fd, to, deadline)
					   : finish_connect(self, op, deadline);
	if (err == 0)
		return;
	sp__sys()->close(out->fd);
	out->fd = err;
}

static void connect_batch(struct sp_fiber *self, struct sp__op *ops,
			  const struct sp_addr *to, size_t count,
			  int64_t deadline, struct sp_conn *out)
{
	for (size_t i = 0; i < count; i++)
		start_connect(self, &ops[i], &to[i], &out[i]);
	for (size_t i = 0; i < count; i++)
		end_connect(self, &ops[i], &to[i], deadline, &out[i]);
}

int sp_connect_many(const struct sp_addr *to, size_t count, uint32_t home,
		    int64_t deadline, struct sp_conn *out)
{
	struct sp_fiber *self = sp__fiber_self();
	size_t batch = count < MANY ? count + 1 : MANY;
	struct sp__op *ops;
	int connected = 0;

	if (self == NULL)
		return -EPERM;
	if (home < SP_HOME_NEXT && home >= self->shard->rt->nshards)
		return -EINVAL;
	ops = calloc(batch, sizeof(*ops));
	if (ops == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i += batch) {
		size_t n = count - i < batch ? count - i : batch;

		connect_batch(self, ops, &to[i], n, deadline, &out[i]);
	}
	free(ops);
	for (size_t i = 0; i < count; i++) {
		connected += out[i].fd >= 0;
		(void)sp__home(home, &out[i].home);
	}
	return connected;
}

/* Connections and shards */

int sp_adopt(int fd, uint32_t home, struct sp_conn *out)
{
	struct sp_conn conn = { .fd = fd };
	int err = sp__home(home, &conn.home);

	if (err < 0)
		return err;
	*out = conn;
	return 0;
}

/* The arguments of a fiber that serves a connection. */
struct served {
	struct sp_conn conn;
	int (*fn)(struct sp_conn *conn, void *arg);
	void *arg;
};

static int served_main(void *arg)
{
	struct served *served = arg;
	int ret = served->fn(&served->conn, served->arg);

	if (served->conn.fd >= 0)
		sp__sys()->close(served->conn.fd);
	return ret;
}

int sp_conn_go(const struct sp_conn *conn, const struct sp_attr *attr,
	       int (*fn)(struct sp_conn *conn, void *arg), void *arg,
	       struct sp_task *out)
{
	struct served served = { .conn = *conn, .fn = fn, .arg = arg };
	struct sp_attr at_home = { .place = SP_PINNED };

	if (attr != NULL)
		at_home = *attr;
	if (at_home.place != SP_PINNED && at_home.place != SP_PREFER)
		return -EINVAL;
	at_home.shard = conn->home;
	return sp_go_copy(NULL, &at_home, served_main, &served, sizeof(served),
			  out);
}

int sp_conn_send(const struct sp_conn *conn, uint32_t shard, uint16_t tag)
{
	struct sp_conn there = { .fd = conn->fd, .home = shard };

	return sp_msg_send_data(shard, tag, &there, sizeof(there));
}

int sp_conn_take(const struct sp_msg *msg, struct sp_conn *out)
{
	if (msg->len != sizeof(*out))
		return -EBADMSG;
	memcpy(out, msg->data, sizeof(*out));
	return 0;
}
