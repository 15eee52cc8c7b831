/*
 * collector/telemetry/status_json.h - the collector's status as one JSON object
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
 * @stats includes each router and the latencies of the last minute; @rates has
 * one element per worker.
 */
void status_json(struct json *j, const struct collector_env *env,
		 const struct collector_stats *stats,
		 const struct worker_rates *rates);

/* The resident memory of this process in bytes, 0 if not known. */
uint64_t status_resident(void);

/* Table memory per route, 0 if there are no routes. */
double status_bytes_per_route(const struct rib_sizes *sizes);

/*
 * The time within which @share of the acknowledgements came, in seconds,
 * rounded up to a power of two. 0 if there were none.
 */
double status_latency(const struct publisher_times *t, double share);

#endif
