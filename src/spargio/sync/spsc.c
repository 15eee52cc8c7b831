/*
 * The public queue of pointers; the algorithm is in spsc_ring.h.
 */
#include <spargio/spsc.h>

#include "spargio/sched/spsc_ring.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct sp_spsc {
	struct sp__spsc_ring ring; /* slots are void * */
};

int sp_spsc_new(uint32_t capacity, struct sp_spsc **out)
{
	struct sp_spsc *q;

	if (capacity == 0 || (capacity & (capacity - 1)) != 0)
		return -EINVAL;

	q = aligned_alloc(SP__CACHE_LINE, sizeof(*q));
	if (q == NULL)
		return -ENOMEM;
	if (sp__spsc_ring_init(&q->ring, capacity, sizeof(void *)) < 0) {
		free(q);
		return -ENOMEM;
	}

	*out = q;
	return 0;
}

void sp_spsc_free(struct sp_spsc *q)
{
	if (q == NULL)
		return;
	sp__spsc_ring_fini(&q->ring);
	free(q);
}

/*
 * Hot: once per decoded message.
 *
 * Cost: two plain loads, two stores, no atomic read-modify-write. The producer
 * reads the consumer's cache line only when the ring looks full, about once
 * per lap if the consumer keeps up. So the two cores do not exchange this line
 * on every push. bench/sync.c measures both cases.
 */
int sp_spsc_push(struct sp_spsc *q, void *item)
{
	void **slots = q->ring.slots;

	/* pop could not distinguish NULL from an empty ring */
	assert(item != NULL);
	if (!sp__spsc_ring_has_room(&q->ring, 1))
		return -EAGAIN;
	slots[sp__spsc_ring_fill(&q->ring)] = item;
	sp__spsc_ring_publish(&q->ring);
	return 0;
}

void *sp_spsc_pop(struct sp_spsc *q)
{
	void **slots = q->ring.slots;
	uint32_t head = sp__spsc_ring_head(&q->ring);
	void *item;

	if (!sp__spsc_ring_ready(&q->ring, head))
		return NULL;
	item = slots[head & q->ring.mask];
	sp__spsc_ring_release(&q->ring, head + 1);
	return item;
}
