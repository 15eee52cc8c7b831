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

struct sp__lane_slot {
	uint16_t tag;
	uint16_t from;
	uint32_t len;
	uint64_t value;
};

struct sp__lane {
	/* Set once. */
	struct sp__lane_slot *slots;
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

int sp__lane_init(struct sp__lane *lane, uint32_t capacity);
void sp__lane_fini(struct sp__lane *lane);

/* Producer: true if @slots more fit. */
static inline bool sp__lane_room(struct sp__lane *lane, uint32_t slots)
{
	if (lane->filled - lane->head_seen + slots <= lane->capacity)
		return true;
	/* Pairs with the release in take: the slots have been read. */
	lane->head_seen =
		atomic_load_explicit(&lane->head, memory_order_acquire);
	return lane->filled - lane->head_seen + slots <= lane->capacity;
}

/* Producer: append; there is room. Not visible before publish. */
static inline void sp__lane_fill(struct sp__lane *lane, uint16_t from,
				 uint16_t tag, uint64_t value)
{
	lane->slots[lane->filled++ & lane->mask] = (struct sp__lane_slot){
		.tag = tag, .from = from, .value = value
	};
}

/* Producer: slots that a message of @len bytes takes. */
static inline uint32_t sp__lane_slots(size_t len)
{
	return len <= 8 ? 1 : 1 + (uint32_t)(len - 8 + 15) / 16;
}

void sp__lane_fill_data(struct sp__lane *lane, uint16_t from, uint16_t tag,
			const void *data, size_t len);

/* Producer: let the consumer see all that was filled. */
static inline void sp__lane_publish(struct sp__lane *lane)
{
	/* Pairs with the acquire in sp__lane_ready(). */
	atomic_store_explicit(&lane->tail, lane->filled, memory_order_release);
}

/* Consumer: true if there is a message. */
static inline bool sp__lane_ready(struct sp__lane *lane)
{
	uint32_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);

	if (head != lane->tail_seen)
		return true;
	/* Pairs with the release in publish: the slots have been filled. */
	lane->tail_seen =
		atomic_load_explicit(&lane->tail, memory_order_acquire);
	return head != lane->tail_seen;
}

/* Consumer: take the oldest message; there is one. */
void sp__lane_take(struct sp__lane *lane, struct sp_msg *out);

#endif
