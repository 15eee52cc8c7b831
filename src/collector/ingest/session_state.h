/*
 * collector/ingest/session_state.h - the states of a BMP session
 *
 *	               CLAIMING
 *	                  | claimed
 *	                  v      input
 *	              NEW_IDLE ---------> NEW_READING
 *	                       <---------     |
 *	                         drained      | message
 *	                                      v
 *	                         drained
 *	             OPEN_IDLE <--------- OPEN_READING
 *	                       --------->   |      ^
 *	                         input      | hold | release
 *	                                    v      |
 *	             OPEN_IDLE <--------- OPEN_HELD
 *	                         drained
 *
 *	any state but CLOSED -- close --> CLOSED
 *
 * NEW: the session owns its router, and no usable message was received. OPEN:
 * the rib has an open session. READING: there are bytes that were received but
 * not processed. HELD: as READING, and the next message must wait until
 * withdraws of its router were published. A "drained" while idle, an "input" or
 * a "message" while reading or held and a "hold" while held change nothing.
 * Other events that are not drawn for a state cannot happen.
 *
 * session_step() is a pure function that reads a table; its caller runs the
 * actions.
 */
#ifndef COLLECTOR_INGEST_SESSION_STATE_H
#define COLLECTOR_INGEST_SESSION_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum session_state {
	SESSION_CLAIMING, /* the session does not own its router yet */
	SESSION_NEW_IDLE,
	SESSION_NEW_READING,
	SESSION_OPEN_IDLE,
	SESSION_OPEN_READING,
	SESSION_OPEN_HELD, /* the next message waits for pending withdraws */
	SESSION_CLOSED,
	SESSION_STATES
};

enum session_event {
	SESSION_EV_CLAIMED, /* the session owns its router now */
	SESSION_EV_INPUT,   /* bytes were received */
	SESSION_EV_MESSAGE, /* a usable message was decoded */
	SESSION_EV_HOLD,    /* a message must wait for pending withdraws */
	SESSION_EV_RELEASE, /* the message need not wait any more */
	SESSION_EV_DRAINED, /* all received bytes were processed */
	/* the connection has ended, or the session could not claim its router */
	SESSION_EV_CLOSE,
	SESSION_EVENTS
};

/* The actions of an event, performed in this order. */
enum session_action {
	/* count one more session with unread input */
	SESSION_COUNT_INPUT = 1 << 0,
	SESSION_RIB_OPEN = 1 << 1,
	/* stop the clock of the router in the rib */
	SESSION_RIB_PAUSE = 1 << 2,
	SESSION_LOG_OPEN = 1 << 3,
	SESSION_RIB_CLOSE = 1 << 4,
	/* add the counts of the session to the router's */
	SESSION_ADD_COUNTS = 1 << 5,
	/* count one less session with unread input */
	SESSION_END_INPUT = 1 << 6,
	/* restart the clock of the router in the rib */
	SESSION_RIB_RESUME = 1 << 7,
	SESSION_LOG_CLOSE = 1 << 8,
	/* no action: the event cannot happen in this state */
	SESSION_IMPOSSIBLE = 1 << 9,
};

struct session_step {
	enum session_state next; /* the same state if the event is impossible */
	unsigned actions;	 /* a set of enum session_action */
};

struct session_step session_step(enum session_state state,
				 enum session_event event);

static inline bool session_state_is_open(enum session_state state)
{
	return state >= SESSION_OPEN_IDLE && state <= SESSION_OPEN_HELD;
}

#endif
