#include "collector/policy/router_limit.h"

#include <assert.h>

/* 1 / KNOWN_SHARE of the places is reserved for known routers. */
#define KNOWN_SHARE 10

/*
 * At most 1 / CONFIGURED_SHARE of the places is reserved for configured
 * routers.
 */
#define CONFIGURED_SHARE 2

/* 1 / FREE_SHARE of the places for strangers should be free. */
#define FREE_SHARE 8

void router_limit_set(struct router_limit *l, uint32_t max, uint32_t configured)
{
	uint32_t most = max / CONFIGURED_SHARE;

	atomic_store(&l->max, max);
	atomic_store(&l->configured, configured < most ? configured : most);
}

/* The places that a router of @rank may take. */
static uint32_t places_of(const struct router_limit *l, enum router_rank rank)
{
	uint32_t max = atomic_load(&l->max);

	switch (rank) {
	case ROUTER_STRANGER:
		return max - atomic_load(&l->configured) - max / KNOWN_SHARE;
	case ROUTER_KNOWN:
		return max - atomic_load(&l->configured);
	default:
		return max;
	}
}

bool router_limit_take(struct router_limit *l, enum router_rank rank)
{
	uint32_t held = atomic_load(&l->held);

	do
		if (held >= places_of(l, rank))
			return false;
	while (!atomic_compare_exchange_weak(&l->held, &held, held + 1));
	return true;
}

void router_limit_take_beyond(struct router_limit *l)
{
	atomic_fetch_add(&l->held, 1);
}

void router_limit_give_back(struct router_limit *l)
{
	uint32_t before = atomic_fetch_sub(&l->held, 1);

	assert(before > 0);
	(void)before;
}

uint32_t router_limit_excess(const struct router_limit *l)
{
	uint32_t places = places_of(l, ROUTER_STRANGER);
	uint32_t held = atomic_load(&l->held);
	uint32_t most;

	if (places == 0)
		return held;
	most = places - 1 - (places - 1) / FREE_SHARE;
	return held > most ? held - most : 0;
}
