#include "collector/base/sd_notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define STATUS_MAX 512

/*
 * Make the socket address for @path. A leading "@" means the abstract
 * namespace: replace it by a NUL.
 */
static int address_of(const char *path, struct sockaddr_un *out,
		      socklen_t *out_len)
{
	size_t len = strlen(path);

	if ((path[0] != '/' && path[0] != '@') || len < 2 ||
	    len >= sizeof(out->sun_path))
		return -EINVAL;
	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(out->sun_path, path, len);
	if (path[0] == '@')
		out->sun_path[0] = '\0';
	*out_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	return 0;
}

/*
 * The interval of WATCHDOG=1: half of the time that systemd allows, as
 * sd_watchdog_enabled(3) advises. 0 if there is no watchdog for this process.
 */
static int64_t watchdog_of(const char *usec, const char *pid)
{
	uint64_t us;
	char *end;

	if (usec == NULL || usec[0] < '0' || usec[0] > '9')
		return 0;
	if (pid != NULL && strtoll(pid, NULL, 10) != (long long)getpid())
		return 0;
	errno = 0;
	us = strtoull(usec, &end, 10);
	if (*end != '\0' || errno != 0 || us > INT64_MAX / 1000)
		return 0;
	return (int64_t)us * 1000 / 2;
}

int sd_notify_open(struct sd_notify *n, const char *socket_path,
		   const char *watchdog_usec, const char *watchdog_pid)
{
	struct sockaddr_un address;
	socklen_t len;
	int err;

	*n = (struct sd_notify){ .fd = -1 };
	if (socket_path == NULL)
		return 0;
	err = address_of(socket_path, &address, &len);
	if (err < 0)
		return err;
	n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (n->fd < 0)
		return -errno;
	if (connect(n->fd, (const struct sockaddr *)&address, len) < 0) {
		err = -errno;
		sd_notify_close(n);
		return err;
	}
	n->watchdog_ns = watchdog_of(watchdog_usec, watchdog_pid);
	return 0;
}

void sd_notify_close(struct sd_notify *n)
{
	if (n == NULL)
		return;
	if (n->fd >= 0)
		close(n->fd);
	*n = (struct sd_notify){ .fd = -1 };
}

static int notify_send(const struct sd_notify *n, const char *text)
{
	ssize_t sent;

	if (n->fd < 0)
		return 0;
	do
		sent = send(n->fd, text, strlen(text),
			    MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

int sd_notify_ready(const struct sd_notify *n)
{
	return notify_send(n, "READY=1");
}

int sd_notify_alive(const struct sd_notify *n)
{
	return notify_send(n, "WATCHDOG=1");
}

int sd_notify_reloading(const struct sd_notify *n, int64_t now_ns)
{
	char text[64];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		 now_ns / 1000);
	return notify_send(n, text);
}

int sd_notify_stopping(const struct sd_notify *n)
{
	return notify_send(n, "STOPPING=1");
}

int sd_notify_status(const struct sd_notify *n, const char *text)
{
	char line[STATUS_MAX];

	snprintf(line, sizeof(line), "STATUS=%s", text);
	for (char *s = line; *s != '\0'; s++)
		if ((unsigned char)*s < ' ')
			*s = ' ';
	return notify_send(n, line);
}
