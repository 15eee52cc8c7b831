/*
 * collector/policy/router_limit.h - how many routers the collector holds
 *
 * The collector has an entry (struct router) for a router from its first
 * session, or from a restore, until the entry is removed: while it has a
 * session, while its routes are held after the session, and then until its
 * place is needed for another router. Places are counted once for all workers.
 * Some are reserved for routers that are configured or known. Which places a
 * router may take depends on its rank:
 *
 *	a stranger	places that are not reserved
 *	a known one	these, and places reserved for known routers
 *	a configured	all places
 *
 * Threads	Any. Counters, without a lock.
 */
#ifndef COLLECTOR_POLICY_ROUTER_LIMIT_H
#define COLLECTOR_POLICY_ROUTER_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum router_rank {
	ROUTER_STRANGER,
	ROUTER_KNOWN, /* a router at its address has named a peer before */
	/* the router has a section, or the collector connected to it */
	ROUTER_CONFIGURED,
};

struct router_limit {
	_Atomic uint32_t max;
	/* number of places reserved for configured routers */
	_Atomic uint32_t configured;
	_Atomic uint32_t held;
};

/*
 * Set the limit, also at a reload: routers above it stay until they can be
 * removed. @configured is the number of configured routers; at most half of the
 * places are reserved for them.
 */
void router_limit_set(struct router_limit *l, uint32_t max,
		      uint32_t configured);

/* Take a place for a router of @rank. False if there is none. */
bool router_limit_take(struct router_limit *l, enum router_rank rank);

/* Take a place even if the limit is exceeded: for a restore. */
void router_limit_take_beyond(struct router_limit *l);

void router_limit_give_back(struct router_limit *l);

/*
 * How many routers should be removed, so that there are places for strangers.
 * Removal takes time, so this is above 0 before all places are occupied.
 */
uint32_t router_limit_excess(const struct router_limit *l);

#endif
