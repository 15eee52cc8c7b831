/*
 * collector/ingest/connection.h - a connection on its way to the shard that owns it
 *
 *	accepting shard			owner shard
 *	listener: accept, admit,	---->	session_main()
 *	  find the identity
 *
 * It owns the socket, its share of the session limits and the bytes that were
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
	uint16_t port;	     /* of the router */
	uint8_t address[16]; /* the same; IPv4 mapped */
	struct limits_place place;
	struct sp_sem *ended; /* posted at its end; NULL: nobody waits */
	bool claimed;	      /* it became a session, whose end is logged */
	struct rib_identity identity;
	/* Read already, from the start of the stream; NULL: nothing. */
	uint8_t *early;
	size_t early_len;
	size_t early_size;
};

/* Bytes that are read ahead: a Peer Up with all its capabilities is there. */
#define CONNECTION_EARLY_MAX (256 * 1024)

enum connection_keepalive {
	KEEPALIVE_NORMAL, /* gone without a word: noticed after two minutes */
	KEEPALIVE_PROBE,  /* a probe each second, to see whether it lives */
};

/* Best effort: what cannot be set stays as it was. */
void connection_set_keepalive(const struct connection *connection,
			      enum connection_keepalive how);

/*
 * Read some more of the start of the stream into its early bytes. How many;
 * 0 at the end, -ENOBUFS: there are too many, or as sp_recv_until(). Yields.
 */
int connection_read_early(struct connection *connection, int64_t deadline);

/* A copy in memory of its own, with nothing read yet. NULL: no memory. */
struct connection *connection_new(const struct collector_env *env, int fd,
				  const uint8_t address[16], uint16_t port);

/*
 * Wait until it has sent something, of which nothing is taken. CLOSE_NONE, or
 * how it ended without a word. Yields.
 */
enum close_reason connection_wait_first_bytes(
	const struct connection *connection, int64_t deadline);

/* Say that somebody was refused, and what to do about it. */
void connection_log_refusal(struct worker *w, const uint8_t address[16],
			    uint16_t port, enum close_reason why);

/* @why, or that it had to make room if its end was made by that. */
enum close_reason connection_close_reason(const struct connection *connection,
					  enum close_reason why);

/* Close it, give back its place, count and log why, free it. @w: the shard's. */
void connection_end(struct connection *connection, struct worker *w,
		    enum close_reason why);

#endif
