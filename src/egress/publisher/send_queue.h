/*
 * egress/publisher/send_queue.h - batches that are on their way and not yet safe, in order
 *
 *	head                 unsent                tail
 *	 | stored, sent ...     | waiting ...        |
 *
 * A bounded ring of flights with growing numbers. The publisher has two: one
 * to the stream, one to the disk. What leaves at the head is safe, so the
 * order of the ring is the order of the log. Pure.
 */
#ifndef EGRESS_PUBLISHER_SEND_QUEUE_H
#define EGRESS_PUBLISHER_SEND_QUEUE_H

#include "egress/batch.h"
#include "egress/message_id.h"

#include <stdbool.h>

enum flight_state {
	FLIGHT_WAITING,
	FLIGHT_SENT,
	FLIGHT_STORED,
};

struct flight {
	struct egress_batch *batch; /* NULL: it is read from the spool */
	struct record_id record;    /* of a mark: zero */
	uint64_t end;		    /* position behind it in the journal; 0 */
	uint64_t seq;		    /* in the stream, of its last piece */
	int64_t sent_ns;
	uint32_t len;
	uint32_t weight; /* of its batch */
	uint32_t updates;
	uint32_t pieces;     /* messages that it was sent as */
	uint32_t unanswered; /* of these */
	enum flight_state state;
};

struct flights {
	struct flight *ring;
	uint64_t mask;
	uint64_t head;
	uint64_t unsent;
	uint64_t tail;
	uint64_t weight; /* of all in it */
};

/* Room for @capacity at least. -ENOMEM. */
int flights_init(struct flights *f, uint32_t capacity);
void flights_fini(struct flights *f); /* batches in it are not freed */

static inline uint64_t flights_count(const struct flights *f)
{
	return f->tail - f->head;
}

static inline bool flights_full(const struct flights *f)
{
	return flights_count(f) > f->mask;
}

static inline bool flights_empty(const struct flights *f)
{
	return f->tail == f->head;
}

static inline uint64_t flights_in_flight(const struct flights *f)
{
	return f->unsent - f->head;
}

static inline struct flight *flights_at(const struct flights *f, uint64_t n)
{
	return &f->ring[n & f->mask];
}

static inline bool flight_is_mark(const struct flight *flight)
{
	return flight->batch != NULL &&
	       flight->batch->kind == EGRESS_BATCH_MARK;
}

/* The same of one that may have gone to the disk since. */
static inline bool flight_was_mark(const struct flight *flight)
{
	return flight->record.epoch == 0;
}

/* Append; it must not be full. The number of the new flight. */
uint64_t flights_push(struct flights *f, struct flight flight);

/* The oldest, or NULL. */
struct flight *flights_first(const struct flights *f);
void flights_drop_first(struct flights *f);

/* Forget all of them; the numbers go on. */
void flights_clear(struct flights *f);

/* All that were sent and not stored are to be sent again. */
void flights_unsend(struct flights *f);

#endif
