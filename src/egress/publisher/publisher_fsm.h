/*
 * egress/publisher/publisher_fsm.h - the states of the publisher
 *
 *	                 CONNECT             CONNECTED
 *	     STARTING ------------> CONNECTING --------> ESTABLISHING
 *	                             ^  |                 ^  |    |
 *	                     CONNECT |  | ATTEMPT_FAILED  |  |    | ESTABLISHED
 *	                             |  v                 |  |    v
 *	                            BACKOFF --------------+  | RESUMING
 *	                             ^  ^    CONNECTED       |    |
 *	                     SETTLED |  |                    |    | RESUMED
 *	                             |  +--------------------+    v
 *	                         SETTLING <-------------------- READY
 *	                                   STREAM_FAILED,
 *	                                   LINK_FAILED, NO_PROGRESS
 *
 *	CONNECTING, ESTABLISHING -- REFUSED -----> REFUSED
 *	CONNECTING, ESTABLISHING -- SUPERSEDED --> SUPERSEDED (final)
 *	REFUSED  -- CONNECT, CONNECTED ----------> as from BACKOFF
 *	RESUMING -- STREAM_FAILED, LINK_FAILED, NO_PROGRESS --> BACKOFF
 *	STARTING -- JOURNAL --> JOURNAL       STARTING -- DISCARD --> DISCARDING
 *	any      -- STOP -----> STOPPING      STOPPING -- STOPPED --> STOPPED
 *
 * Status and the log show this state. The link fiber raises CONNECT, CONNECTED,
 * ESTABLISHED, ATTEMPT_FAILED, REFUSED and SUPERSEDED, and STREAM_FAILED if the
 * stream was deleted; the main fiber raises the others. While RESUMING, READY
 * or SETTLING the link fiber waits until it is woken, so the main fiber alone
 * uses the connection.
 *
 * Pure: publisher_step() reads a table, and publisher_handle() runs the
 * actions.
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_FSM_H
#define EGRESS_PUBLISHER_PUBLISHER_FSM_H

#include <stdbool.h>

enum publisher_state {
	PUBLISHER_STARTING,   /* the publisher opens its folder */
	PUBLISHER_CONNECTING, /* the publisher connects to the broker */
	/* connected; link reads the end of the stream */
	PUBLISHER_ESTABLISHING,
	PUBLISHER_RESUMING, /* established; main settles the send queue */
	PUBLISHER_READY,
	PUBLISHER_SETTLING,   /* main waits for answers to messages in flight */
	PUBLISHER_BACKOFF,    /* link waits before the next attempt */
	PUBLISHER_REFUSED,    /* as BACKOFF; a person has to fix a setting */
	PUBLISHER_SUPERSEDED, /* another process has replaced this writer */
	PUBLISHER_JOURNAL,    /* no broker: the journal is the output */
	PUBLISHER_DISCARDING, /* all batches are discarded */
	PUBLISHER_STOPPING,   /* the publisher saves or publishes the rest */
	PUBLISHER_STOPPED,
	PUBLISHER_STATES
};

enum publisher_event {
	PUBLISHER_EV_JOURNAL, /* no broker is configured */
	/* neither broker nor journal is configured */
	PUBLISHER_EV_DISCARD,
	PUBLISHER_EV_CONNECT,	    /* an attempt begins by connecting */
	PUBLISHER_EV_CONNECTED,	    /* a connection is open, new or kept */
	PUBLISHER_EV_ESTABLISHED,   /* the end of the stream is known */
	PUBLISHER_EV_RESUMED,	    /* main has settled the send queue */
	PUBLISHER_EV_STREAM_FAILED, /* the stream did not store a message */
	PUBLISHER_EV_LINK_FAILED,   /* the connection cannot be used any more */
	/* nothing stored for stuck_ns, but the broker answers */
	PUBLISHER_EV_NO_PROGRESS,
	PUBLISHER_EV_SETTLED, /* no answer is awaited any more */
	PUBLISHER_EV_ATTEMPT_FAILED,
	PUBLISHER_EV_REFUSED,	 /* the attempt failed because of a setting */
	PUBLISHER_EV_SUPERSEDED, /* a later process has written to the stream */
	/* all batches are safe, or the deadline passed */
	PUBLISHER_EV_STOP,
	PUBLISHER_EV_STOPPED, /* the other fibers have ended */
	PUBLISHER_EVENTS
};

/* The actions of an event, performed in this order. */
enum publisher_action {
	/*
	 * Start the timer for settling and that for the time without a stream.
	 */
	PUBLISHER_START_SETTLING = 1 << 0,
	/*
	 * What the next attempt has to repair; each value includes the one
	 * before.
	 */
	PUBLISHER_REPAIR_STREAM = 1 << 1,
	PUBLISHER_REPAIR_LINK = 1 << 2,
	PUBLISHER_REPAIR_EPOCH = 1 << 3,
	/* call publisher_options.notice with the text */
	PUBLISHER_TELL = 1 << 4,
	PUBLISHER_WAKE_MAIN = 1 << 5,
	PUBLISHER_WAKE_LINK = 1 << 6,
	/* no action: the event cannot happen in this state */
	PUBLISHER_IMPOSSIBLE = 1 << 7,
};

struct publisher_step {
	/* the same state if the event is impossible */
	enum publisher_state next;
	unsigned actions; /* a set of enum publisher_action */
};

struct publisher_step publisher_step(enum publisher_state state,
				     enum publisher_event event);

/* The name of the state in the log and in status. */
const char *publisher_state_name(enum publisher_state state);

/* True if the stream is established and no failure was seen since. */
static inline bool publisher_state_is_up(enum publisher_state state)
{
	return state == PUBLISHER_RESUMING || state == PUBLISHER_READY;
}

#endif
