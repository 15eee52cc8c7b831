#include "rib/apply.h"

#include "rib/emit.h"
#include "rib/lookahead.h"
#include "rib/peer.h"
#include "rib/rib_internal.h"
#include "rib/table.h"
#include "rib/update.h"

#include "bmp/message.h"
#include "bmp/stats.h"

#include <errno.h>

/* Counters of an event, and of a message: more than there are to report. */
#define STATS_MAX     64
#define STATS_ALL_MAX 1024

static void note_route_monitoring(struct rib_router *router,
				  const struct rib_time *when)
{
	router->last_ns = rib_clock(router, when->now_ns);
	if (router->first_ns == RIB_NEVER)
		router->first_ns = router->last_ns;
}

/*
 * Have the peer be up. What it had under another AS or router id is withdrawn:
 * at once, or in slices if the caller can wait for that.
 */
static void imply_peer_up(struct rib_peer *peer, const struct rib_time *when,
			  const struct bmp_peer *header)
{
	const struct rib *rib = peer->router->rib;

	rib_peer_imply(peer, when, header,
		       rib->budget == &rib->unlimited
			       ? RIB_WITHDRAW_NOW
			       : RIB_WITHDRAW_NOW_IF_SMALL);
}

/* 0, -ENOMEM, or -EAGAIN: it is not applied whole. */
static int route_monitoring(struct rib_router *router,
			    const struct rib_time *when,
			    const struct bmp_message *msg,
			    const struct bgp_overrides *over,
			    struct rib_progress *progress)
{
	struct bgp_decode_opts opts;
	struct rib_peer *peer;
	struct bgp_update u;
	int err;

	note_route_monitoring(router, when);
	err = rib_peer_get(router, &msg->peer, &peer);
	if (err < 0) {
		RIB_COUNT(router, refused_peers, 1);
		return err == -ENOSPC ? 0 : err;
	}
	if (!rib_peer_phase_up(peer->phase))
		imply_peer_up(peer, when, &msg->peer);
	/* Nothing of it may overtake what has another subject. */
	if (router->subject_changed_count != 0 &&
	    router->rib->budget != &router->rib->unlimited)
		return -EAGAIN;
	opts = bgp_context_decode_opts(&peer->context, &msg->peer, over);
	bgp_update_decode(msg->update.body, &opts, &u);
	return rib_update(peer, when, &msg->peer, &opts, &u,
			  /* lookahead= */ NULL,
			  progress) == RIB_UPDATE_BUDGET_SPENT
		       ? -EAGAIN
		       : 0;
}

static void emit_statistics(struct rib_router *router,
			    const struct rib_time *when,
			    const struct bmp_message *msg,
			    const struct rib_event_count *counts, size_t n)
{
	struct rib_peer *peer = rib_peer_find(router, &msg->peer);
	struct rib_event e = {
		.kind = RIB_EVENT_STATISTICS,
		.bmp_ns = msg->peer.time_ns,
		.count = n,
		.counts = counts,
	};

	if (n == 0)
		return;
	if (peer != NULL)
		rib_emit_event_peer(peer, when, &e);
	else
		rib_emit_event(router, when, &e);
}

static void statistics_emit(struct rib_router *router,
			    const struct rib_time *when,
			    const struct bmp_message *msg)
{
	struct bmp_stat_iter it = bmp_stat_start(msg);
	struct rib_event_count counts[STATS_MAX];
	struct bmp_stat stat;
	size_t n = 0, all = 0;

	while (bmp_stat_next(&it, &stat)) {
		if (stat.kind == BMP_STAT_RAW)
			continue;
		if (all++ >= STATS_ALL_MAX) {
			RIB_COUNT(router, statistics_cut, 1);
			continue;
		}
		counts[n++] = (struct rib_event_count){
			.type = stat.type,
			.afi = stat.afi,
			.safi = stat.safi,
			.value = stat.value,
		};
		if (n == STATS_MAX) {
			emit_statistics(router, when, msg, counts, n);
			n = 0;
		}
	}
	emit_statistics(router, when, msg, counts, n);
}

static int apply_one(struct rib_router *router, const struct rib_time *when,
		     const struct bmp_message *msg,
		     const struct bgp_overrides *over,
		     struct rib_progress *progress)
{
	switch (msg->type) {
	case BMP_ROUTE_MONITORING:
		return route_monitoring(router, when, msg, over, progress);
	case BMP_PEER_UP:
		return rib_peer_up(router, when, msg);
	case BMP_PEER_DOWN:
		rib_peer_down(router, when, msg);
		return 0;
	case BMP_STATISTICS:
		statistics_emit(router, when, msg);
		return 0;
	default:
		return 0;
	}
}

int rib_apply(struct rib_router *router, const struct rib_time *when,
	      const struct bmp_message *msg, const struct bgp_overrides *over)
{
	struct rib_progress progress = { 0 };

	return apply_one(router, when, msg, over, &progress);
}

bool rib_budget_spent(const struct rib *rib, const struct rib_budget *budget)
{
	return rib_is_spent(rib, budget);
}

/*
 * Those that were read ahead, until one changes how the others are decoded;
 * *@done is how many of them are applied whole. False: the budget was spent
 * before the end of the next.
 */
static bool apply_lookahead(struct rib_router *router,
			    const struct rib_time *when,
			    const struct bmp_message *msgs, size_t n,
			    struct rib_progress *progress, size_t *done)
{
	struct rib *rib = router->rib;
	size_t k = 0;

	note_route_monitoring(router, when);
	while (k < n) {
		struct rib_lookahead *a = &rib->lookahead[k];
		enum rib_update_result result =
			rib_update(a->peer, when, &msgs[k].peer, &a->opts,
				   &a->u, a, progress);

		if (result != RIB_UPDATE_DONE) {
			*done = k + (result == RIB_UPDATE_DONE_DECODE_AGAIN);
			return result == RIB_UPDATE_DONE_DECODE_AGAIN;
		}
		k++;
		if (rib_is_spent(rib, rib->budget))
			break;
	}
	*done = k;
	return true;
}

/* The budget is that of the rib. */
static size_t apply_some(struct rib_router *router, const struct rib_time *when,
			 const struct bmp_message *msgs, size_t n,
			 const struct bgp_overrides *over,
			 struct rib_progress *progress, uint64_t *failed)
{
	struct rib *rib = router->rib;
	size_t i = 0;

	while (i < n) {
		size_t lookahead = 0;
		int err;

		/* A first route that was applied is no place to begin at. */
		if (progress->offset == 0)
			lookahead = rib_lookahead_read(router, msgs + i, n - i,
						       over);
		if (lookahead == 0) {
			err = apply_one(router, when, &msgs[i], over, progress);
			if (err == -EAGAIN)
				break;
			*failed += err < 0;
			i++;
		} else {
			size_t done;
			bool whole =
				apply_lookahead(router, when, msgs + i,
						lookahead, progress, &done);

			i += done;
			if (!whole)
				break;
		}
		if (rib_is_spent(rib, rib->budget))
			break;
	}
	return i;
}

size_t rib_apply_some(struct rib_router *router, const struct rib_time *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over,
		      struct rib_budget *budget, struct rib_progress *progress,
		      uint64_t *failed)
{
	struct rib *rib = router->rib;
	size_t done;

	rib->budget = budget;
	done = apply_some(router, when, msgs, n, over, progress, failed);
	rib->budget = &rib->unlimited;
	return done;
}

size_t rib_apply_many(struct rib_router *router, const struct rib_time *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over)
{
	struct rib_progress progress = { 0 };
	uint64_t failed = 0;

	(void)apply_some(router, when, msgs, n, over, &progress, &failed);
	return failed;
}

void rib_unreadable(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *header)
{
	struct rib_peer *peer = rib_peer_find(router, header);

	note_route_monitoring(router, when);
	if (peer != NULL)
		rib_update_unreadable(peer, when, header->view);
}

int rib_drop(struct rib_router *router, const struct rib_time *when,
	     const struct bmp_peer *header)
{
	struct rib_event e = { .kind = RIB_EVENT_UNKNOWN,
			       .bmp_ns = header->time_ns };
	struct rib_peer *peer;
	struct rib_table *t;
	int err;

	/* It was there, even if nobody read it. */
	note_route_monitoring(router, when);
	err = rib_peer_get(router, header, &peer);
	if (err < 0)
		return err == -ENOSPC ? 0 : err;
	/* A generation that began later would forget the drop. */
	if (!rib_peer_phase_up(peer->phase))
		rib_peer_imply(peer, when, header, RIB_WITHDRAW_NOW_IF_SMALL);
	TAILQ_FOREACH (t, &peer->tables, link)
		rib_table_event(t, RIB_TABLE_EV_DROPPED);
	if (!peer->dropped) {
		peer->dropped = true;
		rib_emit_event_peer(peer, when, &e);
	}
	return 0;
}
