#include "collector/telemetry/collector_stats.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The structs that count are words of 64 bits and nothing else. */
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

static void add_up(struct picture *p, const struct pulse *pulse)
{
	add_words(&p->flow, &pulse->flow, sizeof(p->flow));
	add_words(&p->sizes, &pulse->size, sizeof(p->sizes));
	add_words(&p->counts, &pulse->counts, sizeof(p->counts));
	p->routers += pulse->routers;
	p->differing += pulse->differing;
	p->sessions += pulse->sessions;
}

static int ask(struct collector *c, uint32_t worker,
	       const struct picture_options *options, struct pulse **out)
{
	bool events = options->events_from != NULL;
	struct pulse *p = pulse_new(events ? options->events : 0);
	struct desk_question *q = &p->question;
	int err;

	if (p == NULL)
		return -ENOMEM;
	p->each_router = options->each_router;
	p->question.until = sp_in(options->patience);
	if (events)
		p->events_from = options->events_from[worker];
	err = desk_ask(collector_worker(c, worker)->desk, &q); /* yields */
	if (err < 0) {
		if (q != NULL)
			pulse_free(p);
		return err;
	}
	if (events)
		options->events_from[worker] = p->events_from;
	*out = p;
	return 0;
}

static int ask_worker(struct picture *p, struct collector *c, uint32_t i,
		      const struct picture_options *options)
{
	struct picture_worker *w = &p->workers[i];
	int err = ask(c, i, options, &w->pulse);

	if (err < 0)
		return err;
	egress_bridge_stats(collector_bridge(c), i, &w->bridge);
	sp_stats_shard(collector_runtime(c), i, &w->shard);
	add_up(p, w->pulse);
	return 0;
}

int picture_take(struct collector *c, const struct picture_options *options,
		 struct picture *out)
{
	struct picture p = { .count = collector_workers(c) };
	int err = 0;

	p.workers = calloc(p.count, sizeof(*p.workers));
	if (p.workers == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < p.count && err == 0; i++)
		err = ask_worker(&p, c, i, options);
	if (err < 0) {
		picture_release(&p);
		return err;
	}
	p.wall_ns = worker_now().wall_ns;
	p.now = sp_now();
	publisher_stats(collector_publisher(c), &p.publisher);
	p.outlook = outlook_of(c, &p.publisher);
	sp_stats_get(collector_runtime(c), &p.runtime);
	*out = p;
	return 0;
}

void picture_release(struct picture *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		pulse_free(p->workers[i].pulse);
	free(p->workers);
	*p = (struct picture){ 0 };
}
