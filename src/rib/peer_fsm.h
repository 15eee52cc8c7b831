/*
 * rib/peer_fsm.h - the states of a monitored peer
 *
 *	          PEER_UP          SESSION_LOST
 *	  DOWN -------------> UP --------------> STALE
 *	    |                  ^                  | ^
 *	    | ROUTES           | PEER_UP          | | SESSION_LOST
 *	    +-------------> IMPLIED --------------|-+
 *	    ^                  ^       ROUTES     |
 *	    |                  +------------------+
 *	    |            HOLD_OVER                |
 *	    +-------------------------------------+
 *
 *	STALE   -- PEER_UP ------> UP
 *	any     -- PEER_DOWN ----> DOWN (LEAVING stays LEAVING)
 *	any     -- DECONFIGURED -> LEAVING
 *	DOWN, STALE -- PURGE ----> LEAVING
 *	not up  -- RESTORED -----> STALE
 *	LEAVING -- PEER_UP ------> UP
 *	LEAVING -- ROUTES -------> IMPLIED
 *
 * An event that is not drawn leaves the state as it is. A peer that is LEAVING
 * is freed when the withdraws of its routes are published.
 *
 * The collector restores before it opens a session, so no peer is up or LEAVING
 * then. If one were, its restored routes would neither be freed without a
 * withdraw (LEAVING becomes STALE) nor withdrawn while their router is there
 * (up stays up).
 */
#ifndef RIB_PEER_FSM_H
#define RIB_PEER_FSM_H

#include <stdbool.h>
#include <stdint.h>

enum rib_peer_phase {
	RIB_PEER_DOWN,
	RIB_PEER_UP,	  /* by a Peer Up of this session */
	RIB_PEER_IMPLIED, /* up, because it sent routes without a Peer Up */
	RIB_PEER_STALE,	  /* its session was lost, or it was restored */
	RIB_PEER_LEAVING, /* down; freed when its withdraw queues are empty */
	RIB_PEER_PHASES
};

enum rib_peer_event {
	RIB_PEER_EV_PEER_UP,
	RIB_PEER_EV_ROUTES, /* Route Monitoring without a Peer Up */
	RIB_PEER_EV_PEER_DOWN,
	RIB_PEER_EV_DECONFIGURED, /* a Peer Down with this reason */
	RIB_PEER_EV_SESSION_LOST,
	RIB_PEER_EV_HOLD_OVER, /* the time for stale routes has passed */
	RIB_PEER_EV_PURGE,     /* by an operator */
	RIB_PEER_EV_RESTORED,  /* from a snapshot or the log */
	RIB_PEER_EVENTS
};

/* The state that follows @phase after @event. */
enum rib_peer_phase rib_peer_step(enum rib_peer_phase phase,
				  enum rib_peer_event event);

static inline bool rib_peer_phase_up(enum rib_peer_phase phase)
{
	return phase == RIB_PEER_UP || phase == RIB_PEER_IMPLIED;
}

#endif
