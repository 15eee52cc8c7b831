#include "spargio/sched/pool.h"
#include "spargio/sched/current.h"
#include "spargio/sched/fenv.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <spargio/pool.h>
#include <spargio/time.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct sp__pool {
	pthread_mutex_t lock;
	pthread_cond_t work; /* signals a job, or the end of the pool */
	pthread_cond_t gone; /* signals that a thread has ended */
	struct sp__job *head;
	struct sp__job **tail;
	uint32_t queued, queue_max;
	uint32_t threads, threads_max, idle;
	uint32_t made; /* number of threads made; they end only with the pool */
	bool stopping;
	/*
	 * Floating-point control words of the thread that started the runtime.
	 * They are restored before each job: the fiber that created the pool's
	 * thread, or the previous job, may have changed them.
	 */
	struct sp__fenv fenv;
	/* a simulation runs jobs itself; see sp__pool_simulate() */
	void (*later)(void *arg, struct sp__pool *pool);
	void *later_arg;
	pthread_t thread[]; /* threads that were made and not joined */
};

int sp__pool_new(uint32_t threads, uint32_t queue, struct sp__pool **out)
{
	struct sp__pool *pool =
		calloc(1, sizeof(*pool) + threads * sizeof(pool->thread[0]));
	pthread_condattr_t attr;

	if (pool == NULL)
		return -ENOMEM;
	pool->tail = &pool->head;
	pool->threads_max = threads;
	pool->queue_max = queue;
	sp__fenv_read(&pool->fenv);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->work, &attr);
	pthread_cond_init(&pool->gone, &attr);
	pthread_condattr_destroy(&attr);
	*out = pool;
	return 0;
}

/* The lock is held. */
static struct sp__job *take_job(struct sp__pool *pool)
{
	struct sp__job *job = pool->head;

	pool->head = job->next;
	if (pool->head == NULL)
		pool->tail = &pool->head;
	pool->queued--;
	return job;
}

static void *pool_main(void *arg)
{
	struct sp__pool *pool = arg;
	struct sp__fenv fenv = pool->fenv;

	/* Without this the thread would inherit the name of the shard. */
	(void)pthread_setname_np(pthread_self(), "pool");
	pthread_mutex_lock(&pool->lock);
	while (!pool->stopping) {
		struct sp__job *job;

		if (pool->head == NULL) {
			pool->idle++;
			pthread_cond_wait(&pool->work, &pool->lock);
			pool->idle--;
			continue;
		}
		job = take_job(pool);
		pthread_mutex_unlock(&pool->lock);
		if (sp__fenv_differs(&fenv))
			sp__fenv_write(&fenv);
		job->run(job);
		pthread_mutex_lock(&pool->lock);
	}
	pool->threads--;
	pthread_cond_broadcast(&pool->gone);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Add a thread if the job would otherwise wait. The lock is held. */
static int maybe_grow(struct sp__pool *pool)
{
	int err;

	if (pool->later != NULL) {
		pool->later(pool->later_arg, pool);
		return 0;
	}
	if (pool->idle >= pool->queued || pool->threads >= pool->threads_max)
		return 0;
	err = pthread_create(&pool->thread[pool->made], NULL, pool_main, pool);
	if (err == 0) {
		pool->threads++;
		pool->made++;
	}
	/* With at least one thread the job will run, only later. */
	return pool->threads == 0 ? -err : 0;
}

void sp__pool_simulate(struct sp__pool *pool,
		       void (*later)(void *arg, struct sp__pool *pool),
		       void *arg)
{
	pool->later = later;
	pool->later_arg = arg;
}

void sp__pool_run_one(struct sp__pool *pool)
{
	struct sp__job *job = pool->head == NULL ? NULL : take_job(pool);

	if (job != NULL)
		job->run(job);
}

static int queue_job(struct sp__pool *pool, struct sp__job *job, uint32_t max)
{
	int err = 0;

	job->next = NULL;
	pthread_mutex_lock(&pool->lock);
	if (pool->stopping)
		err = -ESHUTDOWN;
	else if (pool->queued >= max)
		err = -EAGAIN;
	else {
		pool->queued++;
		err = maybe_grow(pool);
		if (err < 0) {
			pool->queued--;
		} else {
			*pool->tail = job;
			pool->tail = &job->next;
			pthread_cond_signal(&pool->work);
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return err;
}

int sp__pool_submit(struct sp__pool *pool, struct sp__job *job)
{
	return queue_job(pool, job, pool->queue_max);
}

int sp__pool_push(struct sp__pool *pool, struct sp__job *job)
{
	return queue_job(pool, job, UINT32_MAX);
}

bool sp__pool_withdraw(struct sp__pool *pool, struct sp__job *job)
{
	bool found = false;

	pthread_mutex_lock(&pool->lock);
	for (struct sp__job **p = &pool->head; *p != NULL; p = &(*p)->next) {
		if (*p != job)
			continue;
		*p = job->next;
		if (pool->tail == &job->next)
			pool->tail = p;
		pool->queued--;
		found = true;
		break;
	}
	pthread_mutex_unlock(&pool->lock);
	return found;
}

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / SP_S, .tv_nsec = ns % SP_S };
}

/*
 * Join the threads: thread-local destructors of libraries run at the very end
 * of a thread, and must not run while the process exits and its own destructors
 * run.
 */
static void join_all(struct sp__pool *pool)
{
	while (pool->made > 0)
		pthread_join(pool->thread[--pool->made], NULL);
}

bool sp__pool_stop(struct sp__pool *pool, int64_t deadline)
{
	struct timespec until = timespec_of(deadline);
	int err = 0;
	bool gone;

	pthread_mutex_lock(&pool->lock);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->work);
	while (pool->threads > 0 && err == 0)
		err = pthread_cond_timedwait(&pool->gone, &pool->lock, &until);
	gone = pool->threads == 0;
	pthread_mutex_unlock(&pool->lock);
	if (gone)
		join_all(pool);
	return gone;
}

void sp__pool_free(struct sp__pool *pool)
{
	if (pool == NULL)
		return;
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->gone);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void sp__pool_stats(struct sp__pool *pool, uint32_t *threads, uint32_t *queued)
{
	pthread_mutex_lock(&pool->lock);
	*threads = pool->threads;
	*queued = pool->queued;
	pthread_mutex_unlock(&pool->lock);
}

/*
 * A blocking call. Its fiber may stop waiting while the call still runs, so
 * the structure is on the heap. The fiber or the pool's thread frees it,
 * whichever uses it last.
 */
struct block {
	struct sp__job job;
	int (*fn)(void *);
	void *arg;
	/* frees @arg if the caller no longer waits; or NULL */
	void (*drop)(void *);
	int ret;
	struct sp_fiber *fiber;
	uint64_t epoch;
	_Atomic int state;
};

enum {
	BLOCK_WAITED_FOR,
	BLOCK_DONE,
	BLOCK_ABANDONED,
};

/* Free a call for which the fiber no longer waits. */
static void block_drop(struct block *b)
{
	if (b->drop != NULL)
		b->drop(b->arg);
	free(b);
}

static void block_run(struct sp__job *job)
{
	struct block *b = (struct block *)job;
	struct sp_fiber *fiber = b->fiber;
	uint64_t epoch = b->epoch;

	b->ret = b->fn(b->arg);
	/* After BLOCK_DONE the fiber may free b: do not access b again. */
	if (atomic_exchange(&b->state, BLOCK_DONE) == BLOCK_ABANDONED) {
		block_drop(b);
		return;
	}
	sp__wake(fiber, epoch, SP__EVENT);
}

int sp_block(int (*fn)(void *), void *arg, int *ret)
{
	return sp_block_until(fn, arg, SP_NEVER, ret);
}

int sp_block_until(int (*fn)(void *), void *arg, int64_t deadline, int *ret)
{
	return sp__block(fn, arg, NULL, deadline, ret);
}

int sp__block(int (*fn)(void *), void *arg, void (*drop)(void *),
	      int64_t deadline, int *ret)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__pool *pool;
	struct block *b;
	int err;

	b = calloc(1, sizeof(*b));
	if (self == NULL || b == NULL) {
		err = self == NULL ? -EPERM : -ENOMEM;
		free(b);
		if (drop != NULL)
			drop(arg);
		return err;
	}
	*b = (struct block){ .job.run = block_run,
			     .fn = fn,
			     .arg = arg,
			     .drop = drop,
			     .fiber = self };
	pool = self->shard->rt->pool;
	b->epoch = sp__wait_begin(self);
	err = sp__pool_submit(pool, &b->job);
	if (err < 0) {
		(void)sp__wait_drop(self, b->epoch);
		block_drop(b);
		return err;
	}
	err = sp__code_error(
		sp__wait_end(self, b->epoch, deadline, "blocking call", b));
	if (err < 0 && sp__pool_withdraw(pool, &b->job)) {
		block_drop(b);
		return err;
	}
	if (err < 0 &&
	    atomic_exchange(&b->state, BLOCK_ABANDONED) != BLOCK_DONE)
		return err; /* block_run() will free it */
	if (ret != NULL)
		*ret = b->ret;
	free(b);
	return 0;
}
