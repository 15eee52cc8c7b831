/*
 * collector/base/early_socket.h - ports that only a privileged process can bind
 *
 * Listeners are opened by the workers, when the process has given up its user
 * and its capabilities. Ports below net.ipv4.ip_unprivileged_port_start are
 * therefore bound before that, one socket for an address, and all workers
 * listen on descriptors of that one socket.
 *
 * Threads	early_socket_get(): any. The rest: one, before or after them.
 */
#ifndef COLLECTOR_BASE_EARLY_SOCKET_H
#define COLLECTOR_BASE_EARLY_SOCKET_H

#include <stddef.h>
#include <stdint.h>

struct early_socket {
	uint8_t address[16];
	uint16_t port;
	int fd; /* or why there is none, -errno */
};

struct early_sockets {
	struct early_socket *at;
	size_t count;
};

/*
 * A TCP socket bound there, whatever the port, which does not listen yet; the
 * caller's to close. Or -errno.
 */
int early_socket_bind_now(const uint8_t address[16], uint16_t port);

/*
 * -EADDRINUSE if somebody listens at @address and @port, else 0: any other
 * error is the listener's to report. It is no reservation.
 */
int early_socket_try(const uint8_t address[16], uint16_t port);

/*
 * Bind @port at @address if it is a privileged one. An error of bind(2) is for
 * early_socket_get() to return, so that whoever listens there reports it.
 * 0 or -ENOMEM.
 */
int early_socket_bind(struct early_sockets *sockets, const uint8_t address[16],
		      uint16_t port);

/*
 * A descriptor of the socket that was bound there, which does not listen yet;
 * the caller's to close. -ENOENT if there is none, or the error of bind(2).
 * @sockets may be NULL.
 */
int early_socket_get(const struct early_sockets *sockets,
		     const uint8_t address[16], uint16_t port);

void early_sockets_fini(struct early_sockets *sockets);

#endif
