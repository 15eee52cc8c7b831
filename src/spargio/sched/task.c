#include "spargio/sched/task.h"
#include "spargio/sched/cancel.h"
#include "spargio/sched/current.h"
#include "spargio/sched/fiber_alloc.h"
#include "spargio/sched/switch.h"
#include "spargio/sched/wait.h"

#include <spargio/time.h>

#include <assert.h>
#include <errno.h>

/* Lock the fiber of @task; NULL if the slot has another fiber by now. */
static struct sp_fiber *lock_task(struct sp_task task)
{
	struct sp_fiber *fiber = task.fiber;

	if (fiber == NULL || task.id == 0)
		return NULL;
	sp__spin_lock(&fiber->lock);
	if (atomic_load_explicit(&fiber->id, memory_order_relaxed) == task.id)
		return fiber;
	sp__spin_unlock(&fiber->lock);
	return NULL;
}

/*
 * Take the result of a fiber that is done, and free the fiber. Its lock is
 * held.
 */
static void take_result(struct sp_fiber *fiber, int *ret)
{
	struct sp_shard *here = sp__shard_self();
	struct sp_rt *rt = fiber->shard->rt;

	if (ret != NULL)
		*ret = fiber->ret;
	/* After the unlock no thread may find the fiber by its old id. */
	atomic_store_explicit(&fiber->id, 0, memory_order_relaxed);
	sp__spin_unlock(&fiber->lock);
	sp__fiber_free(rt, here != NULL && here->rt == rt ? here : NULL, fiber);
}

/*
 * Lock the fiber of @task, if the calling fiber @self (or NULL) may join it.
 * After an error *@out is unchanged and no lock is held.
 */
static int lock_joinable(struct sp_task task, const struct sp_fiber *self,
			 struct sp_fiber **out)
{
	struct sp_fiber *fiber;
	int err;

	if (task.fiber != NULL && task.fiber == self)
		return -EDEADLK;
	fiber = lock_task(task);
	if (fiber == NULL)
		return -ESRCH;
	err = fiber->detached ? -ESRCH : fiber->joiner != NULL ? -EBUSY : 0;
	if (err < 0)
		sp__spin_unlock(&fiber->lock);
	else
		*out = fiber;
	return err;
}

int sp__join_try(struct sp_task task, int *ret)
{
	struct sp_fiber *fiber;
	int err = lock_joinable(task, sp__fiber_self(), &fiber);

	if (err < 0)
		return err;
	if (!fiber->done) {
		sp__spin_unlock(&fiber->lock);
		return -EAGAIN;
	}
	take_result(fiber, ret);
	return 0;
}

int sp__join_begin(struct sp_task task, struct sp__waiter *w)
{
	struct sp_fiber *fiber;
	int err = lock_joinable(task, sp__fiber_self(), &fiber);

	if (err < 0)
		return err;
	fiber->joiner = w;
	err = fiber->done ? 1 : 0;
	sp__spin_unlock(&fiber->lock);
	return err;
}

/* The caller is the fiber's joiner, so the fiber still exists. */
int sp__join_end(struct sp_task task, int *ret)
{
	struct sp_fiber *fiber = task.fiber;

	sp__spin_lock(&fiber->lock);
	fiber->joiner = NULL;
	if (!fiber->done) {
		sp__spin_unlock(&fiber->lock);
		return -EAGAIN;
	}
	take_result(fiber, ret);
	return 0;
}

void sp__join_leave(struct sp_task task)
{
	struct sp_fiber *fiber = task.fiber;

	sp__spin_lock(&fiber->lock);
	fiber->joiner = NULL;
	sp__spin_unlock(&fiber->lock);
}

int sp_join(struct sp_task task, int *ret)
{
	return sp_join_until(task, SP_NEVER, ret);
}

int sp_join_until(struct sp_task task, int64_t deadline, int *ret)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	struct sp_fiber *fiber;
	int err;

	if (self == NULL)
		return -EPERM;
	err = lock_joinable(task, self, &fiber);
	if (err < 0)
		return err;
	if (fiber->done) {
		take_result(fiber, ret);
		return 0;
	}
	w.epoch = sp__wait_begin(self);
	fiber->joiner = &w;
	sp__spin_unlock(&fiber->lock);
	err = sp__code_error(
		sp__wait_end(self, w.epoch, deadline, "join", fiber));
	return sp__join_end(task, ret) == 0 ? 0 : err;
}

int sp_detach(struct sp_task task)
{
	struct sp_fiber *fiber = lock_task(task);
	int err = 0;

	if (fiber == NULL)
		return -ESRCH;
	if (fiber->detached)
		err = -ESRCH;
	else if (fiber->joiner != NULL)
		err = -EBUSY;
	else if (fiber->done) {
		take_result(fiber, NULL);
		return 0;
	} else
		fiber->detached = true;
	sp__spin_unlock(&fiber->lock);
	return err;
}

int sp_cancel(struct sp_task task)
{
	struct sp_fiber *fiber = lock_task(task);

	if (fiber == NULL)
		return -ESRCH;
	/*
	 * The lock is held, so the fiber cannot end and its slot cannot be
	 * reused.
	 */
	sp__fiber_cancel(fiber);
	sp__spin_unlock(&fiber->lock);
	return 0;
}

bool sp_cancelled(void)
{
	struct sp_fiber *self = sp__fiber_self();

	return self != NULL && self->shield == 0 &&
	       sp__fiber_is_cancelled(self);
}

void sp_shield_begin(void)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self != NULL)
		self->shield++;
}

void sp_shield_end(void)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self != NULL && self->shield > 0)
		self->shield--;
}

struct sp_task sp_self(void)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self == NULL)
		return (struct sp_task){ 0 };
	return (struct sp_task){
		.fiber = self,
		.id = atomic_load_explicit(&self->id, memory_order_relaxed),
	};
}

uint32_t sp_shard(void)
{
	struct sp_fiber *self = sp__fiber_self();

	return self == NULL ? SP_NO_SHARD : self->shard->index;
}

const char *sp_name(void)
{
	struct sp_fiber *self = sp__fiber_self();

	return self == NULL ? NULL
			    : atomic_load_explicit(&self->name,
						   memory_order_relaxed);
}

void sp_yield(void)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self == NULL)
		return;
	assert(self->no_yield == 0); /* see sp_no_yield_begin() */
	sp__shard_switch(self->shard, SP__SWITCH_REQUEUE);
}

void sp_yield_poll(void)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self == NULL)
		return;
	self->shard->budget = 0;
	sp_yield();
}

uint64_t sp_shard_turn(void)
{
	struct sp_fiber *self = sp__fiber_self();

	return self == NULL ? 0 : self->shard->turn;
}

int sp_migrate(uint32_t shard)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self == NULL)
		return -EPERM;
	if (shard >= self->shard->rt->nshards)
		return -EINVAL;
	if (shard == self->shard->index)
		return 0;
	if (self->pins != 0) {
		sp__count(&self->shard->counts.affinity_violations, 1);
		return -EBUSY;
	}
	assert(self->no_yield == 0); /* see sp_no_yield_begin() */
	self->shard->migrate_to = shard;
	sp__shard_switch(self->shard, SP__SWITCH_MIGRATE);
	return 0;
}

int sp_local_new(struct sp_rt *rt, void (*drop)(void *), uint32_t *out)
{
	uint32_t key;

	rt = sp__runtime_or_own(rt);
	if (rt == NULL)
		return -EPERM;
	key = atomic_fetch_add(&rt->local_keys, 1);
	if (key >= SP__LOCALS) {
		atomic_fetch_sub(&rt->local_keys, 1);
		return -ENOSPC;
	}
	atomic_store(&rt->local_drop[key], drop);
	*out = key;
	return 0;
}

int sp_local_set(uint32_t key, void *value)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self == NULL)
		return -EPERM;
	if (key >= SP__LOCALS)
		return -EINVAL;
	self->locals[key] = value;
	self->has_locals = true;
	return 0;
}

void *sp_local_get(uint32_t key)
{
	struct sp_fiber *self = sp__fiber_self();

	return self == NULL || key >= SP__LOCALS ? NULL : self->locals[key];
}

void sp_no_yield_begin(void)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self != NULL)
		self->no_yield++;
}

void sp_no_yield_end(void)
{
	struct sp_fiber *self = sp__fiber_self();

	assert(self == NULL || self->no_yield > 0);
	if (self != NULL)
		self->no_yield--;
}
