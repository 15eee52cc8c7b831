#include "collector/telemetry/worker_stats.h"

#include "collector/collector.h"
#include "collector/checkpoint/checkpoint.h"

#include <spargio/time.h>

#include <stdlib.h>

/* Seats between two rests. */
#define SLICE 1024

static void look_at_seat(struct pulse *p, const struct seat *seat)
{
	p->routers++;
	if (seat->note.reporting > 0) {
		p->reporting++;
		p->differing += seat->note.difference != 0;
	}
	if (!seat->keep.filed)
		p->unfiled += !seat_blank(seat);
	else if (seat->keep.begun != 0 && keep_behind(seat) &&
		 (p->oldest == 0 || seat->keep.begun < p->oldest))
		p->oldest = seat->keep.begun;
}

static void look_at_seats(struct pulse *p, struct worker *w)
{
	struct seat *s = seat_next(w, NULL);
	size_t left = SLICE;
	bool in_time = true;

	while (s != NULL && in_time) {
		look_at_seat(p, s);
		if (--left == 0) {
			left = SLICE;
			in_time = desk_rest(&p->question); /* yields */
		}
		s = seat_next(w, s);
	}
	seat_put(w, s);
}

static int answer(struct desk_question *q, struct worker *w)
{
	struct pulse *p = (struct pulse *)q;
	const struct keeper *keeper = collector_keeper(w->collector, w->id);

	if (p->each_router)
		look_at_seats(p, w);
	/* From here on it is one moment. */
	p->at = sp_now();
	p->sessions = w->session_count;
	rib_flow(w->rib, &p->flow);
	rib_sizes(w->rib, &p->size);
	p->counts = w->counts;
	egress_batcher_stats(w->batcher, &p->batcher);
	if (keeper != NULL)
		p->keeper = keeper->counts;
	if (p->events_max > 0)
		p->event_count = bulletin_fetch(&w->tap.bulletin,
						&p->events_from, p->events_max,
						p->events, &p->events_lost);
	return 0;
}

static void drop(struct desk_question *q)
{
	pulse_free((struct pulse *)q);
}

struct pulse *pulse_new(size_t events)
{
	struct pulse *p = calloc(1, sizeof(*p) + events * sizeof(p->events[0]));

	if (p == NULL)
		return NULL;
	p->question.answer = answer;
	p->question.drop = drop;
	p->events_max = events;
	return p;
}

void pulse_free(struct pulse *p)
{
	free(p);
}
