#include "spargio/sched/memcheck.h"

#include <stdlib.h>
#include <string.h>

#ifdef SP_VALGRIND
#include <valgrind/valgrind.h>
#endif

/* A client request, which needs its header, or what it puts into everything. */
bool sp__on_valgrind(void)
{
#ifdef SP_VALGRIND
	return RUNNING_ON_VALGRIND != 0;
#else
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded != NULL && strstr(preloaded, "vgpreload") != NULL;
#endif
}
