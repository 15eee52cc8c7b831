/*
 * collector/ingest/identify.h - find the identity of a connection, and send it
 * to its owner shard
 *
 * An alias or an address is known immediately. Otherwise the first messages are
 * read here, on the accepting shard, with plain receives: at most
 * CONNECTION_EARLY_MAX bytes and for at most --handshake-timeout.
 *
 * Threads	The accepting shard.
 */
#ifndef COLLECTOR_INGEST_IDENTIFY_H
#define COLLECTOR_INGEST_IDENTIFY_H

#include "collector/ingest/connection.h"

/* Takes ownership of @connection. Does not wait. */
void identify_start(struct worker *w, struct connection *connection);

#endif
