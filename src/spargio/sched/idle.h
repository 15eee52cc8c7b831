/*
 * spargio/sched/idle.h - what a shard does when it has nothing to do
 */
#ifndef SPARGIO_SCHED_IDLE_H
#define SPARGIO_SCHED_IDLE_H

#include "spargio/sched/shard.h"

/* Spin, steal, sleep. Returns when there may be work. */
void sp__shard_idle(struct sp_shard *shard);
/* It has something to do, since @now: once, and after each idling. */
void sp__shard_busy_from(struct sp_shard *shard, int64_t now);

#endif
