/*
 * Makes allocations fail by a fault: those of fibers of simulated hosts, not
 * those of the simulation.
 */
#include "spargio/sim/world.h"

#include <stdlib.h>

bool sp_sim_memory_fails(void)
{
	struct sp_sim *sim = sp__sim_current();
	bool fails;

	if (sim == NULL || sim->running == NULL || sim->sheltered > 0)
		return false;
	fails = sim->fails_at > 0 && --sim->fails_at == 0;
	fails |= sp__sim_strikes(sim, SP__SIM_MEMORY, SP_SIM_NO_MEMORY);
	if (fails)
		sp__sim_note(sim, sim->running->host, "lacks memory", 0, 0);
	return fails;
}

void sp_sim_fail_allocation(struct sp_sim *sim, uint64_t n)
{
	sim->fails_at = n;
}

static void shelter_allocations(int32_t by)
{
	struct sp_sim *sim = sp__sim_current();

	if (sim != NULL)
		sim->sheltered += (uint32_t)by;
}

void *sp__sim_malloc(size_t size)
{
	void *p;

	shelter_allocations(1);
	p = malloc(size);
	shelter_allocations(-1);
	return p;
}

void *sp__sim_calloc(size_t n, size_t size)
{
	void *p;

	shelter_allocations(1);
	p = calloc(n, size);
	shelter_allocations(-1);
	return p;
}

void *sp__sim_realloc(void *p, size_t size)
{
	void *grown;

	shelter_allocations(1);
	grown = realloc(p, size);
	shelter_allocations(-1);
	return grown;
}
