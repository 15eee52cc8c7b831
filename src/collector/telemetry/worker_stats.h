/*
 * collector/telemetry/worker_stats.h - what a worker counts, copied at one moment
 *
 * One question for everything that is a number, so that figures shown side by
 * side are of the same moment; and the events that came since the last time.
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
	/* Asked for */
	bool each_router;     /* with what is known of each one only */
	uint64_t events_from; /* see event_ring_fetch(); on return, the next */
	size_t events_max;    /* room in events; 0: none wanted */
	/* Answered */
	int64_t at; /* sp_now() */
	uint32_t routers;
	uint32_t sessions;
	uint32_t reporting; /* routers whose own count is known */
	uint32_t differing; /* of these, by how many ours is another */
	uint32_t clashing;  /* routers that another connection claimed to be */
	uint32_t over_rate; /* routers above --max-output-rate */
	struct rib_flow flow;
	struct rib_sizes size;
	struct worker_counts counts;
	struct egress_batcher_stats batcher;
	struct snapshotter_counts snapshotter;
	int64_t oldest;	  /* snapshot that lacks something; 0: none does */
	uint32_t unfiled; /* routers without a snapshot that could have one */
	uint64_t events_lost;
	size_t event_count;
	struct event_ring_entry events[];
};

/* With room for @events. NULL: no memory. */
struct worker_stats *worker_stats_new(size_t events);
void worker_stats_free(struct worker_stats *p);

#endif
