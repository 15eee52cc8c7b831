#include "collector/ingest/identify.h"

#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/config/router_settings.h"
#include "collector/ingest/session_run.h"
#include "collector/worker_state.h"

#include <spargio/fiber.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Time for retries if the queue of the owner's shard is full. */
#define HAND_OVER_NS	(5 * SP_S)
#define HAND_OVER_RETRY SP_MS

static int session_spawn(struct connection *connection)
{
	struct sp_attr attr = {
		.place = SP_PINNED,
		.shard = identity_shard(&connection->identity,
					connection->env->worker_count),
		.name = "session",
	};

	return sp_go_attr(NULL, &attr, session_main, connection, NULL);
}

/*
 * Start the session on the owner shard. While the queue of that shard is full,
 * try again for HAND_OVER_NS; then end the connection. Yields.
 */
static void hand_over(struct worker *w, struct connection *connection)
{
	int64_t give_up = sp_in(HAND_OVER_NS);
	int err = session_spawn(connection);

	while (err == -EAGAIN && sp_now() < give_up &&
	       sp_sleep(HAND_OVER_RETRY) == 0)
		err = session_spawn(connection);
	if (err < 0)
		connection_end(connection, w, CLOSE_NO_RESOURCES);
	else
		w->counts.handed_over++;
}

/*
 * Search the early messages for the identity; the first *@seen bytes were
 * searched before. Returns CLOSE_NONE, with *@found set if the identity was
 * found, or the reason to close the connection.
 */
static enum close_reason identity_search(struct worker *w,
					 struct connection *connection,
					 enum bmp_v4 v4, size_t *seen,
					 bool *found)
{
	enum identity_mode mode =
		(enum identity_mode)w->config->identity.router_id;

	while (!*found) {
		struct wire_view rest = { connection->early + *seen,
					  connection->early_len - *seen };
		enum bmp_frame_status status;
		struct bmp_frame frame;
		struct bmp_message msg;
		size_t need;
		int got;

		status = bmp_frame_next(rest, w->max_frame, &frame, &need);
		if (status == BMP_FRAME_PARTIAL)
			return CLOSE_NONE;
		if (status != BMP_FRAME_WHOLE)
			return close_reason_of_frame(status);
		if (close_reason_of_version(&frame, v4) != CLOSE_NONE)
			return CLOSE_BAD_VERSION;
		*seen += frame.whole.len;
		if (!bmp_status_usable(bmp_message_decode(&frame, v4, &msg)))
			continue;
		got = identity_from_message(mode, connection->address, &msg,
					    &connection->identity);
		if (got < 0)
			return CLOSE_NO_IDENTITY;
		*found = got > 0;
	}
	return CLOSE_NONE;
}

static enum close_reason find_name(struct worker *w,
				   struct connection *connection)
{
	int64_t handshake = w->config->limits.handshake_timeout;
	int64_t deadline = handshake == SP_NEVER ? SP_NEVER : sp_in(handshake);
	size_t seen = 0;
	struct config_router_settings settings;
	enum close_reason why = CLOSE_NONE;
	bool found = false;

	/* Find the settings by address, because the name is not known yet. */
	config_router_settings(w->config, connection->address, connection->port,
			       NULL, &settings);
	/* A balancer's header may have brought the first messages. */
	if (connection->early_len != 0)
		why = identity_search(w, connection,
				      (enum bmp_v4)settings.bmp_v4, &seen,
				      &found);
	while (why == CLOSE_NONE && !found) {
		int got;

		got = connection_read_early(connection, deadline);
		if (got == -ENOBUFS)
			return CLOSE_NO_IDENTITY;
		if (got == -ECANCELED)
			return CLOSE_SHUTDOWN;
		if (got == -ETIMEDOUT && sp_now() >= deadline)
			return CLOSE_HANDSHAKE;
		if (got <= 0)
			return got == 0 ? CLOSE_CLOSED : CLOSE_RESET;
		why = identity_search(w, connection,
				      (enum bmp_v4)settings.bmp_v4, &seen,
				      &found);
	}
	return why;
}

static int identify_main(void *arg)
{
	struct connection *connection = arg;
	struct worker *w = connection->env->workers[sp_shard()];
	enum close_reason why = CLOSE_NONE;

	if (!rib_identity_named(&connection->identity) &&
	    w->config->identity.router_id != IDENTITY_ADDRESS)
		why = find_name(w, connection);
	if (why == CLOSE_NONE)
		hand_over(w, connection);
	else
		connection_end(connection, w, why);
	return 0;
}

void identify_start(struct worker *w, struct connection *connection)
{
	const char *alias = config_router_alias(w->config, connection->address,
						connection->port);
	bool known = w->config->identity.router_id == IDENTITY_ADDRESS;

	if (alias != NULL)
		known = identity_from_name(connection->address, alias,
					   strlen(alias),
					   &connection->identity) == 0 ||
			known;
	if (known && session_spawn(connection) == 0) {
		w->counts.handed_over++;
		return;
	}
	/*
	 * Use a fiber for what may wait: reading messages, or the full queue of
	 * the owner shard.
	 */
	if (sp_go_on(NULL, w->id, identify_main, connection, NULL) < 0)
		connection_end(connection, w, CLOSE_NO_RESOURCES);
}
