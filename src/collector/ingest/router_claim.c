#include "collector/ingest/router_claim.h"

#include "bmp/tlv.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/config/router_settings.h"
#include "collector/ingest/clash_report.h"
#include "collector/ingest/connection.h"
#include "collector/ingest/session.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "rib/read.h"
#include "rib/rib.h"

#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <string.h>

/*
 * Maximum time for the owner's last bytes, after its router has closed the
 * connection; then the owner is requested to end.
 */
#define DRAIN_NS (10 * SP_S)

/*
 * A round of keepalive probes, one per second: an older session that has got no
 * answer at the end of the round is dead. The round also has a minimum number
 * of waits: if this host was suspended, time has passed although the router had
 * no chance to answer.
 */
#define ROUND_NS    (4 * SP_S)
#define ROUND_WAITS 30
#define WAIT_NS	    (100 * SP_MS)

/* Checking the older session */

/* The state of a decision between two sessions that claim one router. */
struct meeting {
	struct session *newer;
	uint64_t older; /* serial number of the older session */
	int64_t began;	/* sp_now() when the decision began */
	/* waits during which the newer session received nothing */
	uint32_t waits;
	/* number of early bytes of the newcomer that were decoded */
	size_t seen;
	/*
	 * there will be no more early bytes: the newcomer has closed, or its
	 * buffer is full
	 */
	bool heard_all;
	enum close_reason broken; /* set if the newcomer does not send BMP */
	/* version 4 draft for decoding the newcomer */
	enum bmp_v4 v4;
	enum identity_fact key;	     /* fact that identifies the router */
	enum identity_fact which;    /* fact that decided the comparison */
	struct identity_facts facts; /* facts of the newcomer */
};

/* The older session, or NULL if it no longer owns the router. */
static struct session *older_session(const struct meeting *m)
{
	struct session *owner = m->newer->router->session;

	return owner != NULL && owner->serial == m->older ? owner : NULL;
}

static bool round_is_over(const struct meeting *m)
{
	return m->waits >= ROUND_WAITS && sp_now() - m->began >= ROUND_NS;
}

static enum identity_state older_state(const struct meeting *m,
				       const struct session *older)
{
	int64_t ago_ms, since_ms = (sp_now() - m->began) / SP_MS;

	if (session_is_ending(older))
		return IDENTITY_CLOSED;
	ago_ms = sp_tcp_heard_ms(older->connection->fd);
	/* The kernel counts in ticks of up to 10 ms, so allow for two. */
	if (ago_ms >= 0 && ago_ms + 20 < since_ms)
		return IDENTITY_ALIVE;
	return round_is_over(m) ? IDENTITY_DEAD : IDENTITY_ASKED;
}

/* Reading the newcomer */

static enum identity_fact identity_key(const struct session *s)
{
	/* A router named by an alias is identified by its address. */
	if (!rib_identity_named(&s->connection->identity) ||
	    config_router_alias(s->worker->config, s->connection->address,
				s->connection->port) != NULL)
		return IDENTITY_FACT_ADDRESS;
	return s->worker->config->identity.router_id == IDENTITY_BGP_ID
		       ? IDENTITY_FACT_BGP_ID
		       : IDENTITY_FACT_SYSNAME;
}

static void newcomer_take_message(struct meeting *m,
				  const struct bmp_message *msg)
{
	if (msg->type == BMP_INITIATION)
		session_read_name(msg, m->facts.sys_name);
	identity_facts_add_bgp_id(&m->facts, identity_bgp_id(msg));
	if (msg->has_peer &&
	    rib_router_peer(m->newer->router->rib_router, &msg->peer) != NULL)
		m->facts.known_peers++;
}

/* Decode the complete messages that the newcomer has sent so far. */
static void newcomer_look(struct meeting *m)
{
	const struct connection *connection = m->newer->connection;

	for (;;) {
		struct wire_view rest = { connection->early + m->seen,
					  connection->early_len - m->seen };
		struct bmp_frame frame;
		struct bmp_message msg;
		size_t need;
		enum bmp_frame_status status;

		if (rest.len == 0)
			return;
		status = bmp_frame_next(rest, m->newer->worker->max_frame,
					&frame, &need);
		if (status == BMP_FRAME_PARTIAL)
			return;
		m->broken = status == BMP_FRAME_WHOLE
				    ? close_reason_of_version(&frame, m->v4)
				    : close_reason_of_frame(status);
		if (m->broken != CLOSE_NONE)
			return;
		m->seen += frame.whole.len;
		if (bmp_status_usable(bmp_message_decode(&frame, m->v4, &msg)))
			newcomer_take_message(m, &msg);
	}
}

/*
 * Wait for the next bytes of the newcomer, at most WAIT_NS. 0 or -ECANCELED.
 * Yields.
 */
static int newcomer_wait(struct meeting *m)
{
	int got;

	if (m->heard_all) {
		got = sp_sleep(WAIT_NS);
		m->waits++;
		return got;
	}
	got = connection_read_early(m->newer->connection, sp_in(WAIT_NS));
	if (got == -ECANCELED)
		return got;
	if (got > 0)
		newcomer_look(m);
	else if (got == -ETIMEDOUT)
		m->waits++;
	else
		m->heard_all = true;
	return 0;
}

/* The decision */

static enum identity_match meeting_match(struct meeting *m,
					 const struct session *older)
{
	return identity_compare(&older->facts, &m->facts, m->key,
				!m->heard_all && !round_is_over(m), &m->which);
}

/*
 * Carry out @verdict. Returns CLOSE_NONE if the newcomer may try again to claim
 * the router, or the reason to refuse it.
 */
static enum close_reason meeting_end(struct meeting *m, struct session *older,
				     enum identity_verdict verdict,
				     enum identity_state state)
{
	switch (verdict) {
	case IDENTITY_TAKE_OVER:
		m->newer->contested = state == IDENTITY_ALIVE;
		session_stop(older, CLOSE_REPLACED);
		return CLOSE_NONE;
	case IDENTITY_REFUSE:
		clash_report(m->newer, m->which, CLOSE_DUPLICATE_ROUTER);
		return CLOSE_DUPLICATE_ROUTER;
	default:
		return CLOSE_NONE;
	}
}

static enum close_reason meeting_run(struct meeting *m)
{
	struct session *older;

	while ((older = older_session(m)) != NULL) {
		enum identity_state state = older_state(m, older);
		enum identity_verdict verdict =
			identity_decide(state, meeting_match(m, older),
					older->contested);

		/* A client that does not send BMP cannot claim a router. */
		if (m->broken != CLOSE_NONE)
			return m->broken;
		if (verdict != IDENTITY_ASK)
			return meeting_end(m, older, verdict, state);
		if (newcomer_wait(m) == -ECANCELED) /* yields */
			return CLOSE_SHUTDOWN;
	}
	return CLOSE_NONE;
}

/* Decide between @newer and the owner of the router. Yields. */
static enum close_reason meet_owner(struct session *newer)
{
	struct session *older = newer->router->session;
	struct config_router_settings settings;
	enum close_reason why;
	struct meeting m = {
		.newer = newer,
		.older = older->serial,
		.began = sp_now(),
		.key = identity_key(newer),
		.which = IDENTITY_FACTS,
	};

	config_router_settings(newer->worker->config,
			       newer->connection->address,
			       newer->connection->port,
			       rib_identity_named(&newer->connection->identity)
				       ? newer->connection->identity.name
				       : NULL,
			       &settings);
	m.v4 = (enum bmp_v4)settings.bmp_v4;
	memcpy(m.facts.address, newer->connection->address, 16);
	newcomer_look(&m);
	if (older->probers++ == 0)
		connection_set_keepalive(older->connection, KEEPALIVE_PROBE);
	why = meeting_run(&m);
	older = older_session(&m);
	if (older != NULL && --older->probers == 0)
		connection_set_keepalive(older->connection, KEEPALIVE_NORMAL);
	return why;
}

/* Claiming */

/*
 * Messages were read of a connection that was made after this one. What comes
 * on this one was said before, however late it is: a router that lost a
 * connection does not use it again.
 */
static bool is_outdated(const struct session *s)
{
	const struct session *owner = s->router->session;
	uint64_t number = s->connection->place.number;

	if (owner != NULL && owner != s && owner->last_message_ns != 0 &&
	    number < owner->connection->place.number)
		return true;
	return number < s->router->newest_connection;
}

/*
 * Wait until the owner has released the router. If that takes too long, request
 * that the owner ends.
 */
static enum close_reason wait_for_release(struct session *s, int64_t deadline)
{
	struct router *router = s->router;
	int err = sp_cond_wait_until(&router->freed, &router->lock, deadline);

	/* The owner may be another one than before the wait. */
	if (is_outdated(s))
		return CLOSE_REPLACED;
	if (err == -ETIMEDOUT && router->session != NULL)
		session_stop(router->session, CLOSE_REPLACED);
	return err == -ECANCELED ? CLOSE_SHUTDOWN : CLOSE_NONE;
}

/*
 * Take the router if no session owns it, or if its owner is already ending.
 * Otherwise another session owns it, and the caller has to call meet_owner().
 */
static enum close_reason take_if_free(struct session *s)
{
	struct router *router = s->router;
	enum close_reason why = CLOSE_NONE;

	if (sp_mutex_lock(&router->lock) < 0)
		return CLOSE_SHUTDOWN;
	while (why == CLOSE_NONE && router->session != NULL &&
	       session_is_ending(router->session))
		why = wait_for_release(s, sp_in(DRAIN_NS));
	if (why == CLOSE_NONE && router->session == NULL) {
		router->session = s;
		router_claimed(router);
		memcpy(router->address, s->connection->address, 16);
		router->port = s->connection->port;
	}
	sp_mutex_unlock(&router->lock);
	return why;
}

enum close_reason router_claim(struct session *s, int64_t deadline)
{
	struct router *router = s->router;
	enum close_reason why = CLOSE_NONE;

	if (router->session != NULL && s->worker->drain_until != 0)
		return CLOSE_SHUTDOWN;
	/*
	 * If another session owns the router, wait until this connection has
	 * sent something. A connection that has sent nothing must not replace a
	 * session: it may be a port scan, or closed already.
	 */
	if (router->session != NULL)
		why = connection_wait_first_bytes(s->connection, deadline);
	while (why == CLOSE_NONE && s->close_reason == CLOSE_NONE &&
	       router->session != s) {
		if (is_outdated(s))
			return CLOSE_REPLACED;
		if (router->session != NULL)
			why = meet_owner(s); /* yields */
		if (why == CLOSE_NONE)
			why = take_if_free(s); /* yields */
	}
	return why;
}

void router_release(struct session *s)
{
	struct router *router = s->router;

	if (router->session != s)
		return;
	if (s->last_message_ns != 0 &&
	    s->connection->place.number > router->newest_connection)
		router->newest_connection = s->connection->place.number;
	router->session = NULL;
	router_left(router);
	sp_cond_broadcast(&router->freed);
}
