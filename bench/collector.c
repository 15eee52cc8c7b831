#include "collector.h"

#include <nats/nats.h>

static const char help[] =
	"Parts: memory, null, journal, jetstream, acked_tail, scaling, "
	"latency; all.\n"
	"The collector, from a router's socket to what comes out of the "
	"bridge,\n"
	"with a table of a million prefixes of five peers; every update "
	"changes a\n"
	"route, and is published.\n"
	"  ingest_memory    ns of a worker for an update, without socket and "
	"fibers\n"
	"  ingest_null      updates/s with nothing behind the bridge\n"
	"  ingest_snapshots the same while snapshots are written\n"
	"  snapshot_cost    what of the throughput they take, round by round\n"
	"  ingest_journal, ingest_jetstream\n"
	"                   into a local log, and acknowledged by a server\n"
	"  ingest_no_acked_tail, ingest_acked_tail, acked_tail_cost\n"
	"                   the latter with --acked-tail 0 and the default, "
	"round by round\n"
	"  cpu_per_million, switches_per_million, syscalls_per_million\n"
	"                   of the whole process, for a million updates\n"
	"  worker_ns        CPU time of the worker's thread for an update\n"
	"  scaling          two workers to one, routers in this process\n"
	"  scaling_cpu      the same by CPU time: 2 if they share nothing\n"
	"  ingest_inside    the same as ingest_null, routers in this process\n"
	"  latency_p50, latency_p99, latency_p999\n"
	"                   from a router's send to a consumer's receive, "
	"beside "
	"libnats\n"
	"                   alone with the same messages\n";

struct load_plan collector_plan(const struct bench *b, uint32_t prefixes)
{
	struct load_plan plan = LOAD_PLAN_INIT;

	plan.prefixes = b->quick ? 50000 : 1000000;
	plan.peers = 5;
	plan.per_update = prefixes;
	plan.churn = LOAD_NO_END;
	plan.changes = 1;
	plan.duplicates = 0;
	plan.withdraws = 0;
	plan.stay = true;
	return plan;
}

/* clang-format off */
static const struct bench_part parts[] = {
	{ "memory", collector_bench_memory },
	{ "null", collector_bench_null },
	{ "journal", collector_bench_journal },
	{ "jetstream", collector_bench_jetstream },
	{ "acked_tail", collector_bench_acked_tail },
	{ "scaling", collector_bench_scaling },
	{ "latency", collector_bench_latency },
};
/* clang-format on */

int main(int argc, char **argv)
{
	bench_parts_run(argc, argv, help, parts,
			sizeof(parts) / sizeof(parts[0]));
	nats_Close();
	return 0;
}
