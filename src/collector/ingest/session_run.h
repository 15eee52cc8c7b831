/*
 * collector/ingest/session_run.h - the fiber of a BMP session
 *
 *	receive stream --> frames --> messages --> rib
 *
 * The fiber claims its router, reads frames directly from the receive buffers
 * of the kernel, and passes every message to the rib. Before it waits for more
 * input, it has open batches closed and pushed. While it waits, for the router
 * or for space in the bridge, it holds no receive buffer.
 *
 * Threads	The shard that owns the router.
 */
#ifndef COLLECTOR_INGEST_SESSION_RUN_H
#define COLLECTOR_INGEST_SESSION_RUN_H

/*
 * The main function of the fiber. @arg is a struct connection, which from now
 * on belongs to the session.
 */
int session_main(void *arg);

#endif
