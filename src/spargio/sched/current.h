/*
 * spargio/sched/current.h - the shard and the fiber that run on this thread
 */
#ifndef SPARGIO_SCHED_CURRENT_H
#define SPARGIO_SCHED_CURRENT_H

#include "spargio/sched/shard.h"

/*
 * The shard of this thread, or NULL. Do not keep the result across a yield: the
 * caller may then be on another thread.
 */
struct sp_shard *sp__shard_self(void);
void sp__shard_set_self(struct sp_shard *shard);

/*
 * The fiber that runs on this thread; NULL on a scheduler's stack or elsewhere.
 */
struct sp_fiber *sp__fiber_self(void);

/* @rt or, if @rt is NULL, the runtime of the calling fiber, or NULL. */
struct sp_rt *sp__runtime_or_own(struct sp_rt *rt);

#endif
