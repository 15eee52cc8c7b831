/*
 * spargio/sched/current.h - which shard and which fiber runs here
 */
#ifndef SPARGIO_SCHED_CURRENT_H
#define SPARGIO_SCHED_CURRENT_H

#include "spargio/sched/shard.h"

/*
 * The shard of this thread, NULL elsewhere. Never keep the result across
 * anything that yields: the caller may be on another thread by then.
 */
struct sp_shard *sp__shard_self(void);
void sp__shard_set_self(struct sp_shard *shard);

/* The fiber now running on this thread, NULL on a scheduler or elsewhere. */
struct sp_fiber *sp__fiber_self(void);

/* @rt or, if that is NULL, the runtime of the calling fiber; or NULL. */
struct sp_rt *sp__runtime_or_own(struct sp_rt *rt);

#endif
