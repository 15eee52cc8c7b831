/*
 * egress/publisher/send_queue.h - batches to send and in flight, in order
 *
 *	head                 next_to_send          tail
 *	 | acked, sent ...      | queued ...         |
 *
 * A bounded ring of entries with growing numbers. The publisher has two: one
 * to the stream, one to the disk. What leaves at the head is safe, so the
 * order of the ring is the order of the log. Pure.
 */
#ifndef EGRESS_PUBLISHER_SEND_QUEUE_H
#define EGRESS_PUBLISHER_SEND_QUEUE_H

#include "egress/batch.h"
#include "egress/message_id.h"
#include "egress/publisher/send_pace.h"

#include <stdbool.h>

/*
 * Bytes that may be under way at any rate: a broker answers one batch as soon
 * as many, a sync takes about as long for little as for some megabytes.
 */
#define SEND_WIRE_FLOOR (UINT64_C(1) << 20)
#define SEND_DISK_FLOOR (UINT64_C(8) << 20)

enum send_state {
	SEND_QUEUED,
	SEND_SENT,
	SEND_ACKED,
};

struct send_entry {
	struct egress_batch *batch; /* NULL: it is read from the spool */
	struct record_id record;    /* of a fence: zero */
	uint64_t end;		    /* position behind it in the journal; 0 */
	uint64_t seq;		    /* in the stream, of its last piece */
	int64_t sent_ns;
	uint32_t len;
	uint32_t weight; /* of its batch */
	uint32_t updates;
	uint32_t pieces;     /* messages that it was sent as */
	uint32_t unanswered; /* of these */
	enum send_state state;
};

struct send_queue {
	struct send_entry *ring;
	uint64_t mask;
	uint64_t head;
	uint64_t next_to_send;
	uint64_t tail;
	uint64_t weight; /* of all in it */
	struct send_pace pace;
};

/* Room for @capacity at least; @floor of its pace. -ENOMEM. */
int send_queue_init(struct send_queue *f, uint32_t capacity, uint64_t floor);
void send_queue_fini(struct send_queue *f); /* batches in it are not freed */

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

/* The same of one that may have gone to the disk since. */
static inline bool send_entry_was_fence(const struct send_entry *entry)
{
	return entry->record.epoch == 0;
}

/* As much is under way as the other side makes safe in time. */
static inline bool send_queue_paced(const struct send_queue *f)
{
	return f->weight >= f->pace.limit;
}

/* Append; it must not be full. The number of the new entry. */
uint64_t send_queue_push(struct send_queue *f, struct send_entry entry);

/* The oldest, or NULL. */
struct send_entry *send_queue_first(const struct send_queue *f);
void send_queue_drop_first(struct send_queue *f);

/* The oldest, which was sent, is safe. */
void send_queue_note_safe(struct send_queue *f, int64_t now);

/* Forget all of them; the numbers go on. */
void send_queue_clear(struct send_queue *f);

/* All that were sent and not stored are to be sent again. */
void send_queue_rewind(struct send_queue *f);

#endif
