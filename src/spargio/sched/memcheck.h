/*
 * spargio/sched/memcheck.h - whether the program runs under valgrind
 */
#ifndef SPARGIO_SCHED_MEMCHECK_H
#define SPARGIO_SCHED_MEMCHECK_H

#include <stdbool.h>

/* valgrind must know of every stack that is not a thread's. */
#ifdef SP_VALGRIND
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(bottom, top) (0U)
#define VALGRIND_STACK_DEREGISTER(id)	     ((void)(id))
#endif

/*
 * valgrind runs one thread at a time. valgrind 3.19 does not let another
 * thread run while a thread is in io_uring_enter(2), so a shard that sleeps in
 * this call would stop all other shards. valgrind 3.19 does not know
 * epoll_pwait2(2) either.
 */
bool sp__on_valgrind(void);

#endif
