/*
 * spargio/runtime/sim_run.h - sp_run() as a simulation of one host
 */
#ifndef SPARGIO_RUNTIME_SIM_RUN_H
#define SPARGIO_RUNTIME_SIM_RUN_H

struct sp_opts;

/*
 * Run @fn(@arg) as the first fiber of a simulated host and return its result.
 * -EDEADLK if no fiber can ever run again, or if this thread already has a
 * simulation.
 */
int sp__sim_run_alone(const struct sp_opts *opts, int (*fn)(void *), void *arg);

#endif
