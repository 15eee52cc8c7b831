/*
 * rib/peer.h - the life of one address family of one monitored peer
 *
 *	DOWN		-- peer up ------> SYNCING
 *	SYNCING		-- end of RIB ---> LIVE
 *	SYNCING, LIVE	-- session lost -> STALE
 *	STALE		-- peer up ------> SYNCING
 *	STALE		-- grace over ---> DOWN
 *	any		-- peer down ----> DOWN
 *
 * Stepping is pure: it says where to go and what the caller then owes. The
 * caller keeps the routes, the clock and the timer.
 */
#ifndef RIB_PEER_H
#define RIB_PEER_H

enum rib_peer_state {
	RIB_PEER_DOWN,
	RIB_PEER_SYNCING, /* up, initial dump still arriving */
	RIB_PEER_LIVE,
	RIB_PEER_STALE, /* router went away, routes kept for a while */
	RIB_PEER_STATES
};

enum rib_peer_event {
	RIB_EV_PEER_UP,
	RIB_EV_END_OF_RIB,
	RIB_EV_PEER_DOWN,
	RIB_EV_SESSION_LOST,
	RIB_EV_GRACE_OVER,
	RIB_PEER_EVENTS
};

/* What the caller owes for a step. */
enum rib_peer_duty {
	RIB_DUTY_UNSET, /* never returned; a hole in the table */
	RIB_DUTY_NONE,
	RIB_DUTY_REFUSE, /* the router broke the protocol: count it */
	RIB_DUTY_NEW_GENERATION,
	RIB_DUTY_SWEEP, /* withdraw what this generation did not repeat */
	RIB_DUTY_START_GRACE,
	RIB_DUTY_WITHDRAW_ALL,
};

struct rib_peer_step {
	enum rib_peer_state next;
	enum rib_peer_duty duty;
};

/* Both arguments must be in range. */
struct rib_peer_step rib_peer_step(enum rib_peer_state state,
				   enum rib_peer_event event);

#endif
