/*
 * spargio/runtime/sim_host.h - the runtime of a simulated host
 */
#ifndef SPARGIO_RUNTIME_SIM_HOST_H
#define SPARGIO_RUNTIME_SIM_HOST_H

#include "spargio/sim/world.h"

/*
 * End the host at once: free its runtime although fibers have not ended. Must
 * not be called on a stack of the host.
 */
void sp__sim_host_cut(struct sp_sim_host *host, enum sp__sim_cut how);
/* All shards of @host have ended: free its runtime. */
void sp__sim_host_finish(struct sp_sim_host *host);
/* Schedule the next draw of host faults; each draw schedules another one. */
void sp__sim_host_weather(struct sp_sim *sim);
void sp__sim_host_free(struct sp_sim_host *host);

#endif
