#include "collector/ingest/connection.h"

#include "collector/collector_env.h"
#include "collector/worker_state.h"

#include <spargio/file.h>
#include <spargio/op.h>
#include <spargio/socket.h>
#include <spargio/sync.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct connection *connection_new(const struct collector_env *env, int fd,
				  const uint8_t address[16], uint16_t port)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (connection == NULL)
		return NULL;
	connection->env = env;
	connection->fd = fd;
	connection->port = port;
	memcpy(connection->address, address, 16);
	identity_from_address(address, &connection->identity);
	return connection;
}

void connection_set_source(struct connection *connection,
			   const uint8_t address[16], uint16_t port)
{
	connection->proxied = true;
	memcpy(connection->via, connection->address, 16);
	connection->via_port = connection->port;
	memcpy(connection->address, address, 16);
	connection->port = port;
	identity_from_address(address, &connection->identity);
}

void connection_log_source(const struct connection *connection,
			   struct log_line *line)
{
	log_address_port(line, "from", connection->address, connection->port);
	if (connection->proxied)
		log_address_port(line, "via", connection->via,
				 connection->via_port);
}

void connection_set_keepalive(const struct connection *connection,
			      enum connection_keepalive how)
{
	static const struct sp_tcp_opts opts[] = {
		/*
		 * With these values a connection counts as dead if four probes
		 * get no answer, or if data is not acknowledged within two
		 * minutes.
		 */
		[KEEPALIVE_NORMAL] = { .no_delay = 1,
				       .keepalive_s = 60,
				       .keepalive_every = 15,
				       .keepalive_count = 4,
				       .user_timeout_ms = 120000 },
		[KEEPALIVE_PROBE] = { .keepalive_s = 1, .keepalive_every = 1 },
	};

	(void)sp_tcp_set(connection->fd, &opts[how]);
}

#define EARLY_FIRST 4096

static bool early_bytes_grow(struct connection *connection)
{
	size_t want = connection->early_size == 0 ? EARLY_FIRST
						  : 2 * connection->early_size;
	uint8_t *bytes;

	if (want > CONNECTION_EARLY_MAX)
		return false;
	bytes = realloc(connection->early, want);
	if (bytes == NULL)
		return false;
	connection->early = bytes;
	connection->early_size = want;
	return true;
}

int connection_read_early(struct connection *connection, int64_t deadline)
{
	int got;

	if (connection->early_len == connection->early_size &&
	    !early_bytes_grow(connection))
		return -ENOBUFS;
	got = sp_recv_until(connection->fd,
			    connection->early + connection->early_len,
			    connection->early_size - connection->early_len,
			    deadline);
	if (got > 0)
		connection->early_len += (size_t)got;
	return got;
}

/*
 * Advice for the operator, for reasons whose name does not explain them; NULL
 * for the others.
 */
static const char *close_hint(enum close_reason why)
{
	switch (why) {
	case CLOSE_NO_IDENTITY:
		return "its first messages did not say what --router-id wants";
	case CLOSE_BAD_VERSION:
		return "not BMP version 3; for drafts of version 4 see "
		       "--bmp-v4";
	case CLOSE_FRAME_TIMEOUT:
		return "it began a message and did not end it: "
		       "--frame-timeout";
	case CLOSE_MADE_ROOM:
		return "it had named no peer when places ran out: "
		       "--max-sessions, or a section for it";
	case CLOSE_MAX_ROUTERS:
		return "no place for one more router: --max-routers, or a "
		       "section for it";
	case CLOSE_TOO_LONG:
		return "a longer message than --max-frame allows";
	case CLOSE_BAD_PROXY_HEADER:
		return "its address is in --proxy-protocol, but it sent no "
		       "header of version 1 or 2 within 10 s";
	default:
		return NULL;
	}
}

enum close_reason connection_wait_first_bytes(struct connection *connection,
					      int64_t deadline)
{
	int got = 1;

	/*
	 * Many connections may wait here, so none has a buffer before its
	 * first bytes arrive.
	 */
	if (connection->early_len == 0)
		got = sp_wait_fd_until(connection->fd, POLLIN, deadline);
	if (got > 0 && connection->early_len == 0)
		got = connection_read_early(connection, deadline);
	if (got > 0)
		return CLOSE_NONE;
	switch (got) {
	case 0:
		return CLOSE_CLOSED;
	case -ETIMEDOUT:
		return CLOSE_HANDSHAKE;
	case -ECANCELED:
		return CLOSE_SHUTDOWN;
	default:
		return CLOSE_RESET;
	}
}

void connection_log_refusal(struct worker *w, const uint8_t address[16],
			    uint16_t port, enum close_reason why)
{
	const char *help = close_hint(why);
	struct log_line line;

	if (!log_begin_limited(w->log, &w->refusals, sp_now(),
			       LOG_LEVEL_WARNING, "connection_refused", &line))
		return;
	log_address_port(&line, "from", address, port);
	log_text(&line, "reason", close_reason_name(why));
	if (help != NULL)
		log_text(&line, "hint", help);
	log_end(&line);
}

/* Log a connection that ended before it became a session. */
static void log_closed(struct worker *w, const struct connection *connection,
		       enum close_reason why)
{
	struct log_line line;

	if (!log_begin_limited(w->log, &w->refusals, sp_now(), LOG_LEVEL_INFO,
			       "connection_closed", &line))
		return;
	connection_log_source(connection, &line);
	if (rib_identity_named(&connection->identity))
		log_text(&line, "router", connection->identity.name);
	log_text(&line, "reason", close_reason_name(why));
	log_end(&line);
}

static bool is_refusal(enum close_reason why)
{
	/* clash_report() has logged the details. */
	if (why == CLOSE_REPLACED || why == CLOSE_DUPLICATE_ROUTER)
		return false;
	return (why >= CLOSE_BAD_VERSION && why < CLOSE_OPERATOR) ||
	       why == CLOSE_FRAME_TIMEOUT || why == CLOSE_MADE_ROOM ||
	       why == CLOSE_MAX_ROUTERS || why == CLOSE_BAD_PROXY_HEADER;
}

enum close_reason connection_close_reason(const struct connection *connection,
					  enum close_reason why)
{
	bool ended_itself = why == CLOSE_CLOSED || why == CLOSE_TRUNCATED ||
			    why == CLOSE_RESET;

	return ended_itself && atomic_load(&connection->place.evicted)
		       ? CLOSE_MADE_ROOM
		       : why;
}

static bool is_clash(enum close_reason why)
{
	return why == CLOSE_DUPLICATE_ROUTER || why == CLOSE_WRONG_NETWORK;
}

void connection_end(struct connection *connection, struct worker *w,
		    enum close_reason why)
{
	why = connection_close_reason(connection, why);
	w->counts.close_reasons[why]++;
	if (is_refusal(why))
		connection_log_refusal(w, connection->address, connection->port,
				       why);
	else if (!connection->claimed && !is_clash(why))
		log_closed(w, connection, why);
	/*
	 * Release the slot before the socket is closed: until then limits.c may
	 * shut the socket down, to evict the connection.
	 */
	limits_leave(connection->env->limits, &connection->place);
	sp_close(connection->fd);
	if (connection->ended != NULL)
		sp_sem_post(connection->ended);
	free(connection->early);
	free(connection);
}
