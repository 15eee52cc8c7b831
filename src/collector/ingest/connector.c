#include "collector/ingest/connector.h"

#include "collector/config/config.h"
#include "collector/ingest/listener.h"
#include "collector/worker_state.h"

#include <spargio/file.h>
#include <spargio/net.h>
#include <spargio/resolve.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WAIT   SP_S
#define LONGEST_WAIT (60 * SP_S)
#define ATTEMPT	     (10 * SP_S)

/* Maximum addresses of one name. */
#define ADDRESSES 8

/* After a session of this length the waits start short again. */
#define GOOD (60 * SP_S)

static void log_failure(struct connector *connector, int err, int64_t wait)
{
	struct log_line line;

	if (!log_begin(connector->worker->log, LOG_LEVEL_WARNING,
		       "connect_failed", &line))
		return;
	log_text(&line, "to", connector->target);
	log_error(&line, "error", err);
	log_seconds(&line, "again_in", wait);
	log_end(&line);
}

/* Resolve the target. Returns the number of addresses. Yields. */
static int target_resolve(const struct connector *connector, int64_t deadline,
			  struct sp_addr out[ADDRESSES])
{
	const char *colon = strrchr(connector->target, ':');
	size_t len = colon == NULL ? 0 : (size_t)(colon - connector->target);
	char host[256];

	if (sp_addr_parse(connector->target, 0, out) == 0)
		return 1;
	if (len == 0 || len >= sizeof(host))
		return -EINVAL;
	memcpy(host, connector->target, len);
	host[len] = '\0';
	return sp_resolve_until(host, (uint16_t)strtoul(colon + 1, NULL, 10),
				deadline, out, ADDRESSES);
}

/* Connect to @to. Returns the socket or -errno. Yields. */
static int connect_to(const struct connector *connector,
		      const struct sp_addr *to, int64_t deadline)
{
	struct sp_tcp_opts buffer = {
		.recv_buffer = (int)connector->worker->config->listen.rcvbuf,
	};
	int fd = sp_connect_socket(to);
	int err;

	if (fd < 0)
		return fd;
	err = sp_tcp_set(fd, &buffer);
	if (err == 0)
		err = listener_set_md5(connector->worker, fd);
	if (err == 0)
		err = sp_connect_fd_until(fd, to, deadline);
	if (err == 0)
		return fd;
	sp_close(fd);
	return err;
}

/* Make one connection and wait until it ends. Yields. */
static int connection_run(struct connector *connector)
{
	int64_t deadline = sp_in(ATTEMPT);
	struct sp_addr to[ADDRESSES];
	int count = target_resolve(connector, deadline, to);
	int fd = count < 0 ? count : -ENOENT;
	int err;

	for (int i = 0; i < count && fd < 0 && fd != -ECANCELED; i++)
		fd = connect_to(connector, &to[i], deadline);
	if (fd < 0)
		return fd;
	err = listener_admit(connector->worker, fd, &connector->ended);
	return err == 0 ? sp_sem_wait(&connector->ended) : err;
}

int connector_main(void *arg)
{
	struct connector *connector = arg;
	int64_t wait = FIRST_WAIT;

	for (;;) {
		int64_t began = sp_now();
		int err = connection_run(connector);

		if (err == -ECANCELED)
			return 0;
		if (sp_now() - began >= GOOD)
			wait = FIRST_WAIT;
		if (err < 0)
			log_failure(connector, err, wait);
		if (sp_sleep(wait) == -ECANCELED)
			return 0;
		wait = 2 * wait < LONGEST_WAIT ? 2 * wait : LONGEST_WAIT;
	}
}
