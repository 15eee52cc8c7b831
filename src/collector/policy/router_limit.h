/*
 * collector/policy/router_limit.h - how many routers the collector holds
 *
 * A router is held from its first session, or from a restore, until it is
 * forgotten: while it has a session, while its routes are held after it, and
 * then until its place is needed. Places are counted once for all workers. Some
 * are kept for routers that are configured or known:
 *
 *	a stranger	not those kept for the other two
 *	a known one	not those kept for configured ones
 *	a configured	all
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
	ROUTER_KNOWN,	   /* a router at its address named a peer before */
	ROUTER_CONFIGURED, /* it has a section, or we connected to it */
};

struct router_limit {
	_Atomic uint32_t max;
	_Atomic uint32_t configured; /* places kept for configured routers */
	_Atomic uint32_t held;
};

/*
 * Set the limit, also at a reload: routers beyond it stay until they can be
 * forgotten. @configured: the number of configured routers; at most half of the
 * places are kept for them.
 */
void router_limit_set(struct router_limit *l, uint32_t max,
		      uint32_t configured);

/* Take a place for a router of @rank. False: there is none. */
bool router_limit_take(struct router_limit *l, enum router_rank rank);

/* Take a place whatever the limit is: for a restore. */
void router_limit_take_beyond(struct router_limit *l);

void router_limit_give_back(struct router_limit *l);

/*
 * How many routers should be forgotten, so that strangers find a place: more
 * than none before there is none left, since forgetting takes time.
 */
uint32_t router_limit_excess(const struct router_limit *l);

#endif
