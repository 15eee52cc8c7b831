/*
 * collector/http/connections.h - open HTTP connections: places and deadlines
 *
 * libmicrohttpd has one time limit, for silence, and one limit of connections,
 * at which it stops accepting. With these alone, whoever sends a byte now and
 * then keeps everybody else out. So each connection is listed here:
 *
 *	READING		until a whole request was read, HTTP_READ_SECONDS
 *	WORKING		a handler has it; handlers have deadlines of their own
 *	SENDING		until its answer was sent, HTTP_SEND_SECONDS
 *	STREAMING	events without end; sse.h has a limit of these
 *
 *	READING -> WORKING -> SENDING -> READING, or STREAMING to the end
 *
 * Where the places of all, or those of one address, are taken, a newcomer gets
 * that of the connection that is READING for the longest time. If none is, the
 * newcomer is *reserved*: it may ask for health and metrics and nothing else.
 *
 * Threads	any. Nothing here blocks.
 */
#ifndef COLLECTOR_HTTP_CONNECTIONS_H
#define COLLECTOR_HTTP_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_READ_SECONDS 30
#define HTTP_SEND_SECONDS 60

struct http_connection;
struct http_connections;
struct sockaddr;

enum http_connection_state {
	HTTP_CONNECTION_READING,
	HTTP_CONNECTION_WORKING,
	HTTP_CONNECTION_SENDING,
	HTTP_CONNECTION_STREAMING,
	HTTP_CONNECTION_ENDING, /* shut down; libmicrohttpd has not seen it */
};

struct http_connection_limits {
	size_t all;
	size_t per_address; /* IPv6: of a /64 */
	size_t reserved;    /* beyond these */
};

struct http_connection_stats {
	uint64_t opened;
	uint64_t evicted; /* made room for a newcomer */
	uint64_t expired; /* did not read or write in time */
	uint64_t open;	  /* now */
};

/* NULL: no memory. */
struct http_connections *http_connections_new(
	const struct http_connection_limits *limits);
void http_connections_free(struct http_connections *list);

/* A connection was accepted. NULL: no memory. @now: nanoseconds. */
struct http_connection *http_connection_open(struct http_connections *list,
					     int fd,
					     const struct sockaddr *peer,
					     int64_t now);

/* Before @fd is closed. NULL is fine. */
void http_connection_close(struct http_connection *connection);

void http_connection_set_state(struct http_connection *connection,
			       enum http_connection_state state, int64_t now);

bool http_connection_is_reserved(const struct http_connection *connection);

/* Shut down those whose time is over. */
void http_connections_expire(struct http_connections *list, int64_t now);

void http_connections_stats(struct http_connections *list,
			    struct http_connection_stats *out);

#endif
