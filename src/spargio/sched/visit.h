/*
 * spargio/sched/visit.h - calls into a runtime by threads that are not its own
 *
 * A thread that spawns a fiber or posts a message while another thread stops
 * the runtime must not touch what is being freed, and cannot know when that
 * happens. So the runtimes that exist are in a list, each with the number of
 * threads that are in a call; a runtime is freed when it is out of the list and
 * nobody is in a call any more. A thread that comes later is told -ESHUTDOWN.
 *
 * Cost: a lock that all runtimes share, twice for each call from outside;
 * nothing for fibers of the runtime itself.
 */
#ifndef SPARGIO_SCHED_VISIT_H
#define SPARGIO_SCHED_VISIT_H

#include "spargio/sched/runtime.h"

/* From here on sp__visit_begin() succeeds for @rt. */
void sp__visits_open(struct sp_rt *rt);
/* Let nobody in any more and wait until all have left; fine if not open. */
void sp__visits_close(struct sp_rt *rt);

/*
 * -ESHUTDOWN if @rt, which need not exist, takes no visitors; else 0, and
 * sp__visit_end() is the last thing done with it. In a fiber of @rt both do
 * nothing. Nothing in between may wait.
 */
int sp__visit_begin(struct sp_rt *rt);
void sp__visit_end(struct sp_rt *rt);

#endif
