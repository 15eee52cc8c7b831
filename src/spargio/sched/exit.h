/*
 * spargio/sched/exit.h - the end of a fiber
 */
#ifndef SPARGIO_SCHED_EXIT_H
#define SPARGIO_SCHED_EXIT_H

#include "spargio/sched/fiber.h"

/*
 * @fiber has returned but still runs on its stack. Claim the wait of its
 * joiner. If the joiner waits on the same shard, return the joiner: the caller
 * switches to it directly, and the joiner finds @fiber done. Otherwise return
 * NULL; sp__fiber_reap() then wakes the joiner.
 */
struct sp_fiber *sp__fiber_hand_over(struct sp_fiber *fiber);

/*
 * @fiber has left its stack for the last time: wake its joiner, or free @fiber.
 */
void sp__fiber_reap(struct sp_shard *here, struct sp_fiber *fiber);

#endif
