/*
 * Looking inside: what every fiber waits for, counters, and a watchdog for
 * fibers that do not let go of their shard.
 */
#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/stats.h>
#include <spargio/time.h>

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* tests/system/test_gdb.py looks for this function in a backtrace. */
static int wait_for_the_end(void *arg)
{
	(void)arg;
	while (sp_sleep(SP_S) == 0) /* yields */
		;
	return 0;
}

/*
 * What a watchdog is for: a loop nobody thought would be long. This one ends
 * when it was seen.
 */
static int block_shard(void *arg)
{
	atomic_int *seen = arg;
	int64_t until = sp_in(5 * SP_S);

	while (atomic_load(seen) == 0 && sp_now() < until)
		;
	return 0;
}

/* On a thread of its own, while the fiber still runs. */
static void on_blocked_shard(const struct sp_blocked_shard *blocked, void *arg)
{
	atomic_int *seen = arg;

	(void)blocked; /* its shard, id, name and how long it has run */
	atomic_fetch_add(seen, 1);
}

static int start_named(const char *name, int (*fn)(void *), void *arg,
		       struct sp_task *task)
{
	struct sp_attr attr = { .place = SP_PINNED, .shard = 1, .name = name };

	return sp_go_attr(NULL, &attr, fn, arg, task);
}

static int print_stats(void)
{
	struct sp_stats all;
	struct sp_shard_stats one;

	sp_stats_get(sp_runtime(), &all);
	printf("%u fibers on %u shards, back end %s\n", all.live_fibers,
	       all.shards, sp_backend_name(sp_runtime()));
	for (uint32_t i = 0; i < all.shards; i++) {
		int err = sp_stats_shard(sp_runtime(), i, &one);

		if (err < 0)
			return err;
		printf("shard %u: %llu switches, %llu stolen, %llu parks\n", i,
		       (unsigned long long)one.switches,
		       (unsigned long long)one.stolen,
		       (unsigned long long)one.parks);
	}
	return 0;
}

static int body(void *arg)
{
	atomic_int *seen = arg;
	struct sp_task sleeper = { 0 }, busy = { 0 };
	int err;

	err = start_named("sleeper", wait_for_the_end, NULL, &sleeper);
	if (err < 0)
		return err;
	sp_sleep(50 * SP_MS); /* both are asleep by then */

	/* One line for each fiber; from a debugger: call (int)sp_dump(...) */
	fflush(stdout);
	err = sp_dump(sp_runtime(), STDOUT_FILENO);
	if (err == 0)
		err = print_stats();
	if (err == 0)
		err = start_named("busy", block_shard, seen, &busy);
	if (err < 0)
		return err;
	sp_join(busy, NULL);
	printf("watchdog: %s\n",
	       atomic_load(seen) > 0 ? "blocked shard seen" : "?");
	sp_cancel(sleeper);
	return sp_join(sleeper, NULL);
}

int main(void)
{
	atomic_int seen = 0;
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	opts.watchdog_ms = 10;
	opts.on_blocked_shard = on_blocked_shard;
	opts.on_blocked_shard_arg = &seen;
	return sp_run(&opts, body, &seen) == 0 ? 0 : 1;
}
