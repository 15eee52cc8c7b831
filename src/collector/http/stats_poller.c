#include "collector/http/stats_poller.h"

#include "collector/collector_env.h"
#include "collector/http/sse.h"
#include "collector/telemetry/collector_stats.h"
#include "collector/telemetry/status_json.h"
#include "collector/telemetry/latency_window.h"
#include "collector/telemetry/worker_stats.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD SP_S

/* Of one worker in one look. */
#define EVENTS EVENT_RING_ENTRIES

/* What is remembered of the last look at a worker. */
struct last {
	bool known;
	int64_t at;
	uint64_t busy_ns;
	struct traffic_counters figures;
};

struct stats_poller {
	const struct collector_env *env;
	struct sp_rt *rt;
	struct sse *sse;
	struct sp_task task;
	uint32_t workers;
	struct last *last;
	uint64_t *events_from;		/* by worker */
	struct event_ring_entry *heard; /* in one look, from all of them */
	pthread_mutex_t lock;		/* of what follows */
	struct worker_rates *now;
	int64_t spooling_since;
	struct latency_window acks;
	struct latency_window safe;
};

static void compare(struct last *last, const struct collector_stats_worker *w,
		    struct worker_rates *out)
{
	struct last now = { true, w->stats->at, w->shard.busy_ns,
			    traffic_counters_of(w->stats) };
	int64_t passed = now.at - last->at;

	*out = (struct worker_rates){ .busy = 0 };
	if (last->known && passed > 0) {
		out->rate = traffic_counters_rate(&last->figures, &now.figures,
						  passed);
		out->busy =
			(double)(now.busy_ns - last->busy_ns) / (double)passed;
		if (out->busy > 1)
			out->busy = 1;
	}
	*last = now;
}

/* Events */

static int by_time(const void *a, const void *b)
{
	const struct event_ring_entry *x = a, *y = b;

	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

/* Workers tell in their own order; together it is that of the clock. */
static void pass_events(struct stats_poller *v, const struct collector_stats *p)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct worker_stats *one = p->workers[i].stats;

		sse_lost(v->sse, one->events_lost);
		if (one->event_count > 0)
			memcpy(v->heard + n, one->events,
			       one->event_count * sizeof(v->heard[0]));
		n += one->event_count;
	}
	qsort(v->heard, n, sizeof(v->heard[0]), by_time);
	for (size_t i = 0; i < n; i++)
		sse_event(v->sse, &v->heard[i]);
}

static void pass_status(struct stats_poller *v, struct collector_stats *p)
{
	struct json j = { 0 };

	stats_poller_recent(v, &p->publisher);
	/* Only this fiber writes what now has. */
	status_json(&j, v->env, p, v->now);
	sse_status(v->sse, &j);
	json_fini(&j);
}

/* Looking */

static void keep_rates(struct stats_poller *v, const struct collector_stats *p)
{
	pthread_mutex_lock(&v->lock);
	for (uint32_t i = 0; i < v->workers; i++)
		compare(&v->last[i], &p->workers[i], &v->now[i]);
	if (p->publisher.spool_left == 0)
		v->spooling_since = 0;
	else if (v->spooling_since == 0)
		v->spooling_since = p->now;
	latency_window_sample(&v->acks, &p->publisher.acks, p->now);
	latency_window_sample(&v->safe, &p->publisher.safe, p->now);
	pthread_mutex_unlock(&v->lock);
}

static void look(struct stats_poller *v)
{
	bool read = sse_is_read(v->sse);
	struct collector_stats_options options = {
		.each_router = read,
		.patience = PERIOD,
		.events = EVENTS,
		.events_from = v->events_from,
	};
	struct collector_stats stats;

	if (collector_stats_collect(v->env, &options, &stats) < 0) /* yields */
		return;
	keep_rates(v, &stats);
	pass_events(v, &stats);
	if (read)
		pass_status(v, &stats);
	collector_stats_release(&stats);
}

static int stats_poller_main(void *stats_poller)
{
	struct stats_poller *v = stats_poller;
	struct sp_interval beat;
	int err = sp_interval_init(&beat, PERIOD, SP_SKIP);

	while (err == 0) {
		look(v); /* yields */
		err = sp_interval_wait(&beat);
	}
	return 0;
}

void stats_poller_get(struct stats_poller *v, struct worker_rates *out)
{
	pthread_mutex_lock(&v->lock);
	memcpy(out, v->now, v->workers * sizeof(*out));
	pthread_mutex_unlock(&v->lock);
}

void stats_poller_recent(struct stats_poller *v, struct publisher_stats *stats)
{
	pthread_mutex_lock(&v->lock);
	stats->acks = latency_window_recent(&v->acks, &stats->acks);
	stats->safe = latency_window_recent(&v->safe, &stats->safe);
	pthread_mutex_unlock(&v->lock);
}

int64_t stats_poller_spooling_since(struct stats_poller *v)
{
	int64_t since;

	pthread_mutex_lock(&v->lock);
	since = v->spooling_since;
	pthread_mutex_unlock(&v->lock);
	return since;
}

static void stats_poller_free(struct stats_poller *v)
{
	free(v->events_from);
	free(v->heard);
	pthread_mutex_destroy(&v->lock);
	free(v->last);
	free(v->now);
	free(v);
}

static bool make_room(struct stats_poller *v)
{
	v->last = calloc(v->workers, sizeof(*v->last));
	v->now = calloc(v->workers, sizeof(*v->now));
	v->events_from = calloc(v->workers, sizeof(*v->events_from));
	v->heard = calloc(v->workers, EVENTS * sizeof(*v->heard));
	return v->last != NULL && v->now != NULL && v->events_from != NULL &&
	       v->heard != NULL;
}

int stats_poller_start(const struct collector_env *env, struct sp_rt *rt,
		       struct sse *sse, struct stats_poller **out)
{
	struct stats_poller *v = calloc(1, sizeof(*v));
	int err = -ENOMEM;

	if (v == NULL)
		return -ENOMEM;
	v->env = env;
	v->rt = rt;
	v->workers = env->worker_count;
	pthread_mutex_init(&v->lock, NULL);
	v->sse = sse;
	if (make_room(v))
		err = sp_go_on(rt, 0, stats_poller_main, v, &v->task);
	if (err < 0) {
		stats_poller_free(v);
		return err;
	}
	*out = v;
	return 0;
}

void stats_poller_stop(struct stats_poller *v)
{
	if (v == NULL)
		return;
	sp_cancel(v->task);
	sp_join_thread(v->rt, v->task, NULL);
	stats_poller_free(v);
}
