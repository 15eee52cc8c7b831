#include "spargio/sched/memcheck.h"

#include <stdlib.h>
#include <string.h>

/*
 * Ask valgrind by a client request, if its header existed at build time. Else
 * look for the library that valgrind preloads.
 */
bool sp__on_valgrind(void)
{
#ifdef SP_VALGRIND
	return RUNNING_ON_VALGRIND != 0;
#else
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded != NULL && strstr(preloaded, "vgpreload") != NULL;
#endif
}
