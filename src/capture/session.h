/*
 * capture/session.h - one BMP session seen in a packet capture
 *
 *	TCP segments of one direction --> reassembly --> messages and events
 *
 *	HANDSHAKE -- first bytes are BMP ----------> SYNCED
 *	HANDSHAKE -- first bytes are not ----------> FOREIGN
 *	SEARCHING -- a segment starts like BMP ----> SYNCED
 *	SYNCED    -- bytes missing, framing lost --> SEARCHING
 *	any       -- FIN, RST, new SYN, end -------> CLOSED
 *
 * A session captured from its SYN begins with a message. A session without its
 * SYN, or with missing bytes, is read from the next segment that clearly begins
 * with a message, never from the middle of one.
 */
#ifndef CAPTURE_SESSION_H
#define CAPTURE_SESSION_H

#include "capture/packet.h"
#include "capture/reassembly.h"
#include "capture/stream.h"

enum capture_session_state {
	CAPTURE_SESSION_HANDSHAKE,
	CAPTURE_SESSION_SEARCHING,
	CAPTURE_SESSION_SYNCED,
	CAPTURE_SESSION_FOREIGN, /* some other protocol */
	CAPTURE_SESSION_CLOSED,
};

enum capture_session_end {
	CAPTURE_SESSION_CAPTURE_ENDED,
	CAPTURE_SESSION_FIN,
	CAPTURE_SESSION_RST,
	CAPTURE_SESSION_REPLACED, /* a new connection with the same ports */
};

enum capture_session_event_kind {
	/* the session is BMP; comes before its first frame */
	CAPTURE_SESSION_OPEN,
	CAPTURE_SESSION_FRAME,
	/* bytes are missing, reading continues after them */
	CAPTURE_SESSION_GAP,
	/* framing was lost although no bytes are missing */
	CAPTURE_SESSION_LOST,
	CAPTURE_SESSION_CLOSE,
};

struct capture_session {
	struct capture_endpoint from; /* the router */
	struct capture_endpoint to;   /* the collector */
	/* 1, 2, ... in the order of the OPEN events; 0 before the OPEN event */
	unsigned number;
	bool mid_session; /* the session began before the capture */
	uint32_t first;	  /* sequence number of the first byte of the session */
	uint32_t syn_len; /* bytes of data on the SYN */
	uint64_t time_ns; /* time of the last packet */

	enum capture_session_state state;
	enum capture_session_end end;
	bool open_said;
	bool fin_seen;
	uint32_t fin_at;
	uint64_t missing; /* bytes of the current gap */
	uint64_t skipped;
	enum bmp_frame_status lost; /* why framing was lost */
	struct capture_reassembly reassembly;
	struct capture_stream stream;

	/* owned by the caller, who frees it at CAPTURE_SESSION_CLOSE */
	void *user;

	/* For capture/sessions.c. */
	struct capture_session *chain;
	struct capture_session *older;
	struct capture_session *newer;
};

struct capture_session_event {
	enum capture_session_event_kind kind;
	struct bmp_frame frame; /* FRAME */
	/* FRAME: position of the frame in the session, in bytes */
	uint64_t offset;
	/* GAP: number of bytes that were not captured */
	uint64_t missing;
	/* GAP, LOST: number of captured bytes that could not be read */
	uint64_t skipped;
	/*
	 * LOST: why framing was lost. BMP_FRAME_WHOLE = the session ended
	 * inside a message.
	 */
	enum bmp_frame_status lost;
	enum capture_session_end end; /* CLOSE */
};

/*
 * Start a session with @segment, a SYN or a first segment that
 * capture_session_plausible() accepts.
 */
void capture_session_init(struct capture_session *session,
			  const struct capture_segment *segment);

void capture_session_fini(struct capture_session *session);

/*
 * Add a segment. Its payload is borrowed until capture_session_next() returns
 * false. 0 or -ENOMEM.
 */
int capture_session_push(struct capture_session *session,
			 const struct capture_segment *segment);

/* Call it when no more segments of the session come, for the reason @end. */
void capture_session_close(struct capture_session *session,
			   enum capture_session_end end);

/*
 * Set *@out to the next event of the segment; false if there is none. If out of
 * memory, bytes are lost and reported as a gap.
 */
bool capture_session_next(struct capture_session *session,
			  struct capture_session_event *out);

/* True if @bytes clearly begin with a BMP message. */
bool capture_session_plausible(struct wire_view bytes);

#endif
