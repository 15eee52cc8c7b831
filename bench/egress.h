/*
 * bench/egress.h - the parts of bench/egress, one file each
 */
#ifndef BENCH_EGRESS_H
#define BENCH_EGRESS_H

#include "bench.h"

void egress_bench_encode(const struct bench *b);
void egress_bench_batch(const struct bench *b);
void egress_bench_bridge(const struct bench *b);
void egress_bench_journal(const struct bench *b);
void egress_bench_jetstream(const struct bench *b);

#endif
