/*
 * collector/ingest/connector.h - call routers that listen themselves (RFC 7854 3.2)
 *
 * One fiber for each --connect HOST:PORT, on shard 0. It resolves the name
 * anew for each attempt and tries its addresses in order, waits longer after
 * each failure up to a minute, and calls again when a session ended. A router
 * that has a key in the configuration is called with signed segments.
 */
#ifndef COLLECTOR_INGEST_CONNECTOR_H
#define COLLECTOR_INGEST_CONNECTOR_H

#include <spargio/sync.h>

struct worker;

struct connector {
	struct worker *worker;
	const char *target; /* HOST:PORT */
	struct sp_sem ended;
};

/* The fiber, until it is cancelled. @connector is a struct connector. */
int connector_main(void *connector);

#endif
