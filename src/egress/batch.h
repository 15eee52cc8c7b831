/*
 * egress/batch.h - the content of one message of the stream
 *
 * A batch holds one or more whole Cap'n Proto messages back to back, all of one
 * subject. A worker fills it, closes it and pushes it to the bridge; the
 * publisher and the journal read it and return it. A batch has one owner at a
 * time.
 *
 * The buffer grows while a worker fills it and keeps its size when the batch is
 * reused. A fence has no bytes. When a fence is returned, its position is that
 * of the last message before it in the log: the stream's sequence number, or
 * the journal's offset.
 */
#ifndef EGRESS_BATCH_H
#define EGRESS_BATCH_H

#include "egress/message_id.h"
#include "egress/subject.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum egress_encoding {
	EGRESS_PLAIN,
	EGRESS_PACKED, /* Cap'n Proto's packing */
	EGRESS_ZSTD,
	EGRESS_ENCODINGS
};

enum egress_batch_kind {
	EGRESS_BATCH_UPDATES,
	EGRESS_BATCH_EVENTS,
	/* no content: returned when everything before it is safe */
	EGRESS_BATCH_FENCE,
	EGRESS_BATCH_KINDS
};

struct egress_batch {
	struct egress_batch *next; /* next in a list of the current owner */
	/* the worker that made the batch and gets it back */
	uint16_t worker;
	uint8_t kind;	  /* enum egress_batch_kind */
	uint8_t encoding; /* enum egress_encoding of the bytes below */
	uint32_t updates; /* number of messages inside */
	uint32_t len;	  /* bytes as sent */
	uint32_t cap;
	uint32_t plain_len; /* bytes before compression */
	uint32_t subject_len;
	uint64_t opened_ns;    /* monotonic time of the first update */
	uint64_t fence_number; /* FENCE: the number that the worker gave */
	uint64_t position;     /* FENCE, returned: see the top */
	/* FENCE, returned: the messages before it are safe only in the spool */
	bool spooled;
	/*
	 * FENCE, returned: the last record made before the fence; epoch 0 =
	 * none
	 */
	struct record_id before;
	uint8_t *bytes;
	char subject[SUBJECT_MAX]; /* NUL-terminated */
};

/*
 * Return an empty batch with space for @cap bytes, which may be 0. NULL if out
 * of memory.
 */
struct egress_batch *egress_batch_new(uint32_t cap);

/*
 * Grow the buffer to at least @cap bytes and keep its content. -ENOMEM: the
 * batch is unchanged.
 */
int egress_batch_grow(struct egress_batch *batch, uint32_t cap);

/* @batch may be NULL. */
void egress_batch_free(struct egress_batch *batch);

/* The number of bytes that count for limits: the length before compression. */
static inline uint32_t egress_batch_weight(const struct egress_batch *batch)
{
	return batch->plain_len > batch->len ? batch->plain_len : batch->len;
}

/* Free the list, which is linked by next. @list may be NULL. */
void egress_batch_free_all(struct egress_batch *list);

#endif
