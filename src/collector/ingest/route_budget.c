#include "collector/ingest/route_budget.h"

#include <stdatomic.h>

void route_budget_init(struct route_budget *b, uint64_t max)
{
	atomic_init(&b->max, max);
	atomic_init(&b->given, 0);
}

void route_budget_set(struct route_budget *b, uint64_t max)
{
	atomic_store(&b->max, max);
}

/*
 * Reserve up to @want of the routes that are not reserved yet. Returns how
 * many.
 */
static uint64_t take_routes(struct route_budget *b, uint64_t want)
{
	uint64_t given = atomic_load(&b->given);
	uint64_t max = atomic_load(&b->max);
	uint64_t get;

	do {
		uint64_t left = given < max ? max - given : 0;

		get = want < left ? want : left;
	} while (get > 0 &&
		 !atomic_compare_exchange_weak(&b->given, &given, given + get));
	return get;
}

static uint64_t advance_size(const struct route_budget *b)
{
	uint64_t part = atomic_load(&b->max) / ROUTE_BUDGET_PARTS;

	if (part > ROUTE_BUDGET_ADVANCE)
		return ROUTE_BUDGET_ADVANCE;
	return part > 0 ? part : 1;
}

uint64_t route_budget_adjust(struct route_budget *b, uint64_t *mine,
			     uint64_t used, uint64_t need)
{
	uint64_t ahead = advance_size(b);
	uint64_t want = used + (need > ahead ? need : ahead);

	if (atomic_load(&b->max) == 0)
		want = ahead = 0;
	if (*mine > want + ahead) {
		atomic_fetch_sub(&b->given, *mine - want);
		*mine = want;
	} else if (*mine < used + need && *mine < want) {
		*mine += take_routes(b, want - *mine);
	}
	return *mine;
}
