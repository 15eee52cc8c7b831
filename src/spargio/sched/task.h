/*
 * spargio/sched/task.h - joining a fiber in steps
 */
#ifndef SPARGIO_SCHED_TASK_H
#define SPARGIO_SCHED_TASK_H

#include "spargio/sched/fiber.h"

/*
 * Joining in steps, for a fiber that waits for more than one event. Errors as
 * sp_join().
 */
/* Try to join without waiting: -EAGAIN if the fiber has not ended. */
int sp__join_try(struct sp_task task, int *ret);
/*
 * Make @w the joiner. Returns 0, or 1 if the fiber has already ended, so that
 * @w will not be woken.
 */
int sp__join_begin(struct sp_task task, struct sp__waiter *w);
/*
 * Stop being the joiner. If the fiber has ended, take its result; else return
 * -EAGAIN.
 */
int sp__join_end(struct sp_task task, int *ret);
/* Stop being the joiner without taking the result. */
void sp__join_leave(struct sp_task task);

#endif
