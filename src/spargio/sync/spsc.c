/*
 * A ring with one writer per index, so no operation needs a compare-and-swap.
 *
 * Indices count up for ever and wrap at 2^32; the slot is index & mask, and
 * tail - head is the fill level even across the wrap. That is why the capacity
 * must be a power of two, and why no slot is wasted telling full from empty.
 */
#include <spargio/spsc.h>

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#define CACHE_LINE 64

struct sp_mailbox {
	/* Set once by sp_mailbox_new(), read by both sides. */
	void **slots;
	uint32_t capacity;
	uint32_t mask;

	/* The producer's line. */
	alignas(CACHE_LINE) _Atomic uint32_t tail;
	uint32_t head_seen; /* head, as of the last time we looked */

	/* The consumer's line. */
	alignas(CACHE_LINE) _Atomic uint32_t head;
	uint32_t tail_seen; /* tail, as of the last time we looked */
};

int sp_mailbox_new(uint32_t capacity, struct sp_mailbox **out)
{
	struct sp_mailbox *mb;

	if (capacity == 0 || (capacity & (capacity - 1)) != 0)
		return -EINVAL;

	mb = aligned_alloc(CACHE_LINE, sizeof(*mb));
	if (mb == NULL)
		return -ENOMEM;
	*mb = (struct sp_mailbox){ .capacity = capacity, .mask = capacity - 1 };

	mb->slots = calloc(capacity, sizeof(*mb->slots));
	if (mb->slots == NULL) {
		sp_mailbox_free(mb);
		return -ENOMEM;
	}

	*out = mb;
	return 0;
}

void sp_mailbox_free(struct sp_mailbox *mb)
{
	if (mb == NULL)
		return;
	free(mb->slots);
	free(mb);
}

/*
 * Hot: once per decoded message.
 *
 * Cost: two plain loads, two stores, no atomic read-modify-write. The
 * consumer's line is read only when the ring looks full from here, which is
 * about once a lap while the consumer keeps up, so the two cores do not trade
 * that line on every push. bench/sync.c measures both cases.
 */
int sp_mailbox_push(struct sp_mailbox *mb, void *item)
{
	uint32_t tail = atomic_load_explicit(&mb->tail, memory_order_relaxed);

	assert(item != NULL); /* pop could not tell it from an empty ring */
	if (tail - mb->head_seen == mb->capacity) {
		/* Pairs with the release in pop: the slot has been read. */
		mb->head_seen =
			atomic_load_explicit(&mb->head, memory_order_acquire);
		if (tail - mb->head_seen == mb->capacity)
			return -EAGAIN;
	}

	mb->slots[tail & mb->mask] = item;
	/* The item must be visible before the index that announces it. */
	atomic_store_explicit(&mb->tail, tail + 1, memory_order_release);
	return 0;
}

void *sp_mailbox_pop(struct sp_mailbox *mb)
{
	uint32_t head = atomic_load_explicit(&mb->head, memory_order_relaxed);
	void *item;

	if (head == mb->tail_seen) {
		/* Pairs with the release in push: the slot has been filled. */
		mb->tail_seen =
			atomic_load_explicit(&mb->tail, memory_order_acquire);
		if (head == mb->tail_seen)
			return NULL;
	}

	item = mb->slots[head & mb->mask];
	/* The slot must be read before the index that gives it back. */
	atomic_store_explicit(&mb->head, head + 1, memory_order_release);
	return item;
}
