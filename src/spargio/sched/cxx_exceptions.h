/*
 * spargio/sched/cxx_exceptions.h - the exceptions that a stack handles
 *
 * The C++ runtime keeps by thread which exceptions are being handled and how
 * many were thrown and not caught yet (Itanium C++ ABI, Exception Handling,
 * 2.2.2). Both belong to a stack: a fiber that yields in a catch block, or in a
 * destructor while the stack is unwound, takes them with it. So a switch saves
 * those of the thread with the stack that is left and loads those of the next.
 *
 * A program without the C++ runtime has none, and pays one test a switch.
 */
#ifndef SPARGIO_SCHED_CXX_EXCEPTIONS_H
#define SPARGIO_SCHED_CXX_EXCEPTIONS_H

#include <stddef.h>

/* Laid out as __cxa_eh_globals of the ABI. */
struct sp__cxx_exceptions {
	void *caught;
	unsigned int uncaught;
};

/* Those of the calling thread; NULL without the C++ runtime. */
struct sp__cxx_exceptions *sp__cxx_exceptions_get(void);

/* @thread is what sp__cxx_exceptions_get() returned in this thread. */
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
