/*
 * egress/publisher/send_queue.h - batches to send and in flight, in order
 *
 * A bounded ring of entries, which are numbered in ascending order. The
 * publisher has two of these queues: one to the stream, one to the disk. An
 * entry leaves at the head when it is safe, so the order of the ring is the
 * order of the log. Pure functions.
 *
 *	head                 next_to_send          tail
 *	 | acked, sent ...      | queued ...         |
 */
#ifndef EGRESS_PUBLISHER_SEND_QUEUE_H
#define EGRESS_PUBLISHER_SEND_QUEUE_H

#include "egress/batch.h"
#include "egress/message_id.h"
#include "egress/publisher/send_pace.h"

#include <stdbool.h>

/*
 * Minimum limits of the bytes in flight, whatever the measured rate is. A
 * broker answers one batch as quickly as many, and a sync of a few bytes takes
 * about as long as a sync of some megabytes.
 */
#define SEND_WIRE_FLOOR (UINT64_C(1) << 20)
#define SEND_DISK_FLOOR (UINT64_C(8) << 20)

enum send_state {
	SEND_QUEUED,
	SEND_SENT,
	SEND_ACKED,
};

struct send_entry {
	struct egress_batch *batch; /* NULL = the bytes are in the spool only */
	struct record_id record;    /* id of the record; epoch 0 for a fence */
	/* end of its record in the journal; 0 = not written */
	uint64_t end;
	/* stream sequence of the last piece; 0 = not acked */
	uint64_t seq;
	int64_t sent_ns;
	uint32_t len;
	uint32_t weight; /* weight of the batch */
	uint32_t updates;
	uint32_t pieces;     /* number of messages sent for the entry */
	uint32_t unanswered; /* number of these messages without an answer */
	enum send_state state;
};

struct send_queue {
	struct send_entry *ring;
	uint64_t mask;
	uint64_t head;
	uint64_t next_to_send;
	uint64_t tail;
	uint64_t weight; /* total weight of the entries */
	struct send_pace pace;
};

/*
 * Make a queue for at least @capacity entries. @floor is the minimum of the
 * limit of bytes in flight. -ENOMEM.
 */
int send_queue_init(struct send_queue *f, uint32_t capacity, uint64_t floor);
/* does not free the batches in it */
void send_queue_fini(struct send_queue *f);

static inline uint64_t send_queue_count(const struct send_queue *f)
{
	return f->tail - f->head;
}

static inline bool send_queue_full(const struct send_queue *f)
{
	return send_queue_count(f) > f->mask;
}

static inline bool send_queue_empty(const struct send_queue *f)
{
	return f->tail == f->head;
}

static inline uint64_t send_queue_in_flight(const struct send_queue *f)
{
	return f->next_to_send - f->head;
}

static inline struct send_entry *send_queue_at(const struct send_queue *f,
					       uint64_t n)
{
	return &f->ring[n & f->mask];
}

static inline bool send_entry_is_fence(const struct send_entry *entry)
{
	return entry->batch != NULL && entry->batch->kind == EGRESS_BATCH_FENCE;
}

/* True if the entry is a fence, also if its batch is NULL. */
static inline bool send_entry_was_fence(const struct send_entry *entry)
{
	return entry->record.epoch == 0;
}

/* True if the weight in the queue has reached the limit of send_pace.h. */
static inline bool send_queue_paced(const struct send_queue *f)
{
	return f->weight >= f->pace.limit;
}

/*
 * Append an entry; the queue must not be full. Returns the number of the entry.
 */
uint64_t send_queue_push(struct send_queue *f, struct send_entry entry);

/* The oldest entry, or NULL. */
struct send_entry *send_queue_first(const struct send_queue *f);
void send_queue_drop_first(struct send_queue *f);

/* The oldest entry, which was sent, is safe now: measure the rate. */
void send_queue_note_safe(struct send_queue *f, int64_t now);

/* Remove all entries; the numbering continues. */
void send_queue_clear(struct send_queue *f);

/* Mark all entries that were sent but not stored to be sent again. */
void send_queue_rewind(struct send_queue *f);

#endif
