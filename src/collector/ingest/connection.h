/*
 * collector/ingest/connection.h - a connection before its session starts on the
 * owner shard
 *
 *	accepting shard			owner shard
 *	listener: accept, admit,	---->	session_main()
 *	  find the identity
 *
 * A connection owns the socket, the slot in the session limits, and the bytes
 * that were read to find the identity. Its owner (the listener, then the
 * session) must call connection_end() once.
 */
#ifndef COLLECTOR_INGEST_CONNECTION_H
#define COLLECTOR_INGEST_CONNECTION_H

#include "collector/base/close_reason.h"
#include "collector/base/router_identity.h"
#include "collector/ingest/limits.h"

struct collector_env;
struct log_line;
struct sp_sem;
struct worker;

struct connection {
	const struct collector_env *env;
	int fd;
	uint16_t port;	     /* source port */
	uint8_t address[16]; /* source address; IPv4-mapped */
	/*
	 * Address and port of the balancer, if its PROXY header named the
	 * source.
	 */
	bool proxied;
	uint16_t via_port;
	uint8_t via[16];
	struct limits_place place;
	/* posted when the connection ends; NULL = nobody waits */
	struct sp_sem *ended;
	/* true when a session uses the connection and will log its end */
	bool claimed;
	struct rib_identity identity;
	/* The first bytes of the stream that were read already; NULL = none. */
	uint8_t *early;
	size_t early_len;
	size_t early_size;
};

/* Maximum of early bytes: enough for a Peer Up with all its capabilities. */
#define CONNECTION_EARLY_MAX (256 * 1024)

enum connection_keepalive {
	KEEPALIVE_NORMAL, /* a dead host is noticed after two minutes */
	/* one probe per second, to test whether the other host is alive */
	KEEPALIVE_PROBE,
};

/* Set the keepalive options. An option that cannot be set stays unchanged. */
void connection_set_keepalive(const struct connection *connection,
			      enum connection_keepalive how);

/*
 * Append more bytes of the stream to connection->early. Returns how many; 0 at
 * the end of the stream, -ENOBUFS if CONNECTION_EARLY_MAX is reached, or an
 * error of sp_recv_until(). Yields.
 */
int connection_read_early(struct connection *connection, int64_t deadline);

/* Make a connection without early bytes. NULL if out of memory. */
struct connection *connection_new(const struct collector_env *env, int fd,
				  const uint8_t address[16], uint16_t port);

/*
 * Wait until the connection has early bytes. Returns CLOSE_NONE, or the reason
 * if the connection ended or @deadline passed before. Yields.
 */
enum close_reason connection_wait_first_bytes(struct connection *connection,
					      int64_t deadline);

/*
 * Set the source to what the header of the PROXY protocol says. The address of
 * the socket is kept as the balancer's.
 */
void connection_set_source(struct connection *connection,
			   const uint8_t address[16], uint16_t port);

/* Log the source of the connection, and the balancer between. */
void connection_log_source(const struct connection *connection,
			   struct log_line *line);

/* Log a refused connection, with advice. */
void connection_log_refusal(struct worker *w, const uint8_t address[16],
			    uint16_t port, enum close_reason why);

/*
 * The reason to report: @why, or CLOSE_MADE_ROOM if the connection was evicted.
 */
enum close_reason connection_close_reason(const struct connection *connection,
					  enum close_reason why);

/*
 * Close the connection, release its slot, count and log the reason, and free
 * it. @w is the worker of the calling shard.
 */
void connection_end(struct connection *connection, struct worker *w,
		    enum close_reason why);

#endif
