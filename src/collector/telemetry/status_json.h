/*
 * collector/telemetry/status_json.h - the collector at a glance, as one JSON object
 */
#ifndef COLLECTOR_TELEMETRY_STATUS_JSON_H
#define COLLECTOR_TELEMETRY_STATUS_JSON_H

#include "collector/telemetry/collector_stats.h"
#include "collector/telemetry/stats_poller.h"

/*
 * @picture with each router, and with times that stats_poller_recent() has made;
 * @vitals: one for each worker.
 */
void status_json(struct json *j, struct collector *c,
		 const struct collector_stats *picture,
		 const struct stats_poller_worker *stats_poller);

/* The memory of this process in bytes, 0 if the kernel does not say. */
uint64_t status_resident(void);

/* Memory of the tables for each route, 0 if there is none. */
double status_bytes_per_route(const struct rib_sizes *sizes);

/*
 * The time within which @share of the acknowledgements came, in seconds, to
 * the power of two above it. 0 if there was none.
 */
double status_latency(const struct publisher_times *t, double share);

#endif
