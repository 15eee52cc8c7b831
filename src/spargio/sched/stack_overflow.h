/*
 * spargio/sched/stack_overflow.h - name the fiber that overran its stack
 *
 * The guard turns an overflow into SIGSEGV. The handler runs on its own stack,
 * writes one line with the fiber's id and name, and then does what the process
 * did with SIGSEGV before: calls the previous handler or dies. The first shard
 * of the process installs it and the last one removes it, unless the program
 * has replaced it. With sp_opts.no_overflow_handler nothing is installed.
 */
#ifndef SPARGIO_SCHED_STACK_OVERFLOW_H
#define SPARGIO_SCHED_STACK_OVERFLOW_H

#include "spargio/sched/shard.h"

/* Called on the shard's thread. If out of memory, an overflow is not named. */
void sp__stack_overflow_watch_begin(struct sp_shard *shard);
void sp__stack_overflow_watch_end(struct sp_shard *shard);

#endif
