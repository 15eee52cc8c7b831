/*
 * spargio/sched/msg_ring.h - a bounded queue of messages from one thread to another
 *
 * Indices count up for ever and wrap at 2^32; the slot is index & mask. The
 * producer may fill slots well ahead of the tail it has published, so that a
 * run of messages costs one store the consumer can see.
 *
 * A message of up to 8 bytes is one slot. A longer one goes on in the slots
 * behind it, 16 bytes each; all of it is published at once.
 */
#ifndef SPARGIO_SCHED_MSG_RING_H
#define SPARGIO_SCHED_MSG_RING_H

#include "spargio/sched/spin.h"

#include <spargio/message.h>

#include <stdalign.h>

struct sp__msg_slot {
	uint16_t tag;
	uint16_t from;
	uint32_t len;
	uint64_t value;
};

struct sp__msg_ring {
	/* Set once. */
	struct sp__msg_slot *slots;
	uint32_t capacity;
	uint32_t mask;

	/* Producer. */
	alignas(SP__CACHE_LINE) _Atomic uint32_t tail; /* published */
	uint32_t filled; /* up to here there are messages */
	uint32_t head_seen;

	/* Consumer. */
	alignas(SP__CACHE_LINE) _Atomic uint32_t head;
	uint32_t tail_seen;
};

int sp__msg_ring_init(struct sp__msg_ring *ring, uint32_t capacity);
void sp__msg_ring_fini(struct sp__msg_ring *ring);

/* Producer: true if @slots more fit. */
static inline bool sp__msg_ring_room(struct sp__msg_ring *ring, uint32_t slots)
{
	if (ring->filled - ring->head_seen + slots <= ring->capacity)
		return true;
	/* Pairs with the release in take: the slots have been read. */
	ring->head_seen =
		atomic_load_explicit(&ring->head, memory_order_acquire);
	return ring->filled - ring->head_seen + slots <= ring->capacity;
}

/* Producer: append; there is room. Not visible before publish. */
static inline void sp__msg_ring_fill(struct sp__msg_ring *ring, uint16_t from,
				     uint16_t tag, uint64_t value)
{
	ring->slots[ring->filled++ & ring->mask] = (struct sp__msg_slot){
		.tag = tag, .from = from, .value = value
	};
}

/* Producer: slots that a message of @len bytes takes. */
static inline uint32_t sp__msg_ring_slots(size_t len)
{
	return len <= 8 ? 1 : 1 + (uint32_t)(len - 8 + 15) / 16;
}

void sp__msg_ring_fill_data(struct sp__msg_ring *ring, uint16_t from,
			    uint16_t tag, const void *data, size_t len);

/* Producer: let the consumer see all that was filled. */
static inline void sp__msg_ring_publish(struct sp__msg_ring *ring)
{
	/* Pairs with the acquire in sp__msg_ring_ready(). */
	atomic_store_explicit(&ring->tail, ring->filled, memory_order_release);
}

/* Consumer: true if there is a message. */
static inline bool sp__msg_ring_ready(struct sp__msg_ring *ring)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	if (head != ring->tail_seen)
		return true;
	/* Pairs with the release in publish: the slots have been filled. */
	ring->tail_seen =
		atomic_load_explicit(&ring->tail, memory_order_acquire);
	return head != ring->tail_seen;
}

/* Consumer: take the oldest message; there is one. */
void sp__msg_ring_take(struct sp__msg_ring *ring, struct sp_msg *out);

#endif
