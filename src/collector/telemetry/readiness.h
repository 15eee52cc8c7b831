/*
 * collector/telemetry/readiness.h - whether the collector is ready, and why not
 *
 * The collector is ready if the state is restored, routers are admitted, and
 * their updates can be published or spooled. While they are spooled the
 * collector is degraded.
 */
#ifndef COLLECTOR_TELEMETRY_READINESS_H
#define COLLECTOR_TELEMETRY_READINESS_H

#include "egress/publisher/output_state.h"

#include <stdbool.h>

struct json;
struct publisher_stats;

struct collector_env;

struct readiness {
	bool ready;
	bool restored;
	bool listening;
	const char *output;   /* "accepting", "spooling", "blocked" */
	const char *degraded; /* name of the cause; NULL if not degraded */
	/* why the collector is not ready, or is degraded; "" = neither */
	char why[OUTPUT_WHY_MAX];
	const char *action; /* advice about the output; NULL = none */
};

/* Compute the readiness. Any thread. */
struct readiness readiness_of(const struct collector_env *env,
			      const struct publisher_stats *stats);

/* Write the members of the object. */
void readiness_json(struct json *j, const struct readiness *readiness);

#endif
