#include "spargio/sched/msg_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sp__msg_ring_init(struct sp__msg_ring *ring, uint32_t capacity)
{
	*ring = (struct sp__msg_ring){ .capacity = capacity,
				       .mask = capacity - 1 };
	ring->slots = calloc(capacity, sizeof(*ring->slots));
	return ring->slots == NULL ? -ENOMEM : 0;
}

void sp__msg_ring_fini(struct sp__msg_ring *ring)
{
	free(ring->slots);
	ring->slots = NULL;
}

void sp__msg_ring_fill_data(struct sp__msg_ring *ring, uint16_t from,
			    uint16_t tag, const void *data, size_t len)
{
	size_t first = len < 8 ? len : 8;
	struct sp__msg_slot slot = { .tag = tag,
				     .from = from,
				     .len = (uint32_t)len };
	const char *rest = (const char *)data + first;

	memcpy(&slot.value, data, first);
	ring->slots[ring->filled++ & ring->mask] = slot;
	for (len -= first; len > 0;) {
		size_t n = len < sizeof(slot) ? len : sizeof(slot);

		memcpy(&ring->slots[ring->filled++ & ring->mask], rest, n);
		rest += n;
		len -= n;
	}
}

static void take_rest(const struct sp__msg_ring *ring, uint32_t at, uint8_t *to,
		      size_t len)
{
	while (len > 0) {
		size_t n = len < sizeof(struct sp__msg_slot)
				   ? len
				   : sizeof(struct sp__msg_slot);

		memcpy(to, &ring->slots[at++ & ring->mask], n);
		to += n;
		len -= n;
	}
}

/*
 * Hot: once per message. Cost: two loads and two stores; the producer's line
 * is read by sp__msg_ring_ready(), once for each time it had published.
 * bench/sync.c measures it as mailbox_push.
 */
void sp__msg_ring_take(struct sp__msg_ring *ring, struct sp_msg *out)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	const struct sp__msg_slot *slot = &ring->slots[head & ring->mask];

	out->tag = slot->tag;
	out->from = slot->from;
	out->len = slot->len;
	out->value = slot->value;
	if (slot->len > 8)
		take_rest(ring, head + 1, out->data + 8, slot->len - 8);
	/* The slots must be read before the index that gives them back. */
	atomic_store_explicit(&ring->head, head + sp__msg_ring_slots(slot->len),
			      memory_order_release);
}
