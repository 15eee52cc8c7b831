/*
 * collector/http/connections.h - open HTTP connections: slots and deadlines
 *
 * libmicrohttpd has one timeout, for idle connections, and one connection
 * limit, at which it stops accepting. With these alone, clients that send a
 * byte now and then could keep all others out. So each connection is tracked
 * here:
 *
 *	READING		the request is read, for at most HTTP_READ_SECONDS
 *	WORKING		a handler runs; handlers have their own deadlines
 *	SENDING		the answer is sent, for at most HTTP_SEND_SECONDS
 *	STREAMING	events are sent without end; sse.h limits their number
 *
 *	READING -> WORKING -> SENDING -> READING, or STREAMING to the end
 *
 * If all slots, or those of one address, are occupied, a new connection
 * replaces the one that has been READING for the longest time. If none is
 * READING, the new connection is *reserved*: it may request only health and
 * metrics. If the reserved slots are occupied, too, it replaces the oldest
 * reserved connection.
 *
 * Threads	Any. No function blocks.
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
	/* its socket is shut down; libmicrohttpd has not noticed yet */
	HTTP_CONNECTION_ENDING,
};

struct http_connection_limits {
	size_t all;
	size_t per_address; /* maximum for an address; for IPv6 for a /64 */
	size_t reserved;    /* additional slots for reserved connections */
};

struct http_connection_stats {
	uint64_t opened;
	uint64_t evicted; /* connections closed to make room for a new one */
	uint64_t expired; /* connections closed at their deadline */
	uint64_t open;	  /* connections that are open now */
};

/* Make an empty list of connections; NULL if out of memory. */
struct http_connections *http_connections_new(
	const struct http_connection_limits *limits);
void http_connections_free(struct http_connections *list);

/* Add an accepted connection. NULL if out of memory. @now is in nanoseconds. */
struct http_connection *http_connection_open(struct http_connections *list,
					     int fd,
					     const struct sockaddr *peer,
					     int64_t now);

/* Remove the connection, before @fd is closed; @connection may be NULL. */
void http_connection_close(struct http_connection *connection);

void http_connection_set_state(struct http_connection *connection,
			       enum http_connection_state state, int64_t now);

bool http_connection_is_reserved(const struct http_connection *connection);

/* Shut down connections whose deadline has passed. */
void http_connections_expire(struct http_connections *list, int64_t now);

void http_connections_stats(struct http_connections *list,
			    struct http_connection_stats *out);

#endif
