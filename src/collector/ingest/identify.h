/*
 * collector/ingest/identify.h - find the identity of a connection, and send it
 * to its owner shard
 *
 * If an alias or the address is the identity, it is known immediately.
 * Otherwise the first messages are read on the accepting shard, with plain
 * receives: at most CONNECTION_EARLY_MAX bytes and for at most
 * --handshake-timeout.
 *
 * Threads	The accepting shard.
 */
#ifndef COLLECTOR_INGEST_IDENTIFY_H
#define COLLECTOR_INGEST_IDENTIFY_H

#include "collector/ingest/connection.h"

/*
 * Find the identity of @connection and send it to its owner shard. Takes the
 * ownership of @connection. Does not wait.
 */
void identify_start(struct worker *w, struct connection *connection);

#endif
