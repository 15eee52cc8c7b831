#include "cli/bmp_target.h"

#include "cli/command.h"

#include <spargio/net.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CONNECTOR_TIMEOUT (30 * SP_S)
/* Timeout for a collector that has read everything and does not close. */
#define PATIENCE (5 * SP_S)
#define LOOK	 (100 * SP_MS)

#define FIRST_SOURCE UINT32_C(0x7f010001) /* 127.1.0.1 */

/* Report an invalid --to on stderr. Returns EXIT_USAGE. */
static int refuse_target(const char *command, const char *what,
			 const char *text)
{
	fprintf(stderr, "arancini %s: '%s' %s; see 'arancini %s --help'\n",
		command, text, what, command);
	return EXIT_USAGE;
}

static int resolve_host(const char *command, const char *host, const char *port,
			struct sp_addr *out)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int err = getaddrinfo(host, port, &hints, &found);

	if (err == EAI_SERVICE)
		return refuse_target(command, "is no port", port);
	if (err != 0) {
		fprintf(stderr, "arancini %s: cannot find '%s': %s\n", command,
			host, gai_strerror(err));
		return EXIT_FAILURE;
	}
	*out = (struct sp_addr){ .len = found->ai_addrlen };
	memcpy(&out->any, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return 0;
}

/* Parse @text: a literal address with a port, or NAME:PORT. */
static int find_target(const char *command, const char *text,
		       struct sp_addr *out)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon == NULL ? 0 : (size_t)(colon - text);
	char host[256];

	if (sp_addr_parse(text, 0, out) == 0 && sp_addr_port(out) != 0)
		return 0;
	if (len == 0 || len >= sizeof(host) || colon[1] == '\0' ||
	    text[0] == '[' || memchr(text, ':', len) != NULL)
		return refuse_target(command,
				     "is not HOST:PORT or [ADDRESS]:PORT",
				     text);
	memcpy(host, text, len);
	host[len] = '\0';
	return resolve_host(command, host, colon + 1, out);
}

/*
 * True if each router can have its own source address: the target is in
 * 127.0.0.0/8.
 */
static bool can_spread(const struct sp_addr *to)
{
	return to->any.sa_family == AF_INET &&
	       ntohl(to->in4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

int target_init(struct target *target, const char *command, const char *text,
		bool spread)
{
	struct sp_addr to;
	int code = find_target(command, text, &to);

	if (code != 0)
		return code;
	if (spread && !can_spread(&to))
		return refuse_target(
			command, "is not in 127/8, as --spread-sources needs",
			text);
	*target = (struct target){ .to = to, .spread = spread };
	return 0;
}

/* Bind to the address of router @index; the kernel chooses the port. */
static int bind_source(int fd, uint32_t index)
{
	struct sockaddr_in from = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(FIRST_SOURCE + index),
	};
	int one = 1;

	(void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one,
			 sizeof(one));
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)) < 0)
		return -errno;
	return 0;
}

int target_dial(const struct target *target, uint32_t index, int *out)
{
	struct sp_tcp_opts opts = { .no_delay = 1 };
	int fd =
		socket(target->to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (target->spread)
		err = bind_source(fd, index);
	if (err == 0 && target->to.any.sa_family != AF_UNIX)
		err = sp_tcp_set(fd, &opts);
	if (err == 0)
		err = sp_connect_fd_until(fd, &target->to,
					  sp_in(CONNECTOR_TIMEOUT));
	if (err < 0) {
		close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

/*
 * The number of sent bytes that the collector's host has not acknowledged yet.
 */
static int unsent_bytes(int fd)
{
	int bytes = 0;

	return ioctl(fd, SIOCOUTQ, &bytes) < 0 ? 0 : bytes;
}

int target_hang_up(int fd)
{
	int64_t patience = sp_in(PATIENCE);
	uint8_t nothing[64];
	int err = sp_shutdown(fd, SHUT_WR);

	while (err == 0) {
		int n = sp_recv_until(fd, nothing, sizeof(nothing),
				      sp_in(LOOK));

		if (n == 0)
			break;
		/* a collector sends nothing; ignore bytes that come */
		if (n > 0)
			continue;
		if (n != -ETIMEDOUT)
			err = n;
		else if (unsent_bytes(fd) > 0)
			patience = sp_in(PATIENCE);
		else if (sp_now() >= patience)
			break;
	}
	close(fd);
	return err == -ENOTCONN ? -ECONNRESET : err;
}
