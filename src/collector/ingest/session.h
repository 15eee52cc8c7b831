/*
 * collector/ingest/session.h - a BMP session, from its first byte to its last
 *
 * session_run.h has the fiber of a session, session_messages.h processes its
 * messages.
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

/* Maximum bytes of a sysName that are kept. */
#define SESSION_NAME_MAX TEXT_NAME_MAX

/*
 * Maximum output of a session in the bridge, in full turns. A session that has
 * so much there waits, because the output of the other sessions of the worker
 * is queued behind its output.
 */
#define SESSION_SHARE 2

/* A set of bits: the kinds of message that the router has sent so far. */
enum session_said {
	SESSION_SAID_INITIATION = 1 << 0,
	SESSION_SAID_PEER = 1 << 1, /* a message that names a peer */
};

struct session {
	/* links in the list of all sessions of the worker */
	struct session *next, **link;
	struct worker *worker;
	struct connection *connection;
	struct router *router;
	struct sp_task task;
	struct sp_rstream *stream;
	size_t need_bytes; /* minimum bytes of the next message */
	enum session_state state;
	/*
	 * enum close_reason: why the session must end; CLOSE_NONE = it goes on
	 */
	uint8_t close_reason;
	/* the session took over its router from a session that was alive */
	bool contested;
	uint8_t said;		 /* a set of enum session_said */
	int64_t opened;		 /* sp_now() when the session was opened */
	int64_t last_message_ns; /* time of the last message; 0 = none yet */
	/* time when an incomplete message began; 0 = none */
	int64_t frame_ns;
	/* time when the last pause ended; 0 = no pause */
	int64_t resumed_ns;
	struct rib_time when; /* time when the current segment was read */
	/*
	 * The budget of a turn. A turn ends when the budget is spent, if
	 * necessary within a message, or when the shard has polled for events:
	 * see begin_turn().
	 */
	struct rib_budget budget;
	uint64_t turn;	    /* sp_shard_turn() of the current turn */
	uint64_t turn_made; /* bytes of output of the current turn */
	uint64_t turn_routes;
	struct rib_progress progress; /* progress in the next message */
	/* messages that were counted and will be read again */
	uint32_t counted;
	/*
	 * Ring of positions in the bridge: the ends of the last full turns of
	 * this session.
	 */
	uint64_t places[SESSION_SHARE];
	uint32_t place;
	/* bytes of output after the last of these positions */
	uint64_t unplaced;
	/*
	 * How the bytes of the session are decoded. A reload changes this only
	 * for the next session: a table dump whose two halves were decoded
	 * differently would never be complete.
	 */
	int bmp_v4;		      /* enum bmp_v4 */
	struct bmp_sequence sequence; /* numbers of version 4 */
	uint64_t lost;		      /* messages lost, not reported yet */
	/* &overrides, or NULL if there are none */
	const struct bgp_overrides *over;
	struct bgp_overrides overrides;
	uint64_t messages;
	uint64_t bytes;
	uint64_t errors; /* messages with an error */
	/* number of the session among all sessions of the worker so far */
	uint64_t serial;
	/* newer sessions that wait until this one shows that it is alive */
	uint32_t probers;
	/* facts that the router has sent about itself */
	struct identity_facts facts;
};

/*
 * Call it when the worker's drain_until is set: the session reads the bytes
 * that have arrived so far, until drain_until at most, and ends.
 */
void session_drain(struct session *s);

/*
 * Change the state as session_state.h says for @event, and run the actions. For
 * SESSION_EV_CLOSE, s->close_reason must be set.
 */
void session_handle(struct session *s, enum session_event event);

/*
 * Request that the session ends soon, for the reason @why. The reason of the
 * first call is kept.
 */
void session_stop(struct session *s, enum close_reason why);

/*
 * True if the session was requested to end, or the router has closed the
 * connection.
 */
bool session_is_ending(const struct session *s);

/* Report the messages that the router did not send, if any. */
void session_report_lost(struct session *s);

/* Copy the sysName of an Initiation to @out. False if it was truncated. */
bool session_read_name(const struct bmp_message *msg,
		       char out[SESSION_NAME_MAX + 1]);

#endif
