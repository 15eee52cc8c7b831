#include "bench.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOPS_MAX 64

/*
 * Long against the clock's grain, short against a scheduler's slice: on a busy
 * machine some samples then have a core to themselves, and the minimum means
 * something.
 */
#define SAMPLE_NS	2000000
#define SAMPLE_QUICK_NS 1000000

static unsigned rounds_or_exit(const char *text)
{
	char *end = NULL;
	unsigned long n = text != NULL ? strtoul(text, &end, 10) : 0;

	if (n == 0 || n > BENCH_ROUNDS_MAX || *end != '\0') {
		fprintf(stderr, "--rounds wants a number from 1 to %d\n",
			BENCH_ROUNDS_MAX);
		exit(2);
	}
	return (unsigned)n;
}

/*
 * One flag, from @i on; returns the index of its last word. Anything else is
 * not for us: *@b stays as it was and 0 is returned.
 */
static int take_flag(int argc, char **argv, int i, const char *help,
		     const char *names, struct bench *b)
{
	if (strcmp(argv[i], "--quick") == 0) {
		b->quick = true;
	} else if (strcmp(argv[i], "--rounds") == 0) {
		i++;
		b->rounds = rounds_or_exit(i < argc ? argv[i] : NULL);
	} else if (strcmp(argv[i], "--help") == 0) {
		printf("usage: %s [--quick] [--rounds N]%s\n%s", argv[0], names,
		       help);
		exit(0);
	} else {
		return 0;
	}
	return i;
}

static _Noreturn void unknown(const char *program, const char *word)
{
	fprintf(stderr, "%s: unknown: %s, try --help\n", program, word);
	exit(2);
}

static void set_rounds(struct bench *b)
{
	if (b->rounds == 0)
		b->rounds = b->quick ? BENCH_ROUNDS_QUICK : BENCH_ROUNDS;
}

struct bench bench_begin(int argc, char **argv, const char *help)
{
	struct bench b = { .rounds = 0, .quick = false };

	for (int i = 1; i < argc; i++) {
		int last = take_flag(argc, argv, i, help, "", &b);

		if (last == 0)
			unknown(argv[0], argv[i]);
		i = last;
	}
	set_rounds(&b);
	return b;
}

static size_t part_named(const struct bench_part *parts, size_t n,
			 const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(parts[i].name, name) != 0)
		i++;
	return i;
}

void bench_parts_run(int argc, char **argv, const char *help,
		     const struct bench_part *parts, size_t n)
{
	struct bench b = { .rounds = 0, .quick = false };
	uint64_t wanted = 0;

	assert(n < 64);
	for (int i = 1; i < argc; i++) {
		int last = take_flag(argc, argv, i, help, " [PART...]", &b);
		size_t part = part_named(parts, n, argv[i]);

		if (last == 0 && part == n)
			unknown(argv[0], argv[i]);
		if (last == 0)
			wanted |= UINT64_C(1) << part;
		else
			i = last;
	}
	set_rounds(&b);
	for (size_t i = 0; i < n; i++)
		if (wanted == 0 || (wanted >> i & 1) != 0)
			parts[i].run(&b);
}

void bench_fail(const char *what)
{
	fprintf(stderr, "bench: this must not fail: %s\n", what);
	exit(1);
}

static double clock_seconds(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

uint64_t bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

double bench_cpu_seconds(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

void bench_report(const char *name, const char *variant, const char *unit,
		  double *samples, size_t n, double cpu_seconds)
{
	double median;

	assert(n > 0);
	qsort(samples, n, sizeof(*samples), by_value);
	median = n % 2 ? samples[n / 2]
		       : (samples[n / 2 - 1] + samples[n / 2]) / 2;
	printf("{\"bench\": \"%s\", \"variant\": \"%s\", \"unit\": \"%s\", "
	       "\"value\": %.6g, \"min\": %.6g, \"max\": %.6g, \"n\": %zu, "
	       "\"cpu_seconds\": %.3f}\n",
	       name, variant, unit, median, samples[0], samples[n - 1], n,
	       cpu_seconds);
	fflush(stdout);
}

static double ns_per(const char *unit)
{
	return strcmp(unit, "us") == 0	 ? 1e3
	       : strcmp(unit, "ms") == 0 ? 1e6
					 : 1;
}

static uint64_t time_loop(const struct bench_loop *loop, uint64_t iterations)
{
	uint64_t start = bench_now_ns();

	loop->run(loop->arg, iterations);
	return bench_now_ns() - start;
}

/* Iterations that last about @target ns; warms caches and predictors, too. */
static uint64_t calibrate(const struct bench_loop *loop, uint64_t target)
{
	uint64_t n = 1;

	for (;;) {
		uint64_t ns = time_loop(loop, n);

		if (ns >= target / 2)
			return ns >= target ? n : n * target / ns;
		n = ns < target / 16 ? n * 8 : n * 2;
	}
}

void bench_loops_run(const struct bench *b, const struct bench_loop *loops,
		     size_t n)
{
	uint64_t target = b->quick ? SAMPLE_QUICK_NS : SAMPLE_NS;
	uint64_t iterations[LOOPS_MAX];
	double cpu[LOOPS_MAX] = { 0 };
	double *samples;

	assert(n <= LOOPS_MAX);
	samples = calloc(n * b->rounds, sizeof(*samples));
	if (samples == NULL)
		exit(1);
	for (size_t i = 0; i < n; i++)
		iterations[i] = calibrate(&loops[i], target);
	for (size_t round = 0; round < b->rounds; round++) {
		for (size_t i = 0; i < n; i++) {
			double cpu_before = bench_cpu_seconds();
			uint64_t ns = time_loop(&loops[i], iterations[i]);

			samples[i * b->rounds + round] = (double)ns /
							 (double)iterations[i] /
							 ns_per(loops[i].unit);
			cpu[i] += bench_cpu_seconds() - cpu_before;
		}
	}
	for (size_t i = 0; i < n; i++)
		bench_report(loops[i].name, loops[i].variant, loops[i].unit,
			     &samples[i * b->rounds], b->rounds, cpu[i]);
	free(samples);
}
