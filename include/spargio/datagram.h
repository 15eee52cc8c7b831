/*
 * spargio/datagram.h - UDP and Unix datagram sockets
 *
 * A socket is a plain descriptor and belongs to no shard. sp_connect_fd()
 * makes an address the only peer of the socket, sp_shutdown() ends the waits
 * of other fibers, close(2) closes the socket.
 *
 * Blocking	All functions except open yield. Outside a fiber they return
 *		-EPERM.
 * Errors	A negative errno. -ECONNREFUSED on a connected socket means that
 *		the peer's host rejected an earlier datagram.
 */
#ifndef SPARGIO_DATAGRAM_H
#define SPARGIO_DATAGRAM_H

#include <spargio/address.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_datagram_opts {
	/*
	 * several sockets may bind to one address (SO_REUSEPORT); the kernel
	 * distributes incoming datagrams over them
	 */
	bool reuse_port;
	int send_buffer; /* bytes; 0 = the kernel's default */
	int recv_buffer;
};

/* Open a socket bound to @at; port 0 means any free port. */
int sp_datagram_open(const struct sp_addr *at,
		     const struct sp_datagram_opts *opts, int *out);

/*
 * Send one datagram as a whole; -EMSGSIZE if it is too long. @to is NULL on a
 * connected socket.
 */
int sp_sendto(int fd, const void *data, size_t len, const struct sp_addr *to);
int sp_sendto_until(int fd, const void *data, size_t len,
		    const struct sp_addr *to, int64_t deadline);

/*
 * Receive one datagram. Returns its length, which exceeds @len if the datagram
 * was truncated. *@from is the sender's address, unless @from is NULL;
 * from->len is 2 if the sender is an unnamed Unix socket.
 */
int sp_recvfrom(int fd, void *data, size_t len, struct sp_addr *from);
int sp_recvfrom_until(int fd, void *data, size_t len, int64_t deadline,
		      struct sp_addr *from);

#ifdef __cplusplus
}
#endif

#endif
