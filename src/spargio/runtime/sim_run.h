/*
 * spargio/runtime/sim_run.h - sp_run() as a simulation of one host
 */
#ifndef SPARGIO_RUNTIME_SIM_RUN_H
#define SPARGIO_RUNTIME_SIM_RUN_H

struct sp_opts;

/*
 * The result of @fn. -EDEADLK if no fiber can ever run again, or if this thread
 * simulates already.
 */
int sp__sim_run_alone(const struct sp_opts *opts, int (*fn)(void *), void *arg);

#endif
