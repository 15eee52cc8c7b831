/*
 * collector/policy/route_limits.h - limits on the number of routes
 */
#ifndef COLLECTOR_POLICY_ROUTE_LIMITS_H
#define COLLECTOR_POLICY_ROUTE_LIMITS_H

#include <stdint.h>

/* In each member 0 means no limit. */
struct route_limits {
	uint64_t per_peer;
	uint64_t per_router;
	uint64_t all; /* for all routers together */
};

#endif
