/*
 * The way of an UPDATE from its bytes to the bridge, for callgrind: what
 * ingest_memory (collector_memory.c) times is here counted, one stream a run.
 * bench/instructions runs it and divides.
 *
 *	ingest_count STREAM [PREFIXES [UPDATES]]
 *	ingest_count FILE	a raw BMP stream; its second pass is counted
 *
 * Only measured_apply() is of interest: --toggle-collect=measured_apply
 */
#include "../tests/unit/apply_messages.h"
#include "bench.h"

#include "bmp/frame.h"
#include "bmp/message.h"
#include "load/router.h"
#include "pipeline_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (256u << 10)

struct stream {
	const char *name;
	uint32_t per_update;
	uint32_t duplicates;
	uint32_t withdraws;
	bool unique; /* no two UPDATEs have the same attributes */
};

/* clang-format off */
static const struct stream streams[] = {
	{ "change", 1, 0, 0, false },
	{ "change50", 50, 0, 0, false },
	{ "duplicate", 1, 1, 0, false },
	{ "withdraw", 1, 0, 1, false },
	{ "unique", 1, 0, 0, true },
};
/* clang-format on */

static uint8_t bytes[CHUNK];

/*
 * Count up in the last four bytes of the AS path of each UPDATE, so that its
 * attributes are new.
 */
static void make_unique(size_t len)
{
	static struct bgp_update u;
	static uint32_t count = 1u << 24;
	struct bgp_decode_opts opts = { .as_width = 4 };
	struct wire_view rest = { bytes, len };
	struct bmp_message msg;
	struct bmp_frame frame;
	size_t want;

	while (bmp_frame_next(rest, 1u << 20, &frame, &want) ==
	       BMP_FRAME_WHOLE) {
		bmp_message_decode(&frame, BMP_V4_OFF, &msg);
		bgp_update_decode(msg.update.body, &opts, &u);
		if (u.attrs.as_path.path.len >= 6)
			wire_put_u32((uint8_t *)u.attrs.as_path.path.p +
					     u.attrs.as_path.path.len - 4,
				     count++);
		rest.p += frame.whole.len;
		rest.len -= frame.whole.len;
	}
}

/* As src/collector/ingest/session_messages.c does it. */
static void apply_bytes(struct store *store, struct wire_view rest)
{
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

__attribute__((noinline)) static void measured_apply(struct store *store,
						     struct wire_view in)
{
	apply_bytes(store, in);
}

static uint64_t routes_seen(const struct store *store)
{
	struct rib_flow flow;

	rib_flow(store->rib, &flow);
	return flow.announced + flow.withdrawn;
}

static struct wire_view file_read(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = NULL;
	long len = 0;

	bench_must(f != NULL && fseek(f, 0, SEEK_END) == 0, path);
	len = ftell(f);
	bench_must(len > 0 && fseek(f, 0, SEEK_SET) == 0, path);
	p = malloc((size_t)len);
	bench_must(p != NULL && fread(p, (size_t)len, 1, f) == 1, path);
	fclose(f);
	return (struct wire_view){ p, (size_t)len };
}

/* In pieces, as a worker reads it, so that the bridge does not become full. */
static void apply_file(struct store *store, struct wire_view in,
		       void (*apply)(struct store *, struct wire_view))
{
	struct bmp_frame frame;
	size_t want;
	size_t len = 0;

	while (bmp_frame_next((struct wire_view){ in.p + len, in.len - len },
			      1u << 20, &frame, &want) == BMP_FRAME_WHOLE) {
		len += frame.whole.len;
		if (len < CHUNK)
			continue;
		apply(store, (struct wire_view){ in.p, len });
		in.p += len;
		in.len -= len;
		len = 0;
	}
	apply(store, (struct wire_view){ in.p, len });
}

static int count_file(const char *path)
{
	struct wire_view file = file_read(path);
	struct store store;
	uint64_t before;

	store_init(&store, 1);
	apply_file(&store, file, apply_bytes);
	before = routes_seen(&store);
	apply_file(&store, file, measured_apply);
	printf("%llu\n", (unsigned long long)(routes_seen(&store) - before));
	store_fini(&store);
	free((void *)file.p);
	return 0;
}

static const struct stream *stream_of(const char *name)
{
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (strcmp(streams[i].name, name) == 0)
			return &streams[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct stream *s = stream_of(argc > 1 ? argv[1] : "change");
	struct load_plan plan = LOAD_PLAN_INIT;
	uint64_t updates = argc > 3 ? strtoull(argv[3], NULL, 10) : 50000;
	struct load_router *router = NULL;
	struct load_table *table;
	struct store store;
	uint64_t end;
	size_t len;

	if (s == NULL)
		return count_file(argv[1]);
	plan.prefixes = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 50000;
	plan.peers = 5;
	plan.per_update = s->per_update;
	plan.churn = LOAD_NO_END;
	plan.duplicates = s->duplicates;
	plan.withdraws = s->withdraws;
	plan.changes = s->duplicates + s->withdraws == 0;
	plan.stay = true;
	bench_must(load_table_new(&plan, &table) == 0 &&
			   load_router_new(table, 0, &router) == 0,
		   "memory");
	store_init(&store, 1);
	while ((len = load_router_fill(router, 0, bytes, CHUNK)) > 0)
		apply_bytes(&store, (struct wire_view){ bytes, len });
	end = load_router_churned(router) + updates;
	while ((len = load_router_fill(router, end, bytes, CHUNK)) > 0) {
		if (s->unique)
			make_unique(len);
		measured_apply(&store, (struct wire_view){ bytes, len });
	}
	printf("%llu\n", (unsigned long long)updates);
	store_fini(&store);
	load_router_free(router);
	load_table_free(table);
	return 0;
}
