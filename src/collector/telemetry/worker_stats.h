/*
 * collector/telemetry/worker_stats.h - the counters of a worker, copied at one
 * moment
 *
 * One query gets all numbers, so that figures shown together are of the same
 * moment. It also gets the events since the last query.
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
	/* include numbers that need a walk over the routers */
	bool each_router;
	/* see event_ring_fetch(); afterwards the number of the next event */
	uint64_t events_from;
	size_t events_max; /* space in events; 0 = no events wanted */
	/* Results */
	int64_t at; /* sp_now() */
	uint32_t routers;
	uint32_t sessions;
	uint32_t reporting; /* routers that sent counts of their own */
	/* of the reporting routers, those whose counts differ from ours */
	uint32_t differing;
	uint32_t clashing;  /* routers that another connection claimed to be */
	uint32_t over_rate; /* routers above --max-output-rate */
	struct rib_flow flow;
	struct rib_sizes size;
	struct worker_counts counts;
	struct egress_batcher_stats batcher;
	struct snapshotter_counts snapshotter;
	/* time of the oldest file that is out of date; 0 = none */
	int64_t oldest;
	/* routers that should have a file but have none */
	uint32_t unfiled;
	uint64_t events_lost;
	size_t event_count;
	struct event_ring_entry events[];
};

/* Make a query with space for @events. NULL if out of memory. */
struct worker_stats *worker_stats_new(size_t events);
void worker_stats_free(struct worker_stats *p);

#endif
