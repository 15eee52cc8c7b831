/*
 * collector/telemetry/traffic_counters.h - the six counters of traffic
 */
#ifndef COLLECTOR_TELEMETRY_TRAFFIC_COUNTERS_H
#define COLLECTOR_TELEMETRY_TRAFFIC_COUNTERS_H

#include "collector/base/json.h"

struct worker_stats;

enum traffic_counter {
	TRAFFIC_MESSAGES,
	TRAFFIC_BYTES,
	TRAFFIC_RECEIVED, /* routes, announced and withdrawn */
	TRAFFIC_SUPPRESSED,
	TRAFFIC_PUBLISHED,
	TRAFFIC_SYNTHETIC,
	TRAFFIC_COUNTERS
};

struct traffic_counters {
	uint64_t of[TRAFFIC_COUNTERS];
};

/* The rates of one worker during the last second. */
struct worker_rates {
	struct traffic_counters rate;
	double busy; /* share of time that the worker was busy, 0 to 1 */
};

/* The totals since the start of a worker. */
struct traffic_counters traffic_counters_of(const struct worker_stats *p);

void traffic_counters_add(struct traffic_counters *to,
			  const struct traffic_counters *more);

/* The rates per second, from the difference of two totals over @ns. */
struct traffic_counters traffic_counters_rate(
	const struct traffic_counters *before,
	const struct traffic_counters *now, int64_t ns);

/* Write the members of the object. */
void traffic_counters_json(struct json *j,
			   const struct traffic_counters *counters);

#endif
