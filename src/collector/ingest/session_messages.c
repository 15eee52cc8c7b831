#include "collector/ingest/session_messages.h"

#include "collector/collector_env.h"
#include "collector/ingest/connection.h"
#include "collector/ingest/session.h"
#include "collector/router/router.h"
#include "collector/router/stats_report.h"
#include "collector/worker_state.h"
#include "egress/batcher.h"
#include "rib/read.h"
#include "rib/rib.h"

#include <string.h>

/* Messages that are long gain nothing from being read ahead. */
#define AHEAD_BYTES (8 * 1024)

/* The first message of a session: from here on the rib knows of it. */
static void open_session(struct session *s, const struct bmp_message *msg)
{
	if (msg->type == BMP_INITIATION &&
	    !session_read_name(msg, s->facts.sys_name))
		s->worker->counts.sessions.names_cut++;
	session_handle(s, SESSION_EV_MESSAGE);
}

/* Route Monitoring that was read; the rib likes to see some at a time. */
struct taken {
	const uint8_t *end; /* of what is applied, and of other messages */
	size_t count;
	bool cut; /* the turn ends here, before what was read */
	struct bmp_message msgs[RIB_LOOKAHEAD];
	const uint8_t *ends[RIB_LOOKAHEAD]; /* of their frames */
};

/*
 * Apply what was taken, until the budget is spent. False: it is, and what is
 * not applied will be read again, but is not counted again.
 */
static bool messages_apply(struct session *s, struct taken *t)
{
	size_t done = 0;

	if (t->count > 0)
		done = rib_apply_some(s->router->rib_router, &s->when, t->msgs,
				      t->count, s->over, &s->budget,
				      &s->progress,
				      &s->worker->counts.no_memory);
	if (done > 0)
		t->end = t->ends[done - 1];
	if (done < t->count) {
		s->counted += (uint32_t)(t->count - done);
		t->cut = true;
	}
	t->count = 0;
	return !t->cut;
}

static bool is_spent(struct session *s)
{
	return rib_budget_spent(s->worker->rib, &s->budget);
}

/* Whether a message that may be lost is: --overload drop. */
static bool is_dropped(struct worker *w)
{
	if (!w->overload_drop || !egress_batcher_blocked(w->batcher))
		return false;
	w->counts.sessions.dropped++;
	return true;
}

/* @t has it as its next. */
static void take_route_monitoring(struct session *s, struct taken *t)
{
	struct worker *w = s->worker;

	if (!w->overload_drop) {
		if (++t->count == RIB_LOOKAHEAD ||
		    t->ends[t->count - 1] - t->end > AHEAD_BYTES)
			(void)messages_apply(s, t);
	} else if (s->progress.offset == 0 && !s->progress.counted &&
		   is_dropped(w)) {
		rib_drop(s->router->rib_router, &s->when, &t->msgs[0].peer);
		t->end = t->ends[0];
	} else {
		t->count = 1;
		(void)messages_apply(s, t);
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

/* A message that is no Route Monitoring. */
static void take_other(struct session *s, const struct bmp_message *msg)
{
	switch (msg->type) {
	case BMP_INITIATION:
		s->said |= SESSION_SAID_INITIATION;
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
		identity_facts_add_bgp_id(&s->facts, identity_bgp_id(msg));
		if (rib_apply(s->router->rib_router, &s->when, msg, s->over) <
		    0)
			s->worker->counts.no_memory++;
	}
}

/*
 * Whether a Peer Up or a Peer Down has to wait: it may add to the withdraws
 * that are still to come, and so would have the rib publish those now.
 */
static bool must_wait(const struct session *s, const struct bmp_message *msg)
{
	return (msg->type == BMP_PEER_UP || msg->type == BMP_PEER_DOWN) &&
	       rib_router_pending_withdraw(s->router->rib_router) >
		       SESSION_DYING_MAX;
}

/* It has named a peer: it is no longer among those that make room. */
static void peer_named(struct session *s)
{
	s->said |= SESSION_SAID_PEER;
	limits_keep(s->worker->env->limits, &s->connection->place);
	limits_remember(s->worker->env->limits, s->connection->address);
}

/* The next of @t. */
static void take_message(struct session *s, struct taken *t)
{
	const struct bmp_message *msg = &t->msgs[t->count];
	const uint8_t *end = t->ends[t->count];
	bool held;

	if (!session_state_is_open(s->state))
		open_session(s, msg);
	if (msg->has_peer && !(s->said & SESSION_SAID_PEER))
		peer_named(s);
	if (msg->type == BMP_ROUTE_MONITORING) {
		take_route_monitoring(s, t);
		return;
	}
	held = must_wait(s, msg);
	if (held)
		session_handle(s, SESSION_EV_HOLD);
	else if (s->state == SESSION_OPEN_HELD)
		session_handle(s, SESSION_EV_RELEASE);
	if (!messages_apply(s, t) || held) {
		t->cut = true;
		s->counted++;
		return;
	}
	take_other(s, msg);
	t->end = end;
}

/* The same of a Route Monitoring that has a peer and no UPDATE. */
static void take_unreadable(struct session *s, struct taken *t)
{
	const struct bmp_peer *peer = &t->msgs[t->count].peer;
	const uint8_t *end = t->ends[t->count];

	if (!messages_apply(s, t)) {
		s->counted++;
		return;
	}
	rib_unreadable(s->router->rib_router, &s->when, peer);
	t->end = end;
}

/* One that cannot be used, and changes nothing. */
static void pass_over(struct session *s, struct taken *t)
{
	const uint8_t *end = t->ends[t->count];

	if (messages_apply(s, t))
		t->end = end;
	else
		s->counted++;
}

/* What is read again, because a turn ended before it, was counted then. */
static void count_message(struct session *s, const struct bmp_message *msg,
			  enum bmp_status status)
{
	struct session_counts *all = &s->worker->counts.sessions;

	if (s->counted > 0) {
		s->counted--;
		return;
	}
	all->messages[msg->type < BMP_TYPES ? msg->type : BMP_TYPES]++;
	all->statuses[status]++;
	s->messages++;
	s->errors += status != BMP_OK;
	if (!(s->said & SESSION_SAID_INITIATION) && bmp_status_usable(status) &&
	    msg->type != BMP_INITIATION)
		all->before_initiation++;
}

static void take_frame(struct session *s, const struct bmp_frame *frame,
		       struct taken *t)
{
	struct bmp_message *msg = &t->msgs[t->count];
	enum bmp_status status =
		bmp_message_decode(frame, (enum bmp_v4)s->bmp_v4, msg);

	t->ends[t->count] = frame->whole.p + frame->whole.len;
	count_message(s, msg, status);
	if (bmp_status_usable(status))
		take_message(s, t);
	else if (msg->type == BMP_ROUTE_MONITORING && msg->has_peer &&
		 session_state_is_open(s->state))
		take_unreadable(s, t);
	else
		pass_over(s, t);
}

/* Whether the next message of this turn may be looked at. */
static bool goes_on(const struct session *s, const struct taken *t)
{
	return s->close_reason == CLOSE_NONE && !t->cut &&
	       !rib_router_subject_changing(s->router->rib_router);
}

/* The turn ended before @rest, which is read in the next one. */
static void look_back(struct session *s, struct wire_view rest)
{
	struct bmp_frame frame;

	if (bmp_frame_next(rest, s->worker->max_frame, &frame,
			   &s->need_bytes) == BMP_FRAME_WHOLE)
		s->need_bytes = frame.whole.len;
	/* An end that stands behind messages has its turn after them. */
	if (s->counted > 0)
		s->close_reason = CLOSE_NONE;
	s->worker->counts.sessions.cut += rest.len > 0;
}

/*
 * The hot loop of the collector: for each message a few nanoseconds here, the
 * rest is bmp_message_decode() and rib_apply_some(). bench/collector.c
 */
size_t session_decode_frames(struct session *s, struct wire_view in)
{
	struct wire_view rest = in;
	struct taken taken;
	size_t used;

	taken.count = 0;
	taken.end = in.p;
	taken.cut = false;

	s->need_bytes = BMP_HEADER_LEN;
	while (goes_on(s, &taken)) {
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
		taken.cut |= taken.count == 0 && is_spent(s);
	}
	(void)messages_apply(s, &taken);
	used = (size_t)(taken.end - in.p);
	if (taken.cut)
		look_back(s, (struct wire_view){ taken.end, in.len - used });
	s->bytes += used;
	s->worker->counts.sessions.bytes += used;
	return used;
}
