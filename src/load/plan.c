#include "load/plan.h"

#include <stddef.h>

/*
 * Maximum peers of all routers together: their IPv4 addresses are in
 * 10.0.0.0/8.
 */
#define PEERS_MAX (1u << 24)

const char *load_plan_fault(const struct load_plan *plan)
{
	if (plan->routers == 0 || plan->peers == 0)
		return "there must be a router and a peer";
	if ((uint64_t)plan->routers * plan->peers > PEERS_MAX)
		return "there are at most 16777216 peers";
	if (plan->per_update == 0 || plan->per_update > LOAD_PER_UPDATE_MAX)
		return "an UPDATE has 1 to 500 prefixes";
	if (plan->v6_share > LOAD_MILLION || plan->attr_sets > LOAD_MILLION)
		return "a share is between 0 and 1";
	if (plan->churn > 0 && plan->prefixes == 0)
		return "without prefixes there is nothing to update";
	if (plan->churn > 0 &&
	    (uint64_t)plan->changes + plan->duplicates + plan->withdraws == 0)
		return "the mix of updates is empty";
	if (plan->flaps > 0 && plan->churn == LOAD_NO_END)
		return "flaps are spread over the updates, "
		       "whose number must be known";
	return NULL;
}

uint64_t load_plan_part(const struct load_plan *plan, uint64_t total,
			uint32_t index)
{
	if (total == LOAD_NO_END)
		return total;
	return total / plan->routers + (index < total % plan->routers);
}
