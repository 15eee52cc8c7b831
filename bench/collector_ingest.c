/*
 * Updates a second through the whole collector. All the lanes, a collector
 * with its routers each, are made first and then take turns: what is in one
 * table can be compared.
 */
#include "collector.h"

#include "nats_server.h"
#include "collector_harness.h"
#include "bmp_sender.h"
#include "syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define WORKERS_MAX 2
#define FEW	    5

/* What one lane is, as the names of docs/benchmarks.md have it. */
struct kind {
	const char *bench;
	uint32_t prefixes;
	unsigned workers;
	enum rig_output output;
	const char *snapshots;
	uint64_t updates; /* a round, of each router */
	uint64_t quick;
	const char *acked_tail; /* NULL: the default */
};

#define MILLION UINT64_C(1000000)

/* clang-format off */
static const struct kind null_kinds[] = {
	{ "ingest_null", 1, 1, RIG_DISCARD, NULL, MILLION / 4, 100000, NULL },
	{ "ingest_snapshots", 1, 1, RIG_DISCARD, "1s", MILLION / 4, 100000, NULL },
	{ "ingest_null", 50, 1, RIG_DISCARD, NULL, MILLION, MILLION, NULL },
	{ "ingest_null", 1, 2, RIG_DISCARD, NULL, MILLION / 8, 50000, NULL },
	{ "ingest_null", 50, 2, RIG_DISCARD, NULL, MILLION / 2, 500000, NULL },
};
static const struct kind journal_kinds[] = {
	{ "ingest_journal", 1, 1, RIG_JOURNAL, NULL, MILLION, 100000, NULL },
	{ "ingest_journal", 50, 1, RIG_JOURNAL, NULL, 2 * MILLION, 200000, NULL },
	{ "ingest_journal", 1, 2, RIG_JOURNAL, NULL, MILLION / 2, 50000, NULL },
	{ "ingest_journal", 50, 2, RIG_JOURNAL, NULL, MILLION, 100000, NULL },
};
static const struct kind jetstream_kinds[] = {
	{ "ingest_jetstream", 1, 1, RIG_JETSTREAM, NULL, MILLION, 100000, NULL },
	{ "ingest_jetstream", 50, 1, RIG_JETSTREAM, NULL, MILLION, 100000, NULL },
	{ "ingest_jetstream", 1, 2, RIG_JETSTREAM, NULL, MILLION / 2, 50000, NULL },
	{ "ingest_jetstream", 50, 2, RIG_JETSTREAM, NULL, MILLION / 2, 50000, NULL },
};
/* In pairs: without it and with it. */
static const struct kind acked_tail_kinds[] = {
	{ "ingest_no_acked_tail", 1, 1, RIG_JETSTREAM, NULL, MILLION, 100000, "0" },
	{ "ingest_acked_tail", 1, 1, RIG_JETSTREAM, NULL, MILLION, 100000, NULL },
	{ "ingest_no_acked_tail", 50, 1, RIG_JETSTREAM, NULL, MILLION, 100000, "0" },
	{ "ingest_acked_tail", 50, 1, RIG_JETSTREAM, NULL, MILLION, 100000, NULL },
	{ "ingest_no_acked_tail", 1, 2, RIG_JETSTREAM, NULL, MILLION / 2, 100000, "0" },
	{ "ingest_acked_tail", 1, 2, RIG_JETSTREAM, NULL, MILLION / 2, 100000, NULL },
	{ "ingest_no_acked_tail", 50, 2, RIG_JETSTREAM, NULL, MILLION / 2, 100000, "0" },
	{ "ingest_acked_tail", 50, 2, RIG_JETSTREAM, NULL, MILLION / 2, 100000, NULL },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LANES_MAX    COUNT(null_kinds)

/* What is measured besides the rate. */
enum measure {
	MEASURE_RATE,
	MEASURE_CPU,
	MEASURE_CPU_OF_ALL,
	MEASURE_SWITCHES,
	MEASURE_SYSCALLS,
	MEASURE_WORKER,
	MEASURES
};

struct lane {
	const struct kind *kind;
	struct rig rig;
	struct source sources[WORKERS_MAX];
	uint64_t published;
	double cpu;	   /* of all rounds */
	double cpu_of_all; /* the same, with server and routers */
	double samples[MEASURES][BENCH_ROUNDS_MAX];
};

struct group {
	const struct kind *kinds;
	size_t count;
	const char *url;
	const struct broker *brokers; /* instead, one for each lane */
	struct lane *lanes;
	int syscalls;
};

/* The sources: processes, so they are made before any thread is. */
static void make_sources(const struct bench *b, struct lane *l)
{
	struct load_plan plan = collector_plan(b, l->kind->prefixes);

	for (unsigned i = 0; i < l->kind->workers; i++)
		source_start(&l->sources[i], &plan,
			     /* cpu= */ l->kind->workers == 1 ? 1 : -1,
			     rig_address(l->kind->workers, i));
}

static void load(struct lane *l, const struct group *g)
{
	struct rig_options options = {
		.workers = l->kind->workers,
		.output = l->kind->output,
		.url = g->url != NULL ? g->url : g->brokers[l - g->lanes].url,
		.snapshots = l->kind->snapshots,
		.acked_tail = l->kind->acked_tail,
	};

	uint64_t routes = 0;

	rig_start(&l->rig, &options);
	for (unsigned i = 0; i < l->kind->workers; i++)
		routes += source_table(&l->sources[i], rig_port(&l->rig));
	l->published = rig_settle(&l->rig, routes);
}

/* User and system time of another process so far, in seconds. */
static double cpu_seconds_of(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &t) < 0)
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* All that is counted, at one moment. */
struct counts {
	uint64_t ns;
	double cpu;
	double cpu_of_all; /* with the lane's server and routers */
	double worker;
	double switches;
	double syscalls;
};

static struct counts count(const struct lane *l, const struct group *g)
{
	struct counts c = { .cpu = bench_cpu_seconds() };
	struct rusage usage;

	c.cpu_of_all = c.cpu;
	if (g->brokers != NULL)
		c.cpu_of_all += cpu_seconds_of(g->brokers[l - g->lanes].pid);
	for (unsigned i = 0; i < l->kind->workers; i++) {
		c.worker += rig_worker_cpu(&l->rig, i);
		c.cpu_of_all += cpu_seconds_of(l->sources[i].pid);
	}
	getrusage(RUSAGE_SELF, &usage);
	c.switches = (double)(usage.ru_nvcsw + usage.ru_nivcsw);
	c.syscalls = (double)syscalls_read(g->syscalls);
	c.ns = bench_now_ns();
	return c;
}

static void round_of(struct lane *l, const struct group *g,
		     const struct bench *b, unsigned round)
{
	uint64_t each = b->quick ? l->kind->quick : l->kind->updates;
	struct counts before, after;
	uint64_t updates = 0;
	double millions;

	for (unsigned i = 0; i < l->kind->workers; i++)
		updates += source_prepare(&l->sources[i], each);
	before = count(l, g);
	for (unsigned i = 0; i < l->kind->workers; i++)
		source_go(&l->sources[i]);
	rig_wait(&l->rig, l->published + updates);
	after = count(l, g);
	for (unsigned i = 0; i < l->kind->workers; i++)
		source_done(&l->sources[i]);
	l->published += updates;
	l->cpu += after.cpu - before.cpu;
	l->cpu_of_all += after.cpu_of_all - before.cpu_of_all;
	millions = (double)updates / 1e6;
	l->samples[MEASURE_RATE][round] =
		millions * 1e15 / (double)(after.ns - before.ns);
	l->samples[MEASURE_CPU][round] = (after.cpu - before.cpu) / millions;
	l->samples[MEASURE_CPU_OF_ALL][round] =
		(after.cpu_of_all - before.cpu_of_all) / millions;
	l->samples[MEASURE_SWITCHES][round] =
		(after.switches - before.switches) / millions;
	l->samples[MEASURE_SYSCALLS][round] =
		(after.syscalls - before.syscalls) / millions;
	l->samples[MEASURE_WORKER][round] =
		(after.worker - before.worker) / millions * 1e3;
}

static void report(struct lane *l, const struct group *g, unsigned rounds)
{
	char variant[48];

	snprintf(variant, sizeof(variant), "prefixes=%u,workers=%u",
		 l->kind->prefixes, l->kind->workers);
	bench_report(l->kind->bench, variant, "updates/s",
		     l->samples[MEASURE_RATE], rounds, l->cpu);
	if (l->kind->output != RIG_DISCARD || l->kind->snapshots != NULL)
		return;
	bench_report("worker_ns", variant, "ns", l->samples[MEASURE_WORKER],
		     rounds, l->cpu);
	if (l->kind->workers != 1)
		return;
	snprintf(variant, sizeof(variant), "prefixes=%u", l->kind->prefixes);
	bench_report("cpu_per_million", variant, "cpu s",
		     l->samples[MEASURE_CPU], rounds, l->cpu);
	bench_report("switches_per_million", variant, "count",
		     l->samples[MEASURE_SWITCHES], rounds, l->cpu);
	if (g->syscalls >= 0)
		bench_report("syscalls_per_million", variant, "count",
			     l->samples[MEASURE_SYSCALLS], rounds, l->cpu);
}

/*
 * What snapshots cost, against the lane before, which has none: of the rate,
 * and of the worker's time for an update. Each round is compared with the one
 * that was taken right before it. The sum of the slices is bounded by time, so
 * one that takes more than a round is under way in all of them.
 */
static void report_cost(const struct lane *l, unsigned rounds)
{
	static double wall[BENCH_ROUNDS_MAX], cpu[BENCH_ROUNDS_MAX];
	const struct lane *without = l - 1;

	for (unsigned i = 0; i < rounds; i++) {
		wall[i] = 1 - l->samples[MEASURE_RATE][i] /
				      without->samples[MEASURE_RATE][i];
		cpu[i] = l->samples[MEASURE_WORKER][i] /
				 without->samples[MEASURE_WORKER][i] -
			 1;
	}
	bench_report("snapshot_cost", "wall", "ratio", wall, rounds, l->cpu);
	bench_report("snapshot_cost", "worker_cpu", "ratio", cpu, rounds,
		     l->cpu);
}

/*
 * The same of what is kept of acknowledged messages: by the rate, and by CPU
 * time, which other work on the machine hardly moves: of the collector, and of
 * all that take part, which is what the rate follows where no CPU is idle.
 */
static void report_tail_cost(const struct lane *l, unsigned rounds)
{
	static const struct {
		const char *name;
		enum measure measure;
	} costs[] = {
		{ "wall", MEASURE_RATE },
		{ "cpu", MEASURE_CPU },
		{ "cpu_of_all", MEASURE_CPU_OF_ALL },
	};
	static double cost[BENCH_ROUNDS_MAX];
	const struct lane *without = l - 1;
	char variant[48];

	for (size_t k = 0; k < COUNT(costs); k++) {
		for (unsigned i = 0; i < rounds; i++) {
			double ratio = l->samples[costs[k].measure][i] /
				       without->samples[costs[k].measure][i];

			cost[i] = costs[k].measure == MEASURE_RATE ? 1 - ratio
								   : ratio - 1;
		}
		snprintf(variant, sizeof(variant), "%s,prefixes=%u,workers=%u",
			 costs[k].name, l->kind->prefixes, l->kind->workers);
		bench_report("acked_tail_cost", variant, "ratio", cost, rounds,
			     l->cpu);
	}
	/* All rounds in one: short ones differ by what the machine does. */
	cost[0] = l->cpu_of_all / without->cpu_of_all - 1;
	snprintf(variant, sizeof(variant),
		 "cpu_of_all_sum,prefixes=%u,workers=%u", l->kind->prefixes,
		 l->kind->workers);
	bench_report("acked_tail_cost", variant, "ratio", cost, 1, l->cpu);
}

/* Forth and back in turn: what a lane leaves behind is not always for one. */
static struct lane *lane_at(const struct group *g, unsigned round, size_t i)
{
	return &g->lanes[round % 2 == 0 ? i : g->count - 1 - i];
}

static void run_group(struct group *g, const struct bench *b)
{
	g->lanes = calloc(g->count, sizeof(*g->lanes));
	bench_must(g->lanes != NULL, "memory");
	for (size_t i = 0; i < g->count; i++) {
		g->lanes[i].kind = &g->kinds[i];
		make_sources(b, &g->lanes[i]);
	}
	g->syscalls = syscalls_open();
	for (size_t i = 0; i < g->count; i++)
		load(&g->lanes[i], g);
	for (unsigned round = 0; round < b->rounds; round++)
		for (size_t i = 0; i < g->count; i++)
			round_of(lane_at(g, round, i), g, b, round);
	/* Before a report sorts what is compared. */
	for (size_t i = 0; i < g->count; i++)
		if (g->kinds[i].snapshots != NULL)
			report_cost(&g->lanes[i], b->rounds);
	if (g->brokers != NULL)
		report_tail_cost(&g->lanes[1], b->rounds);
	for (size_t i = 0; i < g->count; i++) {
		struct lane *l = &g->lanes[i];

		for (unsigned k = 0; k < l->kind->workers; k++)
			source_end(&l->sources[k]);
		rig_stop(&l->rig);
		report(l, g, b->rounds);
	}
	if (g->syscalls >= 0)
		close(g->syscalls);
	free(g->lanes);
}

void collector_bench_null(const struct bench *b)
{
	struct group g = { .kinds = null_kinds, .count = COUNT(null_kinds) };

	run_group(&g, b);
}

/* Hundreds of megabytes a second: a few rounds are enough. */
static struct bench few_of(const struct bench *b)
{
	struct bench few = *b;

	if (few.rounds > FEW)
		few.rounds = FEW;
	return few;
}

void collector_bench_journal(const struct bench *b)
{
	struct group g = { .kinds = journal_kinds,
			   .count = COUNT(journal_kinds) };
	struct bench few = few_of(b);

	run_group(&g, &few);
}

/* One server for each: they would write to one stream. */
void collector_bench_jetstream(const struct bench *b)
{
	struct bench few = few_of(b);

	if (!broker_exists())
		return;
	for (size_t i = 0; i < COUNT(jetstream_kinds); i++) {
		struct broker broker = { 0 };
		struct group g = { .kinds = &jetstream_kinds[i], .count = 1 };

		broker_start(&broker);
		natsConnection_Destroy(broker_connect(&broker));
		g.url = broker.url;
		run_group(&g, &few);
		broker_stop(&broker);
	}
}

/* Two collectors take turns, each with a server of its own. */
void collector_bench_acked_tail(const struct bench *b)
{
	if (!broker_exists())
		return;
	for (size_t i = 0; i < COUNT(acked_tail_kinds); i += 2) {
		struct broker brokers[2] = { 0 };
		struct group g = { .kinds = &acked_tail_kinds[i],
				   .count = 2,
				   .brokers = brokers };

		for (size_t k = 0; k < 2; k++) {
			broker_start(&brokers[k]);
			natsConnection_Destroy(broker_connect(&brokers[k]));
		}
		run_group(&g, b);
		for (size_t k = 0; k < 2; k++)
			broker_stop(&brokers[k]);
	}
}
