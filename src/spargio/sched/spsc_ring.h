/*
 * spargio/sched/spsc_ring.h - a ring of slots from one thread to another
 *
 * Each index has one writer, so no operation needs a compare-and-swap. Indices
 * count up and wrap at 2^32; the slot is index & mask, and tail - head is the
 * fill level even across the wrap. So the capacity must be a power of two, and
 * no slot is wasted to distinguish full from empty.
 *
 * The producer may fill slots ahead of the tail it has published, so that a run
 * of items costs one visible store. Each side keeps a copy of the other side's
 * index and loads the index again only when the ring looks full or empty, so
 * the two threads do not exchange a cache line for every item.
 *
 * The user defines the slot type: struct sp_spsc (pointers) and struct
 * sp__msg_ring (messages) are built on this.
 */
#ifndef SPARGIO_SCHED_SPSC_RING_H
#define SPARGIO_SCHED_SPSC_RING_H

#include "spargio/sched/spin.h"

#include <errno.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

struct sp__spsc_ring {
	/* Set once, read by both sides. */
	void *slots;
	uint32_t capacity;
	uint32_t mask;

	/* Producer. */
	alignas(SP__CACHE_LINE) _Atomic uint32_t tail; /* published */
	uint32_t filled; /* end of the filled slots */
	uint32_t head_seen;

	/* Consumer. */
	alignas(SP__CACHE_LINE) _Atomic uint32_t head;
	uint32_t tail_seen;
};

/* @capacity is a power of two. 0 or -ENOMEM. */
static inline int sp__spsc_ring_init(struct sp__spsc_ring *ring,
				     uint32_t capacity, size_t slot_size)
{
	*ring = (struct sp__spsc_ring){ .capacity = capacity,
					.mask = capacity - 1 };
	ring->slots = calloc(capacity, slot_size);
	return ring->slots == NULL ? -ENOMEM : 0;
}

static inline void sp__spsc_ring_fini(struct sp__spsc_ring *ring)
{
	free(ring->slots);
	ring->slots = NULL;
}

/* Producer: true if @n more slots are free. */
static inline bool sp__spsc_ring_has_room(struct sp__spsc_ring *ring,
					  uint32_t n)
{
	if (ring->filled - ring->head_seen + n <= ring->capacity)
		return true;
	/* Pairs with the release in release(): the slots have been read. */
	ring->head_seen =
		atomic_load_explicit(&ring->head, memory_order_acquire);
	return ring->filled - ring->head_seen + n <= ring->capacity;
}

/*
 * Producer: the index of the next slot to fill. The caller has checked that the
 * ring has room.
 */
static inline uint32_t sp__spsc_ring_fill(struct sp__spsc_ring *ring)
{
	return ring->filled++ & ring->mask;
}

/* Producer: true if filled slots are not published. */
static inline bool sp__spsc_ring_unpublished(const struct sp__spsc_ring *ring)
{
	return atomic_load_explicit(&ring->tail, memory_order_relaxed) !=
	       ring->filled;
}

/* Producer: make all filled slots visible to the consumer. */
static inline void sp__spsc_ring_publish(struct sp__spsc_ring *ring)
{
	/* Pairs with the acquire in ready(): the slots have been filled. */
	atomic_store_explicit(&ring->tail, ring->filled, memory_order_release);
}

/* Producer: the index up to which the consumer has released slots. */
static inline uint32_t sp__spsc_ring_taken(const struct sp__spsc_ring *ring)
{
	/* Pairs with the release in release(). */
	return atomic_load_explicit(&ring->head, memory_order_acquire);
}

/*
 * Consumer: the index of the oldest slot, not masked. The caller loads it once
 * and passes it to the functions below, because a compiler does not merge
 * loads of an atomic.
 */
static inline uint32_t sp__spsc_ring_head(const struct sp__spsc_ring *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_relaxed);
}

/* Consumer: true if the slot at @head is filled. */
static inline bool sp__spsc_ring_ready(struct sp__spsc_ring *ring,
				       uint32_t head)
{
	if (head != ring->tail_seen)
		return true;
	/* Pairs with the release in publish(). */
	ring->tail_seen =
		atomic_load_explicit(&ring->tail, memory_order_acquire);
	return head != ring->tail_seen;
}

/* Consumer: release the slots before @head, which were read. */
static inline void sp__spsc_ring_release(struct sp__spsc_ring *ring,
					 uint32_t head)
{
	atomic_store_explicit(&ring->head, head, memory_order_release);
}

#endif
