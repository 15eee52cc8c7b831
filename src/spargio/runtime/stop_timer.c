#include "spargio/runtime/stop_timer.h"
#include "spargio/sched/shutdown.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct sp__stop_timer {
	struct sp_rt *rt;
	pthread_t thread;
	sem_t begun;
	/*
	 * SP_NEVER until sp__stop_timer_begin(). The semaphore orders the
	 * accesses; atomic only because TSan does not know sem_clockwait().
	 */
	_Atomic int64_t deadline;
};

bool sp__sem_wait_until(sem_t *sem, int64_t deadline)
{
	struct timespec until = { .tv_sec = deadline / SP_S,
				  .tv_nsec = deadline % SP_S };

	while (sem_clockwait(sem, CLOCK_MONOTONIC, &until) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

#define FIELD(field) atomic_load_explicit(&f->field, memory_order_relaxed)

static void report_visitor(struct sp__slot *slot, void *arg)
{
	struct sp_fiber *f = (struct sp_fiber *)(void *)slot;
	const struct sp_opts *opts = arg;
	uint8_t state = FIELD(state);
	struct sp_fiber_left left = {
		.shard = FIELD(seen_on),
		.fiber = FIELD(id),
		.name = FIELD(name),
		.waits_for =
			state == SP__FIBER_WAITING ? FIELD(waits_for) : NULL,
	};

	if (left.fiber != 0 && state != SP__FIBER_DONE)
		opts->on_fiber_left(&left, opts->on_fiber_left_arg);
}

void sp__report_fibers_left(struct sp_rt *rt)
{
	if (rt->opts.on_fiber_left != NULL)
		sp__stacks_walk(&rt->stacks, report_visitor, &rt->opts);
}

static void *stop_timer_main(void *arg)
{
	struct sp__stop_timer *timer = arg;

	(void)sp__sem_wait_until(&timer->begun, SP_NEVER);
	if (!sp__sem_wait_until(&timer->rt->ended,
				atomic_load(&timer->deadline))) {
		sp__report_fibers_left(timer->rt);
		sp__shards_end(timer->rt);
	}
	return NULL;
}

int sp__stop_timer_start(struct sp_rt *rt)
{
	struct sp__stop_timer *timer;
	int err;

	if (rt->opts.stop_ms == 0)
		return 0;
	timer = calloc(1, sizeof(*timer));
	if (timer == NULL)
		return -ENOMEM;
	timer->rt = rt;
	atomic_store(&timer->deadline, SP_NEVER);
	sem_init(&timer->begun, 0, 0);
	err = pthread_create(&timer->thread, NULL, stop_timer_main, timer);
	if (err != 0) {
		sem_destroy(&timer->begun);
		free(timer);
		return -err;
	}
	rt->stop_timer = timer;
	return 0;
}

void sp__stop_timer_begin(struct sp_rt *rt)
{
	if (rt->stop_timer == NULL)
		return;
	atomic_store(&rt->stop_timer->deadline,
		     sp_in(rt->opts.stop_ms * SP_MS));
	sem_post(&rt->stop_timer->begun);
}

int64_t sp__stop_timer_finish(struct sp_rt *rt)
{
	struct sp__stop_timer *timer = rt->stop_timer;
	int64_t deadline;

	if (timer == NULL)
		return SP_NEVER;
	/* If the runtime did not start, the semaphore was not posted. */
	sem_post(&timer->begun);
	pthread_join(timer->thread, NULL);
	deadline = atomic_load(&timer->deadline);
	sem_destroy(&timer->begun);
	free(timer);
	rt->stop_timer = NULL;
	return deadline;
}
