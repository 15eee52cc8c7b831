#include "collector/ingest/proxy.h"

#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/ingest/admission.h"
#include "collector/ingest/proxy_header.h"
#include "collector/policy/acl.h"
#include "collector/worker_state.h"

#include <spargio/fiber.h>

#include <errno.h>
#include <string.h>

bool proxy_is_expected(const struct worker *w,
		       const struct connection *connection)
{
	return acl_list_has(&w->config->access.proxies, connection->address);
}

/* What connection_read_early() returned instead of bytes. */
static enum close_reason close_reason_of_read(int got)
{
	switch (got) {
	case 0:
		return CLOSE_CLOSED;
	case -ECANCELED:
		return CLOSE_SHUTDOWN;
	case -ETIMEDOUT:
	case -ENOBUFS:
		return CLOSE_BAD_PROXY_HEADER;
	default:
		return CLOSE_RESET;
	}
}

/*
 * Read until the header is complete. What was read behind it stays among the
 * early bytes.
 */
static enum close_reason read_header(struct connection *connection)
{
	int64_t deadline = sp_in(PROXY_HEADER_TIMEOUT);
	enum proxy_status status = PROXY_PARTIAL;
	struct proxy_header header;

	while (status == PROXY_PARTIAL) {
		int got = connection_read_early(connection, deadline);

		if (got <= 0)
			return close_reason_of_read(got);
		status = proxy_header_parse(connection->early,
					    connection->early_len, &header);
	}
	if (status == PROXY_BAD)
		return CLOSE_BAD_PROXY_HEADER;
	connection->early_len -= header.len;
	memmove(connection->early, connection->early + header.len,
		connection->early_len);
	if (header.has_source)
		connection_set_source(connection, header.address, header.port);
	return CLOSE_NONE;
}

static int proxy_main(void *arg)
{
	struct connection *connection = arg;
	struct worker *w = connection->env->workers[sp_shard()];
	enum close_reason why = read_header(connection); /* yields */

	w->proxy_pending--;
	if (why == CLOSE_NONE && w->no_new_sessions)
		why = CLOSE_SHUTDOWN;
	if (why == CLOSE_NONE)
		(void)admission_admit(w, connection);
	else
		connection_end(connection, w, why);
	return 0;
}

int proxy_start(struct worker *w, struct connection *connection)
{
	enum close_reason why = CLOSE_MAX_SESSIONS;

	if (w->proxy_pending < PROXY_PENDING_MAX) {
		if (sp_go_on(NULL, w->id, proxy_main, connection, NULL) == 0) {
			w->proxy_pending++;
			return 0;
		}
		why = CLOSE_NO_RESOURCES;
	}
	connection_end(connection, w, why);
	return -EPERM;
}
