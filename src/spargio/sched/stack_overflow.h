/*
 * spargio/sched/stack_overflow.h - name the fiber that overran its stack
 *
 * The guard page turns an overflow into SIGSEGV. The handler runs on a stack
 * of its own, writes one line with the fiber's name, and lets the process die
 * as it would have.
 */
#ifndef SPARGIO_SCHED_STACK_OVERFLOW_H
#define SPARGIO_SCHED_STACK_OVERFLOW_H

#include "spargio/sched/shard.h"

/* On the shard's thread. Without memory for it there is only no name. */
void sp__stack_overflow_watch_begin(struct sp_shard *shard);
void sp__stack_overflow_watch_end(struct sp_shard *shard);

#endif
