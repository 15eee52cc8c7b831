#include "collector/ingest/session_messages.h"

#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/ingest/connection.h"
#include "collector/ingest/route_budget.h"
#include "collector/ingest/session.h"
#include "collector/router/router.h"
#include "collector/router/stats_report.h"
#include "collector/worker_state.h"
#include "egress/batcher.h"
#include "rib/input.h"
#include "rib/read.h"
#include "rib/rib.h"

#include <errno.h>

/*
 * Maximum bytes of messages that are applied together; more bytes would give no
 * further gain.
 */
#define TOGETHER_BYTES (8 * 1024)

/*
 * The messages of a turn. Several Route Monitoring messages are applied
 * together.
 */
struct turn {
	const uint8_t *end; /* end of the last message that was processed */
	/* number of messages in msgs that wait to be applied */
	size_t count;
	/* the turn stops early: messages after @end are read again */
	bool cut;
	struct bmp_message msgs[RIB_LOOKAHEAD];
	/* end of the frame of each message in msgs */
	const uint8_t *ends[RIB_LOOKAHEAD];
};

/*
 * Decode the UPDATEs of @msgs, each with the context of its peer. Stops at a
 * message of a peer that is not up. Returns how many were decoded.
 */
static size_t decode_updates(const struct session *s,
			     const struct bmp_message *msgs, size_t n,
			     struct rib_input *inputs)
{
	struct rib_router *router = s->router->rib_router;
	size_t i;

	for (i = 0; i < n; i++) {
		struct rib_input *in = &inputs[i];

		in->peer = rib_peer_lookup(router, &msgs[i].peer);
		if (in->peer == NULL)
			break;
		in->header = &msgs[i].peer;
		in->opts = bgp_context_decode_opts(rib_peer_context(in->peer),
						   in->header, s->over);
		if (msgs[i].tlv_form == TLV_BMP_INDEXED)
			bmp_rm_decode_opts(&msgs[i], (enum bmp_v4)s->bmp_v4,
					   s->over, &in->opts);
		bgp_update_decode(msgs[i].update.body, &in->opts, &in->update);
	}
	return i;
}

/*
 * Bring up a peer that is not up, because a Route Monitoring of it was
 * received.
 */
static int bring_peer_up(struct session *s, const struct bmp_peer *header,
			 struct rib_peer **out)
{
	struct rib_policy_mask policy[BMP_VIEWS];

	router_policy(s->router, header, policy);
	return rib_peer_imply(s->router->rib_router, &s->when, header, policy,
			      /* can_wait= */ true, out);
}

/*
 * Apply @n inputs within the budget of the turn. All workers share
 * --max-routes: reserve the routes that these inputs may add, and return the
 * rest afterwards.
 */
static size_t apply_inputs(struct session *s, const struct rib_input *inputs,
			   size_t n)
{
	struct rib_router *router = s->router->rib_router;
	struct worker *w = s->worker;
	uint64_t need;
	size_t done;

	if (w->config->limits.routes == 0)
		return rib_apply(router, &s->when, inputs, n, &s->budget,
				 &s->progress);
	need = rib_apply_bound(inputs, n);
	if (need > s->budget.routes)
		need = s->budget.routes;
	/* At least one route is applied, even if the budget is spent. */
	rib_allow(w->rib, route_budget_adjust(w->env->budget, &w->allowance,
					      rib_route_count(w->rib),
					      need > 0 ? need : 1));
	done = rib_apply(router, &s->when, inputs, n, &s->budget, &s->progress);
	rib_allow(w->rib, route_budget_adjust(w->env->budget, &w->allowance,
					      rib_route_count(w->rib), 1));
	return done;
}

/*
 * Apply the waiting Route Monitoring messages of @t until the budget is spent.
 * Returns false if messages are left: they will be read again, but not counted
 * again.
 */
static bool apply_updates(struct session *s, struct turn *t)
{
	struct rib_router *router = s->router->rib_router;
	struct rib_input *inputs = rib_inputs(router);
	struct rib_peer *peer;
	size_t done = 0;
	int err;

	while (done < t->count) {
		size_t n = decode_updates(s, t->msgs + done, t->count - done,
					  inputs);

		if (n > 0) {
			done += apply_inputs(s, inputs, n);
			if (rib_budget_spent(router, &s->budget))
				break;
			continue;
		}
		err = bring_peer_up(s, &t->msgs[done].peer, &peer);
		if (err < 0) {
			s->worker->counts.no_memory += err != -ENOSPC;
			done++;
		} else if (rib_router_subject_changing(router)) {
			break;
		}
	}
	if (done > 0)
		t->end = t->ends[done - 1];
	if (done < t->count) {
		s->counted += (uint32_t)(t->count - done);
		t->cut = true;
	}
	t->count = 0;
	return !t->cut;
}

/*
 * True if a message must be dropped, because --overload drop is set and the
 * output is blocked. Such a message is counted.
 */
static bool is_dropped(struct worker *w)
{
	if (!w->overload_drop || !egress_batcher_blocked(w->batcher))
		return false;
	w->counts.sessions.dropped++;
	return true;
}

static void drop_update(struct session *s, const struct bmp_peer *header)
{
	struct rib_peer *peer = rib_peer_lookup(s->router->rib_router, header);

	if (peer != NULL || bring_peer_up(s, header, &peer) == 0)
		rib_drop(peer, &s->when, header);
}

/* Handle the next message of @t, a Route Monitoring. */
static void take_route_monitoring(struct session *s, struct turn *t)
{
	struct worker *w = s->worker;
	bool begun = s->progress.offset != 0 || s->progress.counted;

	/*
	 * With --overload drop each message is applied alone, so no other
	 * messages wait in @t.
	 */
	if (w->overload_drop && !begun && is_dropped(w)) {
		drop_update(s, &t->msgs[0].peer);
		t->end = t->ends[0];
		return;
	}
	t->count++;
	if (t->count == RIB_LOOKAHEAD || w->overload_drop ||
	    t->ends[t->count - 1] - t->end > TOGETHER_BYTES)
		(void)apply_updates(s, t);
}

/* Publish the counters that the router sent, and compare them with our own. */
static void take_statistics(struct session *s, const struct bmp_message *msg)
{
	struct rib_router *router = s->router->rib_router;
	struct rib_peer *peer = rib_router_peer(router, &msg->peer);
	struct peer_stats *stats;
	struct stats_report report;
	bool comparable;

	if (!is_dropped(s->worker))
		(void)rib_apply_other(router, &s->when, msg, NULL);
	if (peer == NULL)
		return;
	comparable = stats_report_read(msg, peer, s->when.wall_ns, &report);
	s->worker->counts.sessions.statistics_left_out += report.left_out;
	if (!comparable)
		return;
	stats = peer_stats_get(rib_peer_slot(peer), &s->router->stats);
	if (stats != NULL)
		peer_stats_report(stats, &report);
}

/*
 * Maximum bytes of a Route Mirroring that --publish-mirroring publishes. Its
 * BGP message has at most 64 KiB; a longer Route Mirroring may not fit into a
 * message of the output.
 */
#define MIRROR_MAX (128 * 1024)

static void take_mirroring(struct session *s, const struct bmp_message *msg)
{
	if (!s->worker->config->egress.mirroring)
		return;
	if (msg->tlvs.len > MIRROR_MAX)
		s->worker->counts.sessions.mirrors_too_long++;
	else if (!is_dropped(s->worker))
		(void)rib_apply_other(s->router->rib_router, &s->when, msg,
				      NULL);
}

/* Handle a message that is not a Route Monitoring. */
static void take_other(struct session *s, const struct bmp_message *msg)
{
	struct rib_policy_mask policy[BMP_VIEWS];

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
		take_mirroring(s, msg);
		break;
	default:
		identity_facts_add_bgp_id(&s->facts, identity_bgp_id(msg));
		router_policy(s->router, &msg->peer, policy);
		if (rib_apply_other(s->router->rib_router, &s->when, msg,
				    policy) < 0)
			s->worker->counts.no_memory++;
	}
}

/*
 * True if a Peer Up or Peer Down must wait. It may add routes to the pending
 * withdraws, and the rib would then immediately publish many of the earlier
 * ones.
 */
static bool must_wait(const struct session *s, const struct bmp_message *msg)
{
	return (msg->type == BMP_PEER_UP || msg->type == BMP_PEER_DOWN) &&
	       rib_router_pending_withdraw(s->router->rib_router) >
		       SESSION_DYING_MAX;
}

/* Handle the next message of @t, which is usable. */
static void take_message(struct session *s, struct turn *t)
{
	const struct bmp_message *msg = &t->msgs[t->count];
	const uint8_t *end = t->ends[t->count];
	bool held;

	/*
	 * The first usable message of a session opens the session in the rib.
	 */
	if (!session_state_is_open(s->state)) {
		if (msg->type == BMP_INITIATION &&
		    !session_read_name(msg, s->facts.sys_name))
			s->worker->counts.sessions.names_cut++;
		session_handle(s, SESSION_EV_MESSAGE);
	}
	/* A session that has named a peer must not be evicted any more. */
	if (msg->has_peer && !(s->said & SESSION_SAID_PEER)) {
		s->said |= SESSION_SAID_PEER;
		limits_keep(s->worker->env->limits, &s->connection->place);
		limits_remember(s->worker->env->limits, s->connection->address);
	}
	if (msg->type == BMP_ROUTE_MONITORING) {
		take_route_monitoring(s, t);
		return;
	}
	held = must_wait(s, msg);
	if (held)
		session_handle(s, SESSION_EV_HOLD);
	else if (s->state == SESSION_OPEN_HELD)
		session_handle(s, SESSION_EV_RELEASE);
	if (!apply_updates(s, t) || held) {
		t->cut = true;
		s->counted++;
		return;
	}
	take_other(s, msg);
	t->end = end;
}

/*
 * Count a message. A message that is read again, because a turn ended before
 * it, was counted the first time.
 */
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
	if (msg->version == 4)
		s->lost += bmp_sequence_take(&s->sequence, msg,
					     (enum bmp_v4)s->bmp_v4);
	if (!(s->said & SESSION_SAID_INITIATION) && bmp_status_usable(status) &&
	    msg->type != BMP_INITIATION)
		all->before_initiation++;
}

static void take_frame(struct session *s, const struct bmp_frame *frame,
		       struct turn *t)
{
	struct bmp_message *msg = &t->msgs[t->count];
	const uint8_t *end = frame->whole.p + frame->whole.len;
	enum bmp_status status =
		bmp_message_decode(frame, (enum bmp_v4)s->bmp_v4, msg);

	t->ends[t->count] = end;
	count_message(s, msg, status);
	if (bmp_status_usable(status)) {
		take_message(s, t);
		return;
	}
	if (!apply_updates(s, t)) {
		s->counted++;
		return;
	}
	/*
	 * The message is not usable. It changes nothing, except that the tables
	 * of a known peer become suspect.
	 */
	if (msg->type == BMP_ROUTE_MONITORING && msg->has_peer &&
	    session_state_is_open(s->state))
		rib_unreadable(s->router->rib_router, &s->when, &msg->peer);
	t->end = end;
}

/* Prepare to read @rest again in the next turn: this turn ended before it. */
static void look_back(struct session *s, struct wire_view rest)
{
	struct bmp_frame frame;

	if (bmp_frame_next(rest, s->worker->max_frame, &frame,
			   &s->need_bytes) == BMP_FRAME_WHOLE)
		s->need_bytes = frame.whole.len;
	/*
	 * A reason to close that was found behind these messages will be found
	 * again in the next turn.
	 */
	if (s->counted > 0)
		s->close_reason = CLOSE_NONE;
	s->worker->counts.sessions.cut += rest.len > 0;
}

/*
 * The hot loop of the collector. It takes a few nanoseconds per message; the
 * rest of the time is spent in bmp_message_decode(), bgp_update_decode() and
 * rib_apply(). bench/collector.c measures it.
 */
size_t session_decode_frames(struct session *s, struct wire_view in)
{
	struct rib_router *router = s->router->rib_router;
	struct wire_view rest = in;
	struct turn turn;
	size_t used;

	turn.count = 0;
	turn.end = in.p;
	turn.cut = false;

	s->need_bytes = BMP_HEADER_LEN;
	while (s->close_reason == CLOSE_NONE && !turn.cut &&
	       !rib_router_subject_changing(router)) {
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
		take_frame(s, &frame, &turn);
		s->last_message_ns = (int64_t)s->when.now_ns;
		rest.p += frame.whole.len;
		rest.len -= frame.whole.len;
		s->need_bytes = BMP_HEADER_LEN;
		turn.cut |=
			turn.count == 0 && rib_budget_spent(router, &s->budget);
	}
	(void)apply_updates(s, &turn);
	session_report_lost(s);
	used = (size_t)(turn.end - in.p);
	if (turn.cut)
		look_back(s, (struct wire_view){ turn.end, in.len - used });
	s->bytes += used;
	s->worker->counts.sessions.bytes += used;
	return used;
}
