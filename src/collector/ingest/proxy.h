/*
 * collector/ingest/proxy.h - connections that a load balancer forwards
 *
 * A connection from a network of --proxy-protocol begins with a header that
 * names its source (proxy_header.h). From then on the collector treats it as a
 * connection from there: --allow, --deny, the session limits and the identity of
 * the router use the address of the header. Connections from elsewhere have no
 * header, and one that they send is not BMP.
 *
 * Threads	The accepting shard.
 */
#ifndef COLLECTOR_INGEST_PROXY_H
#define COLLECTOR_INGEST_PROXY_H

#include "collector/ingest/connection.h"

#include <spargio/time.h>

/* Time that a balancer has for the header: it sends it at once. */
#define PROXY_HEADER_TIMEOUT (10 * SP_S)

/* Connections of one worker that may wait for their header. */
#define PROXY_PENDING_MAX 1024

/* True if --proxy-protocol has the address of @connection. */
bool proxy_is_expected(const struct worker *w,
		       const struct connection *connection);

/*
 * Read the header in a fiber of its own, then admit the connection. Takes the
 * ownership of @connection. Returns 0, or -EPERM if it was refused. Does not
 * wait.
 */
int proxy_start(struct worker *w, struct connection *connection);

#endif
