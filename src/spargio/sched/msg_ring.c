#include "spargio/sched/msg_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sp__lane_init(struct sp__lane *lane, uint32_t capacity)
{
	*lane = (struct sp__lane){ .capacity = capacity, .mask = capacity - 1 };
	lane->slots = calloc(capacity, sizeof(*lane->slots));
	return lane->slots == NULL ? -ENOMEM : 0;
}

void sp__lane_fini(struct sp__lane *lane)
{
	free(lane->slots);
	lane->slots = NULL;
}

void sp__lane_fill_data(struct sp__lane *lane, uint16_t from, uint16_t tag,
			const void *data, size_t len)
{
	size_t first = len < 8 ? len : 8;
	struct sp__lane_slot slot = { .tag = tag,
				      .from = from,
				      .len = (uint32_t)len };
	const char *rest = (const char *)data + first;

	memcpy(&slot.value, data, first);
	lane->slots[lane->filled++ & lane->mask] = slot;
	for (len -= first; len > 0;) {
		size_t n = len < sizeof(slot) ? len : sizeof(slot);

		memcpy(&lane->slots[lane->filled++ & lane->mask], rest, n);
		rest += n;
		len -= n;
	}
}

static void take_rest(const struct sp__lane *lane, uint32_t at, uint8_t *to,
		      size_t len)
{
	while (len > 0) {
		size_t n = len < sizeof(struct sp__lane_slot)
				   ? len
				   : sizeof(struct sp__lane_slot);

		memcpy(to, &lane->slots[at++ & lane->mask], n);
		to += n;
		len -= n;
	}
}

/*
 * Hot: once per message. Cost: two loads and two stores; the producer's line
 * is read by sp__lane_ready(), once for each time it had published.
 * bench/sync.c measures it as mailbox_push.
 */
void sp__lane_take(struct sp__lane *lane, struct sp_msg *out)
{
	uint32_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);
	const struct sp__lane_slot *slot = &lane->slots[head & lane->mask];

	out->tag = slot->tag;
	out->from = slot->from;
	out->len = slot->len;
	out->value = slot->value;
	if (slot->len > 8)
		take_rest(lane, head + 1, out->data + 8, slot->len - 8);
	/* The slots must be read before the index that gives them back. */
	atomic_store_explicit(&lane->head, head + sp__lane_slots(slot->len),
			      memory_order_release);
}
