/*
 * egress/batch.h - what becomes one message of the stream
 *
 * A batch holds one or more whole Cap'n Proto messages back to back, all of
 * one subject. A worker fills it, closes it and gives it to the bridge; the
 * publisher and the journal read it and give it back. Whoever holds a batch
 * owns it alone.
 *
 * The bytes grow while a worker fills them and keep their size when they are
 * used again. A fence has none. When a fence comes back its position says where
 * in the log the last message before it stands: the stream's sequence number,
 * or the journal's offset.
 */
#ifndef EGRESS_BATCH_H
#define EGRESS_BATCH_H

#include "egress/subject.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum egress_encoding {
	EGRESS_PLAIN,
	EGRESS_PACKED, /* Cap'n Proto's own packing */
	EGRESS_ZSTD,
	EGRESS_ENCODINGS
};

enum egress_batch_kind {
	EGRESS_BATCH_UPDATES,
	EGRESS_BATCH_EVENTS,
	EGRESS_BATCH_FENCE, /* nothing to publish: says when all before is safe */
	EGRESS_BATCH_KINDS
};

struct egress_batch {
	struct egress_batch *next; /* for whoever owns it */
	uint16_t worker;	   /* who made it, and gets it back */
	uint8_t kind;		   /* enum egress_batch_kind */
	uint8_t encoding;	   /* enum egress_encoding, of bytes */
	uint32_t updates;	   /* messages inside */
	uint32_t len;		   /* of bytes, as it goes out */
	uint32_t cap;
	uint32_t plain_len; /* before compression */
	uint32_t subject_len;
	uint64_t opened_ns;    /* monotonic: when its first update came in */
	uint64_t fence_number; /* FENCE: the worker's own number for it */
	uint64_t position;     /* FENCE, given back: see above */
	bool spooled; /* FENCE, given back: on disk, not in the stream */
	uint8_t *bytes;
	char subject[SUBJECT_MAX]; /* terminated */
};

/* An empty batch with room for @cap bytes, which may be 0. NULL: no memory. */
struct egress_batch *egress_batch_new(uint32_t cap);

/* Room for @cap bytes at least; what is there stays. -ENOMEM: as it was. */
int egress_batch_grow(struct egress_batch *batch, uint32_t cap);

/* NULL is fine. */
void egress_batch_free(struct egress_batch *batch);

/* What it takes of a bound in bytes: those it had before it was compressed. */
static inline uint32_t egress_batch_weight(const struct egress_batch *batch)
{
	return batch->plain_len > batch->len ? batch->plain_len : batch->len;
}

/* A list linked by next. NULL is fine. */
void egress_batch_free_all(struct egress_batch *list);

#endif
