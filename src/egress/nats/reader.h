/*
 * egress/nats/reader.h - read a stream in order, across restarts of the server
 *
 * Uses an ordered consumer: it is in the server's memory, needs no
 * acknowledgements, and is created again after the last message seen whenever a
 * message is missing, the heartbeat stops, or the connection was lost.
 *
 * Threads	One at a time. Not on a shard: all functions block.
 */
#ifndef EGRESS_NATS_READER_H
#define EGRESS_NATS_READER_H

#include "egress/batch.h"
#include "egress/nats/auth.h"

struct nats_reader;

enum nats_from {
	NATS_FROM_ALL,
	NATS_FROM_NEW,
	NATS_FROM_TIME, /* at: wall clock in nanoseconds */
	NATS_FROM_SEQ,	/* at: the stream's sequence */
};

struct nats_reader_options {
	struct nats_options nats;
	const char *stream;
	const char *filter; /* filter of subjects; NULL = all */
	enum nats_from from;
	uint64_t at;
};

/* A message as it was published. */
struct nats_read {
	uint64_t seq;
	uint64_t time_ns; /* when it was stored */
	uint64_t pending; /* messages after it, at its delivery */
	const char *subject;
	const char *id; /* Nats-Msg-Id, or NULL */
	enum egress_encoding encoding;
	const uint8_t *bytes;
	size_t len;
};

/* Connect and start reading. -ENOENT if the stream does not exist. */
int nats_reader_open(const struct nats_reader_options *options,
		     struct nats_error *why, struct nats_reader **out);

/* NULL is fine. */
void nats_reader_close(struct nats_reader *r);

/*
 * The next message: 1; it is valid until the next call. 0 if none came for
 * @timeout_ms. -EBADMSG for an unknown encoding; later messages can still be
 * read.
 */
int nats_reader_next(struct nats_reader *r, int64_t timeout_ms,
		     struct nats_read *out);

#endif
