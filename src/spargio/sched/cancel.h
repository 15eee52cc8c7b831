/*
 * spargio/sched/cancel.h - cancelling a fiber
 */
#ifndef SPARGIO_SCHED_CANCEL_H
#define SPARGIO_SCHED_CANCEL_H

#include "spargio/sched/fiber.h"

/* True if @fiber was cancelled or its runtime is closing. */
bool sp__fiber_is_cancelled(const struct sp_fiber *fiber);

/* Cancel @fiber, whose id the caller has checked. */
void sp__fiber_cancel(struct sp_fiber *fiber);

#endif
