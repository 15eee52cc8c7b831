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
#include "collector/router/stats_report.h"

/* Bytes of a sysName that are kept. */
#define NOTE_NAME_MAX 128

/* Of a router; a part of its seat. All zero: nothing happened yet. */
struct router_note {
	struct diary diary;
	uint64_t opened_ns; /* the last session, wall clock; 0: none yet */
	uint64_t closed_ns; /* 0: it is open, or there was none */
	uint16_t ending;    /* enum ending, of the last that closed */
	char sys_name[NOTE_NAME_MAX + 1];
	/* Of sessions that ended. */
	uint64_t messages;
	uint64_t bytes;
	uint64_t errors;
	/* Over its peers that reported: ours less the router's. */
	uint32_t reporting;
	int64_t difference;
};

/* Of a peer, in its slot of the rib. */
struct peer_note {
	struct router_note *router; /* NULL: it has no seat */
	struct diary diary;
	uint64_t up_ns; /* wall clock; 0: never */
	uint64_t down_ns;
	uint16_t down_reason;
	uint32_t downs;
	struct reported *reported; /* NULL: it did not since it is up */
};

/* The note of a peer, made if need be. NULL: no memory. */
struct peer_note *peer_note_get(void **peer_slot, struct router_note *router);
void peer_note_free(struct peer_note *note);

void router_note_take(struct router_note *note, const struct rib_event *e);
void peer_note_take(struct peer_note *note, const struct rib_event *e);

/* The peer reports @now; what it reported before no longer counts. */
void peer_note_report(struct peer_note *note, const struct reported *now);

/*
 * The session is over: nobody is left who would correct what its peers
 * reported. Cost: a walk over the peers.
 */
void router_note_forget_reports(const struct rib_router *router);

#endif
