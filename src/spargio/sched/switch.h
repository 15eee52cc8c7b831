/*
 * spargio/sched/switch.h - switching between the fibers of a shard
 */
#ifndef SPARGIO_SCHED_SWITCH_H
#define SPARGIO_SCHED_SWITCH_H

#include "spargio/sched/shard.h"

/*
 * Switch from the running fiber to the next one. Carry out @action for the
 * fiber when it has left its stack. Returns when the fiber is resumed.
 */
void sp__shard_switch(struct sp_shard *shard, enum sp__switch_action action);

/* Scheduler: run fibers until none is runnable here or the turn is over. */
void sp__shard_run_fibers(struct sp_shard *shard);

/* The entry function of every fiber; @arg is the fiber. */
void sp__fiber_main(void *arg);

#endif
