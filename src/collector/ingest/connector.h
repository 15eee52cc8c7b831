/*
 * collector/ingest/connector.h - connect to routers that listen (RFC 7854 3.2)
 *
 * One fiber for each --connect HOST:PORT, on shard 0. It resolves the name for
 * each attempt, tries the addresses in order, waits longer after each failure
 * (up to a minute), and connects again when a session has ended. If the router
 * has a key in the configuration, segments are signed.
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
