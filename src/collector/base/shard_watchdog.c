#include "collector/base/shard_watchdog.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

/*
 * A fiber that runs for so long without a yield is logged. Work is done in
 * slices of about a millisecond, so this is a thousand slices.
 */
#define HOG_MS 1000

/* The probes of one shard. */
struct shard_probe {
	struct sp_rt *rt;
	uint32_t shard;
	/* set by the shard: number of probe fibers that ran */
	_Atomic uint64_t ran;
	/* set by the checker: number of probe fibers spawned */
	uint64_t left;
	int64_t since; /* sp_now() when the last probe was spawned */
	bool stuck;    /* the stall was logged */
};

struct shard_watchdog {
	struct log *log;
	uint32_t count; /* number of shards; the last one is the publisher's */
	struct shard_probe posts[];
};

static void log_blocked_shard(const struct sp_blocked_shard *blocked, void *log)
{
	struct log_line line;

	if (!log_begin(log, LOG_LEVEL_WARNING, "fiber_blocked_shard", &line))
		return;
	log_u64(&line, "worker", blocked->shard);
	log_u64(&line, "fiber", blocked->fiber);
	if (blocked->name != NULL)
		log_text(&line, "name", blocked->name);
	log_seconds(&line, "for", blocked->ms * SP_MS);
	log_end(&line);
}

void shard_watchdog_log_blocking(struct log *log, struct sp_opts *opts)
{
	opts->watchdog_ms = HOG_MS;
	opts->on_blocked_shard = log_blocked_shard;
	opts->on_blocked_shard_arg = log;
}

int shard_watchdog_new(struct log *log, struct sp_rt *workers,
		       struct sp_rt *publisher, struct shard_watchdog **out)
{
	uint32_t shards = sp_shard_count(workers);
	struct shard_watchdog *w =
		calloc(1, sizeof(*w) + (shards + 1) * sizeof(w->posts[0]));

	if (w == NULL)
		return -ENOMEM;
	w->log = log;
	w->count = shards + 1;
	for (uint32_t i = 0; i < shards; i++) {
		w->posts[i].rt = workers;
		w->posts[i].shard = i;
	}
	w->posts[shards].rt = publisher;
	*out = w;
	return 0;
}

void shard_watchdog_free(struct shard_watchdog *w)
{
	free(w);
}

static int probe_answer(void *post)
{
	atomic_fetch_add(&((struct shard_probe *)post)->ran, 1);
	return 0;
}

static void probe_log(struct shard_watchdog *w, const struct shard_probe *p)
{
	struct log_line line;

	if (!log_begin(w->log, p->stuck ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING,
		       p->stuck ? "shard_stalled" : "shard_recovered", &line))
		return;
	if (p == &w->posts[w->count - 1])
		log_bool(&line, "publisher", true);
	else
		log_u64(&line, "worker", p->shard);
	log_seconds(&line, "for", sp_now() - p->since);
	log_end(&line);
}

static bool has_moved(struct shard_watchdog *w, struct shard_probe *p)
{
	bool moved = atomic_load(&p->ran) == p->left;

	if (p->stuck == moved) {
		p->stuck = !moved;
		probe_log(w, p);
	}
	return moved;
}

/*
 * Spawn a probe fiber on the shard. If out of memory, the next check tries
 * again.
 */
static void leave_fiber(struct shard_probe *p)
{
	if (sp_go_on(p->rt, p->shard, probe_answer, p, NULL) < 0)
		return;
	p->left++;
	p->since = sp_now();
}

bool shard_watchdog_check(struct shard_watchdog *w)
{
	bool all = true;

	for (uint32_t i = 0; i < w->count; i++)
		all &= has_moved(w, &w->posts[i]);
	if (!all)
		return false;
	for (uint32_t i = 0; i < w->count; i++)
		leave_fiber(&w->posts[i]);
	return true;
}
