/*
 * collector/http/server.h - the collector over HTTP: health, state, queries
 *
 * libmicrohttpd has a thread, and the fibers that work on requests have a
 * runtime with another: neither is a worker's. A worker is asked through its
 * query queue (collector/query/worker_query.h) with a deadline, so no question can stall a router.
 * docs/http.md has every path.
 *
 * Threads	One, outside of fibers.
 */
#ifndef COLLECTOR_HTTP_SERVER_H
#define COLLECTOR_HTTP_SERVER_H

#include <stdint.h>

struct collector_env;
struct http;

/*
 * Listen where the configuration says; *@out is NULL if it is off, or if the
 * default address was taken by somebody else. Errors are logged. The workers'
 * query queue must be open.
 */
int http_start(const struct collector_env *env, struct http **out);

/* Where it listens. */
uint16_t http_port(const struct http *h);

/*
 * End all requests and free it. NULL is fine. -ETIMEDOUT: a handler did not
 * end in time; its threads may go on and use what the collector has, which must
 * then stay as it is until the process exits.
 */
int http_stop(struct http *h);

#endif
