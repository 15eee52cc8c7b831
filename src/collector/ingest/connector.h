/*
 * collector/ingest/connector.h - connect to routers that listen (RFC 7854 3.2)
 *
 * Each --connect HOST:PORT has a fiber on shard 0. For each attempt the fiber
 * resolves the name and tries the addresses in order. After each failure it
 * waits longer (up to a minute), and when a session has ended it connects
 * again. If the router has a key in the configuration, TCP segments are signed
 * (MD5).
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

/*
 * The main function of the fiber; runs until it is cancelled. @connector is a
 * struct connector.
 */
int connector_main(void *connector);

#endif
