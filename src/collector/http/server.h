/*
 * collector/http/server.h - the HTTP server: health, state, queries
 *
 * libmicrohttpd has its own thread, and the fibers that process requests run in
 * a runtime with another thread. Workers use neither of these threads. A worker
 * is queried through its query queue (collector/query/worker_query.h) with a
 * deadline, so no request can stall a router. docs/http.md has every path.
 *
 * Threads	One, outside of fibers.
 */
#ifndef COLLECTOR_HTTP_SERVER_H
#define COLLECTOR_HTTP_SERVER_H

#include <stdint.h>

struct collector_env;
struct http;

/*
 * Start the server at the configured address. *@out is NULL if the server is
 * off, or if another process uses the default address. Errors are logged. The
 * query queues of the workers must be open.
 */
int http_start(const struct collector_env *env, struct http **out);

/* The port on which the server listens. */
uint16_t http_port(const struct http *h);

/*
 * End all requests and free the server; @h may be NULL. -ETIMEDOUT if a handler
 * did not end in time: its threads may continue and use the memory of the
 * collector, which must then stay valid until the process exits.
 */
int http_stop(struct http *h);

#endif
