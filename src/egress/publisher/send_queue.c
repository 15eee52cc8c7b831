#include "egress/publisher/send_queue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int flights_init(struct flights *f, uint32_t capacity)
{
	uint64_t size = 1;

	while (size < capacity)
		size *= 2;
	*f = (struct flights){ .mask = size - 1 };
	f->ring = calloc(size, sizeof(*f->ring));
	return f->ring == NULL ? -ENOMEM : 0;
}

void flights_fini(struct flights *f)
{
	free(f->ring);
}

uint64_t flights_push(struct flights *f, struct flight flight)
{
	assert(!flights_full(f));
	*flights_at(f, f->tail) = flight;
	f->weight += flight.weight;
	return f->tail++;
}

struct flight *flights_first(const struct flights *f)
{
	return flights_empty(f) ? NULL : flights_at(f, f->head);
}

void flights_drop_first(struct flights *f)
{
	assert(!flights_empty(f));
	f->weight -= flights_at(f, f->head)->weight;
	f->head++;
	if (f->unsent < f->head)
		f->unsent = f->head;
}

void flights_clear(struct flights *f)
{
	f->head = f->tail;
	f->unsent = f->tail;
	f->weight = 0;
}

void flights_unsend(struct flights *f)
{
	for (uint64_t n = f->head; n != f->tail; n++)
		if (flights_at(f, n)->state == FLIGHT_SENT)
			flights_at(f, n)->state = FLIGHT_WAITING;
	f->unsent = f->head;
	while (f->unsent != f->tail &&
	       flights_at(f, f->unsent)->state == FLIGHT_STORED)
		f->unsent++;
}
