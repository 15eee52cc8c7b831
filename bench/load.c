/*
 * What it costs to make load: a million prefixes of five peers, every update a
 * path change. The generator must be well ahead of the collector, or a bench
 * of the collector measures the generator.
 */
#include "bench.h"

#include "load/router.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Nanoseconds to make one update of one route.\n"
	"  load_churn     path changes of random routes, into a buffer\n"
	"  load_table     the table, in its order\n"
	"  floor          memcpy of as many bytes\n";

#define BUFFER	 (256 * 1024)
#define PREFIXES 1000000
#define PEERS	 5
#define UPDATES	 2000000
#define QUICK	 200000
#define LOOPS	 6

struct source {
	struct load_table *table;
	struct load_router *router;
	struct load_router *dumping; /* its table, again and again */
	uint8_t buf[BUFFER];
	uint8_t copy[BUFFER];
	size_t len; /* of the last piece */
	uint64_t routes_a_piece;
};

static void make(struct source *s, uint32_t per_update)
{
	struct load_plan plan = LOAD_PLAN_INIT;

	plan.prefixes = PREFIXES;
	plan.peers = PEERS;
	plan.per_update = per_update;
	plan.churn = LOAD_NO_END;
	plan.changes = 1;
	plan.duplicates = 0;
	plan.withdraws = 0;
	if (load_table_new(&plan, &s->table) < 0 ||
	    load_router_new(s->table, 0, &s->router) < 0)
		abort();
	while (load_router_fill(s->router, 0, s->buf, BUFFER) > 0)
		;
	/* For the floor: what a piece of churn is. */
	s->len = load_router_fill(s->router, LOAD_NO_END, s->buf, BUFFER);
	s->routes_a_piece = load_router_churned(s->router);
}

static void drop(struct source *s)
{
	load_router_free(s->router);
	load_router_free(s->dumping);
	load_table_free(s->table);
}

static void run_churn(void *arg, uint64_t iterations)
{
	struct source *s = arg;
	uint64_t until = load_router_churned(s->router) + iterations;

	while (load_router_fill(s->router, until, s->buf, BUFFER) > 0)
		bench_keep(s->buf);
}

/* Whole pieces, from the beginning again where it ends. */
static void run_table(void *arg, uint64_t iterations)
{
	struct source *s = arg;
	uint64_t done = 0;

	while (done < iterations) {
		uint64_t before;

		if (s->dumping == NULL &&
		    load_router_new(s->table, 0, &s->dumping) < 0)
			abort();
		before = load_router_counts(s->dumping)->announced;
		if (load_router_fill(s->dumping, 0, s->buf, BUFFER) == 0) {
			load_router_free(s->dumping);
			s->dumping = NULL;
			continue;
		}
		done += load_router_counts(s->dumping)->announced - before;
		bench_keep(s->buf);
	}
}

/* The bytes of so many updates, in pieces that fit the cache as they do. */
static void run_floor(void *arg, uint64_t iterations)
{
	struct source *s = arg;
	uint64_t done;

	for (done = 0; done < iterations; done += s->routes_a_piece) {
		memcpy(s->copy, s->buf, s->len);
		bench_keep(s->copy);
	}
}

struct loop {
	const char *name;
	const char *variant;
	void (*run)(void *arg, uint64_t iterations);
	struct source *source;
};

/* A piece is many updates, so a sample is a number of them, not a time. */
static double sample(const struct loop *loop, uint64_t updates)
{
	uint64_t start = bench_now_ns();

	loop->run(loop->source, updates);
	return (double)(bench_now_ns() - start) / (double)updates;
}

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv, help);
	static struct source one, fifty;
	const struct loop loops[] = {
		{ "load_churn", "floor,prefixes=1", run_floor, &one },
		{ "load_churn", "prefixes=1", run_churn, &one },
		{ "load_table", "prefixes=1", run_table, &one },
		{ "load_churn", "floor,prefixes=50", run_floor, &fifty },
		{ "load_churn", "prefixes=50", run_churn, &fifty },
		{ "load_table", "prefixes=50", run_table, &fifty },
	};
	static double samples[LOOPS][BENCH_ROUNDS_MAX];
	double cpu[LOOPS] = { 0 };

	make(&one, 1);
	make(&fifty, 50);
	for (unsigned round = 0; round < b.rounds; round++) {
		for (size_t i = 0; i < LOOPS; i++) {
			double before = bench_cpu_seconds();

			samples[i][round] =
				sample(&loops[i], b.quick ? QUICK : UPDATES);
			cpu[i] += bench_cpu_seconds() - before;
		}
	}
	for (size_t i = 0; i < LOOPS; i++)
		bench_report(loops[i].name, loops[i].variant, "ns", samples[i],
			     b.rounds, cpu[i]);
	drop(&one);
	drop(&fifty);
	return 0;
}
