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
 *	CONNECTING, ESTABLISHING -- SUPERSEDED --> SUPERSEDED, which is final
 *	REFUSED  -- CONNECT, CONNECTED ----------> as BACKOFF
 *	RESUMING -- STREAM_FAILED, LINK_FAILED, NO_PROGRESS --> BACKOFF
 *	STARTING -- JOURNAL --> JOURNAL       STARTING -- DISCARD --> DISCARDING
 *	any      -- STOP -----> STOPPING      STOPPING -- STOPPED --> STOPPED
 *
 * The state is what status and the log show. The link fiber raises
 * CONNECT, CONNECTED, ESTABLISHED, ATTEMPT_FAILED, REFUSED and SUPERSEDED, and
 * STREAM_FAILED if the stream was deleted; the main fiber raises the others.
 * While RESUMING, READY or SETTLING the link fiber waits until it is woken, so
 * the main fiber alone uses the connection.
 *
 * Pure: publisher_step() reads a table, and publisher_handle() runs the
 * actions.
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_FSM_H
#define EGRESS_PUBLISHER_PUBLISHER_FSM_H

#include <stdbool.h>

enum publisher_state {
	PUBLISHER_STARTING,	/* it opens its folder */
	PUBLISHER_CONNECTING,	/* to the broker */
	PUBLISHER_ESTABLISHING, /* connected; it finds out where to go on */
	PUBLISHER_RESUMING,	/* established; main applies what is stored */
	PUBLISHER_READY,
	PUBLISHER_SETTLING, /* it waits for answers to what is in flight */
	PUBLISHER_BACKOFF,  /* it waits before the next attempt */
	PUBLISHER_REFUSED,  /* as BACKOFF; a person has to correct something */
	PUBLISHER_SUPERSEDED, /* another process writes in its place */
	PUBLISHER_JOURNAL,    /* no broker: the journal is the output */
	PUBLISHER_DISCARDING, /* nothing is published at all */
	PUBLISHER_STOPPING,   /* what is in memory goes to the disk, if any */
	PUBLISHER_STOPPED,
	PUBLISHER_STATES
};

enum publisher_event {
	PUBLISHER_EV_JOURNAL,	    /* no broker is configured */
	PUBLISHER_EV_DISCARD,	    /* neither broker nor journal is */
	PUBLISHER_EV_CONNECT,	    /* an attempt begins with a connection */
	PUBLISHER_EV_CONNECTED,	    /* a new connection, or the one before */
	PUBLISHER_EV_ESTABLISHED,   /* the end of the stream is known */
	PUBLISHER_EV_RESUMED,	    /* main has applied it */
	PUBLISHER_EV_STREAM_FAILED, /* a message was not stored */
	PUBLISHER_EV_LINK_FAILED,   /* the connection is of no more use */
	PUBLISHER_EV_NO_PROGRESS, /* for a minute, though the broker answers */
	PUBLISHER_EV_SETTLED,	  /* no answer is awaited any more */
	PUBLISHER_EV_ATTEMPT_FAILED,
	PUBLISHER_EV_REFUSED,	 /* the attempt failed because of a setting */
	PUBLISHER_EV_SUPERSEDED, /* the stream has a later writer of our id */
	PUBLISHER_EV_STOP,	 /* all is safe, or the time for it is over */
	PUBLISHER_EV_STOPPED,	 /* the other fibers have ended */
	PUBLISHER_EVENTS
};

/* What an event causes, in this order. */
enum publisher_action {
	/* The settle time and the time without a stream begin. */
	PUBLISHER_START_SETTLING = 1 << 0,
	/* What the next attempt has to do; each includes the one before. */
	PUBLISHER_REPAIR_STREAM = 1 << 1,
	PUBLISHER_REPAIR_LINK = 1 << 2,
	PUBLISHER_REPAIR_EPOCH = 1 << 3,
	PUBLISHER_TELL = 1 << 4, /* publisher_options.notice, with the text */
	PUBLISHER_WAKE_MAIN = 1 << 5,
	PUBLISHER_WAKE_LINK = 1 << 6,
	PUBLISHER_IMPOSSIBLE = 1 << 7, /* nothing: the event cannot happen */
};

struct publisher_step {
	enum publisher_state next; /* of an impossible event: the same state */
	unsigned actions;	   /* enum publisher_action, a set */
};

struct publisher_step publisher_step(enum publisher_state state,
				     enum publisher_event event);

/* The name in the log and in status. */
const char *publisher_state_name(enum publisher_state state);

/* The stream is established, and no failure was seen since. */
static inline bool publisher_state_is_up(enum publisher_state state)
{
	return state == PUBLISHER_RESUMING || state == PUBLISHER_READY;
}

#endif
