/*
 * collector/telemetry/worker_stats.h - the counters of a worker, copied at one
 * moment
 *
 * One query for all numbers, so that figures shown together are of the same
 * moment; and the events since the last query.
 */
#ifndef COLLECTOR_TELEMETRY_WORKER_STATS_H
#define COLLECTOR_TELEMETRY_WORKER_STATS_H

#include "collector/router/event_ring.h"
#include "collector/query/worker_query.h"
#include "collector/checkpoint/snapshotter_counts.h"
#include "collector/worker_state.h"
#include "egress/batcher_stats.h"
#include "rib/counters.h"

struct worker_stats {
	struct worker_query head;
	/* Parameters */
	/* include values that need a walk over the routers */
	bool each_router;
	/* see event_ring_fetch(); on return, the next number */
	uint64_t events_from;
	size_t events_max; /* capacity of events; 0 = none wanted */
	/* Results */
	int64_t at; /* sp_now() */
	uint32_t routers;
	uint32_t sessions;
	uint32_t reporting; /* routers that sent their own count */
	/* of these, the routers whose count differs from ours */
	uint32_t differing;
	uint32_t clashing;  /* routers that another connection claimed to be */
	uint32_t over_rate; /* routers above --max-output-rate */
	struct rib_flow flow;
	struct rib_sizes size;
	struct worker_counts counts;
	struct egress_batcher_stats batcher;
	struct snapshotter_counts snapshotter;
	int64_t oldest; /* oldest snapshot that is not up to date; 0 = none */
	/* routers that should have a snapshot but have none */
	uint32_t unfiled;
	uint64_t events_lost;
	size_t event_count;
	struct event_ring_entry events[];
};

/* With space for @events. NULL if out of memory. */
struct worker_stats *worker_stats_new(size_t events);
void worker_stats_free(struct worker_stats *p);

#endif
