/*
 * collector/policy/route_limits.h - how many routes a router may have
 */
#ifndef COLLECTOR_POLICY_ROUTE_LIMITS_H
#define COLLECTOR_POLICY_ROUTE_LIMITS_H

#include <stdint.h>

/* 0 means no limit in each. */
struct route_limits {
	uint64_t per_peer;
	uint64_t per_router;
	uint64_t all; /* for all routers together */
};

#endif
