/*
 * spargio/sched/cxx_exceptions.h - the C++ exception state of a stack
 *
 * The C++ runtime keeps per thread the exceptions being handled and the number
 * of uncaught exceptions (Itanium C++ ABI, Exception Handling, 2.2.2). Both
 * belong to a stack: a fiber may yield in a catch block, or in a destructor
 * during unwinding. So a switch saves the thread's state with the old stack and
 * loads that of the new one.
 *
 * A program without the C++ runtime pays one test per switch.
 */
#ifndef SPARGIO_SCHED_CXX_EXCEPTIONS_H
#define SPARGIO_SCHED_CXX_EXCEPTIONS_H

#include <stddef.h>

/* Same layout as __cxa_eh_globals of the ABI. */
struct sp__cxx_exceptions {
	void *caught;
	unsigned int uncaught;
};

/* The state of the calling thread; NULL without the C++ runtime. */
struct sp__cxx_exceptions *sp__cxx_exceptions_get(void);

/*
 * Save the state of the thread to *@from and load *@to. @thread is the result
 * of sp__cxx_exceptions_get() in this thread; nothing is done if it is NULL.
 */
static inline void sp__cxx_exceptions_switch(
	struct sp__cxx_exceptions *thread, struct sp__cxx_exceptions *from,
	const struct sp__cxx_exceptions *to)
{
	if (thread == NULL)
		return;
	*from = *thread;
	*thread = *to;
}

#endif
