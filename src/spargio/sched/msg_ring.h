/*
 * spargio/sched/msg_ring.h - a bounded queue of messages between two threads
 *
 * A message of up to 8 bytes is one slot. A longer one continues in the
 * following slots, 16 bytes each; all its slots are published together.
 */
#ifndef SPARGIO_SCHED_MSG_RING_H
#define SPARGIO_SCHED_MSG_RING_H

#include "spargio/sched/spsc_ring.h"

#include <spargio/message.h>

struct sp__msg_slot {
	uint16_t tag;
	uint16_t from;
	uint32_t len;
	uint64_t value;
};

struct sp__msg_ring {
	struct sp__spsc_ring ring; /* slots are struct sp__msg_slot */
};

/* 0 or -ENOMEM. */
int sp__msg_ring_init(struct sp__msg_ring *q, uint32_t capacity);
void sp__msg_ring_fini(struct sp__msg_ring *q);

/* Producer: true if @slots more fit. */
static inline bool sp__msg_ring_has_room(struct sp__msg_ring *q, uint32_t slots)
{
	return sp__spsc_ring_has_room(&q->ring, slots);
}

/*
 * Producer: append a message; there must be space. The consumer does not see
 * the message before sp__msg_ring_publish().
 */
static inline void sp__msg_ring_fill(struct sp__msg_ring *q, uint16_t from,
				     uint16_t tag, uint64_t value)
{
	struct sp__msg_slot *slots = q->ring.slots;

	slots[sp__spsc_ring_fill(&q->ring)] = (struct sp__msg_slot){
		.tag = tag, .from = from, .value = value
	};
}

/* Producer: slots that a message of @len bytes takes. */
static inline uint32_t sp__msg_ring_slots(size_t len)
{
	return len <= 8 ? 1 : 1 + (uint32_t)(len - 8 + 15) / 16;
}

void sp__msg_ring_fill_data(struct sp__msg_ring *q, uint16_t from, uint16_t tag,
			    const void *data, size_t len);

/* Producer: make all filled slots visible to the consumer. */
static inline void sp__msg_ring_publish(struct sp__msg_ring *q)
{
	sp__spsc_ring_publish(&q->ring);
}

/* Consumer: true if there is a message. */
static inline bool sp__msg_ring_ready(struct sp__msg_ring *q)
{
	return sp__spsc_ring_ready(&q->ring, sp__spsc_ring_head(&q->ring));
}

/*
 * Consumer: take the oldest message. The caller has checked that there is one.
 */
void sp__msg_ring_take(struct sp__msg_ring *q, struct sp_msg *out);

#endif
