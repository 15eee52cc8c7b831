/*
 * collector/ingest/identify.h - find out who has come, and send it to its owner
 *
 * An alias or an address is known at once. For the others the first messages
 * are read here, on the shard that accepted, with plain receives: at most
 * CONNECTION_EARLY_MAX of them and no longer than --handshake-timeout.
 *
 * Threads	The accepting shard.
 */
#ifndef COLLECTOR_INGEST_IDENTIFY_H
#define COLLECTOR_INGEST_IDENTIFY_H

#include "collector/ingest/connection.h"

/* Takes over @connection. Does not wait. */
void identify_start(struct worker *w, struct connection *connection);

#endif
