/*
 * collector/router/session_stats.h - statistics of routers and peers
 *
 * For display: times, counts, and the router's own counters. Written when a
 * session or a peer changes, never per route.
 */
#ifndef COLLECTOR_ROUTER_SESSION_STATS_H
#define COLLECTOR_ROUTER_SESSION_STATS_H

#include "collector/router/event_history.h"
#include <stdint.h>

struct rib_event;
struct rib_router;
struct stats_report;

/* Maximum bytes of a sysName that are kept. */
#define ROUTER_STATS_NAME_MAX 128

/*
 * Statistics of a router, a member of its struct router. All zero = nothing
 * happened yet.
 */
struct router_stats {
	struct event_history history;
	/* when the last session opened, wall clock; 0 = none yet */
	uint64_t opened_ns;
	/* when that session closed; 0 = it is open, or there was none */
	uint64_t closed_ns;
	/* enum close_reason of the last session that was closed */
	uint16_t close_reason;
	char sys_name[ROUTER_STATS_NAME_MAX + 1];
	/* Sums over sessions that have ended. */
	uint64_t messages;
	uint64_t bytes;
	uint64_t errors;
	/* number of peers whose Statistics Report is included in difference */
	uint32_t reporting;
	/* our count of routes minus the router's, over these peers */
	int64_t difference;
};

/* Statistics of a peer, in the slot of rib_peer_slot(). */
struct peer_stats {
	struct router_stats *router; /* NULL if the peer has no struct router */
	struct event_history history;
	uint64_t up_ns; /* when the peer came up, wall clock; 0 = never */
	uint64_t down_ns;
	uint16_t down_reason;
	uint32_t downs;
	/* NULL if the peer has not sent a report since it came up */
	struct stats_report *reported;
};

/*
 * Get the statistics of a peer, which are created if necessary. NULL if out of
 * memory.
 */
struct peer_stats *peer_stats_get(void **peer_slot,
				  struct router_stats *router);
void peer_stats_free(struct peer_stats *stats);

void router_stats_add_event(struct router_stats *stats,
			    const struct rib_event *e);
void peer_stats_add_event(struct peer_stats *stats, const struct rib_event *e);

/* Record the report @now of a peer, which replaces its previous report. */
void peer_stats_report(struct peer_stats *stats,
		       const struct stats_report *now);

/*
 * Remove the reports of all peers when the session has ended, because they are
 * not updated any more. Cost: a walk over the peers.
 */
void router_stats_forget_reports(const struct rib_router *router);

#endif
