/*
 * bench/collector.h - the parts of bench/collector, one file each
 */
#ifndef BENCH_COLLECTOR_H
#define BENCH_COLLECTOR_H

#include "bench.h"
#include "load/plan.h"

/* A table of a million prefixes of five peers, @prefixes in each UPDATE. */
struct load_plan collector_plan(const struct bench *b, uint32_t prefixes);

void collector_bench_null(const struct bench *b);
void collector_bench_journal(const struct bench *b);
void collector_bench_jetstream(const struct bench *b);
void collector_bench_acked_tail(const struct bench *b);
void collector_bench_memory(const struct bench *b);
void collector_bench_scaling(const struct bench *b);
void collector_bench_latency(const struct bench *b);

#endif
