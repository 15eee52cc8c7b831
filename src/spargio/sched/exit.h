/*
 * spargio/sched/exit.h - the end of a fiber
 */
#ifndef SPARGIO_SCHED_EXIT_H
#define SPARGIO_SCHED_EXIT_H

#include "spargio/sched/fiber.h"

/*
 * @fiber has returned but is still on its stack. Claim its joiner, and return
 * it if it waits on the same shard: it may run as soon as @fiber has left its
 * stack, and will find @fiber done. sp__fiber_reap() wakes a joiner on another
 * shard.
 */
struct sp_fiber *sp__fiber_hand_over(struct sp_fiber *fiber);

/*
 * @fiber has left its stack for the last time: wake its joiner, or free @fiber.
 */
void sp__fiber_reap(struct sp_shard *here, struct sp_fiber *fiber);

#endif
