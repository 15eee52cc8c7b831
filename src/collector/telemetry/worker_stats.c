#include "collector/telemetry/worker_stats.h"

#include "collector/checkpoint/snapshotter.h"
#include "collector/router/event_tap.h"
#include "collector/router/router.h"
#include "egress/batcher.h"
#include "rib/rib.h"

#include <spargio/time.h>

#include <stdlib.h>

/* Number of routers between two yields. */
#define SLICE 1024

static void add_router(struct worker_stats *p, const struct router *router)
{
	p->routers++;
	p->clashing += router_has_clash(router, sp_now());
	p->over_rate += router_over_rate(router, sp_now());
	if (router->stats.reporting > 0) {
		p->reporting++;
		p->differing += router->stats.difference != 0;
	}
	if (!router->snapshot.valid)
		p->unfiled +=
			!router_is_empty(router) && !router->snapshot.unwanted;
	else if (router->snapshot.started_ns != 0 &&
		 router_snapshot_is_stale(router) &&
		 (p->oldest == 0 || router->snapshot.started_ns < p->oldest))
		p->oldest = router->snapshot.started_ns;
}

static void add_routers(struct worker_stats *p, struct worker *w)
{
	struct router *router = router_next(w, NULL);
	size_t left = SLICE;
	bool in_time = true;

	while (router != NULL && in_time) {
		add_router(p, router);
		if (--left == 0) {
			left = SLICE;
			in_time = worker_query_yield(&p->head); /* yields */
		}
		router = router_next(w, router);
	}
	router_unref(w, router);
}

static int worker_stats_run(struct worker_query *q, struct worker *w)
{
	struct worker_stats *p = (struct worker_stats *)q;

	if (p->each_router)
		add_routers(p, w);
	/* Do not yield from here on, so that all values are of one moment. */
	p->at = sp_now();
	p->sessions = w->session_count;
	rib_flow(w->rib, &p->flow);
	rib_sizes(w->rib, &p->size);
	p->counts = w->counts;
	egress_batcher_stats(w->batcher, &p->batcher);
	if (w->snapshotter != NULL)
		p->snapshotter = w->snapshotter->counts;
	if (p->events_max > 0)
		p->event_count =
			event_ring_fetch(&w->event_tap->event_ring,
					 &p->events_from, p->events_max,
					 p->events, &p->events_lost);
	return 0;
}

static void worker_stats_drop(struct worker_query *q)
{
	worker_stats_free((struct worker_stats *)q);
}

struct worker_stats *worker_stats_new(size_t events)
{
	struct worker_stats *p =
		calloc(1, sizeof(*p) + events * sizeof(p->events[0]));

	if (p == NULL)
		return NULL;
	p->head.run = worker_stats_run;
	p->head.free = worker_stats_drop;
	p->events_max = events;
	return p;
}

void worker_stats_free(struct worker_stats *p)
{
	free(p);
}
