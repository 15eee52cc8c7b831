/*
 * What it costs to turn a change into bytes. The floor is a memcpy() of the
 * same bytes to the same place: buffers rotate as they do in the collector,
 * where a batch that was filled is away for a while before it comes back.
 */
#include "egress.h"

#include "egress/encode/encode_update.h"

#include "bmp/attr.h"
#include "bmp/decode_context.h"
#include "bmp/family.h"

#include <stdlib.h>
#include <string.h>

#define BUFFERS	     64
#define BUFFER_BYTES 65536u
#define ROUTES	     100

/* 4 ASNs, 3 communities, an extended and a large one: the design's example. */
static const uint8_t block[] = {
	/* clang-format off */
	0x40, 1, 1, 0,
	0x40, 2, 18, 2, 4, 0, 0, 0xfd, 0xe8, 0, 0, 0x0d, 0x1c, 0, 0, 0x1b, 0x1b, 0, 3, 0x0d, 0x40,
	0x40, 3, 4, 192, 0, 2, 1,
	0x80, 4, 4, 0, 0, 0, 10,
	0xc0, 8, 12, 0xfd, 0xe8, 0, 1, 0xfd, 0xe8, 0, 2, 0xfd, 0xe8, 1, 0,
	0xc0, 16, 8, 0, 2, 0xfd, 0xe8, 0, 0, 0, 1,
	0xc0, 32, 12, 0, 0, 0xfd, 0xe8, 0, 0, 0, 1, 0, 0, 0, 2,
	/* clang-format on */
};

struct encoding {
	struct rib_router_info router;
	struct rib_table_info table;
	struct bgp_attrs attrs;
	struct rib_change change;
	struct rib_route routes[ROUTES];
	uint8_t *buffers[BUFFERS];
	size_t buffer;
	size_t used;
	size_t update_bytes;
	uint8_t *copy; /* what the floor copies: as much as one change */
};

static void encoding_init(struct encoding *e, size_t routes)
{
	struct bgp_decode_opts opts = { .as_width = 4 };

	*e = (struct encoding){
		.router = { .address = { [10] = 0xff, 0xff, 192, 0, 2, 1 } },
		.table = { .router = &e->router,
			   .afi = 1,
			   .safi = 1,
			   .family = BGP_IPV4_UNICAST,
			   .peer_as = 64500 },
	};
	bgp_attrs_decode((struct wire_view){ block, sizeof(block) }, &opts,
			 &e->attrs);
	e->change = (struct rib_change){
		.table = &e->table,
		.received_ns = 1,
		.bmp_ns = 1,
		.announced = true,
		.kind = BGP_NLRI_PREFIX,
		.attrs = &e->attrs,
		.next_hop = { .has_address = true },
		.count = routes,
		.routes = e->routes,
	};
	for (size_t i = 0; i < routes; i++)
		e->routes[i] = (struct rib_route){
			.sequence = i + 1,
			.prefix_len = 24,
			.address = { [10] = 0xff, 0xff, 10, 0, (uint8_t)i }
		};
	for (size_t i = 0; i < BUFFERS; i++) {
		e->buffers[i] = aligned_alloc(64, BUFFER_BYTES);
		memset(e->buffers[i], 1, BUFFER_BYTES);
	}
	e->copy = aligned_alloc(64, BUFFER_BYTES);
	e->update_bytes =
		egress_encode_update(&e->change, 0, 1, e->copy, BUFFER_BYTES)
			.bytes;
	egress_encode_update(&e->change, 0, routes, e->copy, BUFFER_BYTES);
}

/* Where the next change goes; a full buffer is left for the next one. */
static uint8_t *place(struct encoding *e)
{
	if (BUFFER_BYTES - e->used < e->update_bytes * e->change.count + 512) {
		e->buffer = (e->buffer + 1) % BUFFERS;
		e->used = 0;
	}
	return e->buffers[e->buffer] + e->used;
}

/* One iteration is one update, so one change is as many as it has routes. */
static void run_encode(void *arg, uint64_t iterations)
{
	struct encoding *e = arg;

	for (uint64_t n = 0; n < iterations; n += e->change.count) {
		uint8_t *out = place(e);
		struct egress_encoded got;

		/* The optimiser must not see that it is the same again. */
		e->routes[0].sequence++;
		bench_keep(e);
		got = egress_encode_update(&e->change, 0, e->change.count, out,
					   BUFFER_BYTES - e->used);
		if (got.routes != e->change.count)
			abort();
		e->used += got.bytes;
	}
}

static void run_floor(void *arg, uint64_t iterations)
{
	struct encoding *e = arg;
	size_t bytes = e->update_bytes;

	for (uint64_t n = 0; n < iterations; n += e->change.count) {
		uint8_t *out = place(e);

		bench_keep(e);
		for (size_t i = 0; i < e->change.count; i++)
			memcpy(out + i * bytes, e->copy + i * bytes, bytes);
		bench_keep(out);
		e->used += bytes * e->change.count;
	}
}

void egress_bench_encode(const struct bench *b)
{
	static const size_t counts[] = { 1, 10, 100 };
	static const char *const names[][2] = {
		{ "prefixes=1", "floor" },
		{ "prefixes=10", "floor,prefixes=10" },
		{ "prefixes=100", "floor,prefixes=100" },
	};
	static struct encoding e[2 * 3];
	struct bench_loop loops[2 * 3];

	for (size_t i = 0; i < 6; i++) {
		encoding_init(&e[i], counts[i / 2]);
		loops[i] = (struct bench_loop){
			.name = "encode_update",
			.variant = names[i / 2][i % 2],
			.unit = "ns",
			.run = i % 2 == 0 ? run_encode : run_floor,
			.arg = &e[i],
		};
	}
	bench_loops_run(b, loops, 6);
}
