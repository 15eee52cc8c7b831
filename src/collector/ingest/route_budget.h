/*
 * collector/ingest/route_budget.h - the limit on routes of all shards together
 *
 * Each shard has an allowance; the sum of all allowances never exceeds the
 * maximum. A shard reserves routes ahead of need, so that it does not have to
 * reserve each route, and returns unused ones from time to time. Near the
 * maximum a shard may be refused routes that others have reserved and do not
 * use: at most twice ROUTE_BUDGET_ADVANCE for each shard and, while it applies
 * UPDATEs, the routes that these announce.
 *
 * Threads	Any: two atomic counters, no lock.
 */
#ifndef COLLECTOR_INGEST_ROUTE_BUDGET_H
#define COLLECTOR_INGEST_ROUTE_BUDGET_H

#include <stdint.h>

/* Routes that a shard reserves ahead of need ... */
#define ROUTE_BUDGET_ADVANCE 1024
/* ... but no more than the maximum divided by this. */
#define ROUTE_BUDGET_PARTS 64

struct route_budget {
	_Atomic uint64_t max; /* 0 = no limit */
	_Atomic uint64_t given;
};

void route_budget_init(struct route_budget *b, uint64_t max);
void route_budget_set(struct route_budget *b, uint64_t max);

/*
 * Adjust the allowance of a shard that has @used routes, *@mine (0 at first), so
 * that it can get @need more, if there are as many, and return it.
 */
uint64_t route_budget_adjust(struct route_budget *b, uint64_t *mine,
			     uint64_t used, uint64_t need);

#endif
