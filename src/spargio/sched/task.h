/*
 * spargio/sched/task.h - joining a fiber in steps
 */
#ifndef SPARGIO_SCHED_TASK_H
#define SPARGIO_SCHED_TASK_H

#include "spargio/sched/fiber.h"

/*
 * Joining in steps, for those who wait for more than one thing. Errors as
 * sp_join().
 */
/* Without waiting: -EAGAIN if it has not ended. */
int sp__join_try(struct sp_task task, int *ret);
/* Make @w its joiner: 0, or 1 if it has ended already and @w will not hear. */
int sp__join_begin(struct sp_task task, struct sp__waiter *w);
/* Its joiner takes the result, or with -EAGAIN goes away. */
int sp__join_end(struct sp_task task, int *ret);
/* Its joiner goes away, ended or not. */
void sp__join_leave(struct sp_task task);

#endif
