/*
 * bench/bench.h - time a few loops fairly and print them as JSON lines
 *
 *	{"bench": "…", "variant": "…", "unit": "…", "value": median,
 *	 "min": …, "max": …, "n": rounds, "cpu_seconds": …}
 *
 * Two ways to use it. A program whose numbers are "time per iteration" hands
 * its loops to bench_loops_run(), which finds how many iterations make a
 * sample long enough to trust and runs one sample of each loop per round. The
 * loops are interleaved, so a floor and the thing above it see the same noise.
 * A program that measures something else (bytes, rates, percentiles) takes its
 * samples itself and hands them to bench_report().
 *
 * Threads	Call it from one thread.
 * Errors	A wrong flag ends the program with 2 and a line on stderr.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_ROUNDS	   15
#define BENCH_ROUNDS_QUICK 3
#define BENCH_ROUNDS_MAX   1000

struct bench {
	unsigned rounds;
	bool quick; /* --quick: shorter samples, too; for a smoke test */
};

/*
 * Read the flags every bench has: --quick, --rounds N, --help (prints @help
 * and ends the program with 0).
 */
struct bench bench_begin(int argc, char **argv, const char *help);

/* A monotonic clock, and the CPU time of this process. */
uint64_t bench_now_ns(void);
double bench_cpu_seconds(void);

/* Says @what, and ends the program. */
_Noreturn void bench_fail(const char *what);

/* The bench is worth nothing if @good does not hold. */
static inline void bench_must(bool good, const char *what)
{
	if (!good)
		bench_fail(what);
}

/* One line on stdout. @samples is sorted in place. */
void bench_report(const char *name, const char *variant, const char *unit,
		  double *samples, size_t n, double cpu_seconds);

/* One thing to time: @run does its work @iterations times. */
struct bench_loop {
	const char *name;
	const char *variant;
	const char *unit; /* of one iteration: "ns", "us" or "ms" */
	void (*run)(void *arg, uint64_t iterations);
	void *arg;
};

/* Time all of @loops, interleaved, and report each. @n is at most 64. */
void bench_loops_run(const struct bench *b, const struct bench_loop *loops,
		     size_t n);

/* A program of several parts, each of which can be asked for by its name. */
struct bench_part {
	const char *name;
	void (*run)(const struct bench *b);
};

/*
 * The whole of such a program: read the flags and the names on the command
 * line, run the parts that are named, or all. A name nobody knows ends the
 * program with 2.
 */
void bench_parts_run(int argc, char **argv, const char *help,
		     const struct bench_part *parts, size_t n);

/* The optimiser must believe that somebody looks at *@p. */
static inline void bench_keep(const void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

#endif
