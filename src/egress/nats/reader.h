/*
 * egress/nats/reader.h - read a stream in order, across restarts of the server
 *
 * The reader uses an ordered consumer. The server keeps this consumer in memory
 * and expects no acknowledgements. The reader creates it again, to start after
 * the last message received, whenever a message is missing, the heartbeat
 * stops, or the connection is lost.
 *
 * Threads	One at a time, and not on a shard, because all functions block.
 */
#ifndef EGRESS_NATS_READER_H
#define EGRESS_NATS_READER_H

#include "egress/batch.h"
#include "egress/nats/auth.h"

struct nats_reader;

enum nats_from {
	NATS_FROM_ALL,
	NATS_FROM_NEW,
	NATS_FROM_TIME, /* start at this time: wall clock in ns */
	NATS_FROM_SEQ,	/* start at this sequence of the stream */
};

struct nats_reader_options {
	struct nats_options nats;
	const char *stream;
	const char *filter; /* only messages of these subjects; NULL = all */
	enum nats_from from;
	uint64_t at;
};

/* A message as it was published, with its place in the stream. */
struct nats_read {
	uint64_t seq;
	uint64_t time_ns; /* when the stream stored the message */
	uint64_t pending; /* messages after it when it was delivered */
	const char *subject;
	const char *id; /* header Nats-Msg-Id, or NULL */
	enum egress_encoding encoding;
	const uint8_t *bytes;
	size_t len;
};

/* Connect and start reading. -ENOENT if the stream does not exist. */
int nats_reader_open(const struct nats_reader_options *options,
		     struct nats_error *why, struct nats_reader **out);

/* @r may be NULL. */
void nats_reader_close(struct nats_reader *r);

/*
 * Read the next message. Returns 1; the message is valid until the next call. 0
 * if no message came for @timeout_ms. -EBADMSG for an unknown encoding; later
 * messages can still be read.
 */
int nats_reader_next(struct nats_reader *r, int64_t timeout_ms,
		     struct nats_read *out);

#endif
