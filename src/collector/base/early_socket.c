#include "collector/base/early_socket.h"

#include "collector/base/ip.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The default of a kernel without the sysctl (before Linux 4.11). */
#define UNPRIVILEGED_PORTS 1024

static unsigned unprivileged_port_start(void)
{
	FILE *file =
		fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "re");
	unsigned long first = UNPRIVILEGED_PORTS;
	char text[16];
	char *end;

	if (file == NULL)
		return UNPRIVILEGED_PORTS;
	if (fgets(text, sizeof(text), file) != NULL) {
		first = strtoul(text, &end, 10);
		if (end == text || first > UINT16_MAX + 1UL)
			first = UNPRIVILEGED_PORTS;
	}
	fclose(file);
	return (unsigned)first;
}

int early_socket_bind_now(const uint8_t address[16], uint16_t port)
{
	struct sp_addr to;
	int fd, on = 1, err = 0;

	ip_to_sockaddr(address, port, &to);
	fd = socket(to.any.sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (to.any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, &to.any, to.len) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int early_socket_try(const uint8_t address[16], uint16_t port)
{
	int fd = port == 0 ? -ENOENT : early_socket_bind_now(address, port);

	if (fd >= 0)
		close(fd);
	return fd == -EADDRINUSE ? fd : 0;
}

int early_socket_bind(struct early_sockets *sockets, const uint8_t address[16],
		      uint16_t port)
{
	struct early_socket *more;

	if (port == 0 || port >= unprivileged_port_start())
		return 0;
	more = reallocarray(sockets->at, sockets->count + 1, sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	sockets->at = more;
	more += sockets->count++;
	memcpy(more->address, address, 16);
	more->port = port;
	more->fd = early_socket_bind_now(address, port);
	return 0;
}

int early_socket_get(const struct early_sockets *sockets,
		     const uint8_t address[16], uint16_t port)
{
	for (size_t i = 0; sockets != NULL && i < sockets->count; i++) {
		const struct early_socket *s = &sockets->at[i];
		int fd;

		if (s->port != port || memcmp(s->address, address, 16) != 0)
			continue;
		if (s->fd < 0)
			return s->fd;
		fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	return -ENOENT;
}

void early_sockets_fini(struct early_sockets *sockets)
{
	for (size_t i = 0; i < sockets->count; i++)
		if (sockets->at[i].fd >= 0)
			close(sockets->at[i].fd);
	free(sockets->at);
	*sockets = (struct early_sockets){ 0 };
}
