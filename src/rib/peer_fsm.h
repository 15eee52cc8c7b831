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
 * An event that is not listed for a state does not change it. A peer that is
 * LEAVING is freed when the withdraws of its routes are published.
 *
 * The collector restores a router before it opens a session, so no peer is up
 * or LEAVING at that time. If one were, RESTORED would still be safe: LEAVING
 * becomes STALE, so that the restored routes are not freed without a withdraw,
 * and a peer that is up stays up, so that they are not withdrawn while the
 * session is open.
 */
#ifndef RIB_PEER_FSM_H
#define RIB_PEER_FSM_H

#include <stdbool.h>
#include <stdint.h>

enum rib_peer_phase {
	RIB_PEER_DOWN,
	RIB_PEER_UP,	  /* up, by a Peer Up in this session */
	RIB_PEER_IMPLIED, /* up, because it sent routes without a Peer Up */
	RIB_PEER_STALE,	  /* the session was lost, or the peer was restored */
	RIB_PEER_LEAVING, /* down; freed when its withdraw queues are empty */
	RIB_PEER_PHASES
};

enum rib_peer_event {
	RIB_PEER_EV_PEER_UP,
	RIB_PEER_EV_ROUTES, /* a Route Monitoring without a Peer Up */
	RIB_PEER_EV_PEER_DOWN,
	/* a Peer Down whose reason is de-configuration */
	RIB_PEER_EV_DECONFIGURED,
	RIB_PEER_EV_SESSION_LOST,
	RIB_PEER_EV_HOLD_OVER, /* the hold time of stale routes has ended */
	RIB_PEER_EV_PURGE,     /* an operator removes the peer */
	RIB_PEER_EV_RESTORED,  /* restored from a snapshot or the log */
	RIB_PEER_EVENTS
};

/* The phase that follows @phase after @event. */
enum rib_peer_phase rib_peer_step(enum rib_peer_phase phase,
				  enum rib_peer_event event);

static inline bool rib_peer_phase_up(enum rib_peer_phase phase)
{
	return phase == RIB_PEER_UP || phase == RIB_PEER_IMPLIED;
}

#endif
