#include "collector/ingest/session_run.h"

#include "collector/base/log.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/config/router_settings.h"
#include "collector/ingest/clash_report.h"
#include "collector/ingest/connection.h"
#include "collector/ingest/limits.h"
#include "collector/ingest/router_claim.h"
#include "collector/ingest/session.h"
#include "collector/ingest/session_messages.h"
#include "collector/ingest/session_rate.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/batcher.h"
#include "rib/rib.h"

#include <spargio/rstream.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/*
 * A reload may make the deadline of a waiting session earlier, so the session
 * computes its deadline again after this time.
 */
#define DEADLINE_RECHECK (5 * SP_S)

#define TURN_BYTES (64 * 1024)

/*
 * The maximum output of a turn. The attributes that the routes of an UPDATE
 * share are repeated in the output for each route, so the size of the input
 * says little about the size of the output: a message of 64 KiB can make a
 * gigabyte. Each of these limits takes about a millisecond.
 */
#define TURN_OUTPUT (1024 * 1024)
#define TURN_ROUTES 4096

/* Turns */

/*
 * Wait for space in the bridge if it is full. First return the receive buffers
 * to the kernel, so that TCP slows the router down and other sessions of the
 * shard get buffers.
 */
static int wait_for_room(struct session *s, int64_t deadline)
{
	struct worker *w = s->worker;
	int err;

	if (!egress_batcher_blocked(w->batcher))
		return 0;
	/*
	 * With --overload drop some messages, such as Peer Up, are still
	 * published, so wait if the batcher has too many of them.
	 */
	if (w->overload_drop && !egress_batcher_full(w->batcher))
		return 0;
	w->counts.sessions.pauses++;
	(void)sp_rstream_pause(s->stream);
	err = egress_batcher_wait(w->batcher, deadline); /* yields */
	s->resumed_ns = sp_now();
	return err == -ECANCELED ? err : 0;
}

/*
 * The bridge has space, but a large part of its content is output of this
 * session. Wait until the publisher has taken some of that output, because the
 * output of other sessions is queued behind it. During this wait the session
 * does not count as one with input.
 */
static int wait_for_share(struct session *s, int64_t deadline)
{
	struct worker *w = s->worker;
	uint64_t place = s->places[s->place % SESSION_SHARE];
	int err;

	/* With --overload drop no session waits. */
	if (w->overload_drop || egress_batcher_has_taken(w->batcher, place))
		return 0;
	w->counts.sessions.pauses++;
	(void)sp_rstream_pause(s->stream);
	w->sessions_with_input--;
	err = egress_batcher_wait_taken(w->batcher, place,
					deadline); /* yields */
	w->sessions_with_input++;
	s->resumed_ns = sp_now();
	return err == -ECANCELED ? err : 0;
}

/*
 * True if the worker has to publish withdraws before the router is read again.
 */
static bool is_behind(const struct session *s)
{
	const struct rib_router *router = s->router->rib_router;

	return rib_router_subject_changing(router) ||
	       (s->state == SESSION_OPEN_HELD &&
		rib_router_pending_withdraw(router) > SESSION_DYING_MAX);
}

/*
 * Wait until the worker has published withdraws. If a peer came up with another
 * AS, its old routes are withdrawn first. If many withdraws are pending, a Peer
 * Up or Peer Down waits, too.
 */
static int wait_for_move(struct session *s, int64_t deadline)
{
	int err = 0;

	while (err == 0 && is_behind(s) && sp_now() < deadline) {
		worker_schedule_background(s->worker);
		sp_yield();
		err = sp_cancelled() ? -ECANCELED : wait_for_room(s, deadline);
		if (err == 0)
			err = worker_wait_share(s->worker, deadline);
		err = err == -ECANCELED ? err : 0;
	}
	return err;
}

static int wait_for_turn(struct session *s, int64_t deadline)
{
	int err = wait_for_room(s, deadline);

	if (err == 0)
		err = wait_for_share(s, deadline);
	if (err == 0)
		err = session_rate_wait(s);
	return err < 0 ? err : wait_for_move(s, deadline);
}

/* Reading */

static int64_t later_time(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static struct limits_times session_times(const struct session *s)
{
	const struct config *config = s->worker->config;

	return (struct limits_times){
		.handshake = config->limits.handshake_timeout,
		.idle = config->limits.idle_timeout,
		.frame = config->limits.frame_timeout,
	};
}

/*
 * The time when the session is closed because it is idle. While the router was
 * not read, it does not count as idle.
 */
static int64_t idle_until(const struct session *s)
{
	struct limits_times times = session_times(s);

	return limits_deadline(&times, later_time(s->opened, s->resumed_ns),
			       s->last_message_ns == 0
				       ? 0
				       : later_time(s->last_message_ns,
						    s->resumed_ns));
}

/* True if a part of a message was received, but not all of it. */
static bool frame_has_begun(const struct session *s)
{
	struct sp_segment seg;

	return s->need_bytes > BMP_HEADER_LEN ||
	       sp_rstream_peek_until(s->stream, 1, 0, &seg) > 0;
}

/*
 * The time when a message that has begun must be complete. Otherwise a router
 * that sends a byte now and then would not be idle, and would keep its slot
 * forever.
 */
static int64_t frame_until(struct session *s)
{
	struct limits_times times = session_times(s);

	if (!frame_has_begun(s))
		s->frame_ns = 0;
	else if (s->frame_ns == 0 || s->last_message_ns >= s->frame_ns)
		s->frame_ns = sp_now();
	return limits_frame_deadline(
		&times,
		s->frame_ns == 0 ? 0 : later_time(s->frame_ns, s->resumed_ns));
}

static int64_t input_until(struct session *s)
{
	int64_t idle = idle_until(s), frame = frame_until(s);

	return idle < frame ? idle : frame;
}

static enum close_reason error_ending(struct session *s, int64_t err)
{
	if (s->close_reason != CLOSE_NONE)
		return s->close_reason;
	if (err == -ECANCELED)
		return CLOSE_SHUTDOWN;
	if (err == -ETIMEDOUT && sp_now() >= idle_until(s))
		return s->last_message_ns == 0 ? CLOSE_HANDSHAKE : CLOSE_IDLE;
	if (err == -ETIMEDOUT && sp_now() >= frame_until(s))
		return CLOSE_FRAME_TIMEOUT;
	if (err == -EMSGSIZE)
		return CLOSE_TOO_LONG;
	return CLOSE_RESET;
}

/*
 * Get the bytes of the next message, contiguous in memory; see
 * sp_rstream_peek().
 */
static int64_t next_bytes(struct session *s, struct sp_segment *seg)
{
	int64_t n = sp_rstream_peek_until(s->stream, s->need_bytes, 0, seg);

	/*
	 * There is no input: send open batches, and restart the clock of the
	 * router in the rib.
	 */
	if (n == -ETIMEDOUT)
		session_handle(s, SESSION_EV_DRAINED);
	while (n == -ETIMEDOUT) {
		int64_t latest = input_until(s);
		int64_t until = sp_in(DEADLINE_RECHECK);

		if (sp_now() >= latest)
			break;
		if (until > latest)
			until = latest;
		n = sp_rstream_peek_until(s->stream, s->need_bytes, until, seg);
	}
	return n;
}

/*
 * The part of a segment that is processed before other fibers run and the
 * bridge is checked. Receive buffers are smaller, but after a pause a segment
 * may be a megabyte, which makes many more bytes of updates.
 */
static struct wire_view clip_segment(const struct session *s,
				     const struct sp_segment *seg)
{
	size_t most = s->need_bytes > TURN_BYTES ? s->need_bytes : TURN_BYTES;

	return (struct wire_view){ seg->data,
				   seg->len < most ? seg->len : most };
}

static uint64_t larger_count(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Begin a turn if the shard has polled for events since the last one. Segments
 * that are read without a wait share the budget of one turn: until the shard
 * polls for events, fibers whose routers have sent something do not run, even
 * if this fiber yields.
 */
static void begin_turn(struct session *s)
{
	uint64_t turn = sp_shard_turn();

	if (turn == s->turn)
		return;
	s->turn = turn;
	s->turn_made = 0;
	s->turn_routes = 0;
}

static uint64_t turn_bytes_left(const struct session *s)
{
	uint64_t most = session_rate_turn(s, TURN_OUTPUT);

	return most > s->turn_made ? most - s->turn_made : 0;
}

static uint64_t turn_routes_left(const struct session *s)
{
	return TURN_ROUTES > s->turn_routes ? TURN_ROUTES - s->turn_routes : 0;
}

/*
 * Let other fibers run; if the budget of the turn is spent, until the shard has
 * polled for events. Yields.
 */
static void end_segment(const struct session *s)
{
	if (turn_routes_left(s) == 0 || turn_bytes_left(s) == 0)
		sp_yield_poll();
	else
		sp_yield();
}

/*
 * Count the output of a segment, @bytes and @routes, and record the position in
 * the bridge where each TURN_OUTPUT bytes end.
 */
static void count_segment(struct session *s, uint64_t bytes, uint64_t routes)
{
	struct session_counts *all = &s->worker->counts.sessions;

	s->turn_made += bytes;
	s->turn_routes += routes;
	all->turn_bytes_max = larger_count(all->turn_bytes_max, s->turn_made);
	all->turn_routes_max =
		larger_count(all->turn_routes_max, s->turn_routes);
	s->unplaced += bytes;
	if (s->unplaced < TURN_OUTPUT)
		return;
	s->unplaced = 0;
	s->places[s->place++ % SESSION_SHARE] =
		egress_batcher_place(s->worker->batcher);
}

/*
 * Process the next part of @seg. Returns how many bytes of @seg were processed.
 */
static size_t process_segment(struct session *s, const struct sp_segment *seg)
{
	uint64_t made = egress_batcher_made(s->worker->batcher);
	uint64_t routes;
	size_t used;

	worker_owns(s->worker, sp_shard());
	s->when = worker_now();
	session_handle(s, SESSION_EV_INPUT);
	begin_turn(s);
	routes = turn_routes_left(s);
	s->budget = (struct rib_budget){
		.routes = routes,
		.bytes_end = made + turn_bytes_left(s),
	};
	used = session_decode_frames(s, clip_segment(s, seg));
	sp_rstream_consume(s->stream, used);
	count_segment(s, egress_batcher_made(s->worker->batcher) - made,
		      routes - s->budget.routes);
	session_rate_charge(s);
	egress_batcher_flush_aged(s->worker->batcher, s->when.now_ns);
	worker_schedule_background(s->worker);
	return used;
}

static bool session_is_draining(const struct session *s)
{
	return s->worker->drain_until != 0;
}

/*
 * Drain the session, because the collector stops. Process the bytes that have
 * arrived until now, but no later ones, because a router that sends without a
 * pause would delay the stop.
 */
static enum close_reason session_drain_input(struct session *s)
{
	int64_t until = s->worker->drain_until;
	int64_t left;

	sp_shield_begin();
	left = sp_rstream_arrived(s->stream);
	while (s->close_reason == CLOSE_NONE &&
	       left >= (int64_t)s->need_bytes && sp_now() < until) {
		struct sp_segment seg;
		int64_t n = sp_rstream_peek_until(s->stream, s->need_bytes,
						  until, &seg);

		if (n < (int64_t)s->need_bytes)
			break;
		if ((int64_t)seg.len > left)
			seg.len = (size_t)left;
		left -= (int64_t)process_segment(s, &seg);
		(void)wait_for_turn(s, until);
		end_segment(s);
	}
	sp_shield_end();
	return s->close_reason != CLOSE_NONE ? s->close_reason : CLOSE_SHUTDOWN;
}

static enum close_reason read_stream(struct session *s)
{
	while (s->close_reason == CLOSE_NONE) {
		struct sp_segment seg;
		int64_t n;

		if (session_is_draining(s))
			return session_drain_input(s);
		n = next_bytes(s, &seg);
		if (n == -ECANCELED && session_is_draining(s))
			continue;
		if (n < 0)
			return error_ending(s, n);
		if ((size_t)n < s->need_bytes)
			return n == 0 ? CLOSE_CLOSED : CLOSE_TRUNCATED;
		process_segment(s, &seg);
		if (wait_for_turn(s, SP_NEVER) < 0 && !session_is_draining(s))
			return error_ending(s, -ECANCELED);
		end_segment(s);
	}
	return s->close_reason;
}

/* Open the receive stream. It begins with the early bytes of the connection. */
static int open_stream(struct session *s)
{
	struct connection *connection = s->connection;
	int err = sp_rstream_open(connection->fd, s->worker->max_frame,
				  &s->stream);

	if (err == 0)
		err = sp_rstream_prepend(s->stream, connection->early,
					 connection->early_len);
	free(connection->early);
	connection->early = NULL;
	connection->early_len = 0;
	return err;
}

static enum close_reason read_all(struct session *s)
{
	enum close_reason why = CLOSE_NO_RESOURCES;

	if (open_stream(s) == 0)
		why = read_stream(s);
	sp_rstream_close(s->stream);
	s->stream = NULL;
	return why;
}

/* Creation and removal */

static void session_add(struct worker *w, struct session *s)
{
	s->next = w->sessions;
	s->link = &w->sessions;
	if (s->next != NULL)
		s->next->link = &s->next;
	w->sessions = s;
	w->session_count++;
}

static void session_remove(struct worker *w, struct session *s)
{
	*s->link = s->next;
	if (s->next != NULL)
		s->next->link = s->link;
	w->session_count--;
}

/*
 * The rank of a router. The router chooses its name itself, so a name counts
 * only if it is configured.
 */
static enum router_rank router_rank_of(const struct worker *w,
				       const struct connection *connection)
{
	const struct rib_identity *id = &connection->identity;

	if (rib_identity_named(id))
		return config_router_name_is_configured(w->config, id->name)
			       ? ROUTER_CONFIGURED
			       : ROUTER_STRANGER;
	switch (connection->place.kind) {
	case LIMITS_CONFIGURED:
		return ROUTER_CONFIGURED;
	case LIMITS_KNOWN:
		return ROUTER_KNOWN;
	default:
		return ROUTER_STRANGER;
	}
}

/*
 * Make a session. Returns CLOSE_NONE with *@out set, or the reason to refuse
 * the connection.
 */
static enum close_reason session_new(struct worker *w,
				     struct connection *connection,
				     struct session **out)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (s == NULL)
		return CLOSE_NO_RESOURCES;
	err = router_get(w, &connection->identity,
			 router_rank_of(w, connection), &s->router);
	worker_schedule_router_gc(w);
	if (err < 0) {
		free(s);
		return err == -ENOSPC ? CLOSE_MAX_ROUTERS : CLOSE_NO_RESOURCES;
	}
	router_ref(s->router);
	s->worker = w;
	s->connection = connection;
	s->task = sp_self();
	s->need_bytes = BMP_HEADER_LEN;
	s->opened = sp_now();
	s->serial = ++w->session_serial;
	memcpy(s->facts.address, connection->address, 16);
	session_add(w, s);
	*out = s;
	return CLOSE_NONE;
}

/* Claiming a router */

/*
 * True if "networks" in a section allows the session to use the name of its
 * router.
 */
static bool network_permits(const struct session *s)
{
	const struct connection *connection = s->connection;

	return !rib_identity_named(&connection->identity) ||
	       config_router_network_permits(s->worker->config,
					     connection->identity.name,
					     connection->address);
}

static enum close_reason request_router(struct session *s)
{
	/*
	 * The connection was admitted by its listener, but the lists may have
	 * changed since.
	 */
	if (!worker_permits(s->worker, s->connection->address))
		return CLOSE_DENIED;
	if (!network_permits(s)) {
		clash_report(s, IDENTITY_FACT_ADDRESS, CLOSE_WRONG_NETWORK);
		return CLOSE_WRONG_NETWORK;
	}
	return router_claim(s, idle_until(s)); /* yields */
}

/* Become the owner of the router, and apply the present configuration. */
static enum close_reason claim_router(struct session *s)
{
	struct worker *w = s->worker;
	enum close_reason why = request_router(s); /* yields */
	struct rib_time when;

	/* The session was requested to end while it waited. */
	if (s->close_reason != CLOSE_NONE)
		return s->close_reason;
	if (why != CLOSE_NONE)
		return why;
	if (router_is_known(s->router, w->config))
		limits_keep(w->env->limits, &s->connection->place);
	when = worker_now();
	router_apply_config(s->router, w->config, &when);
	session_rate_begin(s);
	s->bmp_v4 = s->router->settings.bmp_v4;
	s->overrides = s->router->settings.overrides;
	s->over = bgp_overrides_any(&s->overrides) ? &s->overrides : NULL;
	return CLOSE_NONE;
}

int session_main(void *arg)
{
	struct connection *connection = arg;
	struct worker *w = connection->env->workers[sp_shard()];
	struct session *s = NULL;
	enum close_reason why;

	worker_owns(w, identity_shard(&connection->identity,
				      connection->env->worker_count));
	why = w->no_new_sessions ? CLOSE_SHUTDOWN
				 : session_new(w, connection, &s);
	if (why != CLOSE_NONE) {
		connection_end(connection, w, why);
		return 0;
	}
	why = claim_router(s);
	if (why == CLOSE_NONE) {
		connection->claimed = true;
		session_handle(s, SESSION_EV_CLAIMED);
		why = connection_close_reason(connection, read_all(s));
	}
	/* From here on a cancellation must not interrupt the work. */
	sp_shield_begin();
	s->close_reason = (uint8_t)why;
	s->when = worker_now();
	session_handle(s, SESSION_EV_CLOSE);
	router_release(s);
	sp_shield_end();
	session_remove(w, s);
	router_unref(w, s->router);
	free(s);
	worker_schedule_router_gc(w);
	connection_end(connection, w, why);
	return 0;
}
