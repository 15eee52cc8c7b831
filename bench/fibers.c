#include "fibers.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void fibers_fail(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

struct sp_rt *fibers_start_with(const struct sp_opts *opts)
{
	struct sp_rt *rt = NULL;

	fibers_check(sp_start(opts, &rt) == 0, "the runtime does not start");
	return rt;
}

void fibers_pin(int cpu)
{
	cpu_set_t set;

	if (cpu >= sysconf(_SC_NPROCESSORS_ONLN))
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

void fibers_unpin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		CPU_SET((size_t)cpu, &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

struct sp_rt *fibers_start(uint32_t shards)
{
	static const int cpus[] = { 0, 1 };
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = shards;
	if (shards <= 2 && sysconf(_SC_NPROCESSORS_ONLN) >= 2)
		opts.affinity = cpus;
	opts.stealable_capacity = 1 << 20;
	return fibers_start_with(&opts);
}

void fibers_stop(struct sp_rt *rt)
{
	fibers_check(sp_stop(rt, sp_in(10 * SP_S)) == 0,
		     "the runtime does not stop");
}

static int call(void *arg)
{
	struct fibers *f = arg;

	f->body(f->iterations);
	return 0;
}

void fibers_run(void *arg, uint64_t iterations)
{
	struct fibers *f = arg;

	f->iterations = iterations;
	fibers_check(sp_call_on(f->rt, 0, call, f, NULL) == 0,
		     "the loop did not run");
}
