/*
 * collector/http/stats_poller.h - poll all workers once a second
 *
 * Rates are the difference of two polls. A fiber of the HTTP server's runtime
 * queries every worker once a second, stores the rates, passes events to the
 * streams, and, if there is a stream, the status as well.
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

/* Start the fiber in @rt. @sse must outlive the poller. */
int stats_poller_start(const struct collector_env *env, struct sp_rt *rt,
		       struct sse *sse, struct stats_poller **out);
void stats_poller_stop(struct stats_poller *poller);

/* Copy the rates of the workers; @out has an element for each worker. */
void stats_poller_get(struct stats_poller *poller, struct worker_rates *out);

/*
 * Replace the latencies in @stats, which count since the start, by those of the
 * last minute.
 */
void stats_poller_recent(struct stats_poller *poller,
			 struct publisher_stats *stats);

/*
 * The time, by sp_now(), since when the spool is not empty; 0 if it is empty.
 */
int64_t stats_poller_spooling_since(struct stats_poller *poller);

#endif
