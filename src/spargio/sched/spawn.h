/*
 * spargio/sched/spawn.h - between those who make fibers and the scheduler
 */
#ifndef SPARGIO_SCHED_SPAWN_H
#define SPARGIO_SCHED_SPAWN_H

#include "spargio/sched/shard.h"

/* Where every fiber begins; @arg is the fiber. In sched.c. */
void sp__fiber_main(void *arg);

/* Owner: make @fiber runnable behind the others. In sched.c. */
void sp__shard_queue_last(struct sp_shard *shard, struct sp_fiber *fiber);

#endif
