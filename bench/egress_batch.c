/*
 * A worker's whole way from a change to a batch in the bridge, and what
 * compression costs and gains. Routes are like those of a table dump: a set of
 * attributes is shared by some five of them, paths begin alike.
 */
#include "allocations.h"
#include "egress.h"

#include "egress/batcher.h"

#include "bmp/attr.h"
#include "bmp/decode_context.h"
#include "bmp/family.h"

#include <stdlib.h>
#include <string.h>

#define SETS   512
#define ROUTES 100

struct batching {
	struct egress_bridge *bridge;
	struct egress_batcher *batcher;
	struct rib_sink sink;
	struct rib_router_info router;
	struct rib_table_info table;
	struct bgp_attrs attrs[SETS];
	uint8_t blocks[SETS][96];
	struct rib_route routes[ROUTES];
	struct rib_change change;
	uint64_t sequence;
	uint32_t set;
};

static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

/* Origin, four ASNs, a MED, three communities and a large one. */
static size_t make_block(uint8_t *p, uint64_t *state)
{
	static const uint8_t head[] = { 0x40, 1,    1,	  0, 0x40, 2,	 18,
					2,    4,    0,	  0, 0xfd, 0xe8, 0,
					0,    0x0d, 0x1c, 0, 0x03, 0,	 0,
					0,    0,    0,	  0, 0x80, 4,	 4,
					0,    0,    0,	  10 };
	static const uint8_t tail[] = { 0xc0, 8,  12, 0xfd, 0xe8, 0,	0, 0xfd,
					0xe8, 0,  2,  0xfd, 0xe8, 1,	0, 0xc0,
					32,   12, 0,  0,    0xfd, 0xe8, 0, 0,
					0,    1,  0,  0,    0,	  2 };

	memcpy(p, head, sizeof(head));
	memcpy(p + sizeof(head), tail, sizeof(tail));
	wire_put_u32(p + 17, 1000 + next_random(state) % 60000);
	wire_put_u32(p + 21, 1000 + next_random(state) % 60000);
	p[sizeof(head) + 6] = (uint8_t)next_random(state);
	return sizeof(head) + sizeof(tail);
}

static void batching_init(struct batching *b, size_t routes,
			  enum egress_encoding encoding, uint32_t max_bytes)
{
	struct bgp_decode_opts decode = { .as_width = 4 };
	struct egress_batcher_opts opts = {
		.updates = "arancini.updates",
		.events = "arancini.events",
		.max_bytes = max_bytes,
		.encoding = encoding,
	};
	uint64_t state = 1;

	*b = (struct batching){
		.router = { .address = { [10] = 0xff, 0xff, 192, 0, 2, 1 } },
		.table = { .router = &b->router,
			   .afi = 1,
			   .safi = 1,
			   .family = BGP_IPV4_UNICAST,
			   .peer_as = 64500 },
		.change = { .table = &b->table,
			    .announced = true,
			    .kind = BGP_NLRI_PREFIX,
			    .next_hop = { .has_address = true,
					  .address = { [10] = 0xff,
						       0xff,
						       192,
						       0,
						       2,
						       9 } },
			    .count = routes,
			    .routes = b->routes },
	};
	if (egress_bridge_new(1, 64, &b->bridge) < 0)
		abort();
	opts.bridge = b->bridge;
	if (egress_batcher_new(&opts, &b->batcher) < 0)
		abort();
	b->sink = egress_batcher_sink(b->batcher);
	for (size_t i = 0; i < SETS; i++) {
		size_t len = make_block(b->blocks[i], &state);

		if (bgp_attrs_decode((struct wire_view){ b->blocks[i], len },
				     &decode, &b->attrs[i]) != BGP_ACCEPT)
			abort();
	}
}

static void batching_fini(struct batching *b)
{
	egress_batcher_free(b->batcher);
	egress_bridge_free(b->bridge);
}

/* What the publisher would take goes straight back. */
static void give_back(struct batching *b)
{
	struct egress_batch *batch;

	while ((batch = egress_bridge_pop(b->bridge)) != NULL)
		egress_bridge_give_back(b->bridge, batch);
}

static void put_change(struct batching *b)
{
	for (size_t i = 0; i < b->change.count; i++) {
		struct rib_route *r = &b->routes[i];
		uint32_t prefix = (uint32_t)b->sequence * 256;

		r->sequence = ++b->sequence;
		r->prefix_len = 24;
		memset(r->address + 10, 0xff, 2);
		wire_put_u32(r->address + 12, prefix);
	}
	b->change.received_ns = 1700000000000000000 + b->sequence * 1000;
	b->change.attrs = &b->attrs[b->set++ % SETS];
	b->sink.change(b->sink.change_arg, &b->change);
}

static void run(void *arg, uint64_t iterations)
{
	struct batching *b = arg;

	for (uint64_t n = 0; n < iterations; n += b->change.count) {
		put_change(b);
		give_back(b);
	}
}

/* At rest every update is a batch of its own. */
static void run_dry(void *arg, uint64_t iterations)
{
	struct batching *b = arg;

	for (uint64_t n = 0; n < iterations; n += b->change.count) {
		put_change(b);
		egress_batcher_flush(b->batcher);
		give_back(b);
	}
}

/* Compressed bytes for each plain one, and where they come from. */
static void report_ratio(const char *variant, enum egress_encoding encoding,
			 uint32_t max_bytes)
{
	static struct batching b;
	struct egress_batcher_stats stats;
	double ratio;

	batching_init(&b, 5, encoding, max_bytes);
	run(&b, 100000);
	egress_batcher_stats(b.batcher, &stats);
	ratio = (double)stats.sent_bytes / (double)stats.plain_bytes;
	bench_report("batch_ratio", variant, "sent/plain", &ratio, 1, 0);
	batching_fini(&b);
}

/* A million updates, once everything has found its size. */
static void report_allocations(struct batching *b, const char *variant,
			       void (*run_it)(void *arg, uint64_t iterations))
{
	uint64_t before = allocations();
	double made;

	run_it(b, 1000000);
	made = (double)(allocations() - before);
	bench_report("batch_allocations", variant, "count per 1M updates",
		     &made, 1, 0);
}

static const struct variant {
	const char *name;
	size_t routes;
	enum egress_encoding encoding;
	uint32_t max_bytes;
	void (*run)(void *arg, uint64_t iterations);
} variants[] = {
	/* clang-format off */
	{ "prefixes=1",	      1, EGRESS_PLAIN,	    0, run },
	{ "prefixes=100",   100, EGRESS_PLAIN,	    0, run },
	{ "prefixes=1,dry",   1, EGRESS_PLAIN,	    0, run_dry },
	{ "packed",	      5, EGRESS_PACKED,	    0, run },
	{ "zstd,bytes=16384", 5, EGRESS_ZSTD,	16384, run },
	{ "zstd,bytes=32768", 5, EGRESS_ZSTD,	32768, run },
	{ "zstd,bytes=65536", 5, EGRESS_ZSTD,	65536, run },
	/* clang-format on */
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

void egress_bench_batch(const struct bench *bench)
{
	static struct batching b[VARIANTS];
	struct bench_loop loops[VARIANTS];

	for (size_t i = 0; i < VARIANTS; i++) {
		const struct variant *v = &variants[i];

		batching_init(&b[i], v->routes, v->encoding, v->max_bytes);
		v->run(&b[i], 10000);
		loops[i] = (struct bench_loop){
			.name = "batch_update",
			.variant = v->name,
			.unit = "ns",
			.run = v->run,
			.arg = &b[i],
		};
	}
	bench_loops_run(bench, loops, VARIANTS);
	for (size_t i = 0; i < VARIANTS; i++) {
		if (variants[i].encoding != EGRESS_PLAIN)
			report_ratio(variants[i].name, variants[i].encoding,
				     variants[i].max_bytes);
		report_allocations(&b[i], variants[i].name, variants[i].run);
		batching_fini(&b[i]);
	}
}
