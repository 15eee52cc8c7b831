#include "spargio/io/sys.h"

#include <spargio/address.h>
#include <spargio/fiber.h>

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIX_PREFIX "unix:"

/* Parse a path or, with a leading @, an abstract name. */
static int parse_unix(const char *name, struct sp_addr *out)
{
	struct sp_addr addr = { .un.sun_family = AF_UNIX };
	size_t len = strlen(name);

	if (len == 0)
		return -EINVAL;
	/* A path is stored with its NUL. */
	if (len + (name[0] == '@' ? 0 : 1) > sizeof(addr.un.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.un.sun_path, name, len);
	addr.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	if (name[0] == '@')
		addr.un.sun_path[0] = '\0';
	else
		addr.len++;
	*out = addr;
	return 0;
}

/*
 * Parse a decimal number of at most @max. Unlike strtoul() alone, refuse
 * leading blanks and signs.
 */
static int parse_number(const char *text, unsigned long max, unsigned long *out)
{
	char *end;
	unsigned long n;

	if (text[0] < '0' || text[0] > '9' || strlen(text) > 10)
		return -EINVAL;
	n = strtoul(text, &end, 10);
	if (*end != '\0' || n > max)
		return -EINVAL;
	*out = n;
	return 0;
}

/* Parse the part after the percent sign: an interface number or name. */
static int parse_scope(const char *text, uint32_t *out)
{
	unsigned long n;

	if (parse_number(text, UINT32_MAX, &n) < 0) {
		n = if_nametoindex(text);
		if (n == 0)
			return -ENODEV;
	}
	*out = (uint32_t)n;
	return 0;
}

/* Parse an IPv6 address. Truncates @text at the percent sign. */
static int parse_ip6(char *text, struct sp_addr *out)
{
	struct sp_addr addr = { .len = sizeof(addr.in6),
				.in6.sin6_family = AF_INET6 };
	char *scope = strchr(text, '%');

	if (scope != NULL)
		*scope++ = '\0';
	if (inet_pton(AF_INET6, text, &addr.in6.sin6_addr) != 1)
		return -EINVAL;
	if (scope != NULL) {
		int err = parse_scope(scope, &addr.in6.sin6_scope_id);

		if (err < 0)
			return err;
	}
	*out = addr;
	return 0;
}

static int parse_ip4(const char *text, struct sp_addr *out)
{
	struct sp_addr addr = { .len = sizeof(addr.in4),
				.in4.sin_family = AF_INET };

	if (inet_pton(AF_INET, text, &addr.in4.sin_addr) != 1)
		return -EINVAL;
	*out = addr;
	return 0;
}

/*
 * Split @text into host and port; *@port is NULL if @text has no port. Text
 * with more than one colon and no brackets is an IPv6 address without a port.
 */
static int split_host_port(char *text, char **host, char **port)
{
	char *colon = strchr(text, ':');
	char *end;

	*host = text;
	*port = NULL;
	if (text[0] == '[') {
		end = strchr(text, ']');
		if (end == NULL || (end[1] != ':' && end[1] != '\0'))
			return -EINVAL;
		*end = '\0';
		*host = text + 1;
		*port = end[1] == ':' ? end + 2 : NULL;
	} else if (colon != NULL && strchr(colon + 1, ':') == NULL) {
		*colon = '\0';
		*port = colon + 1;
	}
	return 0;
}

int sp_addr_parse(const char *text, uint16_t port, struct sp_addr *out)
{
	char copy[SP_ADDR_TEXT];
	char *host, *number;
	unsigned long n = port;
	struct sp_addr addr;
	int err;

	if (strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0)
		return parse_unix(text + strlen(UNIX_PREFIX), out);
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return -EINVAL;
	err = split_host_port(copy, &host, &number);
	if (err == 0 && number != NULL)
		err = parse_number(number, UINT16_MAX, &n);
	if (err == 0)
		err = copy[0] == '[' || strchr(host, ':') != NULL
			      ? parse_ip6(host, &addr)
			      : parse_ip4(host, &addr);
	if (err < 0)
		return err;
	/* sin_port and sin6_port are at the same offset. */
	addr.in4.sin_port = htons((uint16_t)n);
	*out = addr;
	return 0;
}

static void format_unix(const struct sp_addr *addr, char text[SP_ADDR_TEXT])
{
	size_t start = offsetof(struct sockaddr_un, sun_path);
	size_t len = addr->len > start ? addr->len - start : 0;
	const char *name = addr->un.sun_path;

	if (len > 0 && name[0] == '\0')
		snprintf(text, SP_ADDR_TEXT, UNIX_PREFIX "@%.*s",
			 (int)(len - 1), name + 1);
	else
		snprintf(text, SP_ADDR_TEXT, UNIX_PREFIX "%.*s", (int)len,
			 name);
}

static void format_ip6(const struct sp_addr *addr, char text[SP_ADDR_TEXT])
{
	char host[INET6_ADDRSTRLEN] = "";
	char name[IF_NAMESIZE] = "";
	char scope[IF_NAMESIZE + 1] = "";
	uint32_t id = addr->in6.sin6_scope_id;

	inet_ntop(AF_INET6, &addr->in6.sin6_addr, host, sizeof(host));
	if (id != 0 && if_indextoname(id, name) != NULL)
		snprintf(scope, sizeof(scope), "%%%s", name);
	else if (id != 0)
		snprintf(scope, sizeof(scope), "%%%u", id);
	snprintf(text, SP_ADDR_TEXT, "[%s%s]:%u", host, scope,
		 sp_addr_port(addr));
}

char *sp_addr_format(const struct sp_addr *addr, char text[SP_ADDR_TEXT])
{
	char host[INET_ADDRSTRLEN] = "";

	switch (addr->len == 0 ? AF_UNSPEC : addr->any.sa_family) {
	case AF_UNIX:
		format_unix(addr, text);
		break;
	case AF_INET6:
		format_ip6(addr, text);
		break;
	case AF_INET:
		inet_ntop(AF_INET, &addr->in4.sin_addr, host, sizeof(host));
		snprintf(text, SP_ADDR_TEXT, "%s:%u", host, sp_addr_port(addr));
		break;
	default:
		snprintf(text, SP_ADDR_TEXT, "?");
		break;
	}
	return text;
}

uint16_t sp_addr_port(const struct sp_addr *addr)
{
	if (addr->any.sa_family != AF_INET && addr->any.sa_family != AF_INET6)
		return 0;
	return ntohs(addr->in4.sin_port);
}

bool sp_addr_equal(const struct sp_addr *a, const struct sp_addr *b)
{
	if (a->any.sa_family != b->any.sa_family)
		return false;
	switch (a->any.sa_family) {
	case AF_INET:
		return a->in4.sin_port == b->in4.sin_port &&
		       a->in4.sin_addr.s_addr == b->in4.sin_addr.s_addr;
	case AF_INET6:
		return a->in6.sin6_port == b->in6.sin6_port &&
		       a->in6.sin6_scope_id == b->in6.sin6_scope_id &&
		       memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr,
			      sizeof(a->in6.sin6_addr)) == 0;
	default:
		return a->len == b->len && memcmp(&a->un, &b->un, a->len) == 0;
	}
}

int sp_addr_local(int fd, struct sp_addr *out)
{
	struct sp_addr addr = { .len = sizeof(addr.un) };

	if (sp__sys()->getsockname(fd, &addr.any, &addr.len) < 0)
		return -sp_errno();
	*out = addr;
	return 0;
}

int sp_addr_peer(int fd, struct sp_addr *out)
{
	struct sp_addr addr = { .len = sizeof(addr.un) };

	if (sp__sys()->getpeername(fd, &addr.any, &addr.len) < 0)
		return -sp_errno();
	*out = addr;
	return 0;
}
