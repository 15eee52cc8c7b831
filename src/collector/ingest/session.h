/*
 * collector/ingest/session.h - a BMP session, from its first byte to its last
 *
 * session_run.h is its fiber, session_messages.h what it does with messages.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_INGEST_SESSION_H
#define COLLECTOR_INGEST_SESSION_H

#include "bmp/decode_context.h"
#include "bmp/rm_tlv.h"
#include "bmp/text.h"
#include "collector/base/close_reason.h"
#include "collector/ingest/identity_rule.h"
#include "collector/ingest/session_state.h"
#include "rib/apply.h"

#include <spargio/fiber.h>

struct connection;
struct router;
struct sp_rstream;
struct worker;

/* Bytes of a sysName that are kept. */
#define SESSION_NAME_MAX TEXT_NAME_MAX

/*
 * Output of a session that may be in the bridge, in turns of as many bytes as
 * one may make: what others of the worker send is behind it.
 */
#define SESSION_SHARE 2

/* What a router has sent so far, in any order. */
enum session_said {
	SESSION_SAID_INITIATION = 1 << 0,
	SESSION_SAID_PEER = 1 << 1, /* a message that names a peer */
};

struct session {
	struct session *next, **link; /* of all sessions of the worker */
	struct worker *worker;
	struct connection *connection;
	struct router *router;
	struct sp_task task;
	struct sp_rstream *stream;
	size_t need_bytes; /* bytes the next message needs, at least */
	enum session_state state;
	uint8_t close_reason;	 /* enum close_reason: why it is to stop */
	bool contested;		 /* it took over from one that was alive */
	uint8_t said;		 /* enum session_said, a set */
	int64_t opened;		 /* sp_now() */
	int64_t last_message_ns; /* the same, of the last message; 0: none */
	int64_t frame_ns;	 /* the same, of a message begun; 0: none */
	int64_t resumed_ns;	 /* the same, since the last pause; 0: none */
	struct rib_time when;	 /* of the segment being read */
	/*
	 * A turn ends when its budget is spent, if need be within a message, or
	 * when the shard has polled for events: see begin_turn().
	 */
	struct rib_budget budget;
	uint64_t turn;	    /* sp_shard_turn() of the current turn */
	uint64_t turn_made; /* bytes of output of the current turn */
	uint64_t turn_routes;
	struct rib_progress progress; /* of the next message */
	uint32_t counted;	      /* messages to come that were counted */
	/* Where its last turns that were full end in the bridge; a ring. */
	uint64_t places[SESSION_SHARE];
	uint32_t place;
	uint64_t unplaced; /* bytes made since the last of them */
	/*
	 * How its bytes are read. A reload changes it for the next session: a
	 * dump of which one half was read another way would never be whole.
	 */
	int bmp_v4;			  /* enum bmp_v4 */
	struct bmp_sequence sequence;	  /* numbers of version 4 */
	uint64_t lost;			  /* messages lost, not reported yet */
	const struct bgp_overrides *over; /* those below; NULL: none */
	struct bgp_overrides overrides;
	uint64_t messages;
	uint64_t bytes;
	uint64_t errors;  /* messages that could not be read as they should */
	uint64_t serial;  /* of all sessions of the worker */
	uint32_t probers; /* newcomers that wait for a sign of its life */
	struct identity_facts facts; /* what it said of itself */
};

/*
 * The worker's drain_until is set: have it read what has come so far, no
 * longer than that, and end.
 */
void session_drain(struct session *s);

/*
 * Enter the state that follows @event and run its actions. At SESSION_EV_CLOSE
 * close_reason is why.
 */
void session_handle(struct session *s, enum session_event event);

/* Make it end for @why, soon. The first reason stands. */
void session_stop(struct session *s, enum close_reason why);

/* Whether it was told to end, or the router closed the connection. */
bool session_is_ending(const struct session *s);

/* Report the messages that the router did not send, if any. */
void session_report_lost(struct session *s);

/* Keep what an Initiation says of the router's name. False: it was cut. */
bool session_read_name(const struct bmp_message *msg,
		       char out[SESSION_NAME_MAX + 1]);

#endif
