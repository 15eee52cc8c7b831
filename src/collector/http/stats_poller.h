/*
 * collector/http/stats_poller.h - a look at all workers, once a second
 *
 * Rates need two looks; this is who takes them. A fiber of the HTTP server's
 * runtime asks every query queue once a second, keeps what came of it, and passes
 * events on, and the status if anybody reads it.
 *
 * Threads	start and stop: one, outside of fibers. stats_poller_get(): any.
 */
#ifndef COLLECTOR_HTTP_STATS_POLLER_H
#define COLLECTOR_HTTP_STATS_POLLER_H

#include "collector/telemetry/traffic_counters.h"
#include "egress/publisher/publisher.h"

struct collector_env;
struct sse;
struct sp_rt;
struct stats_poller;

/* @rt is where the fiber runs; @sse must outlive it. */
int stats_poller_start(const struct collector_env *env, struct sp_rt *rt,
		       struct sse *sse, struct stats_poller **out);
void stats_poller_stop(struct stats_poller *poller);

/* @out has room for all workers. */
void stats_poller_get(struct stats_poller *poller, struct worker_rates *out);

/* Make the times in @stats, which are since the start, those of a minute. */
void stats_poller_recent(struct stats_poller *poller,
			 struct publisher_stats *stats);

/* Since when there is something in the spool: sp_now(); 0: there is nothing. */
int64_t stats_poller_spooling_since(struct stats_poller *poller);

#endif
