/*
 * spargio/sched/idle.h - what an idle shard does
 */
#ifndef SPARGIO_SCHED_IDLE_H
#define SPARGIO_SCHED_IDLE_H

#include "spargio/sched/shard.h"

/* Spin, steal, sleep. Returns when there may be work. */
void sp__shard_idle(struct sp_shard *shard);
/*
 * Called when the shard has found work. While the shard searched for work,
 * other shards did not wake an idle shard to steal their fibers. So if they
 * have fibers to steal, wake an idle shard now.
 */
void sp__shard_pass_on(struct sp_shard *shard);
/*
 * Begin to count busy time at @now. Called once at the start and after each
 * idle period.
 */
void sp__shard_busy_from(struct sp_shard *shard, int64_t now);

#endif
