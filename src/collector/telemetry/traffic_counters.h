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

/* Rates of one worker over the last second. */
struct worker_rates {
	struct traffic_counters rate;
	double busy; /* 0 to 1 */
};

/* Totals since the start of a worker. */
struct traffic_counters traffic_counters_of(const struct worker_stats *p);

void traffic_counters_add(struct traffic_counters *to,
			  const struct traffic_counters *more);

/* The rate per second, from a difference over @ns. */
struct traffic_counters traffic_counters_rate(
	const struct traffic_counters *before,
	const struct traffic_counters *now, int64_t ns);

/* The members of an object. */
void traffic_counters_json(struct json *j,
			   const struct traffic_counters *counters);

#endif
