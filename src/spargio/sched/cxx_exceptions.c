#include "spargio/sched/cxx_exceptions.h"

/*
 * Defined by the C++ runtime if the program has one: weak, so that a program
 * without it links. It returns the same address for the life of a thread.
 */
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the ABI's name */
extern struct sp__cxx_exceptions *__cxa_get_globals(void) __attribute__((weak));

struct sp__cxx_exceptions *sp__cxx_exceptions_get(void)
{
	return __cxa_get_globals == NULL ? NULL : __cxa_get_globals();
}
