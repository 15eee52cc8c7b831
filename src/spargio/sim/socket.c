#include "spargio/sim/socket.h"

#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LOCAL_MIN  (5 * SP_US) /* latency within a host */
#define LOCAL_MAX  (50 * SP_US)
#define TAIL	   100 /* one in TAIL segments takes up to ten times longer */
#define PORT_FIRST 32768

/* Life cycle */

struct sp__sim_socket *sp__sim_socket_new(struct sp_sim_host *host, int family,
					  int type)
{
	struct sp__sim_socket *s = sp__sim_calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->file.kind = &sp__sim_socket_kind;
	s->file.host = host;
	s->family = family;
	s->type = type;
	s->refs = 1;
	s->local.len = s->peer.len = 0;
	s->local.any.sa_family = (sa_family_t)family;
	return s;
}

void sp__sim_socket_put(struct sp__sim_socket *s)
{
	if (--s->refs > 0)
		return;
	while (s->datagrams != NULL) {
		struct sp__sim_datagram *d = s->datagrams;

		s->datagrams = d->next;
		free(d);
	}
	free(s->in);
	free(s);
}

static void close_socket(struct sp__sim_file *file, bool abrupt)
{
	struct sp__sim_socket *s = (struct sp__sim_socket *)file;
	struct sp__sim_socket *other = s->other;

	while (s->queue != NULL) {
		struct sp__sim_socket *queued = s->queue;

		s->queue = queued->next_queued;
		close_socket(&queued->file, abrupt);
	}
	if (!abrupt && other != NULL) {
		/* As TCP: send RST if received bytes will never be read. */
		if (s->in_end > s->in_begin)
			sp__sim_break(s);
		else
			sp__sim_send_end(s);
	}
	s->closed = true;
	s->state = SP__SIM_IDLE;
	s->other = NULL;
	if (other != NULL)
		sp__sim_socket_put(other);
	sp__sim_socket_put(s);
}

/* Bytes of an operation */

void sp__sim_bytes_of(const struct io_uring_sqe *sqe, struct sp__sim_bytes *b)
{
	void *addr = (void *)(uintptr_t)sqe->addr;

	*b = (struct sp__sim_bytes){
		.one = { .iov_base = addr, .iov_len = sqe->len }, .count = 1
	};
	b->iov = &b->one;
	switch (sqe->opcode) {
	case IORING_OP_READV:
	case IORING_OP_WRITEV:
		b->iov = addr;
		b->count = sqe->len;
		break;
	case IORING_OP_RECVMSG:
	case IORING_OP_SENDMSG:
		b->msg = addr;
		b->iov = b->msg->msg_iov;
		b->count = b->msg->msg_iovlen;
		b->flags = (int)sqe->msg_flags;
		break;
	case IORING_OP_RECV:
	case IORING_OP_SEND:
		b->flags = (int)sqe->msg_flags;
		break;
	default:
		break;
	}
	for (size_t i = 0; i < b->count; i++)
		b->len += b->iov[i].iov_len;
}

static size_t smaller_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

void sp__sim_bytes_get(const struct sp__sim_bytes *b, void *data, size_t len)
{
	for (size_t i = 0; i < b->count && len > 0; i++) {
		size_t n = smaller_of(len, b->iov[i].iov_len);

		if (n > 0)
			memcpy(data, b->iov[i].iov_base, n);
		data = (char *)data + n;
		len -= n;
	}
}

void sp__sim_bytes_put(const struct sp__sim_bytes *b, const void *data,
		       size_t len)
{
	for (size_t i = 0; i < b->count && len > 0; i++) {
		size_t n = smaller_of(len, b->iov[i].iov_len);

		if (n > 0)
			memcpy(b->iov[i].iov_base, data, n);
		data = (const char *)data + n;
		len -= n;
	}
}

/* Addresses */

static bool is_loopback(const struct sp_addr *a)
{
	return (a->any.sa_family == AF_INET &&
		ntohl(a->in4.sin_addr.s_addr) >> 24 == 127) ||
	       (a->any.sa_family == AF_INET6 &&
		IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr));
}

static bool is_wildcard(const struct sp_addr *a)
{
	return (a->any.sa_family == AF_INET &&
		a->in4.sin_addr.s_addr == INADDR_ANY) ||
	       (a->any.sa_family == AF_INET6 &&
		IN6_IS_ADDR_UNSPECIFIED(&a->in6.sin6_addr));
}

static bool same_ip(const struct sp_addr *a, const struct sp_addr *b)
{
	if (a->any.sa_family != b->any.sa_family)
		return false;
	if (a->any.sa_family == AF_INET)
		return a->in4.sin_addr.s_addr == b->in4.sin_addr.s_addr;
	return memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr,
		      sizeof(a->in6.sin6_addr)) == 0;
}

static void set_port(struct sp_addr *a, uint16_t port)
{
	if (a->any.sa_family == AF_INET)
		a->in4.sin_port = htons(port);
	else if (a->any.sa_family == AF_INET6)
		a->in6.sin6_port = htons(port);
}

struct sp_sim_host *sp__sim_host_at(struct sp_sim_host *from,
				    const struct sp_addr *to)
{
	if (to->any.sa_family == AF_UNIX || is_loopback(to) || is_wildcard(to))
		return from;
	for (struct sp_sim_host *h = from->sim->hosts; h != NULL; h = h->next)
		for (uint32_t i = 0; i < h->naddresses; i++)
			if (same_ip(&h->addresses[i], to))
				return h;
	return NULL;
}

bool sp__sim_is_lost(const struct sp_sim_host *from,
		     const struct sp_sim_host *to)
{
	return from != to && (to->dark || (from->lost >> to->index & 1));
}

int64_t sp__sim_latency(const struct sp_sim_host *from,
			const struct sp_sim_host *to)
{
	struct sp_sim *sim = from->sim;
	int64_t low = from == to ? LOCAL_MIN : sim->opts.latency_min;
	int64_t high = from == to ? LOCAL_MAX : sim->opts.latency_max;

	if (sp__sim_below(sim, SP__SIM_NETWORK, TAIL) == 0)
		high *= 10;
	return sp__sim_between(sim, SP__SIM_NETWORK, low, high);
}

/* True if a socket bound to @at receives segments that are sent to @to. */
static bool socket_takes(const struct sp_addr *at, const struct sp_addr *to)
{
	if (at->any.sa_family == AF_UNIX || to->any.sa_family == AF_UNIX)
		return sp_addr_equal(at, to);
	if (sp_addr_port(at) != sp_addr_port(to))
		return false;
	if (is_wildcard(at))
		return at->any.sa_family == AF_INET6 ||
		       to->any.sa_family == AF_INET;
	return same_ip(at, to) || (is_wildcard(to) && is_loopback(at));
}

static bool is_receiver(const struct sp__sim_socket *s)
{
	return s->type == SOCK_DGRAM ? s->bound : s->state == SP__SIM_LISTENING;
}

struct sp__sim_socket *sp__sim_socket_at(struct sp_sim_host *host,
					 const struct sp_addr *to, int type)
{
	struct sp__sim_socket *found = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < host->nfds; i++) {
		struct sp__sim_socket *s =
			(struct sp__sim_socket *)host->fds[i];

		if (s == NULL || s->file.kind != &sp__sim_socket_kind ||
		    s->type != type || !is_receiver(s) ||
		    !socket_takes(&s->local, to))
			continue;
		/* Sockets that share a port have equal probability. */
		if (++count == 1 ||
		    sp__sim_below(host->sim, SP__SIM_NETWORK, count) == 0)
			found = s;
	}
	return found;
}

/* True if another socket of the host uses the address @at. */
static bool is_taken(const struct sp__sim_socket *s, const struct sp_addr *at)
{
	const struct sp_sim_host *host = s->file.host;

	for (uint32_t i = 0; i < host->nfds; i++) {
		const struct sp__sim_socket *o =
			(const struct sp__sim_socket *)host->fds[i];

		if (o == NULL || o == s ||
		    o->file.kind != &sp__sim_socket_kind || !o->bound ||
		    o->type != s->type || o->family != s->family ||
		    (o->reuse_port && s->reuse_port))
			continue;
		/* As SO_REUSEADDR: a connection does not block its port. */
		if (o->type == SOCK_STREAM && o->state != SP__SIM_LISTENING)
			continue;
		if (socket_takes(&o->local, at) || socket_takes(at, &o->local))
			return true;
	}
	return false;
}

static bool is_own(const struct sp_sim_host *host, const struct sp_addr *at)
{
	if (at->any.sa_family == AF_UNIX || is_loopback(at) || is_wildcard(at))
		return true;
	for (uint32_t i = 0; i < host->naddresses; i++)
		if (same_ip(&host->addresses[i], at))
			return true;
	return false;
}

static uint16_t next_port(struct sp_sim_host *host)
{
	uint16_t port = host->next_port++;

	if (host->next_port < PORT_FIRST)
		host->next_port = PORT_FIRST;
	return port;
}

int sp__sim_bind(struct sp__sim_socket *s, const struct sp_addr *at)
{
	struct sp_sim_host *host = s->file.host;
	struct sp_addr local = *at;

	if (s->bound || at->any.sa_family != s->family)
		return -EINVAL;
	if (!is_own(host, at))
		return -EADDRNOTAVAIL;
	for (int i = 0; s->family != AF_UNIX && sp_addr_port(at) == 0; i++) {
		set_port(&local, next_port(host));
		if (!is_taken(s, &local) || i == UINT16_MAX)
			break;
	}
	if (is_taken(s, &local))
		return -EADDRINUSE;
	s->local = local;
	s->bound = true;
	return 0;
}

int sp__sim_bind_for(struct sp__sim_socket *s, const struct sp_addr *to)
{
	struct sp_sim_host *host = s->file.host;
	struct sp_addr at = *to;

	if (s->bound || s->family == AF_UNIX)
		return 0;
	set_port(&at, 0);
	/* If @to is on the same host, bind to the IP address of @to. */
	if (sp__sim_host_at(host, to) != host) {
		uint32_t i = 0;

		while (i < host->naddresses &&
		       host->addresses[i].any.sa_family != s->family)
			i++;
		if (i == host->naddresses)
			return -ENETUNREACH;
		at = host->addresses[i];
	}
	return sp__sim_bind(s, &at);
}

/* Operations */

static int attempt_accept(struct sp__sim_socket *s,
			  const struct io_uring_sqe *sqe)
{
	struct sp__sim_socket *queued = s->queue;
	struct sockaddr *out = (void *)(uintptr_t)sqe->addr;
	int fd;

	if (s->state != SP__SIM_LISTENING)
		return -EINVAL;
	if (queued == NULL)
		return -EAGAIN;
	fd = sp__sim_fd_new(s->file.host, &queued->file);
	if (fd < 0)
		return fd;
	s->queue = queued->next_queued;
	queued->next_queued = NULL;
	s->queued--;
	if (out != NULL) {
		socklen_t *len = (void *)(uintptr_t)sqe->addr2;

		memcpy(out, &queued->peer.any,
		       smaller_of(*len, queued->peer.len));
		*len = queued->peer.len;
	}
	return fd;
}

static int attempt_connect(struct sp__sim_socket *s,
			   const struct io_uring_sqe *sqe)
{
	struct sp_addr to = { .len = (socklen_t)sqe->off };
	int err;

	if (to.len > sizeof(to.un))
		return -EINVAL;
	memcpy(&to.any, (void *)(uintptr_t)sqe->addr, to.len);
	err = sp__sim_connect(s, &to);
	if (err == -EINPROGRESS || err == -EALREADY)
		return -EAGAIN;
	/* The first attempt after the connection was made returns 0. */
	if (err == -EISCONN && s->syns != UINT32_MAX) {
		s->syns = UINT32_MAX;
		return 0;
	}
	return err;
}

static int attempt_socket(struct sp__sim_file *file,
			  const struct io_uring_sqe *sqe)
{
	struct sp__sim_socket *s = (struct sp__sim_socket *)file;
	struct sp__sim_bytes b;

	switch (sqe->opcode) {
	case IORING_OP_ACCEPT:
		return attempt_accept(s, sqe);
	case IORING_OP_CONNECT:
		return attempt_connect(s, sqe);
	case IORING_OP_READ:
	case IORING_OP_READV:
	case IORING_OP_RECV:
	case IORING_OP_RECVMSG:
		sp__sim_bytes_of(sqe, &b);
		return s->type == SOCK_DGRAM ? sp__sim_recvfrom(s, &b)
					     : sp__sim_recv(s, &b);
	default:
		sp__sim_bytes_of(sqe, &b);
		return s->type == SOCK_DGRAM ? sp__sim_sendto(s, &b)
					     : sp__sim_send(s, &b);
	}
}

static uint32_t socket_events(const struct sp__sim_file *file)
{
	const struct sp__sim_socket *s = (const struct sp__sim_socket *)file;
	uint32_t events = 0;

	if (s->error < 0)
		events |= POLLERR;
	if (s->queue != NULL || s->datagrams != NULL || s->error < 0 ||
	    s->in_end > s->in_begin || s->in_over)
		events |= POLLIN;
	if (s->in_over)
		events |= POLLRDHUP;
	if (s->broken || (s->in_over && s->out_over))
		events |= POLLHUP;
	if (s->type == SOCK_DGRAM || s->error < 0 || s->out_over ||
	    (s->state == SP__SIM_OPEN &&
	     s->unread < file->host->sim->opts.window))
		events |= POLLOUT;
	if (s->state == SP__SIM_IDLE && s->type == SOCK_STREAM)
		events |= POLLOUT | POLLHUP;
	return events;
}

const struct sp__sim_kind sp__sim_socket_kind = {
	.name = "socket",
	.mode = S_IFSOCK | 0777,
	.attempt = attempt_socket,
	.events = socket_events,
	.close = close_socket,
};
