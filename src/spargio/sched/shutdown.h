/*
 * spargio/sched/shutdown.h - a runtime ends with its last fiber
 */
#ifndef SPARGIO_SCHED_SHUTDOWN_H
#define SPARGIO_SCHED_SHUTDOWN_H

#include "spargio/sched/runtime.h"

/*
 * Owner: count a fiber that has ended. If the runtime is closing and the fiber
 * was the last one, call sp__shards_end().
 */
void sp__count_finished(struct sp_shard *shard);

/* Owner: called once, when the shard first sees "closing". */
void sp__closing_seen(struct sp_shard *shard);

/*
 * Not a shard's thread: balance the count in outside_spawned after a failed
 * spawn. sp_stop() may be waiting for this.
 */
void sp__count_refused(struct sp_rt *rt);

/* Make every shard leave its loop. */
void sp__shards_end(struct sp_rt *rt);

/* The runtime is closing: call sp__shards_end() if every fiber has ended. */
void sp__shards_end_if_over(struct sp_rt *rt);

#endif
