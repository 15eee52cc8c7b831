/*
 * The simulated system calls, see io/sys.h.
 *
 * In a thread without a simulation, and for a descriptor that the kernel has
 * assigned, they call the kernel.
 */
#include "spargio/sim/network.h"
#include "spargio/io/sys.h"
#include "spargio/sim/socket.h"

#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <string.h>
#include <unistd.h>

#define SETTABLE_FLAGS (O_APPEND | O_NONBLOCK)

/*
 * Convert @res, a result or a negative errno, to a result of libc and errno.
 */
static int set_errno(int res)
{
	if (res >= 0)
		return res;
	errno = -res;
	return -1; /* the error result of libc */
}

static bool is_real(int fd)
{
	return fd < SP__SIM_FD_BASE || sp__sim_current() == NULL;
}

static struct sp__sim_file *file_of(int fd)
{
	struct sp_sim_host *host = sp__sim_host();

	return host == NULL ? NULL : sp__sim_fd_get(host, fd);
}

static struct sp__sim_socket *socket_of(int fd, int *err)
{
	struct sp__sim_file *file = file_of(fd);

	*err = file == NULL ? -EBADF : 0;
	if (file != NULL && file->kind != &sp__sim_socket_kind)
		*err = -ENOTSOCK;
	return *err == 0 ? (struct sp__sim_socket *)file : NULL;
}

static int copy_in(const struct sockaddr *from, socklen_t len,
		   struct sp_addr *out)
{
	if (len > sizeof(out->un) || len < sizeof(sa_family_t))
		return -EINVAL;
	*out = (struct sp_addr){ .len = len };
	memcpy(&out->any, from, len);
	return 0;
}

static int sim_socket(int family, int type, int protocol)
{
	struct sp_sim_host *host = sp__sim_host();
	int kind = type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct sp__sim_socket *s;
	int fd;

	if (sp__sim_current() == NULL)
		return socket(family, type, protocol);
	if (host == NULL || (kind != SOCK_STREAM && kind != SOCK_DGRAM) ||
	    (family != AF_INET && family != AF_INET6 && family != AF_UNIX))
		return set_errno(sp__sim_refuse("socket()"));
	s = sp__sim_socket_new(host, family, kind);
	if (s == NULL)
		return set_errno(-ENOMEM);
	fd = sp__sim_fd_new(host, &s->file);
	if (fd < 0)
		sp__sim_socket_put(s);
	return set_errno(fd);
}

static int sim_bind(int fd, const struct sockaddr *at, socklen_t len)
{
	struct sp__sim_socket *s;
	struct sp_addr addr;
	int err;

	if (is_real(fd))
		return bind(fd, at, len);
	s = socket_of(fd, &err);
	if (s != NULL)
		err = copy_in(at, len, &addr);
	return set_errno(err < 0 ? err : sp__sim_bind(s, &addr));
}

static int sim_listen(int fd, int backlog)
{
	struct sp__sim_socket *s;
	int err;

	if (is_real(fd))
		return listen(fd, backlog);
	s = socket_of(fd, &err);
	if (s == NULL)
		return set_errno(err);
	if (s->type != SOCK_STREAM || s->state == SP__SIM_OPEN)
		return set_errno(-EINVAL);
	s->state = SP__SIM_LISTENING;
	s->backlog = backlog < 0 ? 0 : (uint32_t)backlog;
	return 0;
}

static int sim_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	struct sp__sim_socket *s;
	struct sp_addr addr;
	int err;

	if (is_real(fd))
		return connect(fd, to, len);
	s = socket_of(fd, &err);
	if (s != NULL)
		err = copy_in(to, len, &addr);
	return set_errno(err < 0 ? err : sp__sim_connect(s, &addr));
}

/*
 * Only SO_REUSEPORT and the three numbers of TCP keepalive have an effect.
 * TCP_MD5SIG is refused; all other options are accepted and ignored.
 */
static int sim_setsockopt(int fd, int level, int name, const void *value,
			  socklen_t len)
{
	struct sp__sim_socket *s;
	int err, number = 0;

	if (is_real(fd))
		return setsockopt(fd, level, name, value, len);
	s = socket_of(fd, &err);
	if (s == NULL)
		return set_errno(err);
	if (level == IPPROTO_TCP && name == TCP_MD5SIG)
		return set_errno(sp__sim_refuse("TCP_MD5SIG"));
	if (len >= sizeof(number))
		memcpy(&number, value, sizeof(number));
	if (level == SOL_SOCKET && name == SO_REUSEPORT)
		s->reuse_port = number != 0;
	if (level != IPPROTO_TCP)
		return 0;
	switch (name) {
	case TCP_KEEPIDLE:
		s->idle_s = number;
		sp__sim_keep_alive(s);
		break;
	case TCP_KEEPINTVL:
		s->every_s = number;
		break;
	case TCP_KEEPCNT:
		s->count = number;
		break;
	default:
		break;
	}
	return 0;
}

static int get_tcp_info(int fd, void *value, socklen_t *len)
{
	struct tcp_info info = { 0 };
	struct sp__sim_socket *s;
	int64_t ms;
	int err;

	s = socket_of(fd, &err);
	if (s == NULL)
		return err;
	ms = (s->file.host->sim->now - s->heard) / SP_MS;
	info.tcpi_last_data_recv = (uint32_t)ms;
	info.tcpi_last_ack_recv = (uint32_t)ms;
	if (*len > sizeof(info))
		*len = sizeof(info);
	memcpy(value, &info, *len);
	return 0;
}

static int sim_getsockopt(int fd, int level, int name, void *value,
			  socklen_t *len)
{
	struct ucred cred = { .pid = 1, .uid = 1000, .gid = 1000 };

	if (is_real(fd))
		return getsockopt(fd, level, name, value, len);
	if (level == IPPROTO_TCP && name == TCP_INFO)
		return set_errno(get_tcp_info(fd, value, len));
	if (level != SOL_SOCKET || name != SO_PEERCRED || *len < sizeof(cred))
		return set_errno(sp__sim_refuse("getsockopt()"));
	memcpy(value, &cred, sizeof(cred));
	*len = sizeof(cred);
	return 0;
}

static void copy_out(const struct sp_addr *from, struct sockaddr *out,
		     socklen_t *len)
{
	memcpy(out, &from->any, *len < from->len ? *len : from->len);
	*len = from->len;
}

static int sim_getsockname(int fd, struct sockaddr *out, socklen_t *len)
{
	struct sp__sim_socket *s;
	int err;

	if (is_real(fd))
		return getsockname(fd, out, len);
	s = socket_of(fd, &err);
	if (s == NULL)
		return set_errno(err);
	if (s->local.len == 0)
		s->local.len = sizeof(sa_family_t);
	copy_out(&s->local, out, len);
	return 0;
}

static int sim_getpeername(int fd, struct sockaddr *out, socklen_t *len)
{
	struct sp__sim_socket *s;
	int err;

	if (is_real(fd))
		return getpeername(fd, out, len);
	s = socket_of(fd, &err);
	if (s != NULL && s->state != SP__SIM_OPEN)
		err = -ENOTCONN;
	if (err < 0)
		return set_errno(err);
	copy_out(&s->peer, out, len);
	return 0;
}

static int sim_shutdown(int fd, int how)
{
	struct sp__sim_socket *s;
	int err;

	if (is_real(fd))
		return shutdown(fd, how);
	s = socket_of(fd, &err);
	if (s != NULL && s->state == SP__SIM_IDLE)
		err = -ENOTCONN;
	if (err < 0)
		return set_errno(err);
	if (s->state == SP__SIM_LISTENING)
		s->state = SP__SIM_IDLE;
	if (how != SHUT_WR)
		s->in_over = true;
	if (how != SHUT_RD)
		sp__sim_send_end(s);
	sp__sim_file_changed(&s->file);
	return 0;
}

static ssize_t sim_recv(int fd, void *data, size_t len, int flags)
{
	struct sp__sim_bytes b = {
		.one = { data, len }, .count = 1, .len = len, .flags = flags
	};
	struct sp__sim_socket *s;
	int err;

	if (is_real(fd))
		return recv(fd, data, len, flags);
	b.iov = &b.one;
	s = socket_of(fd, &err);
	return set_errno(s == NULL ? err : sp__sim_recv(s, &b));
}

static int sim_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct sp__sim_file *file;

	if (n != 1 || is_real(fds[0].fd))
		return poll(fds, n, timeout);
	file = file_of(fds[0].fd);
	fds[0].revents = POLLNVAL;
	if (file != NULL)
		fds[0].revents =
			(short)(file->kind->events(file) &
				((uint32_t)fds[0].events | POLLERR | POLLHUP));
	return fds[0].revents != 0;
}

static int sim_fstat(int fd, struct stat *out)
{
	struct sp__sim_file *file;

	if (is_real(fd))
		return fstat(fd, out);
	file = file_of(fd);
	if (file == NULL)
		return set_errno(-EBADF);
	memset(out, 0, sizeof(*out));
	out->st_mode = file->kind->mode;
	return 0;
}

static int sim_close(int fd)
{
	struct sp_sim_host *host = sp__sim_host();

	if (is_real(fd))
		return close(fd);
	return set_errno(host == NULL ? -EBADF : sp__sim_fd_close(host, fd));
}

static int sim_fcntl(int fd, int command, int value)
{
	struct sp__sim_file *file;

	if (is_real(fd))
		return sp__sys_real.fcntl(fd, command, value);
	file = file_of(fd);
	if (file == NULL)
		return set_errno(-EBADF);
	if (command == F_GETFL)
		return file->flags;
	if (command != F_SETFL)
		return set_errno(sp__sim_refuse("fcntl()"));
	file->flags =
		(file->flags & ~SETTABLE_FLAGS) | (value & SETTABLE_FLAGS);
	return 0;
}

static int sim_unread(int fd, int *bytes)
{
	struct sp__sim_socket *s;
	int err;

	if (is_real(fd))
		return sp__sys_real.unread(fd, bytes);
	s = socket_of(fd, &err);
	if (s != NULL)
		*bytes = (int)(s->in_end - s->in_begin);
	return set_errno(err);
}

static ssize_t sim_getrandom(void *data, size_t len, unsigned int flags)
{
	struct sp_sim *sim = sp__sim_current();

	if (sim == NULL)
		return sp__sys_real.getrandom(data, len, flags);
	for (size_t i = 0; i < len; i++)
		((uint8_t *)data)[i] =
			(uint8_t)sp__sim_random(sim, SP__SIM_PROGRAM);
	return (ssize_t)len;
}

/* In a simulation no operation is tried: the back end executes all of them. */
static enum sp__attempt sim_try(const struct io_uring_sqe *sqe, int *res)
{
	return sp__sim_current() == NULL ? sp__sqe_try(sqe, res)
					 : SP__MUST_BLOCK;
}

static const struct sp__sys simulated = {
	.socket = sim_socket,
	.bind = sim_bind,
	.listen = sim_listen,
	.connect = sim_connect,
	.setsockopt = sim_setsockopt,
	.getsockopt = sim_getsockopt,
	.getsockname = sim_getsockname,
	.getpeername = sim_getpeername,
	.shutdown = sim_shutdown,
	.recv = sim_recv,
	.poll = sim_poll,
	.fstat = sim_fstat,
	.close = sim_close,
	.fcntl = sim_fcntl,
	.unread = sim_unread,
	.getrandom = sim_getrandom,
	.sqe_try = sim_try,
};

void sp__sim_install_network(void)
{
	atomic_store(&sp__sys_table, &simulated);
}
