#include "spargio/sched/msg_ring.h"

#include <string.h>

int sp__msg_ring_init(struct sp__msg_ring *q, uint32_t capacity)
{
	return sp__spsc_ring_init(&q->ring, capacity,
				  sizeof(struct sp__msg_slot));
}

void sp__msg_ring_fini(struct sp__msg_ring *q)
{
	sp__spsc_ring_fini(&q->ring);
}

void sp__msg_ring_fill_data(struct sp__msg_ring *q, uint16_t from, uint16_t tag,
			    const void *data, size_t len)
{
	size_t first = len < 8 ? len : 8;
	struct sp__msg_slot *slots = q->ring.slots;
	struct sp__msg_slot slot = { .tag = tag,
				     .from = from,
				     .len = (uint32_t)len };
	const char *rest = (const char *)data + first;

	memcpy(&slot.value, data, first);
	slots[sp__spsc_ring_fill(&q->ring)] = slot;
	for (len -= first; len > 0;) {
		size_t n = len < sizeof(slot) ? len : sizeof(slot);

		memcpy(&slots[sp__spsc_ring_fill(&q->ring)], rest, n);
		rest += n;
		len -= n;
	}
}

static void take_rest(const struct sp__msg_ring *q, uint32_t at, uint8_t *to,
		      size_t len)
{
	const struct sp__msg_slot *slots = q->ring.slots;

	while (len > 0) {
		size_t n = len < sizeof(*slots) ? len : sizeof(*slots);

		memcpy(to, &slots[at++ & q->ring.mask], n);
		to += n;
		len -= n;
	}
}

/*
 * Hot: once per message. Cost: two loads and two stores. sp__msg_ring_ready()
 * reads the producer's cache line, once for each publication. bench/sync.c
 * measures it as mailbox_push.
 */
void sp__msg_ring_take(struct sp__msg_ring *q, struct sp_msg *out)
{
	const struct sp__msg_slot *slots = q->ring.slots;
	uint32_t head = sp__spsc_ring_head(&q->ring);
	const struct sp__msg_slot *slot = &slots[head & q->ring.mask];
	uint32_t len = slot->len;

	out->tag = slot->tag;
	out->from = slot->from;
	out->len = len;
	out->value = slot->value;
	if (len <= 8) {
		sp__spsc_ring_release(&q->ring, head + 1);
		return;
	}
	take_rest(q, head + 1, out->data + 8, len - 8);
	sp__spsc_ring_release(&q->ring, head + sp__msg_ring_slots(len));
}
