/*
 * What a runtime costs that has nothing to do.
 *
 *	idle_cpu	two shards, ten seconds, CPU time of the process
 *	fiber_bytes	memory of a sleeping fiber, out of 100,000
 */
#include "bench.h"
#include "fibers.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FIBERS = 100000
};

/* The second number of /proc/self/statm is the resident pages. */
static double resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	char line[128] = "";
	char *second;

	fibers_check(f != NULL && fgets(line, sizeof(line), f) != NULL,
		     "no /proc/self/statm");
	fclose(f);
	second = strchr(line, ' ');
	fibers_check(second != NULL, "an odd /proc/self/statm");
	return (double)strtol(second, NULL, 10) * (double)sysconf(_SC_PAGESIZE);
}

static void idle_cpu(const struct bench *b)
{
	double samples[1];
	struct sp_rt *rt = fibers_start(2);
	double before, used;

	usleep(100000); /* let it fall asleep */
	before = bench_cpu_seconds();
	usleep(b->quick ? 1000000 : 10000000);
	used = bench_cpu_seconds() - before;
	/* A short run says what ten seconds would have cost. */
	samples[0] = used * 1000 * (b->quick ? 10 : 1);
	bench_report("idle_cpu", "spargio", "ms", samples, 1, used);
	fibers_stop(rt);
}

static int sleeper(void *arg)
{
	(void)arg;
	return sp_sleep_until(SP_NEVER);
}

static void spawn_sleepers(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		fibers_check(sp_go_on(NULL, 0, sleeper, NULL, NULL) == 0,
			     "spawn");
	/* Let every one of them run to its sleep. */
	for (uint64_t i = 0; i < count / 32; i++)
		sp_yield();
}

static void fiber_bytes(void)
{
	struct fibers f = { fibers_start(1), spawn_sleepers, 0 };
	double cpu = bench_cpu_seconds();
	double before = resident_bytes();
	double samples[1];

	fibers_run(&f, FIBERS);
	samples[0] = (resident_bytes() - before) / FIBERS;
	bench_report("fiber_bytes", "spargio", "bytes", samples, 1,
		     bench_cpu_seconds() - cpu);
	fibers_stop(f.rt);
}

int main(int argc, char **argv)
{
	struct bench b =
		bench_begin(argc, argv,
			    "Measures CPU and memory of a runtime at rest.");

	idle_cpu(&b);
	fiber_bytes();
	return 0;
}
