/*
 * collector/telemetry/status_json.h - the collector at a glance, as one JSON object
 */
#ifndef COLLECTOR_TELEMETRY_STATUS_JSON_H
#define COLLECTOR_TELEMETRY_STATUS_JSON_H

#include <stdint.h>

struct collector_env;
struct collector_stats;
struct json;
struct publisher_times;
struct rib_sizes;
struct worker_rates;

/*
 * @stats with each router, and with the times of the last minute; @rates: one
 * for each worker.
 */
void status_json(struct json *j, const struct collector_env *env,
		 const struct collector_stats *stats,
		 const struct worker_rates *rates);

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
