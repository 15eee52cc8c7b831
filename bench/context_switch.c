/*
 * What leaving one stack for another costs.
 *
 *	floor	the assembly alone, two stacks, one thread
 *	spargio	sp__context_switch(), as the scheduler calls it
 */
#include "bench.h"

#include "spargio/sched/context.h"

#include <stdlib.h>

#define STACK 65536

void sp__context_swap(void **save, void *load);

static struct sp__context here, there;

static void back_by_swap(void *arg)
{
	(void)arg;
	for (;;)
		sp__context_swap(&there.sp, here.sp);
}

static void back_by_switch(void *arg)
{
	(void)arg;
	for (;;)
		sp__context_switch(&there, &here);
}

/* Two switches an iteration, so half as many iterations. */

static void run_floor(void *arg, uint64_t iterations)
{
	char *stack = arg;

	sp__context_make(&there, stack, stack + STACK, back_by_swap, NULL);
	for (uint64_t i = 0; i < iterations; i += 2)
		sp__context_swap(&here.sp, there.sp);
}

static void run_spargio(void *arg, uint64_t iterations)
{
	char *stack = arg;

	sp__context_make(&there, stack, stack + STACK, back_by_switch, NULL);
	for (uint64_t i = 0; i < iterations; i += 2)
		sp__context_switch(&here, &there);
}

int main(int argc, char **argv)
{
	struct bench b =
		bench_begin(argc, argv, "Times a switch between two stacks.\n");
	void *stack = malloc(STACK);
	const struct bench_loop loops[] = {
		{ "context_switch", "floor", "ns", run_floor, stack },
		{ "context_switch", "spargio", "ns", run_spargio, stack },
	};

	sp__context_adopt(&here);
	bench_loops_run(&b, loops, sizeof(loops) / sizeof(loops[0]));
	free(stack);
	return 0;
}
