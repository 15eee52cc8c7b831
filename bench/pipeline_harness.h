/*
 * bench/pipeline_harness.h - a worker's rib, batcher and bridge, without the worker
 *
 *	messages --> rib --> encoder --> bridge --> store_drain()
 *
 * Threads	A store is one thread's.
 * Errors	End the program with a sentence.
 */
#ifndef BENCH_STORE_H
#define BENCH_STORE_H

#include "egress/batcher.h"
#include "rib/rib.h"

struct store {
	struct egress_bridge *bridge;
	struct egress_batcher *batcher;
	struct rib *rib;
	struct rib_router *router; /* its session is open */
	struct rib_time when;
};

/* Its router is 10.0.0.@last. */
void store_init(struct store *s, uint8_t last);
void store_fini(struct store *s);

/* Give back all that is in the bridge, as the publisher does to discard. */
void store_drain(struct store *s);

/* Updates that were encoded so far. */
uint64_t store_published(const struct store *s);

#endif
