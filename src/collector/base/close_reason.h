/*
 * collector/base/close_reason.h - why a connection was closed
 *
 * Each close has one of these reasons. It is counted and logged by its name
 * and, if the session was open, published by its number. The numbers are part
 * of the schema's Event and never change.
 */
#ifndef COLLECTOR_BASE_CLOSE_REASON_H
#define COLLECTOR_BASE_CLOSE_REASON_H

#include "bmp/message.h"

enum close_reason {
	CLOSE_NONE, /* the connection is still open */
	/* Caused by the router */
	/* the router closed the connection between two messages */
	CLOSE_CLOSED,
	/* the router closed the connection within a message */
	CLOSE_TRUNCATED,
	CLOSE_RESET,	  /* the connection broke: reset or timed out */
	CLOSE_TERMINATED, /* the router sent a Termination message */
	/* Caused by data that the router sent, or did not send in time */
	CLOSE_BAD_VERSION,
	CLOSE_TOO_SHORT,   /* a length smaller than the header */
	CLOSE_TOO_LONG,	   /* a message above --max-frame */
	CLOSE_HANDSHAKE,   /* no whole message within --handshake-timeout */
	CLOSE_IDLE,	   /* no message within --idle-timeout */
	CLOSE_NO_IDENTITY, /* --router-id found no identity */
	/* Caused by the collector */
	CLOSE_REPLACED, /* the same router has opened a new session */
	/* refused, because another session has the same identity */
	CLOSE_DUPLICATE_ROUTER,
	CLOSE_DENIED,		   /* refused by --allow or --deny */
	CLOSE_MAX_SESSIONS,	   /* --max-sessions */
	CLOSE_MAX_SESSIONS_PER_IP, /* --max-sessions-per-ip */
	/* no shard could accept the connection, or out of memory */
	CLOSE_NO_RESOURCES,
	CLOSE_OPERATOR, /* an operator requested it */
	CLOSE_SHUTDOWN,
	/* Added later: the order of the numbers has no meaning. */
	/* a message was not complete within --frame-timeout */
	CLOSE_FRAME_TIMEOUT,
	/* evicted at --max-sessions, because it had not named a peer */
	CLOSE_MADE_ROOM,
	/* "networks" of the router's name do not contain the address */
	CLOSE_WRONG_NETWORK,
	/* the router has no entry, and --max-routers allows no more */
	CLOSE_MAX_ROUTERS,
	/* no valid header of the PROXY protocol from a balancer */
	CLOSE_BAD_PROXY_HEADER,
	CLOSE_REASONS
};

/* The close reason for an error in splitting the stream into frames. */
enum close_reason close_reason_of_frame(enum bmp_frame_status status);

/*
 * CLOSE_BAD_VERSION if @frame has version 4 and @v4 does not allow drafts; else
 * CLOSE_NONE.
 */
enum close_reason close_reason_of_version(const struct bmp_frame *frame,
					  enum bmp_v4 v4);

/* The name of @e: lower case, words joined by "_"; never NULL. */
const char *close_reason_name(enum close_reason e);

#endif
