/*
 * spargio/sched/stack_overflow.h - name the fiber that overran its stack
 *
 * The guard turns an overflow into SIGSEGV. The handler runs on a stack of its
 * own, writes one line with the fiber's id and name, and does what the process
 * did with SIGSEGV before: calls the previous handler or dies. It is installed
 * by the first shard of the process that begins and removed by the last that
 * ends, unless the program has put its own in place of it.
 * sp_opts.no_overflow_handler: nothing of this is done.
 */
#ifndef SPARGIO_SCHED_STACK_OVERFLOW_H
#define SPARGIO_SCHED_STACK_OVERFLOW_H

#include "spargio/sched/shard.h"

/* On the shard's thread. Without memory for it there is only no name. */
void sp__stack_overflow_watch_begin(struct sp_shard *shard);
void sp__stack_overflow_watch_end(struct sp_shard *shard);

#endif
