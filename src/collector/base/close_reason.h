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
	/* The router's doing */
	CLOSE_CLOSED,	  /* between two messages */
	CLOSE_TRUNCATED,  /* in the middle of one */
	CLOSE_RESET,	  /* the connection broke: reset, timed out */
	CLOSE_TERMINATED, /* by a Termination message */
	/* What it sent */
	CLOSE_BAD_VERSION,
	CLOSE_TOO_SHORT,   /* a length below that of the header */
	CLOSE_TOO_LONG,	   /* --max-frame */
	CLOSE_HANDSHAKE,   /* no whole message in --handshake-timeout */
	CLOSE_IDLE,	   /* --idle-timeout */
	CLOSE_NO_IDENTITY, /* --router-id found no identity */
	/* Ours */
	CLOSE_REPLACED,		/* the same router has a new session */
	CLOSE_DUPLICATE_ROUTER, /* two routers with one identity: this one refused */
	CLOSE_DENIED,		/* --allow, --deny */
	CLOSE_MAX_SESSIONS,	   /* --max-sessions */
	CLOSE_MAX_SESSIONS_PER_IP, /* --max-sessions-per-ip */
	CLOSE_NO_RESOURCES,	   /* no shard could take it, or no memory */
	CLOSE_OPERATOR,		   /* an operator asked for it */
	CLOSE_SHUTDOWN,
	/* Later ones; the order of numbers says nothing. */
	CLOSE_FRAME_TIMEOUT, /* a message begun, not ended: --frame-timeout */
	CLOSE_MADE_ROOM,     /* places ran out, and it had named no peer */
	CLOSE_WRONG_NETWORK, /* its name is bound to networks it is not in */
	CLOSE_REASONS
};

/* Why a stream that cannot be cut into frames is closed. */
enum close_reason close_reason_of_frame(enum bmp_frame_status status);

/*
 * Whether a session ends for the version of @frame: CLOSE_BAD_VERSION if it is
 * 4 and @v4 says that drafts are not spoken, or CLOSE_NONE.
 */
enum close_reason close_reason_of_version(const struct bmp_frame *frame,
					  enum bmp_v4 v4);

/* Lower case, words joined by "_"; never NULL. */
const char *close_reason_name(enum close_reason e);

#endif
