/*
 * collector/telemetry/readiness.h - whether the collector is ready, and why not
 *
 * Ready: what was known before is restored, routers are let in, and what they
 * say finds a place to go. A spool is such a place.
 */
#ifndef COLLECTOR_TELEMETRY_READINESS_H
#define COLLECTOR_TELEMETRY_READINESS_H

#include <stdbool.h>

struct json;
struct publisher_stats;

struct collector_env;

struct readiness {
	bool ready;
	bool restored;
	bool listening;
	const char *output; /* "accepting", "spooling", "blocked" */
	const char *why;    /* not ready; NULL if it is */
};

/* Any thread. */
struct readiness readiness_of(const struct collector_env *env,
			      const struct publisher_stats *stats);

/* The members of an object. */
void readiness_json(struct json *j, const struct readiness *readiness);

#endif
