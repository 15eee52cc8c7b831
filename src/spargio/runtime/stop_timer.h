/*
 * spargio/runtime/stop_timer.h - the end of a runtime whose fibers do not end
 */
#ifndef SPARGIO_RUNTIME_STOP_TIMER_H
#define SPARGIO_RUNTIME_STOP_TIMER_H

#include "spargio/sched/runtime.h"

/* False if @sem could not be had by @deadline. */
bool sp__sem_wait_until(sem_t *sem, int64_t deadline);

/* Call sp_opts.on_fiber_left for each fiber that has not ended. */
void sp__report_fibers_left(struct sp_rt *rt);

/*
 * For sp_run(), whose thread is a shard and cannot wait: a thread that ends the
 * shards sp_opts.stop_ms after sp__stop_timer_begin(). Nothing of this happens
 * if stop_ms is 0.
 */
int sp__stop_timer_start(struct sp_rt *rt);
/* The first fiber has returned. */
void sp__stop_timer_begin(struct sp_rt *rt);
/* Shard 0 has left its loop. Until when to wait for the rest. */
int64_t sp__stop_timer_finish(struct sp_rt *rt);

#endif
