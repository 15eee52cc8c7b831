/*
 * One fiber asks, sixteen stealable ones work, it joins them: 64 times in a
 * row, on four shards.
 *
 *	balanced		2000 steps each
 *	skewed			one of 20000 steps, the others of 500
 *	hotkey_rotation		skewed, and the work is spawned on shard
 *				request % 4, so that the hot shard moves
 */
#include "bench.h"
#include "fibers.h"

#include <spargio/fiber.h>

enum {
	REQUESTS = 64,
	BRANCHES = 16
};

struct work {
	uint64_t seed;
	uint64_t steps;
	uint64_t result;
};

static int work(void *arg)
{
	struct work *w = arg;
	uint64_t x = w->seed ^ UINT64_C(0x9E3779B97F4A7C15);

	for (uint64_t i = 0; i < w->steps; i++) {
		x = x * UINT64_C(6364136223846793005) +
		    (UINT64_C(1442695040888963407) ^ i);
		x ^= x >> 29;
	}
	w->result = x;
	return 0;
}

static void request(uint64_t req, uint64_t light, uint64_t heavy,
		    enum sp_place place)
{
	struct sp_attr attr = { .place = place, .shard = (uint32_t)(req % 4) };
	struct work works[BRANCHES];
	struct sp_task tasks[BRANCHES];

	for (uint64_t b = 0; b < BRANCHES; b++) {
		works[b] = (struct work){
			.seed = req << 32 ^ b,
			.steps = b == req % BRANCHES ? heavy : light,
		};
		fibers_check(sp_go_attr(NULL, &attr, work, &works[b],
					&tasks[b]) == 0,
			     "spawn");
	}
	for (int b = 0; b < BRANCHES; b++)
		fibers_check(sp_join(tasks[b], NULL) == 0, "join");
	bench_keep(works);
}

static void balanced(uint64_t iterations)
{
	for (uint64_t n = 0; n < iterations; n++)
		for (uint64_t req = 0; req < REQUESTS; req++)
			request(req, 2000, 2000, SP_STEALABLE);
}

static void skewed(uint64_t iterations)
{
	for (uint64_t n = 0; n < iterations; n++)
		for (uint64_t req = 0; req < REQUESTS; req++)
			request(req, 500, 20000, SP_STEALABLE);
}

static void rotation(uint64_t iterations)
{
	for (uint64_t n = 0; n < iterations; n++)
		for (uint64_t req = 0; req < REQUESTS; req++)
			request(req, 500, 20000, SP_PREFER);
}

int main(int argc, char **argv)
{
	struct bench b =
		bench_begin(argc, argv, "Times fan-out to stealable fibers.\n");
	struct sp_rt *rt = fibers_start(4);
	struct fibers f[] = {
		{ rt, balanced, 0 },
		{ rt, skewed, 0 },
		{ rt, rotation, 0 },
	};
	const struct bench_loop loops[] = {
		{ "fanout_fanin_balanced", "spargio", "us", fibers_run, &f[0] },
		{ "fanout_fanin_skewed", "spargio", "us", fibers_run, &f[1] },
		{ "fanout_fanin_hotkey_rotation", "spargio", "us", fibers_run,
		  &f[2] },
	};

	bench_loops_run(&b, loops, sizeof(loops) / sizeof(loops[0]));
	fibers_stop(rt);
	return 0;
}
