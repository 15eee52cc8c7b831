#include "spargio/sched/fiber.h"
#include "spargio/sched/group.h"
#include "spargio/sched/runtime.h"

#include <spargio/time.h>

#include <assert.h>
#include <errno.h>
#include <string.h>

static struct sp__stack_cache *cache_of(struct sp_shard *here)
{
	return here == NULL ? NULL : &here->stacks;
}

struct sp_fiber *sp__fiber_new(struct sp_rt *rt, struct sp_shard *here,
			       size_t stack_size)
{
	int class = rt->stack_class;

	if (stack_size != 0)
		class = sp__stack_class(stack_size);
	return (struct sp_fiber *)(void *)sp__stack_get(&rt->stacks,
							cache_of(here), class);
}

void sp__fiber_free(struct sp_rt *rt, struct sp_shard *here,
		    struct sp_fiber *fiber)
{
	/* From here on every task that names this fiber is stale. */
	atomic_store_explicit(&fiber->id, 0, memory_order_relaxed);
	atomic_store_explicit(&fiber->state, SP__FIBER_FREE,
			      memory_order_relaxed);
	sp__stack_put(&rt->stacks, cache_of(here), &fiber->slot);
}

struct sp_fiber *sp__fiber_hand_over(struct sp_fiber *fiber)
{
	struct sp_fiber *joiner = NULL;
	struct sp__waiter *w;

	sp__spin_lock(&fiber->lock);
	w = fiber->joiner;
	/* Where it waits is certain only once nobody else can wake it. */
	if (w != NULL && sp__wake_claim(w->fiber, w->epoch, w->code)) {
		fiber->claimed = w->fiber;
		if (w->fiber->shard == fiber->shard) {
			/* It stays our joiner: nobody else gets the result. */
			joiner = w->fiber;
			fiber->done = true;
		}
	}
	sp__spin_unlock(&fiber->lock);
	return joiner;
}

/*
 * The rule of sync.h: its joiner is woken under the lock, which it takes before
 * it goes on. It may be a fiber of another runtime, which ends right after.
 */
void sp__fiber_bury(struct sp_shard *here, struct sp_fiber *fiber)
{
	struct sp__waiter *w;
	bool unwanted;

	atomic_store_explicit(&fiber->state, SP__FIBER_DONE,
			      memory_order_relaxed);
	sp__spin_lock(&fiber->lock);
	fiber->done = true;
	w = fiber->joiner;
	unwanted = w == NULL && fiber->detached;
	if (fiber->claimed != NULL)
		sp__wake_deliver(fiber->claimed);
	else if (w != NULL)
		sp__wake(w->fiber, w->epoch, w->code);
	sp__spin_unlock(&fiber->lock);
	if (unwanted)
		sp__fiber_free(here->rt, here, fiber);
}

bool sp__fiber_is_cancelled(const struct sp_fiber *fiber)
{
	return atomic_load(&fiber->cancelled) ||
	       atomic_load(&fiber->shard->rt->closing);
}

void sp__fiber_cancel(struct sp_fiber *fiber)
{
	uint64_t word;

	/* Sequentially consistent against begin() in wait.c. */
	atomic_store(&fiber->cancelled, true);
	word = atomic_load(&fiber->wake);
	if ((word & SP__CODE_MASK) == SP__PENDING && (word & SP__CANCELLABLE))
		sp__wake(fiber, word >> SP__EPOCH_SHIFT, SP__CANCELLED);
}

/* Lock the fiber that @task names; NULL if it is no longer that one. */
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

/* Take the result of a fiber that is done. Its lock is held; it is freed. */
static void reap(struct sp_fiber *fiber, int *ret)
{
	struct sp_shard *here = sp__shard_self();
	struct sp_rt *rt = fiber->shard->rt;

	if (ret != NULL)
		*ret = fiber->ret;
	/* Nobody may find it under its old id once the lock is open. */
	atomic_store_explicit(&fiber->id, 0, memory_order_relaxed);
	sp__spin_unlock(&fiber->lock);
	sp__fiber_free(rt, here != NULL && here->rt == rt ? here : NULL, fiber);
}

/*
 * Lock the fiber that @task names, which nobody joins. On an error *@out is
 * untouched and nothing locked.
 */
static int lock_joinable(struct sp_task task, struct sp_fiber **out)
{
	struct sp_fiber *fiber;
	int err;

	if (task.fiber != NULL && task.fiber == sp__fiber_self())
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
	int err = lock_joinable(task, &fiber);

	if (err < 0)
		return err;
	if (!fiber->done) {
		sp__spin_unlock(&fiber->lock);
		return -EAGAIN;
	}
	reap(fiber, ret);
	return 0;
}

int sp__join_begin(struct sp_task task, struct sp__waiter *w)
{
	struct sp_fiber *fiber;
	int err = lock_joinable(task, &fiber);

	if (err < 0)
		return err;
	fiber->joiner = w;
	err = fiber->done ? 1 : 0;
	sp__spin_unlock(&fiber->lock);
	return err;
}

/* We are its joiner, so it is still there. */
int sp__join_end(struct sp_task task, int *ret)
{
	struct sp_fiber *fiber = task.fiber;

	sp__spin_lock(&fiber->lock);
	fiber->joiner = NULL;
	if (!fiber->done) {
		sp__spin_unlock(&fiber->lock);
		return -EAGAIN;
	}
	reap(fiber, ret);
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
	err = lock_joinable(task, &fiber);
	if (err < 0)
		return err;
	if (fiber->done) {
		reap(fiber, ret);
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
		reap(fiber, NULL);
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
	/* Under its lock, so that it cannot end and come back as another. */
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
	assert(self->no_yield == 0); /* a lock is held: see fiber.h */
	sp__shard_switch(self->shard, SP__AFTER_QUEUE);
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
	assert(self->no_yield == 0); /* a lock is held: see fiber.h */
	self->shard->hop_to = shard;
	sp__shard_switch(self->shard, SP__AFTER_HOP);
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
