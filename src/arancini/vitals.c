#include "arancini/vitals.h"

#include "arancini/collector.h"
#include "arancini/picture.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD SP_S

/* What is remembered of the last look at a worker. */
struct last {
	bool known;
	int64_t at;
	struct figures figures;
};

struct vitals {
	struct collector *collector;
	struct sp_rt *rt;
	struct sp_task task;
	uint32_t workers;
	struct last *last;
	pthread_mutex_t lock; /* of now */
	struct vitals_worker *now;
};

static void compare(struct last *last, const struct picture_worker *w,
		    struct vitals_worker *out)
{
	struct last now = { true, w->pulse->at, figures_of(w->pulse) };

	*out = (struct vitals_worker){ .busy = 0 };
	if (last->known)
		out->rate = figures_rate(&last->figures, &now.figures,
					 now.at - last->at);
	*last = now;
}

static void look(struct vitals *v)
{
	struct picture_options options = { .patience = PERIOD };
	struct picture picture;

	if (picture_take(v->collector, &options, &picture) < 0) /* yields */
		return;
	pthread_mutex_lock(&v->lock);
	for (uint32_t i = 0; i < v->workers; i++)
		compare(&v->last[i], &picture.workers[i], &v->now[i]);
	pthread_mutex_unlock(&v->lock);
	picture_release(&picture);
}

static int vitals_main(void *vitals)
{
	struct vitals *v = vitals;
	struct sp_interval beat;
	int err = sp_interval_init(&beat, PERIOD, SP_SKIP);

	while (err == 0) {
		look(v); /* yields */
		err = sp_interval_wait(&beat);
	}
	return 0;
}

void vitals_get(struct vitals *v, struct vitals_worker *out)
{
	pthread_mutex_lock(&v->lock);
	memcpy(out, v->now, v->workers * sizeof(*out));
	pthread_mutex_unlock(&v->lock);
}

static void vitals_free(struct vitals *v)
{
	pthread_mutex_destroy(&v->lock);
	free(v->last);
	free(v->now);
	free(v);
}

int vitals_start(struct collector *collector, struct sp_rt *rt,
		 struct vitals **out)
{
	struct vitals *v = calloc(1, sizeof(*v));
	int err = -ENOMEM;

	if (v == NULL)
		return -ENOMEM;
	v->collector = collector;
	v->rt = rt;
	v->workers = collector_workers(collector);
	pthread_mutex_init(&v->lock, NULL);
	v->last = calloc(v->workers, sizeof(*v->last));
	v->now = calloc(v->workers, sizeof(*v->now));
	if (v->last != NULL && v->now != NULL)
		err = sp_go_on(rt, 0, vitals_main, v, &v->task);
	if (err < 0) {
		vitals_free(v);
		return err;
	}
	*out = v;
	return 0;
}

void vitals_stop(struct vitals *v)
{
	if (v == NULL)
		return;
	sp_cancel(v->task);
	sp_join_thread(v->rt, v->task, NULL);
	vitals_free(v);
}
