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
	uint32_t peers;	   /* per router */
	uint32_t prefixes; /* per peer; all peers have the same ones */
	uint32_t v6_share; /* IPv6 share of the prefixes, in millionths */
	uint32_t per_update;
	/*
	 * Distinct attribute sets per route, in millionths. An UPDATE has one,
	 * so there are at most as many as UPDATEs in a table.
	 */
	uint32_t attr_sets;

	/* Updates after the table; all numbers are over all routers. */
	uint64_t churn; /* minimum number of routes updated; LOAD_NO_END */
	uint64_t rate;	/* updates per second; 0 = full speed */
	uint32_t flaps; /* peers that go down and come back meanwhile */
	/* Shares of the updated routes, on any scale. */
	uint32_t changes;
	uint32_t duplicates;
	uint32_t withdraws;

	bool stay; /* no Termination at the end */
};

/*
 * A small table in today's shape: the IPv6 share of June 2026, prefixes per
 * UPDATE as of a router in 2015, and the mix of updates of 15 minutes in
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

/* NULL, or a sentence with the error. */
const char *load_plan_fault(const struct load_plan *plan);

/* The part of @total for router @index. */
uint64_t load_plan_part(const struct load_plan *plan, uint64_t total,
			uint32_t index);

#endif
