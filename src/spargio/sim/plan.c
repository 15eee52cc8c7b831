/*
 * Plans of faults: draw a plan from a seed, and shrink a plan.
 */
#include "spargio/sim/world.h"

#include <stddef.h>

struct row {
	const char *name;
	uint32_t ppm; /* chance if the caller gives no plan */
};

/* clang-format off */
static const struct row rows[SP_SIM_FAULTS] = {
	[SP_SIM_REORDER]	= { "reorder",		200000 },
	[SP_SIM_STALL]		= { "stall",		5000 },
	[SP_SIM_SHORT_RECV]	= { "short-recv",	500000 },
	[SP_SIM_SHORT_SEND]	= { "short-send",	500000 },
	[SP_SIM_SLOW_SEGMENT]	= { "slow-segment",	20000 },
	[SP_SIM_RESET]		= { "reset",		2000 },
	[SP_SIM_NO_FDS]		= { "no-fds",		20000 },
	[SP_SIM_PARTITION]	= { "partition",	5000 },
	[SP_SIM_CRASH]		= { "crash",		10000 },
	[SP_SIM_KILL]		= { "kill",		10000 },
	[SP_SIM_PAUSE]		= { "pause",		5000 },
	[SP_SIM_CLOCK_STEP]	= { "clock-step",	5000 },
	[SP_SIM_DRIFT]		= { "drift",		5000 },
	[SP_SIM_SLOW_DISK]	= { "slow-disk",	10000 },
	[SP_SIM_SHORT_IO]	= { "short-io",		50000 },
	[SP_SIM_EIO]		= { "eio",		1000 },
	[SP_SIM_ENOSPC]		= { "enospc",		1000 },
	[SP_SIM_KEEP]		= { "keep",		500000 },
	[SP_SIM_TEAR]		= { "tear",		500000 },
	[SP_SIM_FLIP]		= { "flip",		0 },
	[SP_SIM_NO_MEMORY]	= { "no-memory",	100 },
};
/* clang-format on */

const char *sp_sim_fault_name(enum sp_sim_fault fault)
{
	return (unsigned int)fault < SP_SIM_FAULTS ? rows[fault].name : NULL;
}

void sp_sim_plan_draw(uint64_t seed, const struct sp_sim_plan *allowed,
		      struct sp_sim_plan *out)
{
	/* Used as a source of random numbers other than those of the run. */
	struct sp_sim draw = { .random = { [SP__SIM_HOSTS] = ~seed } };

	*out = (struct sp_sim_plan){ 0 };
	for (int i = 0; i < SP_SIM_FAULTS; i++) {
		uint64_t random = sp__sim_random(&draw, SP__SIM_HOSTS);
		uint32_t most = allowed == NULL ? rows[i].ppm : allowed->ppm[i];

		if (random & 1)
			continue;
		/*
		 * Take the whole chance, a tenth or a hundredth of it, so that
		 * some faults are rare.
		 */
		for (uint64_t tenths = (random >> 1) % 3; tenths > 0; tenths--)
			most = (most + 9) / 10;
		out->ppm[i] = most;
	}
}

void sp_sim_shrink(uint64_t seed, struct sp_sim_plan *plan,
		   bool (*fails)(uint64_t seed, const struct sp_sim_plan *plan,
				 void *arg),
		   void *arg)
{
	bool shrunk;

	do {
		shrunk = false;
		for (int i = 0; i < SP_SIM_FAULTS; i++) {
			struct sp_sim_plan less = *plan;

			if (plan->ppm[i] == 0)
				continue;
			less.ppm[i] = 0;
			if (!fails(seed, &less, arg))
				continue;
			*plan = less;
			shrunk = true;
		}
	} while (shrunk);
}
