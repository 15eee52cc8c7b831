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

/* Maximum events of one worker in one poll. */
#define EVENTS EVENT_RING_ENTRIES

/* The state of a worker at the last poll. */
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
	uint64_t *events_from; /* next event of each worker */
	/* the events of one poll, from all workers */
	struct event_ring_entry *heard;
	pthread_mutex_t lock; /* protects the members below */
	struct worker_rates *now;
	int64_t spooling_since;
	struct latency_window acks;
	struct latency_window safe;
};

static void rates_compute(struct last *last,
			  const struct collector_stats_worker *w,
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

/*
 * Pass the events to the streams. Each worker returns its events in order; sort
 * those of all workers by time.
 */
static void pass_events(struct stats_poller *poller,
			const struct collector_stats *p)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct worker_stats *one = p->workers[i].stats;

		sse_lost(poller->sse, one->events_lost);
		if (one->event_count > 0)
			memcpy(poller->heard + n, one->events,
			       one->event_count * sizeof(poller->heard[0]));
		n += one->event_count;
	}
	qsort(poller->heard, n, sizeof(poller->heard[0]), by_time);
	for (size_t i = 0; i < n; i++)
		sse_event(poller->sse, &poller->heard[i]);
}

static void pass_status(struct stats_poller *poller, struct collector_stats *p)
{
	struct json j = { 0 };

	stats_poller_recent(poller, &p->publisher);
	/* poller->now needs no lock here, because only this fiber writes it. */
	status_json(&j, poller->env, p, poller->now);
	sse_status(poller->sse, &j);
	json_fini(&j);
}

/* Polling */

static void keep_rates(struct stats_poller *poller,
		       const struct collector_stats *p)
{
	pthread_mutex_lock(&poller->lock);
	for (uint32_t i = 0; i < poller->workers; i++)
		rates_compute(&poller->last[i], &p->workers[i],
			      &poller->now[i]);
	if (p->publisher.spool_left == 0)
		poller->spooling_since = 0;
	else if (poller->spooling_since == 0)
		poller->spooling_since = p->now;
	latency_window_sample(&poller->acks, &p->publisher.acks, p->now);
	latency_window_sample(&poller->safe, &p->publisher.safe, p->now);
	pthread_mutex_unlock(&poller->lock);
}

static void stats_poll(struct stats_poller *poller)
{
	bool read = sse_is_read(poller->sse);
	struct collector_stats_options options = {
		.each_router = read,
		.patience = PERIOD,
		.events = EVENTS,
		.events_from = poller->events_from,
	};
	struct collector_stats stats;

	if (collector_stats_collect(poller->env, &options, &stats) <
	    0) /* yields */
		return;
	keep_rates(poller, &stats);
	pass_events(poller, &stats);
	if (read)
		pass_status(poller, &stats);
	collector_stats_release(&stats);
}

static int stats_poller_main(void *stats_poller)
{
	struct stats_poller *poller = stats_poller;
	struct sp_interval beat;
	int err = sp_interval_init(&beat, PERIOD, SP_SKIP);

	while (err == 0) {
		stats_poll(poller); /* yields */
		err = sp_interval_wait(&beat);
	}
	return 0;
}

void stats_poller_get(struct stats_poller *poller, struct worker_rates *out)
{
	pthread_mutex_lock(&poller->lock);
	memcpy(out, poller->now, poller->workers * sizeof(*out));
	pthread_mutex_unlock(&poller->lock);
}

void stats_poller_recent(struct stats_poller *poller,
			 struct publisher_stats *stats)
{
	pthread_mutex_lock(&poller->lock);
	stats->acks = latency_window_recent(&poller->acks, &stats->acks);
	stats->safe = latency_window_recent(&poller->safe, &stats->safe);
	pthread_mutex_unlock(&poller->lock);
}

int64_t stats_poller_spooling_since(struct stats_poller *poller)
{
	int64_t since;

	pthread_mutex_lock(&poller->lock);
	since = poller->spooling_since;
	pthread_mutex_unlock(&poller->lock);
	return since;
}

static void stats_poller_free(struct stats_poller *poller)
{
	free(poller->events_from);
	free(poller->heard);
	pthread_mutex_destroy(&poller->lock);
	free(poller->last);
	free(poller->now);
	free(poller);
}

static bool make_room(struct stats_poller *poller)
{
	poller->last = calloc(poller->workers, sizeof(*poller->last));
	poller->now = calloc(poller->workers, sizeof(*poller->now));
	poller->events_from =
		calloc(poller->workers, sizeof(*poller->events_from));
	poller->heard =
		calloc(poller->workers, EVENTS * sizeof(*poller->heard));
	return poller->last != NULL && poller->now != NULL &&
	       poller->events_from != NULL && poller->heard != NULL;
}

int stats_poller_start(const struct collector_env *env, struct sp_rt *rt,
		       struct sse *sse, struct stats_poller **out)
{
	struct stats_poller *poller = calloc(1, sizeof(*poller));
	int err = -ENOMEM;

	if (poller == NULL)
		return -ENOMEM;
	poller->env = env;
	poller->rt = rt;
	poller->workers = env->worker_count;
	pthread_mutex_init(&poller->lock, NULL);
	poller->sse = sse;
	if (make_room(poller))
		err = sp_go_on(rt, 0, stats_poller_main, poller, &poller->task);
	if (err < 0) {
		stats_poller_free(poller);
		return err;
	}
	*out = poller;
	return 0;
}

void stats_poller_stop(struct stats_poller *poller)
{
	if (poller == NULL)
		return;
	sp_cancel(poller->task);
	sp_join_thread(poller->rt, poller->task, NULL);
	stats_poller_free(poller);
}
