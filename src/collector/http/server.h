/*
 * collector/http/server.h - the HTTP server: health, state, queries
 *
 * libmicrohttpd has its own thread, and the fibers that process requests have a
 * runtime with another thread; neither is a worker's. A worker is queried
 * through its query queue (collector/query/worker_query.h) with a deadline, so
 * no request can stall a router. docs/http.md has every path.
 *
 * Threads	One, outside of fibers.
 */
#ifndef COLLECTOR_HTTP_SERVER_H
#define COLLECTOR_HTTP_SERVER_H

#include <stdint.h>

struct collector_env;
struct http;

/*
 * Listen where the configuration says; *@out is NULL if the server is off, or
 * if the default address is in use by another process. Errors are logged. The
 * workers' query queues must be open.
 */
int http_start(const struct collector_env *env, struct http **out);

/* The actual port. */
uint16_t http_port(const struct http *h);

/*
 * End all requests and free the server. NULL is fine. -ETIMEDOUT if a handler
 * did not end in time: its threads may continue and use the collector's memory,
 * which must then stay valid until the process exits.
 */
int http_stop(struct http *h);

#endif
