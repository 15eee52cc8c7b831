/*
 * spargio/sched/visit.h - calls into a runtime by threads outside it
 *
 * A thread that spawns a fiber or sends a message while another thread stops
 * the runtime must not access freed memory, and cannot know when that happens.
 * So existing runtimes are in a list, each with the number of threads that are
 * in a call. A runtime is freed when it is out of the list and no thread is in
 * a call. A later call returns -ESHUTDOWN.
 *
 * Cost: two lock operations, on a lock that all runtimes share, for each call
 * from outside; nothing for fibers of the runtime itself.
 */
#ifndef SPARGIO_SCHED_VISIT_H
#define SPARGIO_SCHED_VISIT_H

#include "spargio/sched/runtime.h"

/* From here on sp__visit_begin() succeeds for @rt. */
void sp__visits_open(struct sp_rt *rt);
/* Refuse new calls and wait until all running calls have ended. */
void sp__visits_close(struct sp_rt *rt);

/*
 * Begin a call into @rt. Returns 0, and then the caller must call
 * sp__visit_end(), or -ESHUTDOWN if @rt is not in the list; @rt need not exist
 * any more. On a shard of @rt both functions do nothing. Do not wait between
 * the two calls.
 */
int sp__visit_begin(struct sp_rt *rt);
void sp__visit_end(struct sp_rt *rt);

#endif
