/*
 * spargio/sim/backend.h - the simulated back end of a shard
 */
#ifndef SPARGIO_SIM_BACKEND_H
#define SPARGIO_SIM_BACKEND_H

#include "spargio/sched/backend.h"

extern const struct sp__backend sp__backend_sim;

/* True if the back end executes the opcode. */
bool sp__sim_knows(uint8_t opcode);

#endif
