#include "spargio/runtime/watchdog.h"
#include "spargio/sched/runtime.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* The state of a shard at the last check. */
struct glance {
	struct sp_fiber *running;
	uint64_t switches;
	uint32_t ms; /* time for which the state has not changed */
};

struct sp__watchdog {
	struct sp_rt *rt;
	pthread_t thread;
	sem_t stop;
	uint32_t step_ms;
	struct glance seen[];
};

static void check_shard(struct sp__watchdog *dog, uint32_t i)
{
	const struct sp_shard *s = &dog->rt->shards[i];
	const struct sp_opts *opts = &dog->rt->opts;
	struct glance *seen = &dog->seen[i];
	struct sp_fiber *running =
		atomic_load_explicit(&s->running, memory_order_relaxed);
	uint64_t switches =
		atomic_load_explicit(&s->counts.switches, memory_order_relaxed);
	uint32_t before = seen->ms;

	if (running == NULL || running != seen->running ||
	    switches != seen->switches) {
		*seen = (struct glance){ .running = running,
					 .switches = switches };
		return;
	}
	seen->ms += dog->step_ms;
	/* Report each fiber that blocks its shard once, not at each check. */
	if (before < opts->watchdog_ms && seen->ms >= opts->watchdog_ms) {
		struct sp_blocked_shard blocked = {
			.shard = i,
			.fiber = atomic_load(&running->id),
			.name = atomic_load(&running->name),
			.ms = seen->ms,
		};

		opts->on_blocked_shard(&blocked, opts->on_blocked_shard_arg);
	}
}

static bool sleep_until_stopped(struct sp__watchdog *dog)
{
	int64_t when = sp_in(dog->step_ms * SP_MS);
	struct timespec until = { .tv_sec = when / SP_S,
				  .tv_nsec = when % SP_S };
	int ret;

	do {
		ret = sem_clockwait(&dog->stop, CLOCK_MONOTONIC, &until);
	} while (ret < 0 && errno == EINTR);
	return ret == 0;
}

static void *watchdog_main(void *arg)
{
	struct sp__watchdog *dog = arg;

	while (!sleep_until_stopped(dog))
		for (uint32_t i = 0; i < dog->rt->nshards; i++)
			check_shard(dog, i);
	return NULL;
}

int sp__watchdog_start(struct sp_rt *rt)
{
	struct sp__watchdog *dog;
	int err;

	if (rt->opts.watchdog_ms == 0 || rt->opts.on_blocked_shard == NULL)
		return 0;
	dog = calloc(1, sizeof(*dog) + rt->nshards * sizeof(dog->seen[0]));
	if (dog == NULL)
		return -ENOMEM;
	dog->rt = rt;
	dog->step_ms = (rt->opts.watchdog_ms + 3) / 4;
	sem_init(&dog->stop, 0, 0);
	err = pthread_create(&dog->thread, NULL, watchdog_main, dog);
	if (err != 0) {
		sem_destroy(&dog->stop);
		free(dog);
		return -err;
	}
	rt->watchdog = dog;
	return 0;
}

void sp__watchdog_stop(struct sp_rt *rt)
{
	struct sp__watchdog *dog = rt->watchdog;

	if (dog == NULL)
		return;
	sem_post(&dog->stop);
	pthread_join(dog->thread, NULL);
	sem_destroy(&dog->stop);
	free(dog);
	rt->watchdog = NULL;
}
