/*
 * spargio/sched/idle.h - what a shard does when it has nothing to do
 */
#ifndef SPARGIO_SCHED_IDLE_H
#define SPARGIO_SCHED_IDLE_H

#include "spargio/sched/shard.h"

/* Spin, steal, sleep. Returns when there may be work. */
void sp__shard_idle(struct sp_shard *shard);
/*
 * It has found work. While it searched or watched, others did not wake an idle
 * shard for theirs: do that for them.
 */
void sp__shard_pass_on(struct sp_shard *shard);
/* It has something to do, since @now: once, and after each idling. */
void sp__shard_busy_from(struct sp_shard *shard, int64_t now);

#endif
