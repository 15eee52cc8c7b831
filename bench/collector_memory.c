/*
 * A worker's work without socket and fibers: BMP messages in memory, through
 * decoder, rib, encoder and batcher into the bridge and back. In thread CPU
 * time and short samples, so that some of them are not disturbed; what the
 * collector takes beyond it is the kernel's and the runtime's.
 */
#include "../tests/unit/apply_messages.h"
#include "collector.h"

#include "bmp/frame.h"
#include "bmp/message.h"
#include "load/router.h"
#include "pipeline_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHUNK	(256u << 10)
#define SAMPLES 400 /* at most; each is one chunk */

struct memory {
	struct load_table *table;
	struct load_router *source;
	struct store store;
	uint8_t bytes[CHUNK];
	double samples[SAMPLES];
};

static void memory_init(struct memory *m, const struct load_plan *plan)
{
	bench_must(load_table_new(plan, &m->table) == 0 &&
			   load_router_new(m->table, 0, &m->source) == 0,
		   "memory");
	store_init(&m->store, 1);
}

static void memory_fini(struct memory *m)
{
	store_fini(&m->store);
	load_router_free(m->source);
	load_table_free(m->table);
}

/* As src/collector/ingest/session.c does it. */
static void take(struct memory *m, size_t len)
{
	struct store *store = &m->store;
	struct wire_view rest = { m->bytes, len };
	struct bmp_message msgs[RIB_LOOKAHEAD];
	struct bmp_frame frame;
	size_t want;
	size_t n = 0;

	while (bmp_frame_next(rest, 1u << 20, &frame, &want) ==
	       BMP_FRAME_WHOLE) {
		bmp_message_decode(&frame, BMP_V4_OFF, &msgs[n++]);
		if (n == RIB_LOOKAHEAD) {
			apply_messages(store->router, &store->when, msgs, n,
				       NULL);
			n = 0;
		}
		rest.p += frame.whole.len;
		rest.len -= frame.whole.len;
	}
	apply_messages(store->router, &store->when, msgs, n, NULL);
	store_drain(store);
}

static double thread_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/*
 * One chunk; nanoseconds an update. Not inlined, so that callgrind can count it
 * alone: --toggle-collect=sample --toggle-collect=load_router_fill
 */
__attribute__((noinline)) static double sample(struct memory *m)
{
	uint64_t before = store_published(&m->store);
	uint64_t churned = load_router_churned(m->source);
	size_t len = load_router_fill(m->source, LOAD_NO_END, m->bytes, CHUNK);
	double start = thread_seconds();
	double ns;

	take(m, len);
	ns = (thread_seconds() - start) * 1e9;
	bench_must(store_published(&m->store) - before ==
			   load_router_churned(m->source) - churned,
		   "every update is published");
	return ns / (double)(store_published(&m->store) - before);
}

static void run(const struct bench *b, uint32_t prefixes)
{
	struct load_plan plan = collector_plan(b, prefixes);
	struct memory *m = calloc(1, sizeof(*m));
	size_t n = b->quick ? SAMPLES / 10 : SAMPLES;
	char variant[32];
	double cpu = bench_cpu_seconds();
	size_t len;

	bench_must(m != NULL, "memory");
	memory_init(m, &plan);
	while ((len = load_router_fill(m->source, 0, m->bytes, CHUNK)) > 0)
		take(m, len);
	for (size_t i = 0; i < n; i++)
		m->samples[i] = sample(m);
	snprintf(variant, sizeof(variant), "prefixes=%u", prefixes);
	bench_report("ingest_memory", variant, "ns", m->samples, n,
		     bench_cpu_seconds() - cpu);
	memory_fini(m);
	free(m);
}

void collector_bench_memory(const struct bench *b)
{
	run(b, 1);
	run(b, 50);
}
