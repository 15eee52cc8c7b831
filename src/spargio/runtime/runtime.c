#include "spargio/io/sys.h"
#include "spargio/io/epoll.h"
#include "spargio/io/placement.h"
#include "spargio/io/recv_buffers.h"
#include "spargio/io/uring.h"
#include "spargio/runtime/build.h"
#include "spargio/runtime/options.h"
#include "spargio/runtime/sim_run.h"
#include "spargio/runtime/stop_timer.h"
#include "spargio/runtime/watchdog.h"
#include "spargio/sched/cancel.h"
#include "spargio/sched/context.h"
#include "spargio/sched/current.h"
#include "spargio/sched/msg_inbox.h"
#include "spargio/sched/pool.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/sched.h"
#include "spargio/sched/shutdown.h"
#include "spargio/sched/stack.h"
#include "spargio/sched/stack_overflow.h"
#include "spargio/sched/timer_wheel.h"
#include "spargio/sched/visit.h"
#include "spargio/sched/wait.h"
#include "spargio/sim/world.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef SP_ASAN
#include <sanitizer/lsan_interface.h>
#endif

/*
 * Minimum time for which sp_run() and sp_stop() wait for the threads to end,
 * even if the deadline has passed.
 */
#define STOP_GRACE (SP_S)

/* Gate: a barrier for all shards of a runtime */

static void gate_init(struct sp__gate *gate, uint32_t expected)
{
	*gate = (struct sp__gate){ .expected = expected };
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->open, NULL);
}

static void gate_fini(struct sp__gate *gate)
{
	pthread_cond_destroy(&gate->open);
	pthread_mutex_destroy(&gate->lock);
}

/* The lock is held. */
static void gate_open_if_complete(struct sp__gate *gate)
{
	if (gate->arrived < gate->expected)
		return;
	gate->arrived = 0;
	gate->round++;
	pthread_cond_broadcast(&gate->open);
}

static void gate_pass(struct sp__gate *gate)
{
	uint32_t round;

	pthread_mutex_lock(&gate->lock);
	round = gate->round;
	gate->arrived++;
	gate_open_if_complete(gate);
	while (gate->round == round)
		pthread_cond_wait(&gate->open, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

/* Set the number of shards that will arrive at the gate. */
static void gate_expect(struct sp__gate *gate, uint32_t expected)
{
	pthread_mutex_lock(&gate->lock);
	gate->expected = expected;
	if (gate->arrived > 0)
		gate_open_if_complete(gate);
	pthread_mutex_unlock(&gate->lock);
}

/* Making and unmaking */

static void init_shard(struct sp_rt *rt, uint32_t index)
{
	struct sp_shard *s = &rt->shards[index];

	memset(s, 0, sizeof(*s));
	s->rt = rt;
	s->index = index;
	s->victim = index + 1;
	sp__timer_wheel_init(&s->timer_wheel, sp_now());
	/*
	 * With fewer CPUs than shards a spinning shard would only slow the
	 * others down.
	 */
	sp__idle_spin_init(&s->idle_spin, sp__cpus_available() >= rt->nshards);
}

/* Free everything except @rt itself, its shards and its stacks. */
static void rt_empty(struct sp_rt *rt)
{
	for (uint32_t i = 0; rt->shards != NULL && i < rt->nshards; i++) {
		struct sp_shard *s = &rt->shards[i];

		if (s->io != NULL)
			s->backend->close(s);
		sp__recv_buffers_free(s->recv_buffers);
		sp__msg_inbox_close(s);
	}
	sp__pool_free(rt->pool);
	sp__leases_free(rt->leases);
	gate_fini(&rt->gate);
	sem_destroy(&rt->ended);
	sem_destroy(&rt->opened);
	sem_destroy(&rt->gone);
	free(rt->tag_kinds);
}

static void rt_free(struct sp_rt *rt)
{
	sp__stacks_fini(&rt->stacks);
	free(rt->shards);
	free(rt);
}

/*
 * The number of steps of @stride, modulo @shards, that lead back to the first
 * shard.
 */
static uint32_t steal_cycle(uint32_t stride, uint32_t shards)
{
	uint32_t a = shards, b = stride % shards;

	while (b != 0) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return shards / a; /* a is the greatest common factor */
}

int sp__rt_new(const struct sp_opts *opts, struct sp_rt **out)
{
	struct sp_rt *rt = aligned_alloc(SP__CACHE_LINE, sizeof(*rt));
	int err;

	if (rt == NULL)
		return -ENOMEM;
	memset(rt, 0, sizeof(*rt));
	sp__stacks_init(&rt->stacks, sizeof(struct sp_fiber));
	sem_init(&rt->ended, 0, 0);
	sem_init(&rt->opened, 0, 0);
	sem_init(&rt->gone, 0, 0);
	gate_init(&rt->gate, 0);
	err = sp__options_fill(opts, &rt->opts);
	if (err < 0)
		goto fail;
	rt->nshards = rt->opts.shards;
	rt->steal_cycle = steal_cycle(rt->opts.steal_stride, rt->nshards);
	gate_expect(&rt->gate, rt->nshards);
	rt->stack_class = sp__stack_class(rt->opts.stack_size);
	err = sp__msg_inbox_kinds(&rt->opts, &rt->tag_kinds);
	if (err < 0)
		goto fail;
	err = sp__pool_new(rt->opts.pool_threads, rt->opts.pool_queue,
			   &rt->pool);
	if (err < 0)
		goto fail;
	err = sp__leases_new(&rt->leases);
	if (err < 0)
		goto fail;
	rt->shards = aligned_alloc(SP__CACHE_LINE,
				   rt->nshards * sizeof(*rt->shards));
	if (rt->shards == NULL) {
		err = -ENOMEM;
		goto fail;
	}
	for (uint32_t i = 0; i < rt->nshards; i++)
		init_shard(rt, i);
	for (uint32_t i = 0; i < rt->nshards && err == 0; i++)
		err = sp__msg_inbox_open(&rt->shards[i]);
	if (err < 0)
		goto fail;
	sp__visits_open(rt);
	*out = rt;
	return 0;

fail:
	rt_empty(rt);
	rt_free(rt);
	return err;
}

/* Threads */

/*
 * All shards try io_uring; if a shard fails, all use epoll, so that a runtime
 * has one kind of back end. After each gate every thread reads the results of
 * all shards and comes to the same decision.
 */
static int worst_error(const struct sp_rt *rt)
{
	for (uint32_t i = 0; i < rt->nshards; i++)
		if (rt->shards[i].open_error != 0)
			return rt->shards[i].open_error;
	return 0;
}

static int open_as(struct sp_shard *s, const struct sp__backend *backend)
{
	struct sp_rt *rt = s->rt;
	int err;

	s->backend = backend;
	s->open_error = backend->open(s);
	gate_pass(&rt->gate);
	err = worst_error(rt);
	/* No shard may change its result before all shards have read it. */
	gate_pass(&rt->gate);
	return err;
}

static int open_backend(struct sp_shard *s)
{
	struct sp_rt *rt = s->rt;
	int err;

	if (rt->opts.backend == SP_BACKEND_EPOLL)
		return open_as(s, &sp__backend_epoll);
	err = open_as(s, &sp__backend_uring);
	if (err == 0 || rt->opts.backend == SP_BACKEND_URING)
		return err;
	if (s->io != NULL) {
		s->backend->leave(s);
		s->backend->close(s);
	}
	if (s->index == 0)
		rt->backend_error = err;
	return open_as(s, &sp__backend_epoll);
}

static void pin_thread(const struct sp_shard *s)
{
	cpu_set_t set;

	if (s->rt->opts.affinity == NULL)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)s->rt->opts.affinity[s->index], &set);
	/*
	 * On an error (a CPU that we may not use) the thread runs on any
	 * allowed CPU.
	 */
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void name_thread(const struct sp_shard *s)
{
	char name[16]; /* the kernel's limit for a thread name */

	if (s->rt->opts.name == NULL)
		return;
	(void)snprintf(name, sizeof(name), "%s/%u", s->rt->opts.name, s->index);
	(void)pthread_setname_np(pthread_self(), name);
}

/*
 * Prepare the shard's thread. If a shard fails, the runtime cannot start:
 * open_backend() then returns the same error on all shards.
 */
static int shard_begin(struct sp_shard *s)
{
	sp__shard_set_self(s);
	sp__fenv_read(&s->fenv);
	pin_thread(s);
	sp__context_adopt(&s->sched);
	s->exceptions = sp__cxx_exceptions_get();
	sp__stack_overflow_watch_begin(s);
	return open_backend(s);
}

static void shard_end(struct sp_shard *s)
{
	if (s->io != NULL)
		s->backend->leave(s);
	sp__stack_cache_drain(&s->rt->stacks, &s->stacks);
	sp__stack_overflow_watch_end(s);
	atomic_store(&s->park, SP__DEAD);
	sp__shard_set_self(NULL);
}

static void *shard_thread(void *arg)
{
	struct sp_shard *s = arg;
	int err;

	name_thread(s);
	err = shard_begin(s);
	if (s->index == 0)
		sem_post(&s->rt->opened);
	if (err == 0)
		sp__shard_loop(s);
	shard_end(s);
	sem_post(&s->rt->gone);
	return NULL;
}

/*
 * Start the threads of the shards from @first on. If a thread cannot be
 * created, the threads that were created read the error after the gate and
 * end.
 */
static void start_threads(struct sp_rt *rt, uint32_t first)
{
	for (uint32_t i = first; i < rt->nshards; i++) {
		struct sp_shard *s = &rt->shards[i];
		int err = pthread_create(&s->thread, NULL, shard_thread, s);

		if (err == 0) {
			s->has_thread = true;
			rt->threads++;
			continue;
		}
		for (uint32_t k = i; k < rt->nshards; k++)
			rt->shards[k].open_error = -err;
		gate_expect(&rt->gate, i);
		return;
	}
}

/*
 * Join the threads when all have ended; false if one has not ended by
 * @deadline.
 */
static bool join_threads(struct sp_rt *rt, int64_t deadline)
{
	while (rt->threads > 0) {
		if (!sp__sem_wait_until(&rt->gone, deadline))
			return false;
		rt->threads--;
	}
	for (uint32_t i = 0; i < rt->nshards; i++) {
		if (rt->shards[i].has_thread)
			pthread_join(rt->shards[i].thread, NULL);
		rt->shards[i].has_thread = false;
	}
	return true;
}

/* Ending */

/* Wakes a waiting fiber; other fibers see "closing" at their next wait. */
static void cancel_visitor(struct sp__slot *slot, void *arg)
{
	(void)arg;
	sp__fiber_cancel((struct sp_fiber *)(void *)slot);
}

/* Refuse new fibers and cancel all existing ones. */
void sp__rt_cancel(struct sp_rt *rt)
{
	atomic_store(&rt->closing, true);
	sp__stacks_walk(&rt->stacks, cancel_visitor, NULL);
	/* A shard that was notified sees "closing" before it sleeps again. */
	for (uint32_t i = 0; i < rt->nshards; i++)
		sp__shard_notify(&rt->shards[i]);
	sp__shards_end_if_over(rt);
}

/*
 * Drop a fiber that has not ended. Objects for which the fiber waits may
 * outlive the runtime and wake the fiber later: so end its wait, which makes a
 * later wake-up have no effect, and keep its stack mapped.
 */
static void drop_visitor(struct sp__slot *slot, void *arg)
{
	struct sp_fiber *f = (struct sp_fiber *)(void *)slot;
	bool *dropped = arg;

	sp__context_drop(&f->ctx);
	if (atomic_load_explicit(&f->id, memory_order_relaxed) != 0 &&
	    !f->done) {
		sp__wait_void(f);
		*dropped = true;
	}
}

/*
 * Free the runtime when all threads have ended. False if fibers had not ended:
 * @rt, the shards and the stacks are then not freed.
 */
bool sp__rt_close(struct sp_rt *rt)
{
	bool dropped = false;

	sp__visits_close(rt);
	sp__watchdog_stop(rt);
	sp__stacks_walk(&rt->stacks, drop_visitor, &dropped);
	rt_empty(rt);
	if (!dropped) {
		rt_free(rt);
		return true;
	}
	/*
	 * Do not free the runtime: a thread that was about to wake a dropped
	 * fiber may still access the fiber's shard.
	 */
#ifdef SP_ASAN
	__lsan_ignore_object(rt);
#endif
	return false;
}

static void forget_context(struct sp__slot *slot, void *arg)
{
	struct sp_fiber *f = (struct sp_fiber *)(void *)slot;

	(void)arg;
	sp__context_drop(&f->ctx);
}

void sp__rt_drop(struct sp_rt *rt)
{
	sp__visits_close(rt);
	sp__stacks_walk(&rt->stacks, forget_context, NULL);
	rt_empty(rt);
	rt_free(rt);
}

/*
 * Wait until the threads of the shards and of the pool have ended. False if a
 * thread has not ended by @deadline or after STOP_GRACE, whichever is later.
 */
static bool threads_end(struct sp_rt *rt, int64_t deadline)
{
	int64_t last = sp_in(STOP_GRACE);

	if (last < deadline)
		last = deadline;
	return join_threads(rt, last) && sp__pool_stop(rt->pool, last);
}

/*
 * A thread does not end: detach the threads, and free no memory that they use.
 */
static void rt_abandon(struct sp_rt *rt)
{
	sp__watchdog_stop(rt);
	for (uint32_t i = 0; i < rt->nshards; i++)
		if (rt->shards[i].has_thread)
			pthread_detach(rt->shards[i].thread);
}

/* sp_run() */

struct root {
	struct sp_rt *rt;
	int (*fn)(void *);
	void *arg;
	int ret;
};

static int root_main(void *arg)
{
	struct root *root = arg;

	root->ret = root->fn(root->arg);
	sp__stop_timer_begin(root->rt);
	sp__rt_cancel(root->rt);
	return 0;
}

int sp_run(const struct sp_opts *opts, int (*fn)(void *), void *arg)
{
	struct root root = { .fn = fn, .arg = arg };
	struct sp_shard *first;
	int64_t deadline;
	struct sp_rt *rt;
	int err;

	if (sp__shard_self() != NULL)
		return -EDEADLK; /* it would block the calling shard */
	if (sp__options_simulated(opts))
		return sp__sim_run_alone(opts, fn, arg);
	err = sp__rt_new(opts, &rt);
	if (err < 0)
		return err;
	root.rt = rt;
	start_threads(rt, 1);
	/* The calling thread is shard 0 until its loop ends. */
	first = &rt->shards[0];
	err = shard_begin(first);
	if (err == 0)
		err = sp__watchdog_start(rt);
	if (err == 0)
		err = sp__stop_timer_start(rt);
	if (err == 0)
		err = sp_go_on(rt, 0, root_main, &root, NULL);
	if (err == 0)
		sp__shard_loop(first);
	else
		sp__shards_end(rt);
	shard_end(first);
	deadline = sp__stop_timer_finish(rt);
	if (!threads_end(rt, deadline)) {
		rt_abandon(rt);
		return -EBUSY;
	}
	if (!sp__rt_close(rt))
		return -ETIMEDOUT;
	return err < 0 ? err : root.ret;
}

/* sp_start() and sp_stop() */

int sp_start(const struct sp_opts *opts, struct sp_rt **out)
{
	struct sp_rt *rt;
	int err;

	if (sp__options_simulated(opts))
		return sp__sim_refuse("sp_start(), see sim.h");
	err = sp__rt_new(opts, &rt);
	if (err < 0)
		return err;
	start_threads(rt, 0);
	if (rt->shards[0].has_thread) {
		while (sem_wait(&rt->opened) < 0)
			; /* interrupted by a signal */
	}
	err = worst_error(rt);
	if (err == 0)
		err = sp__watchdog_start(rt);
	if (err < 0) {
		sp__shards_end(rt);
		(void)join_threads(rt, SP_NEVER);
		(void)sp__rt_close(rt);
		return err;
	}
	*out = rt;
	return 0;
}

int sp_stop(struct sp_rt *rt, int64_t deadline)
{
	struct sp_shard *here = sp__shard_self();

	if (rt == NULL)
		return 0;
	if (here != NULL && here->rt == rt)
		return -EDEADLK;
	if (!atomic_load(&rt->closing))
		sp__rt_cancel(rt);
	if (!sp__sem_wait_until(&rt->ended, deadline)) {
		sp__report_fibers_left(rt);
		sp__shards_end(rt);
	}
	if (!threads_end(rt, deadline))
		return -EBUSY;
	return sp__rt_close(rt) ? 0 : -ETIMEDOUT;
}

struct sp_rt *sp_runtime(void)
{
	return sp__runtime_or_own(NULL);
}

uint32_t sp_shard_count(const struct sp_rt *rt)
{
	return rt->nshards;
}

const char *sp_backend_name(const struct sp_rt *rt)
{
	return rt->shards[0].backend->name;
}

int sp_backend_error(const struct sp_rt *rt)
{
	return rt->backend_error;
}

int sp_random(void *data, size_t len)
{
	uint8_t *p = data;

	while (len > 0) {
		ssize_t n = sp__sys()->getrandom(p, len, 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}
