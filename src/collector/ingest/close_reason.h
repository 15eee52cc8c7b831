/*
 * collector/ingest/close_reason.h - why a connection was closed
 *
 * Every close has one of these: it is counted, logged by its name and, once a
 * session was open, published with its number. The numbers are part of the
 * schema's Event and never change.
 */
#ifndef COLLECTOR_INGEST_CLOSE_REASON_H
#define COLLECTOR_INGEST_CLOSE_REASON_H

#include "bmp/message.h"

enum ending {
	ENDING_NONE, /* still open */
	/* The router's doing */
	ENDING_CLOSED,	   /* between two messages */
	ENDING_CUT,	   /* in the middle of one */
	ENDING_RESET,	   /* the connection broke: reset, timed out */
	ENDING_TERMINATED, /* by a Termination message */
	/* What it sent */
	ENDING_BAD_VERSION,
	ENDING_TOO_SHORT, /* a length below that of the header */
	ENDING_TOO_LONG,  /* --max-frame */
	ENDING_HANDSHAKE, /* no whole message in --handshake-timeout */
	ENDING_IDLE,	  /* --idle-timeout */
	ENDING_NAMELESS,  /* --router-id found no identity */
	/* Ours */
	ENDING_REPLACED, /* the same router has a new session */
	ENDING_TWIN,	 /* two routers with one identity: this one refused */
	ENDING_DENIED,	 /* --allow, --deny */
	ENDING_FULL,	 /* --max-sessions */
	ENDING_FULL_ADDRESS, /* --max-sessions-per-ip */
	ENDING_OVERLOAD,     /* no shard could take it, or no memory */
	ENDING_ADMIN,	     /* an operator asked for it */
	ENDING_SHUTDOWN,
	ENDINGS
};

/* Why a stream that cannot be cut into frames is closed. */
enum ending ending_of_frame(enum bmp_frame_status status);

/*
 * Whether a session ends for the version of @frame: ENDING_BAD_VERSION if it is
 * 4 and @v4 says that drafts are not spoken, or ENDING_NONE.
 */
enum ending ending_of_version(const struct bmp_frame *frame, enum bmp_v4 v4);

/* Lower case, words joined by "_"; never NULL. */
const char *ending_name(enum ending e);

#endif
