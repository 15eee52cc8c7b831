#include "pipeline_harness.h"

#include "bench.h"

#define BATCHES 1024
#define SEED	42
#define SECOND	UINT64_C(1000000000)

void store_init(struct store *s, uint8_t last)
{
	struct egress_batcher_opts opts = { .updates = "arancini.updates",
					    .events = "arancini.events" };
	struct rib_identity id = {
		.address = { [10] = 0xff, 0xff, 10, 0, 0, last }
	};
	struct rib_config config;
	struct rib_sink sink;

	bench_must(egress_bridge_new(1, BATCHES, &s->bridge) == 0, "memory");
	opts.bridge = s->bridge;
	bench_must(egress_batcher_new(&opts, &s->batcher) == 0, "memory");
	sink = egress_batcher_sink(s->batcher);
	rib_config_defaults(&config);
	config.seed = SEED;
	bench_must(rib_new(&config, &sink, &s->rib) == 0 &&
			   rib_router_get(s->rib, &id, &s->router) == 0,
		   "memory");
	s->when = (struct rib_time){ 1000 * SECOND, 1700000000 * SECOND };
	rib_session_open(s->router, &s->when, id.address, 4000, NULL);
}

void store_fini(struct store *s)
{
	rib_free(s->rib);
	egress_batcher_free(s->batcher);
	egress_bridge_free(s->bridge);
}

void store_drain(struct store *s)
{
	struct egress_batch *batch;

	while ((batch = egress_bridge_pop(s->bridge)) != NULL)
		egress_bridge_give_back(s->bridge, batch);
}

uint64_t store_published(const struct store *s)
{
	struct egress_batcher_stats stats;

	egress_batcher_stats(s->batcher, &stats);
	return stats.updates;
}
