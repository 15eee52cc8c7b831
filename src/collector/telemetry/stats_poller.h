/*
 * collector/telemetry/stats_poller.h - a look at all workers, once a second
 *
 * Rates need two looks; this is who takes them. A fiber of the HTTP server's
 * runtime asks every desk once a second, keeps what came of it, and passes
 * events on, and the status if anybody reads it.
 *
 * Threads	start and stop: one, outside of fibers. vitals_get(): any.
 */
#ifndef COLLECTOR_TELEMETRY_STATS_POLLER_H
#define COLLECTOR_TELEMETRY_STATS_POLLER_H

#include "collector/telemetry/traffic_counters.h"
#include "egress/publisher/publisher.h"

struct collector;
struct feed;
struct sp_rt;
struct vitals;

/* Of one worker, over the last second. */
struct vitals_worker {
	struct figures rate;
	double busy; /* 0 to 1 */
};

/* @rt is where the fiber runs; @feed must outlive it. */
int vitals_start(struct collector *collector, struct sp_rt *rt,
		 struct feed *feed, struct vitals **out);
void vitals_stop(struct vitals *v);

/* @out has room for all workers. */
void vitals_get(struct vitals *v, struct vitals_worker *out);

/* Make the times in @stats, which are since the start, those of a minute. */
void vitals_recent(struct vitals *v, struct publisher_stats *stats);

/* Since when there is something in the spool: sp_now(); 0: there is nothing. */
int64_t vitals_spooling_since(struct vitals *v);

#endif
