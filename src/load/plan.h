/*
 * load/plan.h - what load to make
 *
 * The same plan makes the same bytes, on any machine: shares are integers, in
 * millionths, and time is counted, not asked for.
 */
#ifndef LOAD_PLAN_H
#define LOAD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define LOAD_MILLION	    1000000u
#define LOAD_PER_UPDATE_MAX 500u /* what a BGP message of 4096 bytes holds */
#define LOAD_NO_END	    UINT64_MAX

struct load_plan {
	uint64_t seed;
	uint32_t routers;
	uint32_t peers;	   /* of a router */
	uint32_t prefixes; /* of a peer; all peers have the same ones */
	uint32_t v6_share; /* of them, in millionths */
	uint32_t per_update;
	/*
	 * Distinct attribute sets a route, in millionths. An UPDATE has one,
	 * so there are at most as many as UPDATEs in a table.
	 */
	uint32_t attr_sets;

	/* After the table; all numbers are of all routers together. */
	uint64_t churn; /* routes updated, at least; LOAD_NO_END */
	uint64_t rate;	/* of them a second; 0: as fast as they go */
	uint32_t flaps; /* peers that go down and come back meanwhile */
	/* Shares of the routes updated, on any scale. */
	uint32_t changes;
	uint32_t duplicates;
	uint32_t withdraws;

	bool stay; /* no Termination at the end */
};

/*
 * A small table in today's shape: the IPv6 share of June 2026, as many
 * prefixes an UPDATE as a router of 2015 packed, and of the updates of 15
 * minutes in February 2026 to routes seen before (sources in shape.c).
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

/* NULL, or a sentence that says what cannot be. */
const char *load_plan_fault(const struct load_plan *plan);

/* The part of @total that falls to router @index. */
uint64_t load_plan_part(const struct load_plan *plan, uint64_t total,
			uint32_t index);

#endif
