/*
 * load/plan.h - the parameters of a load
 *
 * The same plan makes the same bytes on any machine: shares are integers, in
 * millionths, and time is computed, not read.
 */
#ifndef LOAD_PLAN_H
#define LOAD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define LOAD_MILLION	    1000000u
#define LOAD_PER_UPDATE_MAX 500u /* limit of a BGP message of 4096 bytes */
#define LOAD_NO_END	    UINT64_MAX

struct load_plan {
	uint64_t seed;
	uint32_t routers;
	uint32_t peers; /* number of peers per router */
	/* number of prefixes per peer; all peers have the same prefixes */
	uint32_t prefixes;
	uint32_t v6_share; /* IPv6 share of the prefixes, in millionths */
	uint32_t per_update;
	/*
	 * Distinct attribute sets per route, in millionths. All routes of an
	 * UPDATE share a set, so a table has at most as many sets as UPDATEs.
	 */
	uint32_t attr_sets;

	/* Updates after the table; all numbers are over all routers. */
	/* minimum number of routes to update; LOAD_NO_END = no end */
	uint64_t churn;
	uint64_t rate; /* updates per second; 0 = full speed */
	/*
	 * number of times that a peer goes down and comes back during the
	 * updates
	 */
	uint32_t flaps;
	/* Shares of the kinds of update, relative to their sum. */
	uint32_t changes;
	uint32_t duplicates;
	uint32_t withdraws;

	bool stay; /* no Termination at the end */
};

/*
 * A small table with today's proportions: the IPv6 share of June 2026, prefixes
 * per UPDATE as of a router in 2015, and the mix of updates of 15 minutes in
 * February 2026 (sources in shape.c).
 */
#define LOAD_PLAN_INIT                            \
	((struct load_plan){ .seed = 1,           \
			     .routers = 1,        \
			     .peers = 1,          \
			     .prefixes = 10000,   \
			     .v6_share = 193000,  \
			     .per_update = 6,     \
			     .attr_sets = 180000, \
			     .changes = 89,       \
			     .duplicates = 3,     \
			     .withdraws = 8 })

/* NULL if the plan is valid, otherwise a sentence with the error. */
const char *load_plan_fault(const struct load_plan *plan);

/* The part of @total for router @index. */
uint64_t load_plan_part(const struct load_plan *plan, uint64_t total,
			uint32_t index);

#endif
