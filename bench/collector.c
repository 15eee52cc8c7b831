#include "collector.h"

#include <nats/nats.h>

static const char help[] =
	"The collector, from a router's socket to what comes out of the "
	"bridge,\n"
	"with a table of a million prefixes of five peers; every update "
	"changes a\n"
	"route, and is published.\n"
	"  ingest_memory    ns of a worker for an update, without socket and "
	"fibers\n"
	"  ingest_null      updates/s with nothing behind the bridge\n"
	"  ingest_snapshots the same while snapshots are written\n"
	"  ingest_journal, ingest_jetstream\n"
	"                   into a local log, and acknowledged by a server\n"
	"  cpu_per_million, switches_per_million, syscalls_per_million\n"
	"                   of the whole process, for a million updates\n"
	"  worker_ns        CPU time of the worker's thread for an update\n"
	"  scaling          two workers to one, routers in this process\n"
	"  ingest_inside    the same as ingest_null, routers in this process\n";

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

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv, help);

	collector_bench_memory(&b);
	collector_bench_ingest(&b);
	collector_bench_scaling(&b);
	nats_Close();
	return 0;
}
