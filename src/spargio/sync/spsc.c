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

struct sp_spsc {
	/* Set once by sp_spsc_new(), read by both sides. */
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

int sp_spsc_new(uint32_t capacity, struct sp_spsc **out)
{
	struct sp_spsc *q;

	if (capacity == 0 || (capacity & (capacity - 1)) != 0)
		return -EINVAL;

	q = aligned_alloc(CACHE_LINE, sizeof(*q));
	if (q == NULL)
		return -ENOMEM;
	*q = (struct sp_spsc){ .capacity = capacity, .mask = capacity - 1 };

	q->slots = calloc(capacity, sizeof(*q->slots));
	if (q->slots == NULL) {
		sp_spsc_free(q);
		return -ENOMEM;
	}

	*out = q;
	return 0;
}

void sp_spsc_free(struct sp_spsc *q)
{
	if (q == NULL)
		return;
	free(q->slots);
	free(q);
}

/*
 * Hot: once per decoded message.
 *
 * Cost: two plain loads, two stores, no atomic read-modify-write. The
 * consumer's line is read only when the ring looks full from here, which is
 * about once a lap while the consumer keeps up, so the two cores do not trade
 * that line on every push. bench/sync.c measures both cases.
 */
int sp_spsc_push(struct sp_spsc *q, void *item)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);

	assert(item != NULL); /* pop could not tell it from an empty ring */
	if (tail - q->head_seen == q->capacity) {
		/* Pairs with the release in pop: the slot has been read. */
		q->head_seen =
			atomic_load_explicit(&q->head, memory_order_acquire);
		if (tail - q->head_seen == q->capacity)
			return -EAGAIN;
	}

	q->slots[tail & q->mask] = item;
	/* The item must be visible before the index that announces it. */
	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
	return 0;
}

void *sp_spsc_pop(struct sp_spsc *q)
{
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
	void *item;

	if (head == q->tail_seen) {
		/* Pairs with the release in push: the slot has been filled. */
		q->tail_seen =
			atomic_load_explicit(&q->tail, memory_order_acquire);
		if (head == q->tail_seen)
			return NULL;
	}

	item = q->slots[head & q->mask];
	/* The slot must be read before the index that gives it back. */
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
	return item;
}
