/*
 * spargio/sched/stack_overflow.h - name the fiber that overran its stack
 *
 * The guard turns an overflow into SIGSEGV. Our handler runs on a signal
 * stack, writes one line with the fiber's id and name, and then calls the
 * previous handler or takes the previous action. The first shard of the
 * process installs our handler and the last one removes it, unless the program
 * has replaced it. With sp_opts.no_overflow_handler no handler is installed.
 */
#ifndef SPARGIO_SCHED_STACK_OVERFLOW_H
#define SPARGIO_SCHED_STACK_OVERFLOW_H

#include "spargio/sched/shard.h"

/* Called on the shard's thread. Without memory, no overflow is reported. */
void sp__stack_overflow_watch_begin(struct sp_shard *shard);
void sp__stack_overflow_watch_end(struct sp_shard *shard);

#endif
