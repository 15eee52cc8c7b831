/*
 * collector/ingest/route_budget.h - the limit on routes of all shards together
 *
 * Each shard has an allowance; the sum of all allowances never exceeds the
 * maximum. A shard reserves more routes than it needs, so that it does not have
 * to reserve each route, and sometimes returns unused ones. So near the maximum
 * a shard may be refused routes although other shards do not use all that they
 * have reserved. Each shard has at most twice ROUTE_BUDGET_ADVANCE unused
 * routes and, while it applies UPDATEs, the routes that these announce.
 *
 * Threads	Any: two atomic counters, no lock.
 */
#ifndef COLLECTOR_INGEST_ROUTE_BUDGET_H
#define COLLECTOR_INGEST_ROUTE_BUDGET_H

#include <stdint.h>

/*
 * A shard reserves this number of routes in advance, but not more than the
 * maximum divided by ROUTE_BUDGET_PARTS.
 */
#define ROUTE_BUDGET_ADVANCE 1024
#define ROUTE_BUDGET_PARTS   64

struct route_budget {
	_Atomic uint64_t max;	/* 0 = no limit */
	_Atomic uint64_t given; /* sum of the allowances of all shards */
};

void route_budget_init(struct route_budget *b, uint64_t max);
void route_budget_set(struct route_budget *b, uint64_t max);

/*
 * Adjust *@mine, the allowance of a shard (at first 0) that has @used routes,
 * so that the shard can get @need more; fewer if the maximum does not permit
 * them. Returns the new allowance.
 */
uint64_t route_budget_adjust(struct route_budget *b, uint64_t *mine,
			     uint64_t used, uint64_t need);

#endif
