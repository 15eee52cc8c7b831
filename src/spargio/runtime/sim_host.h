/*
 * spargio/runtime/sim_host.h - the runtime of a simulated host
 */
#ifndef SPARGIO_RUNTIME_SIM_HOST_H
#define SPARGIO_RUNTIME_SIM_HOST_H

#include "spargio/sim/world.h"

/* Drop the runtime with its fibers as they are. In the driver. */
void sp__sim_host_cut(struct sp_sim_host *host, enum sp__sim_cut how);
/* All its shards have ended: free the runtime. */
void sp__sim_host_finish(struct sp_sim_host *host);
/* Faults of hosts strike now and then, from this call on. */
void sp__sim_host_weather(struct sp_sim *sim);
void sp__sim_host_free(struct sp_sim_host *host);

#endif
