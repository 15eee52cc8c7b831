/*
 * collector/base/close_reason.h - why a connection was closed
 *
 * Every close has one of these: it is counted, logged by its name and, once a
 * session was open, published with its number. The numbers are part of the
 * schema's Event and never change.
 */
#ifndef COLLECTOR_BASE_CLOSE_REASON_H
#define COLLECTOR_BASE_CLOSE_REASON_H

#include "bmp/message.h"

enum close_reason {
	CLOSE_NONE, /* still open */
	/* Caused by the router */
	CLOSE_CLOSED,	  /* the router closed it between two messages */
	CLOSE_TRUNCATED,  /* the router closed it within a message */
	CLOSE_RESET,	  /* the connection broke: reset or timed out */
	CLOSE_TERMINATED, /* the router sent a Termination message */
	/* Caused by what the router sent */
	CLOSE_BAD_VERSION,
	CLOSE_TOO_SHORT,   /* a length smaller than the header */
	CLOSE_TOO_LONG,	   /* a message above --max-frame */
	CLOSE_HANDSHAKE,   /* no whole message within --handshake-timeout */
	CLOSE_IDLE,	   /* no message within --idle-timeout */
	CLOSE_NO_IDENTITY, /* --router-id found no identity */
	/* Caused by the collector */
	CLOSE_REPLACED, /* the same router has a new session */
	/* two routers with one identity: this one was refused */
	CLOSE_DUPLICATE_ROUTER,
	CLOSE_DENIED,		   /* --allow, --deny */
	CLOSE_MAX_SESSIONS,	   /* --max-sessions */
	CLOSE_MAX_SESSIONS_PER_IP, /* --max-sessions-per-ip */
	/* no shard could take it, or out of memory */
	CLOSE_NO_RESOURCES,
	CLOSE_OPERATOR, /* an operator asked for it */
	CLOSE_SHUTDOWN,
	/* Added later; the order of the numbers has no meaning. */
	/* a message was begun but not completed: --frame-timeout */
	CLOSE_FRAME_TIMEOUT,
	/* evicted at --max-sessions: it had named no peer */
	CLOSE_MADE_ROOM,
	/* its name is bound to networks that do not contain its address */
	CLOSE_WRONG_NETWORK,
	/* a router that is not held, and no place for it: --max-routers */
	CLOSE_MAX_ROUTERS,
	CLOSE_REASONS
};

/* The close reason for a stream that cannot be split into frames. */
enum close_reason close_reason_of_frame(enum bmp_frame_status status);

/*
 * CLOSE_BAD_VERSION if the version of @frame is 4 and @v4 does not allow
 * drafts, else CLOSE_NONE.
 */
enum close_reason close_reason_of_version(const struct bmp_frame *frame,
					  enum bmp_v4 v4);

/* Lower case, words joined by "_"; never NULL. */
const char *close_reason_name(enum close_reason e);

#endif
