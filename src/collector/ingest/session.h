/*
 * collector/ingest/session.h - a BMP session, from its first byte to its last
 *
 *	receive stream --> frames --> messages --> rib
 *
 * A fiber on the shard that owns the router. It reads frames where the kernel
 * put them, gives every message to the rib, and before it waits for more it
 * has what came of them sent on its way. It holds no buffer while it waits:
 * neither for the router, nor for room in the bridge.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_INGEST_SESSION_H
#define COLLECTOR_INGEST_SESSION_H

#include "bmp/decode_context.h"
#include "collector/router/close_reason.h"
#include "rib/rib.h"

#include <spargio/fiber.h>

struct connection;
struct router;
struct sp_rstream;
struct worker;

/* Bytes of a sysName that are kept. */
#define SESSION_NAME_MAX 128

struct session {
	struct session *next, **link; /* of all sessions of the worker */
	struct worker *worker;
	struct connection *connection;
	struct router *router;
	struct sp_task task;
	struct sp_rstream *stream;
	size_t need_bytes;	 /* bytes the next message needs, at least */
	uint8_t close_reason;	 /* enum close_reason: why it is to stop */
	bool replaced_other;	 /* it threw another one out */
	bool open;		 /* the rib knows of it */
	bool initiated;		 /* by an Initiation message */
	bool input_drained;	 /* all that came was read */
	int64_t opened;		 /* sp_now() */
	int64_t last_message_ns; /* the same, of the last message; 0: none */
	int64_t resumed_ns;	 /* the same, since the last pause; 0: none */
	struct rib_when when;	 /* of the segment being read */
	/*
	 * How its bytes are read. A reload changes it for the next session: a
	 * dump of which one half was read another way would never be whole.
	 */
	int bmp_v4;			  /* enum bmp_v4 */
	const struct bgp_overrides *over; /* those below; NULL: none */
	struct bgp_overrides overrides;
	uint64_t messages;
	uint64_t bytes;
	uint64_t errors; /* messages that could not be read as they should */
	char sys_name[SESSION_NAME_MAX + 1];
};

/* The fiber. @arrival is a struct connection, and its own from now on. */
int session_main(void *connection);

/*
 * The worker's drain_until is set: have it read what has come so far, no
 * longer than that, and end.
 */
void session_drain(struct session *s);

/* Make it end for @why, soon. The first reason stands. */
void session_stop(struct session *s, enum close_reason why);

/* Whether the router closed the connection: what is left can be read. */
bool session_closed_by_router(const struct session *s);

#endif
