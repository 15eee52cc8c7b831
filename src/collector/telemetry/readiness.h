/*
 * collector/telemetry/readiness.h - whether the collector is ready, and why not
 *
 * Ready: what was known before is restored, routers are let in, and what they
 * say finds a place to go. A spool is such a place: then it is degraded.
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
	const char *output;	  /* "accepting", "spooling", "blocked" */
	const char *degraded;	  /* the name of the cause; NULL: it is not */
	char why[OUTPUT_WHY_MAX]; /* not ready, or degraded; "" */
	const char *action;	  /* what to do about the output; NULL */
};

/* Any thread. */
struct readiness readiness_of(const struct collector_env *env,
			      const struct publisher_stats *stats);

/* The members of an object. */
void readiness_json(struct json *j, const struct readiness *readiness);

#endif
