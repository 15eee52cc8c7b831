#include "collector/ingest/listener.h"

#include "collector/base/early_socket.h"
#include "collector/base/ip.h"
#include "collector/collector_env.h"
#include "collector/config/options.h"
#include "collector/ingest/admission.h"
#include "collector/ingest/port_owner.h"
#include "collector/ingest/proxy.h"
#include "collector/worker_state.h"

#include <spargio/accept_loop.h>
#include <spargio/file.h>
#include <spargio/net.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Waits between attempts to open a listener that failed. */
#define FIRST_WAIT   SP_S
#define LONGEST_WAIT (60 * SP_S)

/* If a listener worked for this long, the waits become short again. */
#define GOOD (60 * SP_S)

int listener_set_md5(struct worker *w, int fd)
{
	const struct config *c = w->config;

	for (size_t i = 0; i < c->router_count; i++) {
		const struct config_router *r = &c->routers[i];
		struct sp_addr peer;
		int err;

		if (r->md5_key.value == NULL || r->kind == CONFIG_ROUTER_NAME)
			continue;
		ip_to_sockaddr(r->address, 0, &peer);
		err = sp_tcp_md5(fd, &peer, r->md5_key.value,
				 strlen(r->md5_key.value));
		/*
		 * These errors mean that the key is for an address of the other
		 * family, which another listener handles.
		 */
		if (err < 0 && err != -EINVAL && err != -EAFNOSUPPORT)
			return err;
	}
	return 0;
}

/*
 * Workers share a port by SO_REUSEPORT, and so would a second collector of the
 * same user, unnoticed: each would get some of the routers. So the first
 * listener of a process binds and listens without SO_REUSEPORT, which fails if
 * another process uses the port. Afterwards it sets SO_REUSEPORT, so that the
 * other workers can share the port. A check before the bind would have a race
 * if two start at the same moment.
 */
enum listen_share {
	LISTEN_FIRST,  /* exclusive first, then shared */
	LISTEN_SHARED, /* shared with this process's listeners */
};

/*
 * Return a listening socket in *@out. On a privileged port it is a duplicate of
 * the socket that was bound early, on which all workers listen.
 */
static int socket_listen(struct worker *w, const struct config_address *at,
			 struct sp_listen_opts *opts, int *out)
{
	int fd = early_socket_get(w->env->sockets, at->address, at->port);
	struct sp_addr addr;
	int err = 0;

	if (fd == -ENOENT) {
		ip_to_sockaddr(at->address, at->port, &addr);
		opts->only_ip6 = addr.any.sa_family == AF_INET6;
		return sp_listen(&addr, opts, out);
	}
	if (fd < 0)
		return fd;
	if (opts->reuse_port)
		err = sp_listener_share(fd);
	if (err == 0 && listen(fd, opts->backlog) < 0)
		err = -errno;
	if (err < 0) {
		sp_close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

static int listen_at(struct worker *w, const struct config_address *at,
		     enum listen_share share, int *out)
{
	struct sp_listen_opts opts = {
		.backlog = (int)w->config->listen.backlog,
		.reuse_port = share == LISTEN_SHARED,
	};
	struct sp_tcp_opts buffer = {
		.recv_buffer = (int)w->config->listen.rcvbuf,
	};
	int fd, err;

	err = socket_listen(w, at, &opts, &fd);
	if (err < 0)
		return err;
	if (share == LISTEN_FIRST)
		err = sp_listener_share(fd);
	if (err == 0 && buffer.recv_buffer != 0)
		err = sp_tcp_set(fd, &buffer);
	if (err == 0)
		err = listener_set_md5(w, fd);
	if (err < 0) {
		sp_close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

static const char *hint_of(int err)
{
	switch (err) {
	case -EADDRINUSE:
		return PORT_OWNER_HINT;
	case -EADDRNOTAVAIL:
		return "this host has no such address: --listen ADDRESS:PORT";
	case -EAFNOSUPPORT:
		return "this host has no IPv6: --listen 0.0.0.0:PORT";
	case -ENOMEM:
		return "keys of routers count against net.core.optmem_max: "
		       "raise it";
	default:
		return "--listen ADDRESS:PORT";
	}
}

/*
 * Log that a listener cannot be opened. @owner is the process that has the
 * port; NULL if the error does not concern the port.
 */
static void log_unopened(struct worker *w, const struct config_address *at,
			 enum log_level level, const char *event, int err,
			 const struct port_owner *owner)
{
	struct log_line line;

	if (!log_begin(w->log, level, event, &line))
		return;
	log_address_port(&line, "at", at->address, at->port);
	log_error(&line, "error", err);
	if (owner != NULL)
		port_owner_log(owner, &line);
	log_text(&line, "hint", hint_of(err));
	log_end(&line);
}

/*
 * Open the socket of a listener when a worker starts: as listen_at(), but if
 * the port is in use, also find the process that has it.
 */
static int listen_at_start(struct worker *w, const struct config_address *at,
			   struct port_owner *owner, int *out)
{
	int err = listen_at(w, at, w->id == 0 ? LISTEN_FIRST : LISTEN_SHARED,
			    out);

	*owner = (struct port_owner){ .kind = PORT_OWNER_UNKNOWN };
	if (err != -EADDRINUSE)
		return err;
	port_owner_find(at->address, at->port, owner);
	/*
	 * This process has the port itself: --listen has a wildcard and one of
	 * the addresses that the wildcard includes.
	 */
	if (owner->kind == PORT_OWNER_SELF)
		err = listen_at(w, at, LISTEN_SHARED, out);
	return err;
}

int listener_open(struct worker *w, const struct config_address *at,
		  struct listener *out)
{
	struct port_owner owner;
	struct sp_addr bound;
	int fd;
	int err = listen_at_start(w, at, &owner, &fd);

	if (err == -EAFNOSUPPORT && config_is_default(w->config, "listen")) {
		/* All workers get the error; one logs it. */
		if (w->id == 0)
			log_unopened(w, at, LOG_LEVEL_WARNING, "no_ipv6", err,
				     NULL);
		*out = (struct listener){ .worker = NULL, .fd = -1 };
		return 0;
	}
	if (err < 0) {
		log_unopened(w, at, LOG_LEVEL_ERROR, "cannot_listen", err,
			     &owner);
		return err;
	}
	*out = (struct listener){ .worker = w, .fd = fd, .at = *at };
	if (sp_addr_local(fd, &bound) == 0)
		out->at.port = sp_addr_port(&bound);
	return 0;
}

void listener_close(struct listener *listener)
{
	if (listener->fd >= 0)
		sp_close(listener->fd);
	listener->fd = -1;
}

/* Admission */

/*
 * Count and log that the client reset the connection before it was accepted.
 * The kernel no longer knows the client's address, so only ours is logged.
 */
static int log_gone(struct worker *w, int fd, int err)
{
	uint8_t address[16];
	struct log_line line;
	struct sp_addr at;

	w->counts.close_reasons[CLOSE_RESET]++;
	if (log_begin_limited(w->log, &w->refusals, sp_now(), LOG_LEVEL_INFO,
			      "connection_closed", &line)) {
		if (sp_addr_local(fd, &at) == 0) {
			ip_from_sockaddr(&at.any, address);
			log_address_port(&line, "at", address,
					 sp_addr_port(&at));
		}
		log_text(&line, "reason", close_reason_name(CLOSE_RESET));
		log_error(&line, "error", err);
		log_text(&line, "hint",
			 "reset before it was accepted: its address is gone");
		log_end(&line);
	}
	sp_close(fd);
	return -EPERM;
}

int listener_admit(struct worker *w, int fd, struct sp_sem *ended)
{
	uint8_t address[16];
	struct connection *connection;
	struct sp_addr from;
	uint16_t port;
	int err;

	w->counts.accepted++;
	err = sp_addr_peer(fd, &from);
	if (err < 0)
		return log_gone(w, fd, err);
	ip_from_sockaddr(&from.any, address);
	port = sp_addr_port(&from);
	connection = connection_new(w->env, fd, address, port);
	if (connection == NULL)
		return admission_refuse(w, fd, address, port,
					CLOSE_NO_RESOURCES);
	connection->ended = ended;
	if (ended == NULL && proxy_is_expected(w, connection))
		return proxy_start(w, connection);
	return admission_admit(w, connection);
}

/* Accepting connections */

/*
 * Accept connections until an error occurs. If there are no descriptors left,
 * this is not an error: see accept_loop.h.
 */
static int accept_all(struct listener *listener)
{
	struct sp_acceptor *acceptor;
	struct sp_conn conn;
	int err = sp_acceptor_open(listener->fd, &acceptor);

	if (err < 0)
		return err;
	while ((err = sp_acceptor_next(acceptor, SP_HOME_HERE, &conn)) == 0)
		listener_admit(listener->worker, conn.fd, NULL);
	sp_acceptor_close(acceptor);
	return err;
}

static int listener_reopen(struct listener *listener)
{
	struct worker *w = listener->worker;
	/*
	 * If there is only one listener, it must check that no other process
	 * has taken the port meanwhile.
	 */
	enum listen_share share =
		w->env->worker_count == 1 ? LISTEN_FIRST : LISTEN_SHARED;
	struct log_line line;
	int err = listen_at(w, &listener->at, share, &listener->fd);

	if (err < 0)
		return err;
	atomic_fetch_sub(&listener->worker->listeners_down, 1);
	if (log_begin(listener->worker->log, LOG_LEVEL_INFO, "listening",
		      &line)) {
		log_address_port(&line, "at", listener->at.address,
				 listener->at.port);
		log_u64(&line, "worker", listener->worker->id);
		log_end(&line);
	}
	return 0;
}

/*
 * Close the listener and log the error and the @wait until the next attempt.
 * Meanwhile the kernel sends connections to other workers.
 */
static void listener_suspend(struct listener *listener, int err, int64_t wait)
{
	struct log_line line;

	if (listener->fd >= 0)
		atomic_fetch_add(&listener->worker->listeners_down, 1);
	listener_close(listener);
	if (!log_begin(listener->worker->log, LOG_LEVEL_ERROR,
		       "listener_failed", &line))
		return;
	log_u64(&line, "worker", listener->worker->id);
	log_address_port(&line, "at", listener->at.address, listener->at.port);
	log_error(&line, "error", err);
	log_seconds(&line, "again_in", wait);
	log_end(&line);
}

int listener_main(void *arg)
{
	struct listener *listener = arg;
	int64_t wait = FIRST_WAIT;

	for (;;) {
		int64_t began = sp_now();
		int err = listener->fd < 0 ? listener_reopen(listener) : 0;

		if (err == 0)
			err = accept_all(listener); /* yields */
		if (err == -ECANCELED)
			return 0;
		if (sp_now() - began >= GOOD)
			wait = FIRST_WAIT;
		listener_suspend(listener, err, wait);
		if (sp_sleep(wait) < 0)
			return 0;
		wait = 2 * wait < LONGEST_WAIT ? 2 * wait : LONGEST_WAIT;
	}
}
