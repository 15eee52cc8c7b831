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
/* Refuse new calls and wait until all have ended; fine if not open. */
void sp__visits_close(struct sp_rt *rt);

/*
 * -ESHUTDOWN if @rt, which need not exist, is not open; else 0, and the caller
 * ends with sp__visit_end(). In a fiber of @rt both do nothing. Do not wait in
 * between.
 */
int sp__visit_begin(struct sp_rt *rt);
void sp__visit_end(struct sp_rt *rt);

#endif
