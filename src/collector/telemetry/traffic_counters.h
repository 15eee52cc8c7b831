/*
 * collector/telemetry/traffic_counters.h - the six numbers that tell how much goes on
 */
#ifndef COLLECTOR_TELEMETRY_TRAFFIC_COUNTERS_H
#define COLLECTOR_TELEMETRY_TRAFFIC_COUNTERS_H

#include "collector/base/json.h"
#include "collector/telemetry/worker_stats.h"

enum figure {
	FIGURE_MESSAGES,
	FIGURE_BYTES,
	FIGURE_RECEIVED, /* routes, announced and withdrawn */
	FIGURE_SUPPRESSED,
	FIGURE_PUBLISHED,
	FIGURE_SYNTHETIC,
	FIGURES
};

struct figures {
	uint64_t of[FIGURES];
};

/* Since the start of a worker. */
struct figures figures_of(const struct pulse *p);

void figures_add(struct figures *to, const struct figures *more);

/* How much each grew in a second, if it grew so in @ns. */
struct figures figures_rate(const struct figures *before,
			    const struct figures *now, int64_t ns);

/* The members of an object. */
void figures_json(struct json *j, const struct figures *f);

#endif
