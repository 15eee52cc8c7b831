/*
 * collector/base/early_socket.h - ports that only a privileged process can bind
 *
 * The workers open the listeners after the process has switched its user and
 * given up its capabilities. So ports below net.ipv4.ip_unprivileged_port_start
 * are bound before that, one socket for each address, and all workers listen on
 * duplicates of that socket.
 *
 * Threads	early_socket_get(): any. The others: one thread, before or after
 *		the workers run.
 */
#ifndef COLLECTOR_BASE_EARLY_SOCKET_H
#define COLLECTOR_BASE_EARLY_SOCKET_H

#include <stddef.h>
#include <stdint.h>

struct early_socket {
	uint8_t address[16];
	uint16_t port;
	int fd; /* the socket, or -errno of bind(2) */
};

struct early_sockets {
	struct early_socket *at;
	size_t count;
};

/*
 * Bind a TCP socket to @address and @port. Returns the socket, which does not
 * listen yet and which the caller closes; or -errno.
 */
int early_socket_bind_now(const uint8_t address[16], uint16_t port);

/*
 * Check whether a listener could be opened. Returns -EADDRINUSE if another
 * process listens at @address and @port, else 0; other errors are left to the
 * listener. This does not reserve the port.
 */
int early_socket_try(const uint8_t address[16], uint16_t port);

/*
 * Bind @port at @address if the port is privileged. Returns 0 or -ENOMEM. An
 * error of bind(2) is kept for early_socket_get(), so that the listener reports
 * it.
 */
int early_socket_bind(struct early_sockets *sockets, const uint8_t address[16],
		      uint16_t port);

/*
 * Return a duplicate of the socket that was bound to @address and @port. It
 * does not listen yet; the caller closes it. -ENOENT if no socket was bound
 * there, or the error of bind(2). @sockets may be NULL.
 */
int early_socket_get(const struct early_sockets *sockets,
		     const uint8_t address[16], uint16_t port);

void early_sockets_fini(struct early_sockets *sockets);

#endif
