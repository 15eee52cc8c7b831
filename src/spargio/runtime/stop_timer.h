/*
 * spargio/runtime/stop_timer.h - end a runtime whose fibers do not end in time
 */
#ifndef SPARGIO_RUNTIME_STOP_TIMER_H
#define SPARGIO_RUNTIME_STOP_TIMER_H

#include "spargio/sched/runtime.h"

/* Wait for @sem; false if @deadline came first. */
bool sp__sem_wait_until(sem_t *sem, int64_t deadline);

/* Call sp_opts.on_fiber_left for each fiber that has not ended. */
void sp__report_fibers_left(struct sp_rt *rt);

/*
 * For sp_run(), whose thread is a shard and cannot wait: start a thread that
 * ends the shards sp_opts.stop_ms after sp__stop_timer_begin(). Does nothing if
 * stop_ms is 0.
 */
int sp__stop_timer_start(struct sp_rt *rt);
/* Called when the first fiber has returned. */
void sp__stop_timer_begin(struct sp_rt *rt);
/*
 * Stop the thread; called when shard 0 has left its loop. Returns the deadline
 * for the other shards.
 */
int64_t sp__stop_timer_finish(struct sp_rt *rt);

#endif
