/*
 * bench/fibers.h - time a loop that must run in a fiber
 *
 * The loop runs on shard 0 of a runtime that lives as long as the bench; the
 * main thread hands it over and waits, which a sample of milliseconds does not
 * notice. Runtimes that are not being timed are asleep.
 */
#ifndef BENCH_FIBERS_H
#define BENCH_FIBERS_H

#include <stdint.h>

struct sp_opts;

struct fibers {
	struct sp_rt *rt;
	void (*body)(uint64_t iterations); /* in a fiber */
	uint64_t iterations;
};

/*
 * Keep the calling thread on CPU @cpu, where there are several: a floor of two
 * threads that share one measures the kernel's scheduler.
 */
void fibers_pin(int cpu);
void fibers_unpin(void);

/*
 * A runtime of @shards shards, each on a CPU of its own if there are as many;
 * ends the program if it cannot be had.
 */
struct sp_rt *fibers_start(uint32_t shards);
struct sp_rt *fibers_start_with(const struct sp_opts *opts);
void fibers_stop(struct sp_rt *rt);

/* For struct bench_loop.run: @arg is a struct fibers. */
void fibers_run(void *arg, uint64_t iterations);

_Noreturn void fibers_fail(const char *what);

/* The bench is worth nothing if this does not hold. */
static inline void fibers_check(int ok, const char *what)
{
	if (!ok)
		fibers_fail(what);
}

#endif
