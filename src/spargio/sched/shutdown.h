/*
 * spargio/sched/shutdown.h - a runtime ends with its last fiber
 */
#ifndef SPARGIO_SCHED_SHUTDOWN_H
#define SPARGIO_SCHED_SHUTDOWN_H

#include "spargio/sched/runtime.h"

/* Owner: one fiber less; tell sp_stop() if it waits for that. */
void sp__count_finished(struct sp_shard *shard);

/* Owner: the runtime is closing, and this is the first that we see of it. */
void sp__closing_seen(struct sp_shard *shard);

/*
 * Not a shard's thread: a fiber that was counted in outside_spawned will not
 * come to be. That may be what sp_stop() waits for.
 */
void sp__count_refused(struct sp_rt *rt);

/* Let every shard leave its loop. */
void sp__shards_end(struct sp_rt *rt);

/* The runtime is closing: do that if every fiber has ended. */
void sp__shards_end_if_over(struct sp_rt *rt);

#endif
