/*
 * collector/ingest/session_run.h - the fiber of a BMP session
 *
 *	receive stream --> frames --> messages --> rib
 *
 * It claims its router, reads frames where the kernel put them, gives every
 * message to the rib, and before it waits for more it has what came of them
 * sent on its way. It holds no buffer while it waits: neither for the router,
 * nor for room in the bridge.
 *
 * Threads	The shard that owns the router.
 */
#ifndef COLLECTOR_INGEST_SESSION_RUN_H
#define COLLECTOR_INGEST_SESSION_RUN_H

/* @arg is a struct connection, and belongs to the session from now on. */
int session_main(void *arg);

#endif
