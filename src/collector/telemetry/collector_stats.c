#include "collector/telemetry/collector_stats.h"

#include "collector/collector_env.h"
#include "collector/telemetry/worker_stats.h"
#include "egress/publisher/publisher.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Add the counters of @more to those of @to: structs of @size bytes that
 * consist of 64-bit words only.
 */
static void add_words(void *to, const void *more, size_t size)
{
	uint64_t *sum = to;
	const uint64_t *one = more;

	for (size_t i = 0; i < size / sizeof(*sum); i++)
		sum[i] += one[i];
}

_Static_assert(sizeof(struct rib_flow) % 8 == 0 &&
		       sizeof(struct rib_sizes) % 8 == 0 &&
		       sizeof(struct worker_counts) % 8 == 0,
	       "counters are of 64 bits");

static void add_up(struct collector_stats *p, const struct worker_stats *stats)
{
	add_words(&p->flow, &stats->flow, sizeof(p->flow));
	add_words(&p->sizes, &stats->size, sizeof(p->sizes));
	add_words(&p->counts, &stats->counts, sizeof(p->counts));
	p->routers += stats->routers;
	p->differing += stats->differing;
	p->clashing += stats->clashing;
	p->over_rate += stats->over_rate;
	p->sessions += stats->sessions;
}

static int worker_stats_fetch(const struct collector_env *env, uint32_t worker,
			      const struct collector_stats_options *options,
			      struct worker_stats **out)
{
	bool events = options->events_from != NULL;
	struct worker_stats *p = worker_stats_new(events ? options->events : 0);
	struct worker_query *q = &p->head;
	int err;

	if (p == NULL)
		return -ENOMEM;
	p->each_router = options->each_router;
	p->head.deadline = sp_in(options->patience);
	if (events)
		p->events_from = options->events_from[worker];
	err = worker_query_run(env->workers[worker]->query_queue,
			       &q); /* yields */
	if (err < 0) {
		if (q != NULL)
			worker_stats_free(p);
		return err;
	}
	if (events)
		options->events_from[worker] = p->events_from;
	*out = p;
	return 0;
}

static int ask_worker(struct collector_stats *p,
		      const struct collector_env *env, uint32_t i,
		      const struct collector_stats_options *options)
{
	struct collector_stats_worker *w = &p->workers[i];
	int err = worker_stats_fetch(env, i, options, &w->stats);

	if (err < 0)
		return err;
	egress_bridge_stats(env->bridge, i, &w->bridge);
	sp_stats_shard(env->rt, i, &w->shard);
	add_up(p, w->stats);
	return 0;
}

int collector_stats_collect(const struct collector_env *env,
			    const struct collector_stats_options *options,
			    struct collector_stats *out)
{
	struct collector_stats p = { .count = env->worker_count };
	int err = 0;

	p.workers = calloc(p.count, sizeof(*p.workers));
	if (p.workers == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < p.count && err == 0; i++)
		err = ask_worker(&p, env, i, options);
	if (err < 0) {
		collector_stats_release(&p);
		return err;
	}
	p.wall_ns = worker_now().wall_ns;
	p.now = sp_now();
	publisher_stats(env->publisher, &p.publisher);
	p.readiness = readiness_of(env, &p.publisher);
	sp_stats_get(env->rt, &p.runtime);
	*out = p;
	return 0;
}

void collector_stats_release(struct collector_stats *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		worker_stats_free(p->workers[i].stats);
	free(p->workers);
	*p = (struct collector_stats){ 0 };
}
