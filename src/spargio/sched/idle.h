/*
 * spargio/sched/idle.h - what an idle shard does
 */
#ifndef SPARGIO_SCHED_IDLE_H
#define SPARGIO_SCHED_IDLE_H

#include "spargio/sched/shard.h"

/* Spin, steal, sleep. Returns when there may be work. */
void sp__shard_idle(struct sp_shard *shard);
/*
 * This shard has found work. While it searched or watched, other shards did not
 * wake an idle shard for theirs, so wake one now.
 */
void sp__shard_pass_on(struct sp_shard *shard);
/*
 * The shard has work since @now. Called once at the start and after each idle
 * period.
 */
void sp__shard_busy_from(struct sp_shard *shard, int64_t now);

#endif
