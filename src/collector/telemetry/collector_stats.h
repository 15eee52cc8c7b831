/*
 * collector/telemetry/collector_stats.h - the counters of all workers, at about
 * one time
 */
#ifndef COLLECTOR_TELEMETRY_COLLECTOR_STATS_H
#define COLLECTOR_TELEMETRY_COLLECTOR_STATS_H

#include "collector/telemetry/readiness.h"
#include "collector/worker_state.h"
#include "egress/bridge.h"
#include "egress/publisher/publisher_stats.h"
#include "rib/counters.h"

#include <spargio/stats.h>

struct collector_env;
struct worker_stats;

/* The counters of one worker. */
struct collector_stats_worker {
	struct worker_stats *stats;
	struct egress_bridge_stats bridge;
	struct sp_shard_stats shard;
};

struct collector_stats {
	uint32_t count;
	struct collector_stats_worker *workers;
	uint64_t wall_ns;
	int64_t now; /* sp_now() when they were collected */
	struct readiness readiness;
	struct publisher_stats publisher;
	struct sp_stats runtime;
	/* Sums over all workers */
	struct rib_flow flow;
	struct rib_sizes sizes;
	struct worker_counts counts;
	uint64_t routers;
	/* routers that report other numbers of routes than we have */
	uint64_t differing;
	uint64_t clashing;  /* routers that another connection claimed to be */
	uint64_t over_rate; /* see worker_stats.h */
	uint64_t sessions;
};

struct collector_stats_options {
	bool each_router; /* see struct worker_stats */
	int64_t patience; /* time limit for each worker */
	size_t events;	  /* maximum number of events from each worker */
	/*
	 * Number of the next event of each worker; advanced. NULL = no events.
	 */
	uint64_t *events_from;
};

/*
 * Query all workers. Call it in a fiber; yields. Returns an error of
 * worker_query_run() or -ENOMEM; then there is nothing to release.
 */
int collector_stats_collect(const struct collector_env *env,
			    const struct collector_stats_options *options,
			    struct collector_stats *out);
void collector_stats_release(struct collector_stats *p);

#endif
