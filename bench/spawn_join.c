/*
 * What a fiber costs from spawn to join.
 *
 *	floor		a stack from a free list, one function on it, back
 *	one_shard	sp_go() and sp_join() where only one shard is
 *	cross_shard	sp_go_on() another shard and sp_join()
 */
#include "bench.h"
#include "fibers.h"

#include "spargio/sched/context.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>

#include <stdlib.h>

#define STACK  65536
#define STACKS 8

static int nothing(void *arg)
{
	return arg != NULL;
}

/* The floor: what nobody who pools stacks can do without. */

struct slot {
	struct slot *next;
	struct sp__context ctx;
	char *stack;
	int (*fn)(void *);
	int ret;
};

static struct sp__context here;
static struct slot *pool;

static void slot_main(void *arg)
{
	struct slot *slot = arg;

	slot->ret = slot->fn(NULL);
	sp__context_switch(&slot->ctx, &here);
}

static void fill_pool(void)
{
	static struct slot slots[STACKS];

	for (int i = 0; i < STACKS; i++) {
		slots[i].stack = malloc(STACK);
		fibers_check(slots[i].stack != NULL, "no memory");
		slots[i].next = pool;
		pool = &slots[i];
	}
}

static void run_floor(void *arg, uint64_t iterations)
{
	(void)arg;
	for (uint64_t i = 0; i < iterations; i++) {
		struct slot *slot = pool;

		pool = slot->next;
		slot->fn = nothing;
		sp__context_make(&slot->ctx, slot->stack, slot->stack + STACK,
				 slot_main, slot);
		sp__context_switch(&here, &slot->ctx);
		bench_keep(&slot->ret);
		slot->next = pool;
		pool = slot;
	}
}

static void one_shard(uint64_t iterations)
{
	for (uint64_t i = 0; i < iterations; i++) {
		struct sp_task task;

		fibers_check(sp_go(nothing, NULL, &task) == 0, "spawn");
		fibers_check(sp_join(task, NULL) == 0, "join");
	}
}

static void cross_shard(uint64_t iterations)
{
	for (uint64_t i = 0; i < iterations; i++) {
		struct sp_task task;

		fibers_check(sp_go_on(NULL, 1, nothing, NULL, &task) == 0,
			     "spawn");
		fibers_check(sp_join(task, NULL) == 0, "join");
	}
}

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv,
				     "Times spawning and joining a fiber.\n");
	struct fibers one = { fibers_start(1), one_shard, 0 };
	struct fibers two = { fibers_start(2), cross_shard, 0 };
	const struct bench_loop loops[] = {
		{ "spawn_join", "floor", "ns", run_floor, NULL },
		{ "spawn_join", "one_shard", "ns", fibers_run, &one },
		{ "spawn_join", "cross_shard", "ns", fibers_run, &two },
	};

	sp__context_adopt(&here);
	fill_pool();
	bench_loops_run(&b, loops, sizeof(loops) / sizeof(loops[0]));
	fibers_stop(one.rt);
	fibers_stop(two.rt);
	return 0;
}
