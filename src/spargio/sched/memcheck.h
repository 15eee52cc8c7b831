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
 * valgrind runs one thread at a time, and 3.19 does not let another go on while
 * one is in io_uring_enter(2): a shard that sleeps there stops all others. It
 * does not know epoll_pwait2(2) either.
 */
bool sp__on_valgrind(void);

#endif
