/*
 * spargio/sched/sched.h - the main loop of a shard
 */
#ifndef SPARGIO_SCHED_SCHED_H
#define SPARGIO_SCHED_SCHED_H

#include "spargio/sched/shard.h"

/* The thread's main function: returns when the runtime has stopped. */
void sp__shard_loop(struct sp_shard *shard);

#endif
