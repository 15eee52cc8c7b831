#include "rib/apply.h"

#include "rib/emit.h"
#include "rib/lookahead.h"
#include "rib/peer.h"
#include "rib/plain.h"
#include "rib/rib_internal.h"
#include "rib/table.h"
#include "rib/update.h"

#include "bmp/message.h"
#include "bmp/stats.h"

#include <errno.h>

/*
 * Limits for the counters of an event and of a message; routers have fewer to
 * report.
 */
#define STATS_MAX     64
#define STATS_ALL_MAX 1024

static void note_route_monitoring(struct rib_router *router,
				  const struct rib_time *when)
{
	router->last_ns = rib_clock(router, when->now_ns);
	if (router->first_ns == RIB_NEVER)
		router->first_ns = router->last_ns;
}

struct rib_peer *rib_peer_lookup(struct rib_router *router,
				 const struct bmp_peer *header)
{
	struct rib_peer *peer = rib_peer_find(router, header);

	return peer != NULL && rib_peer_phase_up(peer->phase) ? peer : NULL;
}

int rib_peer_imply(struct rib_router *router, const struct rib_time *when,
		   const struct bmp_peer *header,
		   const struct rib_policy_mask *policy, bool can_wait,
		   struct rib_peer **out)
{
	int err;

	note_route_monitoring(router, when);
	err = rib_peer_get(router, header, policy, out);
	if (err < 0)
		RIB_COUNT(router, refused_peers, 1);
	else if (!rib_peer_phase_up((*out)->phase))
		rib_peer_bring_up(*out, when, header, policy,
				  can_wait ? RIB_WITHDRAW_NOW_IF_SMALL
					   : RIB_WITHDRAW_NOW);
	return err;
}

const struct bgp_context *rib_peer_context(const struct rib_peer *peer)
{
	return &peer->context;
}

struct rib_input *rib_inputs(struct rib_router *router)
{
	return router->rib->inputs;
}

bool rib_budget_spent(const struct rib_router *router,
		      const struct rib_budget *budget)
{
	return rib_is_spent(router->rib, budget);
}

uint64_t rib_apply_bound(const struct rib_input *inputs, size_t n)
{
	uint64_t routes = 0;

	for (size_t i = 0; i < n; i++) {
		const struct bgp_update *u = &inputs[i].update;

		/*
		 * The messages may cause held parts to be applied, see
		 * rib/add_path.h.
		 */
		if (u->add_path_guessed != 0 || inputs[i].peer->held_due)
			return UINT64_MAX;
		if (u->attrs.withdraw)
			continue;
		routes += u->nlri_parts[BGP_PART_NLRI].count;
		routes += u->nlri_parts[BGP_PART_MP_REACH].count;
	}
	return routes;
}

size_t rib_apply(struct rib_router *router, const struct rib_time *when,
		 const struct rib_input *inputs, size_t n,
		 struct rib_budget *budget, struct rib_progress *progress)
{
	enum rib_update_result result = RIB_UPDATE_DONE;
	struct rib_progress whole = { 0 };
	struct rib *rib = router->rib;
	size_t begun, done = 0;

	if (budget != NULL)
		rib->budget = budget;
	else
		progress = &whole;
	/*
	 * lookahead has the first route of the message. If the message was
	 * begun before, it continues at another route.
	 */
	begun = progress->offset != 0;
	note_route_monitoring(router, when);
	rib->stamp = rib_stamp(/* generation= */ 0, when->wall_ns);
	rib_lookahead_read(rib, inputs, begun, n);
	while (done < n && result == RIB_UPDATE_DONE) {
		if (done >= begun && rib->lookahead[done].is_plain &&
		    rib_plain_apply(&inputs[done], when,
				    &rib->lookahead[done])) {
			done++;
			if (rib_is_spent(rib, rib->budget))
				break;
			continue;
		}
		result = rib_update(&inputs[done], when,
				    done < begun ? NULL : &rib->lookahead[done],
				    progress);
		done += result != RIB_UPDATE_BUDGET_SPENT;
		if (rib_is_spent(rib, rib->budget))
			break;
	}
	rib->budget = &rib->unlimited;
	return done;
}

/* An event of the peer, or of the session if the peer is not known. */
static void emit_of_peer(struct rib_router *router, const struct rib_time *when,
			 const struct bmp_peer *header, struct rib_event *e)
{
	struct rib_peer *peer = rib_peer_find(router, header);

	if (peer != NULL)
		rib_emit_event_peer(peer, when, e);
	else
		rib_emit_event(router, when, e);
}

static void emit_statistics(struct rib_router *router,
			    const struct rib_time *when,
			    const struct bmp_message *msg,
			    const struct rib_event_count *counts, size_t n)
{
	struct rib_event e = {
		.kind = RIB_EVENT_STATISTICS,
		.bmp_ns = msg->peer.time_ns,
		.count = n,
		.counts = counts,
	};

	if (n != 0)
		emit_of_peer(router, when, &msg->peer, &e);
}

static void emit_mirror(struct rib_router *router, const struct rib_time *when,
			const struct bmp_message *msg)
{
	struct rib_event e = {
		.kind = RIB_EVENT_MIRROR,
		.bmp_ns = msg->peer.time_ns,
		.mirrored = msg->tlvs,
	};

	emit_of_peer(router, when, &msg->peer, &e);
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

int rib_apply_other(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_message *msg,
		    const struct rib_policy_mask *policy)
{
	switch (msg->type) {
	case BMP_PEER_UP:
		return rib_peer_up(router, when, msg, policy);
	case BMP_PEER_DOWN:
		rib_peer_down(router, when, msg);
		return 0;
	case BMP_STATISTICS:
		statistics_emit(router, when, msg);
		return 0;
	case BMP_ROUTE_MIRRORING:
		emit_mirror(router, when, msg);
		return 0;
	default:
		return 0;
	}
}

void rib_unreadable(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *header)
{
	struct rib_peer *peer = rib_peer_find(router, header);

	note_route_monitoring(router, when);
	if (peer != NULL)
		rib_update_unreadable(peer, when, header->view);
}

void rib_drop(struct rib_peer *peer, const struct rib_time *when,
	      const struct bmp_peer *header)
{
	struct rib_event e = { .kind = RIB_EVENT_UNKNOWN,
			       .bmp_ns = header->time_ns };
	struct rib_table *t;

	/* The message was received, although no UPDATE could be parsed. */
	note_route_monitoring(peer->router, when);
	TAILQ_FOREACH (t, &peer->tables, link)
		rib_table_event(t, RIB_TABLE_EV_DROPPED);
	if (!(peer->reported & RIB_REPORTED_DROPPED)) {
		peer->reported |= RIB_REPORTED_DROPPED;
		rib_emit_event_peer(peer, when, &e);
	}
}
