/*
 * spargio/sched/switch.h - switching between the fibers of a shard
 */
#ifndef SPARGIO_SCHED_SWITCH_H
#define SPARGIO_SCHED_SWITCH_H

#include "spargio/sched/shard.h"

/*
 * Leave the running fiber, which is in whatever list it waits in, and do
 * @after for it once it has left. Returns when it is resumed.
 */
void sp__shard_switch(struct sp_shard *shard, enum sp__switch_action after);

/* Scheduler: run fibers until none is runnable here or the turn is over. */
void sp__shard_run_fibers(struct sp_shard *shard);

/* Where every fiber begins; @arg is the fiber. */
void sp__fiber_main(void *arg);

#endif
