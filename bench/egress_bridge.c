/*
 * Workers that push as fast as they can, and a publisher that gives every
 * batch back at once: nobody waits for anything but the bridge.
 */
#include "egress.h"

#include "egress/batch.h"
#include "egress/bridge.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <stdlib.h>

#define RING 1024

struct worker {
	struct egress_bridge *bridge;
	uint32_t number;
	uint64_t batches;
};

static int run_worker(void *arg)
{
	struct worker *w = arg;
	struct egress_batch *unused = NULL;

	for (uint64_t n = 0; n < w->batches; n++) {
		struct egress_batch *batch;

		if (unused == NULL)
			unused = egress_bridge_take_back(w->bridge, w->number);
		batch = unused != NULL ? unused : egress_batch_new(64);
		if (unused != NULL)
			unused = unused->next;
		batch->len = 64;
		while (egress_bridge_push(w->bridge, w->number, batch) < 0)
			(void)egress_bridge_wait_room(w->bridge, w->number,
						      SP_NEVER);
	}
	egress_batch_free_all(unused);
	egress_bridge_close(w->bridge, w->number);
	return 0;
}

static int run_publisher(void *arg)
{
	struct egress_batch *batch;

	while (egress_bridge_wait(arg, SP_NEVER) == 0)
		while ((batch = egress_bridge_pop(arg)) != NULL)
			egress_bridge_give_back(arg, batch);
	return 0;
}

static struct sp_rt *start(uint32_t shards)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt = NULL;

	opts.shards = shards;
	if (sp_start(&opts, &rt) < 0)
		abort();
	return rt;
}

/* Millions of batches a second. */
static double bridge_rate(struct sp_rt *workers, struct sp_rt *publisher,
			  uint32_t count, uint64_t batches)
{
	struct egress_bridge *bridge = NULL;
	struct worker w[2];
	struct sp_task tasks[2];
	uint64_t begin;
	double ns;

	if (egress_bridge_new(count, RING, &bridge) < 0)
		abort();
	begin = bench_now_ns();
	for (uint32_t i = 0; i < count; i++) {
		w[i] = (struct worker){ bridge, i, batches / count };
		if (sp_go_on(workers, i, run_worker, &w[i], &tasks[i]) < 0)
			abort();
	}
	(void)sp_call_on(publisher, 0, run_publisher, bridge, NULL);
	for (uint32_t i = 0; i < count; i++)
		(void)sp_join_thread(workers, tasks[i], NULL);
	ns = (double)(bench_now_ns() - begin);
	egress_bridge_free(bridge);
	return (double)batches / ns * 1000;
}

void egress_bench_bridge(const struct bench *b)
{
	const uint64_t batches = b->quick ? 100000 : 1000000;
	struct sp_rt *publisher = start(1);

	for (uint32_t count = 1; count <= 2; count++) {
		struct sp_rt *workers = start(count);
		double samples[BENCH_ROUNDS_MAX];
		double cpu = bench_cpu_seconds();

		for (unsigned i = 0; i < b->rounds; i++)
			samples[i] =
				bridge_rate(workers, publisher, count, batches);
		bench_report("bridge", count == 1 ? "workers=1" : "workers=2",
			     "M batches/s", samples, b->rounds,
			     bench_cpu_seconds() - cpu);
		(void)sp_stop(workers, SP_NEVER);
	}
	(void)sp_stop(publisher, SP_NEVER);
}
