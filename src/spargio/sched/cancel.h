/*
 * spargio/sched/cancel.h - asking a fiber to end
 */
#ifndef SPARGIO_SCHED_CANCEL_H
#define SPARGIO_SCHED_CANCEL_H

#include "spargio/sched/fiber.h"

/*
 * Whether @fiber is to end: it was cancelled, or its runtime is closing.
 */
bool sp__fiber_is_cancelled(const struct sp_fiber *fiber);

/* Ask @fiber, whose id was checked, to end. */
void sp__fiber_cancel(struct sp_fiber *fiber);

#endif
