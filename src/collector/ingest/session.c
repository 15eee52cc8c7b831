#include "collector/ingest/session.h"

#include "collector/base/log.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/ingest/connection.h"
#include "collector/ingest/limits.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "bmp/tlv.h"
#include "egress/batcher.h"

#include <spargio/rstream.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* A reload may bring the end of a session that waits nearer: it looks so often. */
#define DEADLINE_RECHECK (5 * SP_S)

#define TURN_BYTES (64 * 1024)

/* How long the last bytes of a connection the router closed may take. */
#define DRAIN_NS (10 * SP_S)

void session_stop(struct session *s, enum close_reason why)
{
	if (s->close_reason == CLOSE_NONE)
		s->close_reason = (uint8_t)why;
	sp_cancel(s->task);
}

void session_drain(struct session *s)
{
	sp_cancel(s->task);
}

bool session_closed_by_router(const struct session *s)
{
	struct pollfd p = { .fd = s->connection->fd, .events = POLLRDHUP };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP)) != 0;
}

/* Log */

/*
 * A router that comes and goes must not fill the disk. What there is to spend
 * on lines outlives its sessions at its router; but a router is forgotten with one
 * who never said anything.
 */
static bool log_begins(struct session *s, const char *event,
		       struct log_line *line)
{
	struct log_bucket *bucket = s->router->stats.opened_ns != 0
					    ? &s->router->lines
					    : &s->worker->refusals;

	if (!log_begin_limited(s->worker->log, bucket, sp_now(), LOG_LEVEL_INFO,
			       event, line))
		return false;
	log_address_port(line, "from", s->connection->address,
			 s->connection->port);
	if (identity_named(&s->connection->identity))
		log_text(line, "router", s->connection->identity.name);
	return true;
}

static void log_open(struct session *s)
{
	struct log_line line;

	if (!log_begins(s, "session_open", &line))
		return;
	log_text(&line, "sysname", s->sys_name);
	log_u64(&line, "worker", s->worker->id);
	log_end(&line);
}

static void log_close(struct session *s, enum close_reason why)
{
	struct log_line line;

	if (!log_begins(s, "session_close", &line))
		return;
	log_text(&line, "reason", close_reason_name(why));
	log_seconds(&line, "lasted", sp_now() - s->opened);
	log_u64(&line, "bytes", s->bytes);
	log_end(&line);
}

/* Messages */

/* Keep what an Initiation says of the router's name. */
static void take_name(struct session *s, const struct bmp_message *msg)
{
	struct tlv name;
	size_t len;

	if (!tlv_find(msg->tlvs, (enum tlv_form)msg->tlv_form,
		      BMP_INIT_SYS_NAME, &name))
		return;
	len = name.value.len < SESSION_NAME_MAX ? name.value.len
						: SESSION_NAME_MAX;
	memcpy(s->sys_name, name.value.p, len);
	s->sys_name[len] = '\0';
}

/* The first message of a session: from here on the rib knows of it. */
static void open_session(struct session *s, const struct bmp_message *msg)
{
	if (msg->type == BMP_INITIATION)
		take_name(s, msg);
	rib_session_open(s->router->rib_router, &s->when,
			 s->connection->address, s->connection->port,
			 s->sys_name[0] != '\0' ? s->sys_name : NULL);
	if (s->router->resync)
		rib_resync(s->router->rib_router, &s->when);
	s->router->resync = false;
	rib_session_pause(s->router->rib_router, &s->when);
	s->open = true;
	log_open(s);
}

/* Route Monitoring that was read; the rib likes to see some at a time. */
struct taken {
	size_t count;
	struct bmp_message msgs[RIB_AHEAD];
};

static void apply(struct session *s, struct taken *t)
{
	s->worker->counts.no_memory +=
		rib_apply_many(s->router->rib_router, &s->when, t->msgs,
			       t->count, s->over);
	t->count = 0;
}

/* Whether a message that may be lost is: --overload drop. */
static bool is_dropped(struct worker *w)
{
	if (!w->overload_drop || !egress_batcher_pressed(w->batcher))
		return false;
	w->counts.sessions.dropped++;
	return true;
}

/* @t has it as its next. */
static void take_route_monitoring(struct session *s, struct taken *t)
{
	struct worker *w = s->worker;

	if (!w->overload_drop) {
		if (++t->count == RIB_AHEAD)
			apply(s, t);
	} else if (is_dropped(w)) {
		rib_drop(s->router->rib_router, &s->when, &t->msgs[0].peer);
	} else {
		t->count = 1;
		apply(s, t);
	}
}

/* What the router counts is passed on, and compared with what we have. */
static void take_statistics(struct session *s, const struct bmp_message *msg)
{
	struct rib_router *router = s->router->rib_router;
	struct rib_peer *peer = rib_router_peer(router, &msg->peer);
	struct peer_stats *stats;
	struct stats_report report;

	if (!is_dropped(s->worker))
		(void)rib_apply(router, &s->when, msg, s->over);
	if (peer == NULL ||
	    !stats_report_read(msg, peer, s->when.wall_ns, &report))
		return;
	stats = peer_stats_get(rib_peer_slot(peer), &s->router->stats);
	if (stats != NULL)
		peer_stats_report(stats, &report);
}

/* The next of @t. */
static void take_message(struct session *s, struct taken *t)
{
	const struct bmp_message *msg = &t->msgs[t->count];

	if (!s->open)
		open_session(s, msg);
	if (!s->initiated && msg->type != BMP_INITIATION)
		s->worker->counts.sessions.before_initiation++;
	if (msg->type == BMP_ROUTE_MONITORING) {
		take_route_monitoring(s, t);
		return;
	}
	apply(s, t);
	switch (msg->type) {
	case BMP_INITIATION:
		s->initiated = true;
		break;
	case BMP_TERMINATION:
		s->close_reason = CLOSE_TERMINATED;
		break;
	case BMP_STATISTICS:
		take_statistics(s, msg);
		break;
	case BMP_ROUTE_MIRRORING:
		break; /* counted; what is mirrored is in no RIB */
	default:
		if (rib_apply(s->router->rib_router, &s->when, msg, s->over) <
		    0)
			s->worker->counts.no_memory++;
	}
}

/* The same of a Route Monitoring that has a peer and no UPDATE. */
static void take_unreadable(struct session *s, struct taken *t)
{
	const struct bmp_peer *peer = &t->msgs[t->count].peer;

	apply(s, t);
	rib_unreadable(s->router->rib_router, &s->when, peer);
}

static void take_frame(struct session *s, const struct bmp_frame *frame,
		       struct taken *t)
{
	struct session_counts *all = &s->worker->counts.sessions;
	struct bmp_message *msg = &t->msgs[t->count];
	enum bmp_status status =
		bmp_message_decode(frame, (enum bmp_v4)s->bmp_v4, msg);

	all->messages[msg->type < BMP_TYPES ? msg->type : BMP_TYPES]++;
	all->statuses[status]++;
	s->messages++;
	s->errors += status != BMP_OK;
	if (bmp_status_usable(status))
		take_message(s, t);
	else if (msg->type == BMP_ROUTE_MONITORING && msg->has_peer && s->open)
		take_unreadable(s, t);
}

/*
 * Read all whole messages at the start of @in, up to one that moves a peer.
 * Returns how many bytes they took; s->want says how many the next one needs.
 *
 * The hot loop of the collector: for each message a few nanoseconds here, the
 * rest is bmp_message_decode() and rib_apply_many(). bench/collector.c
 */
static size_t decode_frames(struct session *s, struct wire_view in)
{
	struct wire_view rest = in;
	struct taken taken;

	taken.count = 0;

	s->need_bytes = BMP_HEADER_LEN;
	while (s->close_reason == CLOSE_NONE &&
	       !rib_router_moving(s->router->rib_router)) {
		struct bmp_frame frame;
		enum bmp_frame_status status =
			bmp_frame_next(rest, s->worker->max_frame, &frame,
				       &s->need_bytes);

		if (status == BMP_FRAME_PARTIAL)
			break;
		if (status != BMP_FRAME_WHOLE) {
			s->close_reason =
				(uint8_t)close_reason_of_frame(status);
			break;
		}
		s->close_reason = (uint8_t)
			close_reason_of_version(&frame, (enum bmp_v4)s->bmp_v4);
		if (s->close_reason != CLOSE_NONE)
			break;
		take_frame(s, &frame, &taken);
		s->last_message_ns = (int64_t)s->when.now_ns;
		rest.p += frame.whole.len;
		rest.len -= frame.whole.len;
		s->need_bytes = BMP_HEADER_LEN;
	}
	apply(s, &taken);
	s->bytes += in.len - rest.len;
	s->worker->counts.sessions.bytes += in.len - rest.len;
	return in.len - rest.len;
}

/* Turns */

/* Nothing is left to read: send on what there is, let the clocks run. */
static void input_drained(struct session *s)
{
	if (s->input_drained)
		return;
	s->input_drained = true;
	worker_input_drained(s->worker);
	/* From now on, not from before a wait for room in the bridge. */
	s->when = worker_now();
	if (s->open)
		rib_session_resume(s->router->rib_router, &s->when);
}

/* There is input: what is due by time must wait until it was read. */
static void input_arrived(struct session *s)
{
	worker_owns(s->worker, sp_shard());
	s->when = worker_now();
	if (!s->input_drained)
		return;
	s->input_drained = false;
	s->worker->sessions_with_input++;
	if (s->open)
		rib_session_pause(s->router->rib_router, &s->when);
}

/*
 * The bridge is full. Give back what the kernel gave us, so that TCP slows the
 * router down and other sessions of the shard get their share, and wait.
 */
static int wait_for_room(struct session *s, int64_t deadline)
{
	struct worker *w = s->worker;
	int err;

	if (!egress_batcher_pressed(w->batcher))
		return 0;
	/* What must not be dropped, as a Peer Up, still piles up. */
	if (w->overload_drop && !egress_batcher_full(w->batcher))
		return 0;
	w->counts.sessions.pauses++;
	(void)sp_rstream_pause(s->stream);
	err = egress_batcher_wait(w->batcher, deadline); /* yields */
	s->resumed_ns = sp_now();
	return err == -ECANCELED ? err : 0;
}

/*
 * A peer came back with another AS: what it had is withdrawn first, by the
 * worker, and the router is read on when that is done.
 */
static int wait_for_move(struct session *s, int64_t deadline)
{
	int err = 0;

	while (err == 0 && rib_router_moving(s->router->rib_router) &&
	       sp_now() < deadline) {
		worker_schedule_background(s->worker);
		sp_yield();
		err = sp_cancelled() ? -ECANCELED : wait_for_room(s, deadline);
	}
	return err;
}

/* Reading */

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Nobody can say of a router that is not read that it is silent. */
static int64_t deadline(const struct session *s)
{
	const struct config *config = s->worker->config;
	struct limits_times times = {
		.handshake = config->limits.handshake_timeout,
		.idle = config->limits.idle_timeout,
	};

	return limits_deadline(&times, later(s->opened, s->resumed_ns),
			       s->last_message_ns == 0
				       ? 0
				       : later(s->last_message_ns,
					       s->resumed_ns));
}

static enum close_reason error_ending(const struct session *s, int64_t err)
{
	if (s->close_reason != CLOSE_NONE)
		return s->close_reason;
	if (err == -ECANCELED)
		return CLOSE_SHUTDOWN;
	if (err == -ETIMEDOUT && sp_now() >= deadline(s))
		return s->last_message_ns == 0 ? CLOSE_HANDSHAKE : CLOSE_IDLE;
	if (err == -EMSGSIZE)
		return CLOSE_TOO_LONG;
	return CLOSE_RESET;
}

/* Bytes for the next message, in one piece; see sp_rstream_peek(). */
static int64_t next_bytes(struct session *s, struct sp_segment *seg)
{
	int64_t n = sp_rstream_peek_until(s->stream, s->need_bytes, 0, seg);

	if (n == -ETIMEDOUT)
		input_drained(s);
	while (n == -ETIMEDOUT && sp_now() < deadline(s)) {
		int64_t until = sp_in(DEADLINE_RECHECK);

		if (until > deadline(s))
			until = deadline(s);
		n = sp_rstream_peek_until(s->stream, s->need_bytes, until, seg);
	}
	return n;
}

/*
 * As much of a segment as is read before the others have their turn and the
 * bridge is looked at. Buffers are smaller, but what a pause set aside can be
 * a megabyte in one piece, and that makes many more of updates.
 */
static struct wire_view clip_segment(const struct session *s,
				     const struct sp_segment *seg)
{
	size_t most = s->need_bytes > TURN_BYTES ? s->need_bytes : TURN_BYTES;

	return (struct wire_view){ seg->data,
				   seg->len < most ? seg->len : most };
}

/* Returns how many bytes of @seg it took. */
static size_t process_segment(struct session *s, const struct sp_segment *seg)
{
	size_t used;

	input_arrived(s);
	used = decode_frames(s, clip_segment(s, seg));
	sp_rstream_consume(s->stream, used);
	egress_batcher_turn(s->worker->batcher, s->when.now_ns);
	worker_schedule_background(s->worker);
	return used;
}

static bool draining(const struct session *s)
{
	return s->worker->drain_until != 0;
}

/*
 * The collector stops. What has come by now was said to us, and is read; what
 * comes from now on is not, or a router that has much to say would keep us.
 */
static enum close_reason drain(struct session *s)
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
		(void)wait_for_room(s, until);
		(void)wait_for_move(s, until);
		sp_yield();
	}
	sp_shield_end();
	return s->close_reason != CLOSE_NONE ? s->close_reason : CLOSE_SHUTDOWN;
}

static enum close_reason read_stream(struct session *s)
{
	while (s->close_reason == CLOSE_NONE) {
		struct sp_segment seg;
		int64_t n;

		if (draining(s))
			return drain(s);
		n = next_bytes(s, &seg);
		if (n == -ECANCELED && draining(s))
			continue;
		if (n < 0)
			return error_ending(s, n);
		if ((size_t)n < s->need_bytes)
			return n == 0 ? CLOSE_CLOSED : CLOSE_TRUNCATED;
		process_segment(s, &seg);
		if ((wait_for_room(s, SP_NEVER) < 0 ||
		     wait_for_move(s, SP_NEVER) < 0) &&
		    !draining(s))
			return error_ending(s, -ECANCELED);
		sp_yield();
	}
	return s->close_reason;
}

/* A stream that begins with what was read before the router had a name. */
static int open_stream(struct session *s)
{
	struct connection *a = s->connection;
	int err = sp_rstream_open(a->fd, s->worker->max_frame, &s->stream);

	if (err == 0)
		err = sp_rstream_prepend(s->stream, a->early, a->early_len);
	free(a->early);
	a->early = NULL;
	a->early_len = 0;
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

/* Life */

static void close_session(struct session *s, enum close_reason why)
{
	input_arrived(s);
	if (s->open)
		rib_session_close(s->router->rib_router, &s->when,
				  (uint16_t)why, close_reason_name(why));
	router_stats_forget_reports(s->router->rib_router);
	s->open = false;
	s->router->stats.messages += s->messages;
	s->router->stats.bytes += s->bytes;
	s->router->stats.errors += s->errors;
	input_drained(s);
	log_close(s, why);
}

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

static struct session *session_new(struct worker *w, struct connection *a)
{
	struct rib_identity id = { .name = NULL };
	struct session *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	memcpy(id.address, a->address, 16);
	if (identity_named(&a->identity))
		id.name = a->identity.name;
	s->router = router_get_or_create(w, &id);
	if (s->router == NULL) {
		free(s);
		return NULL;
	}
	router_ref(s->router);
	s->worker = w;
	s->connection = a;
	s->task = sp_self();
	s->need_bytes = BMP_HEADER_LEN;
	s->input_drained = true;
	s->opened = sp_now();
	session_add(w, s);
	return s;
}

/* Claiming a router */

/* Wait for the owner to leave; if that takes too long, stop it. */
static enum close_reason wait_for_release(struct router *router,
					  int64_t deadline)
{
	int err = sp_cond_wait_until(&router->freed, &router->lock, deadline);

	if (err == -ETIMEDOUT && router->session != NULL)
		session_stop(router->session, CLOSE_REPLACED);
	return err == -ECANCELED ? CLOSE_SHUTDOWN : CLOSE_NONE;
}

/* Have the session that owns @router end. */
static enum close_reason replace_session(struct router *router,
					 struct session *newer)
{
	struct session *old = router->session;
	int64_t now = sp_now();
	/*
	 * A connection that its router closed needs no order to end, only time
	 * to read what is left; and it is no sign of a second router.
	 */
	bool closed = session_closed_by_router(old);

	if (!closed && router_was_replaced_recently(router, now))
		return CLOSE_DUPLICATE_ROUTER;
	if (closed)
		return wait_for_release(router, now + DRAIN_NS);
	session_stop(old, CLOSE_REPLACED);
	newer->replaced_other = true;
	return wait_for_release(router, SP_NEVER);
}

static enum close_reason router_claim(struct router *router,
				      struct session *session)
{
	enum close_reason why = CLOSE_NONE;

	if (sp_mutex_lock(&router->lock) < 0)
		return CLOSE_SHUTDOWN;
	while (why == CLOSE_NONE && router->session != NULL)
		why = replace_session(router, session);
	if (why == CLOSE_NONE) {
		router->session = session;
		memcpy(router->address, session->connection->address, 16);
		router->port = session->connection->port;
		if (session->replaced_other)
			router->taken_over = sp_now();
	}
	sp_mutex_unlock(&router->lock);
	return why;
}

static void router_release(struct router *router, struct session *session)
{
	if (router->session != session)
		return;
	router->session = NULL;
	router->left = sp_now();
	sp_cond_broadcast(&router->freed);
}

/*
 * Who has said nothing replaces nobody: a probe of the port, or a connection
 * that was over before it was its turn, must not end a session that goes on.
 */
static enum close_reason request_router(struct session *s)
{
	enum close_reason why = CLOSE_NONE;

	if (s->router->session != NULL && draining(s))
		return CLOSE_SHUTDOWN;
	if (s->router->session != NULL)
		why = connection_wait_first_bytes(s->connection,
						  deadline(s)); /* yields */
	return why != CLOSE_NONE ? why
				 : router_claim(s->router, s); /* yields */
}

/* Sit down, and have the configuration hold that is in force now. */
static enum close_reason claim_router(struct session *s)
{
	struct worker *w = s->worker;
	enum close_reason why = CLOSE_DENIED;
	struct rib_when when;

	/* It was let in; the lists may have changed on its way here. */
	if (worker_permits(w, s->connection->address))
		why = request_router(s); /* yields */
	if (s->close_reason != CLOSE_NONE) {
		/* Stopped while it waited. */
		router_release(s->router, s);
		return s->close_reason;
	}
	if (why != CLOSE_NONE)
		return why;
	when = worker_now();
	router_apply_config(s->router, w->config, &when);
	s->bmp_v4 = s->router->settings.bmp_v4;
	s->overrides = s->router->settings.overrides;
	s->over = bgp_overrides_any(&s->overrides) ? &s->overrides : NULL;
	return CLOSE_NONE;
}

int session_main(void *connection)
{
	struct connection *a = connection;
	struct worker *w = a->env->workers[sp_shard()];
	struct session *s;
	enum close_reason why;

	worker_owns(w, identity_shard(&a->identity, a->env->worker_count));
	s = w->no_new_sessions ? NULL : session_new(w, a);
	if (s == NULL) {
		connection_end(a, w,
			       w->no_new_sessions ? CLOSE_SHUTDOWN
						  : CLOSE_NO_RESOURCES);
		return 0;
	}
	why = claim_router(s);
	if (why == CLOSE_NONE) {
		a->claimed = true;
		why = read_all(s);
		/* From here on nothing may be left half done. */
		sp_shield_begin();
		close_session(s, why);
		router_release(s->router, s);
		sp_shield_end();
	}
	session_remove(w, s);
	router_unref(w, s->router);
	free(s);
	worker_schedule_router_gc(w);
	connection_end(a, w, why);
	return 0;
}
