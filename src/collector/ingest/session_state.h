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
 * NEW: the session owns its router, and no usable message has come. OPEN: the
 * rib has an open session. READING: bytes have come that are not processed.
 * HELD: the same, and the next message waits for withdraws of its router.
 * A "drained" while idle, an "input" or a "message" while reading or held and a
 * "hold" while held change nothing. No other event can happen in a state that
 * does not draw it.
 *
 * Pure: session_step() reads a table, and its caller runs the actions.
 */
#ifndef COLLECTOR_INGEST_SESSION_STATE_H
#define COLLECTOR_INGEST_SESSION_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum session_state {
	SESSION_CLAIMING, /* it does not own its router yet */
	SESSION_NEW_IDLE,
	SESSION_NEW_READING,
	SESSION_OPEN_IDLE,
	SESSION_OPEN_READING,
	SESSION_OPEN_HELD, /* the next message waits for withdraws */
	SESSION_CLOSED,
	SESSION_STATES
};

enum session_event {
	SESSION_EV_CLAIMED, /* it owns its router */
	SESSION_EV_INPUT,   /* bytes have come */
	SESSION_EV_MESSAGE, /* a usable message was decoded */
	SESSION_EV_HOLD,    /* a message must wait for withdraws */
	SESSION_EV_RELEASE, /* it need not wait any more */
	SESSION_EV_DRAINED, /* all bytes that came were processed */
	SESSION_EV_CLOSE,   /* the connection or the claim has ended */
	SESSION_EVENTS
};

/* What an event causes, in this order. */
enum session_action {
	SESSION_COUNT_INPUT = 1 << 0, /* one more session with input */
	SESSION_RIB_OPEN = 1 << 1,
	SESSION_RIB_PAUSE = 1 << 2, /* the clocks of the rib stand still */
	SESSION_LOG_OPEN = 1 << 3,
	SESSION_RIB_CLOSE = 1 << 4,
	SESSION_ADD_COUNTS = 1 << 5, /* to those of the router */
	SESSION_END_INPUT = 1 << 6,  /* one less session with input */
	SESSION_RIB_RESUME = 1 << 7, /* the clocks of the rib go on */
	SESSION_LOG_CLOSE = 1 << 8,
	SESSION_IMPOSSIBLE = 1 << 9, /* nothing: the event cannot happen */
};

struct session_step {
	enum session_state next; /* of an impossible event: the same state */
	unsigned actions;	 /* enum session_action, a set */
};

struct session_step session_step(enum session_state state,
				 enum session_event event);

static inline bool session_state_is_open(enum session_state state)
{
	return state >= SESSION_OPEN_IDLE && state <= SESSION_OPEN_HELD;
}

#endif
