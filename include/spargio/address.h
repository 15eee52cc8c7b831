/*
 * spargio/address.h - socket addresses and their text form
 *
 *	192.0.2.1:179		[2001:db8::1]:179	[fe80::1%eth0]:179
 *	192.0.2.1		2001:db8::1		without port
 *	unix:/run/x.sock	unix:@name		a path, an abstract name
 *
 * The functions accept literals only and do not wait: no name server is asked.
 * To look up a name, see resolve.h.
 */
#ifndef SPARGIO_ADDRESS_H
#define SPARGIO_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_addr {
	socklen_t len; /* length of the address in the union below */
	union {
		struct sockaddr any;
		struct sockaddr_in in4;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
	};
};

/* Room for any address as text, the terminating NUL included. */
#define SP_ADDR_TEXT 128

/*
 * Parse @text; @port is used if @text has no port. -EINVAL if @text is not an
 * address literal, -ENODEV for an unknown interface, -ENAMETOOLONG for a Unix
 * path that does not fit.
 */
int sp_addr_parse(const char *text, uint16_t port, struct sp_addr *out);

/* Write @addr to @text in the form above, with a NUL. Returns @text. */
char *sp_addr_format(const struct sp_addr *addr, char text[SP_ADDR_TEXT]);

/* The port of @addr; 0 for a family without ports. */
uint16_t sp_addr_port(const struct sp_addr *addr);

bool sp_addr_equal(const struct sp_addr *a, const struct sp_addr *b);

/*
 * The local and the remote address of a socket: 0, or -errno of getsockname(2)
 * or getpeername(2).
 */
int sp_addr_local(int fd, struct sp_addr *out);
int sp_addr_peer(int fd, struct sp_addr *out);

#ifdef __cplusplus
}
#endif

#endif
