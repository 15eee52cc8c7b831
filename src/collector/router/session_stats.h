/*
 * collector/router/session_stats.h - what is remembered of routers and peers beside their routes
 *
 * For people who look: since when, how often, and what the router counts
 * itself. Written when something happens to a session or a peer, never for a
 * route.
 */
#ifndef COLLECTOR_ROUTER_SESSION_STATS_H
#define COLLECTOR_ROUTER_SESSION_STATS_H

#include "collector/router/event_history.h"
#include <stdint.h>

struct rib_event;
struct rib_router;
struct stats_report;

/* Bytes of a sysName that are kept. */
#define ROUTER_STATS_NAME_MAX 128

/* Of a router; a part of its router. All zero: nothing happened yet. */
struct router_stats {
	struct event_history history;
	uint64_t opened_ns;    /* the last session, wall clock; 0: none yet */
	uint64_t closed_ns;    /* 0: it is open, or there was none */
	uint16_t close_reason; /* enum close_reason, of the last that closed */
	char sys_name[ROUTER_STATS_NAME_MAX + 1];
	/* Of sessions that ended. */
	uint64_t messages;
	uint64_t bytes;
	uint64_t errors;
	/* Over its peers that reported: ours less the router's. */
	uint32_t reporting;
	int64_t difference;
};

/* Of a peer, in its slot of the rib. */
struct peer_stats {
	struct router_stats *router; /* NULL: it has no router */
	struct event_history history;
	uint64_t up_ns; /* wall clock; 0: never */
	uint64_t down_ns;
	uint16_t down_reason;
	uint32_t downs;
	struct stats_report *reported; /* NULL: it did not since it is up */
};

/* The note of a peer, made if need be. NULL: no memory. */
struct peer_stats *peer_stats_get(void **peer_slot,
				  struct router_stats *router);
void peer_stats_free(struct peer_stats *stats);

void router_stats_add_event(struct router_stats *stats,
			    const struct rib_event *e);
void peer_stats_add_event(struct peer_stats *stats, const struct rib_event *e);

/* The peer reports @now; what it reported before no longer counts. */
void peer_stats_report(struct peer_stats *stats,
		       const struct stats_report *now);

/*
 * The session is over: nobody is left who would correct what its peers
 * reported. Cost: a walk over the peers.
 */
void router_stats_forget_reports(const struct rib_router *router);

#endif
