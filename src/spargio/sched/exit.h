/*
 * spargio/sched/exit.h - the end of a fiber
 */
#ifndef SPARGIO_SCHED_EXIT_H
#define SPARGIO_SCHED_EXIT_H

#include "spargio/sched/fiber.h"

/*
 * @fiber has run to its end but still stands on its stack. Claim its joiner,
 * and return it if it waits on the same shard: it may run as soon as the fiber
 * has left, and will find the fiber done. Another is woken by the burial.
 */
struct sp_fiber *sp__fiber_hand_over(struct sp_fiber *fiber);

/*
 * @fiber has left its stack for ever: tell its joiner, or free it.
 */
void sp__fiber_bury(struct sp_shard *here, struct sp_fiber *fiber);

#endif
