/*
 * spargio/sched/sched.h - the main loop of a shard
 */
#ifndef SPARGIO_SCHED_SCHED_H
#define SPARGIO_SCHED_SCHED_H

#include "spargio/sched/shard.h"

/* Run the shard's fibers. Returns when sp__shards_end() has been called. */
void sp__shard_loop(struct sp_shard *shard);

#endif
