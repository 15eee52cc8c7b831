/*
 * Very many fibers that sleep, at once: what each takes is printed. Then all
 * are cancelled and end.
 *
 *	many_spargio_fibers [FIBERS]		default 1000000
 *
 * memory	resident memory and page tables
 * address	address space of the stacks with their guards
 * unguarded	stacks without a guard; see sp_stats.unguarded_stacks
 */
#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/stats.h>
#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_ulong asleep, woken;

static int sleep_until_cancelled(void *arg)
{
	int err;

	(void)arg;
	atomic_fetch_add_explicit(&asleep, 1, memory_order_relaxed);
	err = sp_sleep(3600 * SP_S);
	atomic_fetch_add_explicit(&woken, 1, memory_order_relaxed);
	return err;
}

/* VmRSS and VmPTE, in bytes. */
static uint64_t memory_used(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	uint64_t kb = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "VmRSS:", 6) == 0 ||
		    strncmp(line, "VmPTE:", 6) == 0)
			kb += strtoul(line + 6, NULL, 10);
	if (f != NULL)
		fclose(f);
	return kb * 1024;
}

static int wait_until_asleep(unsigned long count)
{
	int64_t deadline = sp_in(300 * SP_S);

	while (atomic_load(&asleep) < count) {
		if (sp_now() > deadline) {
			fprintf(stderr, "many: %lu of %lu fibers began\n",
				atomic_load(&asleep), count);
			return -ETIMEDOUT;
		}
		sp_sleep(SP_MS);
	}
	return 0;
}

static int spawn_sleepers(void *arg)
{
	unsigned long count = *(const unsigned long *)arg;
	uint32_t shards = sp_shard_count(sp_runtime());
	uint64_t memory = memory_used();
	int64_t began = sp_now();
	struct sp_stats stats;
	int err = 0;

	if (count == 0)
		return -EINVAL;
	for (unsigned long i = 0; i < count; i++) {
		err = sp_go_on(NULL, (uint32_t)(i % shards),
			       sleep_until_cancelled, NULL, NULL);
		if (err < 0) {
			fprintf(stderr, "many: fiber %lu: %s\n", i,
				strerror(-err));
			return err;
		}
	}
	err = wait_until_asleep(count);
	if (err < 0)
		return err;
	sp_stats_get(sp_runtime(), &stats);
	printf("many: %lu fibers asleep after %" PRId64 " ms; each takes "
	       "%" PRIu64 " bytes of memory and %" PRIu64
	       " of address space; %" PRIu64 " unguarded\n",
	       count, (sp_now() - began) / SP_MS,
	       (memory_used() - memory) / count,
	       stats.stack_bytes / stats.stacks, stats.unguarded_stacks);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	struct sp_opts opts = SP_OPTS_INIT;
	int err;

	opts.shards = 2;
	err = sp_run(&opts, spawn_sleepers, &count);
	if (err == 0 && atomic_load(&woken) != count) {
		fprintf(stderr, "many: %lu of %lu fibers ended\n",
			atomic_load(&woken), count);
		return 1;
	}
	return err < 0;
}
