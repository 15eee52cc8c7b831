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
 * Write the status. @stats must include each router and the latencies of the
 * last minute; @rates has one element per worker.
 */
void status_json(struct json *j, const struct collector_env *env,
		 const struct collector_stats *stats,
		 const struct worker_rates *rates);

/* The resident memory of this process in bytes; 0 = not known. */
uint64_t status_resident(void);

/* The table memory per route in bytes; 0 if there are no routes. */
double status_bytes_per_route(const struct rib_sizes *sizes);

/*
 * The time in seconds, rounded up to a power of two, within which the share
 * @share of the acknowledgements came. 0 if there were none.
 */
double status_latency(const struct publisher_times *t, double share);

#endif
