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

/* A shard whose queue is full is asked again for so long. */
#define HAND_OVER_NS	(5 * SP_S)
#define HAND_OVER_RETRY SP_MS

#define FIRST_BYTES 4096

static int spawn(struct connection *a)
{
	struct sp_attr attr = {
		.place = SP_PINNED,
		.shard = identity_shard(&a->identity, a->env->worker_count),
		.name = "session",
	};

	return sp_go_attr(NULL, &attr, session_main, a, NULL);
}

/* Send it to its owner. In a fiber of its own, if that can take a while. */
static void hand_over(struct worker *w, struct connection *a)
{
	int64_t give_up = sp_in(HAND_OVER_NS);
	int err = spawn(a);

	while (err == -EAGAIN && sp_now() < give_up &&
	       sp_sleep(HAND_OVER_RETRY) == 0)
		err = spawn(a);
	if (err < 0)
		connection_end(a, w, CLOSE_NO_RESOURCES);
	else
		w->counts.handed_over++;
}

/* Make room for more early bytes. */
static bool grow(struct connection *a, size_t *cap)
{
	size_t want = *cap == 0 ? FIRST_BYTES : 2 * *cap;
	uint8_t *bytes;

	if (want > IDENTIFY_BYTES_MAX)
		return false;
	bytes = realloc(a->early, want);
	if (bytes == NULL)
		return false;
	a->early = bytes;
	*cap = want;
	return true;
}

/*
 * Look through the messages that came so far; *@seen bytes of them had no
 * identity. CLOSE_NONE and 1 in *@found once one had.
 */
static enum close_reason look(struct worker *w, struct connection *a,
			      enum bmp_v4 v4, size_t *seen, bool *found)
{
	enum identity_mode mode =
		(enum identity_mode)w->config->identity.router_id;

	while (!*found) {
		struct wire_view rest = { a->early + *seen,
					  a->early_len - *seen };
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
		got = identity_from_message(mode, a->address, &msg,
					    &a->identity);
		if (got < 0)
			return CLOSE_NO_IDENTITY;
		*found = got > 0;
	}
	return CLOSE_NONE;
}

static enum close_reason find_name(struct worker *w, struct connection *a)
{
	int64_t handshake = w->config->limits.handshake_timeout;
	int64_t deadline = handshake == SP_NEVER ? SP_NEVER : sp_in(handshake);
	size_t cap = 0, seen = 0;
	struct config_router_settings settings;
	enum close_reason why = CLOSE_NONE;
	bool found = false;

	/* By address, as long as it has no name. */
	config_router_settings(w->config, a->address, a->port, NULL, &settings);
	while (why == CLOSE_NONE && !found) {
		int got;

		if (a->early_len == cap && !grow(a, &cap))
			return CLOSE_NO_IDENTITY;
		got = sp_recv_until(a->fd, a->early + a->early_len,
				    cap - a->early_len, deadline);
		if (got == -ECANCELED)
			return CLOSE_SHUTDOWN;
		if (got == -ETIMEDOUT && sp_now() >= deadline)
			return CLOSE_HANDSHAKE;
		if (got <= 0)
			return got == 0 ? CLOSE_CLOSED : CLOSE_RESET;
		a->early_len += (size_t)got;
		why = look(w, a, (enum bmp_v4)settings.bmp_v4, &seen, &found);
	}
	return why;
}

static int identify_main(void *arg)
{
	struct connection *a = arg;
	struct worker *w = a->env->workers[sp_shard()];
	enum close_reason why = CLOSE_NONE;

	if (!rib_identity_named(&a->identity) &&
	    w->config->identity.router_id != IDENTITY_ADDRESS)
		why = find_name(w, a);
	if (why == CLOSE_NONE)
		hand_over(w, a);
	else
		connection_end(a, w, why);
	return 0;
}

void identify_start(struct worker *w, struct connection *a)
{
	const char *alias = config_router_alias(w->config, a->address, a->port);
	bool known = w->config->identity.router_id == IDENTITY_ADDRESS;

	if (alias != NULL)
		known = identity_from_name(a->address, alias, strlen(alias),
					   &a->identity) == 0 ||
			known;
	if (known && spawn(a) == 0) {
		w->counts.handed_over++;
		return;
	}
	/* It takes a while: messages to read, or a full queue. */
	if (sp_go_on(NULL, w->id, identify_main, a, NULL) < 0)
		connection_end(a, w, CLOSE_NO_RESOURCES);
}
