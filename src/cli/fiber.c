#include "cli/fiber.h"

#include <spargio/runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK (256 << 10)

int fiber_main(const char *command, int (*work)(void *arg), void *arg)
{
	struct sp_opts opts = SP_OPTS_INIT;
	int ret;

	opts.shards = 1;
	opts.stack_size = STACK;
	ret = sp_run(&opts, work, arg);
	if (ret < 0)
		fprintf(stderr, "arancini %s: %s\n", command, strerror(-ret));
	return ret < 0 ? EXIT_FAILURE : ret;
}
