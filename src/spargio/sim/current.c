/*
 * The simulation of this thread, and its clock.
 *
 * From the first simulation of the process on, clock and system calls of the
 * runtime go to functions that call sp__sim_current(). In threads without a
 * simulation these functions call the kernel.
 */
#include "spargio/sched/clock.h"
#include "spargio/sim/world.h"

#include <spargio/time.h>

#define CLOCK_COST 20 /* virtual ns of a read; else polling loops never end */

static _Thread_local struct sp_sim *current;

/* Not inlined: see sched/current.c. */
__attribute__((noinline)) struct sp_sim *sp__sim_current(void)
{
	__asm__ volatile("" ::: "memory");
	return current;
}

__attribute__((noinline)) void sp__sim_set_current(struct sp_sim *sim)
{
	__asm__ volatile("" ::: "memory");
	current = sim;
}

struct sp_sim *sp_sim_self(void)
{
	return sp__sim_current();
}

struct sp_sim_host *sp__sim_host(void)
{
	struct sp_sim *sim = sp__sim_current();

	if (sim == NULL)
		return NULL;
	return sim->running != NULL ? sim->running->host : sim->starting;
}

static int simulated_clock(clockid_t id, struct timespec *out)
{
	struct sp_sim *sim = sp__sim_current();
	struct sp_sim_host *host = sp__sim_host();
	int64_t now;

	if (sim == NULL)
		return clock_gettime(id, out);
	if (sim->running != NULL)
		sim->now += CLOCK_COST;
	now = host == NULL ? sim->now : sp__sim_host_clock(host);
	if (host != NULL && id == CLOCK_REALTIME)
		now += host->wall;
	*out = (struct timespec){ .tv_sec = now / SP_S, .tv_nsec = now % SP_S };
	return 0;
}

void sp__sim_install_clock(void)
{
	sp__clock_replace(simulated_clock);
}

void sp__sim_leave(struct sp__sim_shard *io)
{
	sp__context_switch(&io->ctx, &io->host->sim->driver);
}

_Noreturn void sp__sim_abandon(struct sp_sim *sim)
{
	struct sp__context nobody = { 0 };

	sp__context_leave(&nobody, &sim->driver);
	__builtin_unreachable();
}
