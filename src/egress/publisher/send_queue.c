#include "egress/publisher/send_queue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int send_queue_init(struct send_queue *f, uint32_t capacity, uint64_t floor)
{
	uint64_t size = 1;

	while (size < capacity)
		size *= 2;
	*f = (struct send_queue){ .mask = size - 1 };
	send_pace_reset(&f->pace, floor);
	f->ring = calloc(size, sizeof(*f->ring));
	return f->ring == NULL ? -ENOMEM : 0;
}

void send_queue_fini(struct send_queue *f)
{
	free(f->ring);
}

uint64_t send_queue_push(struct send_queue *f, struct send_entry entry)
{
	assert(!send_queue_full(f));
	if (send_queue_empty(f))
		send_pace_idle(&f->pace);
	*send_queue_at(f, f->tail) = entry;
	f->weight += entry.weight;
	return f->tail++;
}

struct send_entry *send_queue_first(const struct send_queue *f)
{
	return send_queue_empty(f) ? NULL : send_queue_at(f, f->head);
}

void send_queue_drop_first(struct send_queue *f)
{
	assert(!send_queue_empty(f));
	f->weight -= send_queue_at(f, f->head)->weight;
	f->head++;
	if (f->next_to_send < f->head)
		f->next_to_send = f->head;
}

void send_queue_note_safe(struct send_queue *f, int64_t now)
{
	const struct send_entry *first = send_queue_first(f);

	if (first->sent_ns != 0 && first->weight > 0)
		send_pace_safe(&f->pace, first->weight, first->sent_ns, now);
}

void send_queue_clear(struct send_queue *f)
{
	f->head = f->tail;
	f->next_to_send = f->tail;
	f->weight = 0;
}

void send_queue_rewind(struct send_queue *f)
{
	for (uint64_t n = f->head; n != f->tail; n++)
		if (send_queue_at(f, n)->state == SEND_SENT)
			send_queue_at(f, n)->state = SEND_QUEUED;
	f->next_to_send = f->head;
	while (f->next_to_send != f->tail &&
	       send_queue_at(f, f->next_to_send)->state == SEND_ACKED)
		f->next_to_send++;
}
