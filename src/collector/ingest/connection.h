/*
 * collector/ingest/connection.h - a connection before its session starts on the
 * owner shard
 *
 *	accepting shard			owner shard
 *	listener: accept, admit,	---->	session_main()
 *	  find the identity
 *
 * It owns the socket, its slot in the session limits and the bytes that were
 * read to find the identity. Its holder ends it, once.
 */
#ifndef COLLECTOR_INGEST_CONNECTION_H
#define COLLECTOR_INGEST_CONNECTION_H

#include "collector/base/close_reason.h"
#include "collector/base/router_identity.h"
#include "collector/ingest/limits.h"

struct collector_env;
struct sp_sem;
struct worker;

struct connection {
	const struct collector_env *env;
	int fd;
	uint16_t port;	     /* the router's port */
	uint8_t address[16]; /* the router's address; IPv4 mapped */
	struct limits_place place;
	struct sp_sem *ended; /* posted when it ends; NULL = nobody waits */
	bool claimed;	      /* it became a session, which logs its own end */
	struct rib_identity identity;
	/* Bytes already read from the start of the stream; NULL = none. */
	uint8_t *early;
	size_t early_len;
	size_t early_size;
};

/*
 * Maximum bytes read in advance: enough for a Peer Up with all its
 * capabilities.
 */
#define CONNECTION_EARLY_MAX (256 * 1024)

enum connection_keepalive {
	KEEPALIVE_NORMAL, /* a lost peer is noticed after two minutes */
	KEEPALIVE_PROBE,  /* a probe each second, to test whether it is alive */
};

/* Best effort: an option that cannot be set stays unchanged. */
void connection_set_keepalive(const struct connection *connection,
			      enum connection_keepalive how);

/*
 * Read more of the start of the stream into its early bytes. Returns how many;
 * 0 at the end, -ENOBUFS if there are too many, or an error of sp_recv_until().
 * Yields.
 */
int connection_read_early(struct connection *connection, int64_t deadline);

/* A heap copy, with nothing read yet. NULL if out of memory. */
struct connection *connection_new(const struct collector_env *env, int fd,
				  const uint8_t address[16], uint16_t port);

/*
 * Wait until the peer has sent something, which is then among the early bytes.
 * CLOSE_NONE, or the reason if it ended first. Yields.
 */
enum close_reason connection_wait_first_bytes(struct connection *connection,
					      int64_t deadline);

/* Log a refused connection, with advice. */
void connection_log_refusal(struct worker *w, const uint8_t address[16],
			    uint16_t port, enum close_reason why);

/* @why, or CLOSE_MADE_ROOM if the connection was evicted. */
enum close_reason connection_close_reason(const struct connection *connection,
					  enum close_reason why);

/*
 * Close the connection, release its slot, count and log the reason, free it. @w
 * is the shard's worker.
 */
void connection_end(struct connection *connection, struct worker *w,
		    enum close_reason why);

#endif
