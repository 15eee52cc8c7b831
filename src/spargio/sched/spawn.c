#include "spargio/sched/context.h"
#include "spargio/sched/current.h"
#include "spargio/sched/fiber_alloc.h"
#include "spargio/sched/group_member.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/shutdown.h"
#include "spargio/sched/stack.h"
#include "spargio/sched/switch.h"
#include "spargio/sched/visit.h"

#include <spargio/time.h>

#include <errno.h>
#include <string.h>

/*
 * Ids are unique in a runtime although each shard has its own counter: the
 * upper 16 bits are the index of the spawning shard plus 1; 0 for other
 * threads.
 */
static uint64_t next_id(struct sp_rt *rt, struct sp_shard *here)
{
	uint64_t n;

	if (here == NULL)
		return atomic_fetch_add_explicit(&rt->outside_spawned, 1,
						 memory_order_seq_cst) +
		       1;
	n = atomic_load_explicit(&here->counts.spawned, memory_order_relaxed) +
	    1;
	atomic_store_explicit(&here->counts.spawned, n, memory_order_release);
	return (uint64_t)(here->index + 1) << 48 | n;
}

/*
 * Roll back next_id() after a failed spawn. On a shard no notification is
 * needed: the calling fiber will notify sp_stop() when it ends.
 */
static void forget_id(struct sp_rt *rt, struct sp_shard *here)
{
	if (here == NULL)
		sp__count_refused(rt);
	else
		sp__count(&here->counts.finished, 1);
}

/*
 * Initialise @f to call @fn. The lock and the wake word keep their values,
 * because they outlive a fiber: a thread may still hold a stale sp_task of the
 * previous fiber in this slot.
 */
static void init_fiber(struct sp_fiber *f, const struct sp_attr *attr,
		       int (*fn)(void *), void *arg)
{
	f->pins = 0;
	f->shield = 0;
	f->no_yield = 0;
	f->timed = false;
	f->stealable = attr->place == SP_STEALABLE || attr->place == SP_PREFER;
	atomic_store_explicit(&f->cancelled, false, memory_order_relaxed);
	f->fn = fn;
	f->arg = arg;
	atomic_store_explicit(&f->name, attr->name, memory_order_relaxed);
	f->deadline = SP_NEVER;
	f->group = NULL;
	f->token = NULL;
	f->done = false;
	f->joiner = NULL;
	f->claimed = NULL;
	f->ret = 0;
	atomic_store_explicit(&f->state, SP__FIBER_NEW, memory_order_relaxed);
	sp__context_make(&f->ctx, f->slot.bottom, f, sp__fiber_main, f);
}

static uint64_t hash_key(uint64_t key)
{
	key ^= key >> 33;
	key *= UINT64_C(0xff51afd7ed558ccd);
	key ^= key >> 33;
	key *= UINT64_C(0xc4ceb9fe1a85ec53);
	return key ^ key >> 33;
}

/* The shard that @attr selects, or NULL if there is no such shard. */
static struct sp_shard *choose_shard(struct sp_rt *rt,
				     const struct sp_attr *attr,
				     struct sp_shard *here)
{
	uint32_t n = rt->nshards;

	switch (attr->place) {
	case SP_STEALABLE:
		if (here != NULL)
			return here;
		break;
	case SP_PREFER:
	case SP_PINNED:
		return attr->shard < n ? &rt->shards[attr->shard] : NULL;
	case SP_BY_KEY:
		return &rt->shards[hash_key(attr->key) % n];
	case SP_ROUND_ROBIN:
		break;
	default:
		return NULL;
	}
	return &rt->shards[atomic_fetch_add(&rt->round_robin, 1) % n];
}

/* Add the fiber to its group and token. -ECANCELED if one was cancelled. */
static int enter_group_and_token(struct sp_fiber *f, const struct sp_attr *attr)
{
	int err;

	if (attr->group == NULL && attr->token == NULL)
		return 0;
	err = sp__group_enter(attr->group, f);
	if (err < 0)
		return err;
	err = sp__token_enter(attr->token, f);
	if (err < 0)
		sp__group_leave(f);
	return err;
}

static void make_runnable(struct sp_shard *shard, struct sp_shard *here,
			  struct sp_fiber *f)
{
	f->shard = shard;
	if (shard == here)
		sp__shard_queue_last(shard, f);
	else
		sp__shard_deliver(shard, f);
}

/*
 * The number of queued fibers that counts against stealable_capacity. If @here
 * is the only shard, no other shard can steal, and all queued fibers are in its
 * local queue: pinned ones are then counted, too.
 */
static uint32_t count_queued(const struct sp_shard *shard,
			     const struct sp_shard *here)
{
	if (shard->rt->nshards == 1 && shard == here)
		return shard->local.len;
	return sp__shard_stealable(shard);
}

/* Check whether the spawn is allowed, and choose its shard. */
static int check_spawn(struct sp_rt *rt, const struct sp_attr *attr,
		       struct sp_shard *here, struct sp_shard **out)
{
	struct sp_shard *shard = choose_shard(rt, attr, here);

	if (shard == NULL)
		return -EINVAL;
	if (attr->stack_size != 0 && sp__stack_class(attr->stack_size) < 0)
		return -EINVAL;
	if ((attr->place == SP_STEALABLE || attr->place == SP_PREFER) &&
	    count_queued(shard, here) >= rt->opts.stealable_capacity)
		return -EAGAIN;
	*out = shard;
	return 0;
}

/*
 * Spawn a fiber as sp_go_attr() and sp_go_copy(). @here is the caller's shard
 * if that belongs to @rt, else NULL. Unless @data is NULL, @len bytes at @data
 * are copied to the fiber.
 */
static int spawn_from(struct sp_rt *rt, struct sp_shard *here,
		      const struct sp_attr *attr, int (*fn)(void *), void *arg,
		      const void *data, size_t len, struct sp_task *out)
{
	struct sp_shard *shard;
	struct sp_fiber *f;
	uint64_t id;
	int err;

	err = check_spawn(rt, attr, here, &shard);
	if (err < 0)
		return err;

	f = sp__fiber_new(rt, here, attr->stack_size);
	if (f == NULL)
		return -ENOMEM;
	id = next_id(rt, here);
	init_fiber(f, attr, fn, arg);
	if (data != NULL) {
		memcpy(f->copy, data, len);
		f->arg = f->copy;
	}
	f->detached = out == NULL;
	f->shard = shard;
	atomic_store_explicit(&f->seen_on, shard->index, memory_order_relaxed);
	/* Count first, then read "closing": sp_stop() does the reverse. */
	err = atomic_load(&rt->closing) ? -ESHUTDOWN
					: enter_group_and_token(f, attr);
	if (err < 0) {
		sp__fiber_free(rt, here, f);
		forget_id(rt, here);
		return err;
	}
	atomic_store_explicit(&f->id, id, memory_order_relaxed);
	if (out != NULL)
		*out = (struct sp_task){ .fiber = f, .id = id };
	make_runnable(shard, here, f);
	return 0;
}

static void count_refused_spawn(struct sp_rt *rt, struct sp_shard *here)
{
	if (here == NULL)
		atomic_fetch_add(&rt->outside_refused, 1);
	else
		sp__count(&here->counts.refused_spawns, 1);
}

/*
 * Not inlined, so that the compiler inlines spawn_from(), whose only caller is
 * this function.
 */
static __attribute__((noinline)) int spawn_fiber(struct sp_rt *rt,
						 const struct sp_attr *attr,
						 int (*fn)(void *), void *arg,
						 const void *data, size_t len,
						 struct sp_task *out)
{
	struct sp_shard *here = sp__shard_self();
	int err;

	if (here != NULL && (rt == NULL || rt == here->rt)) {
		rt = here->rt;
	} else {
		if (rt == NULL)
			return -EPERM;
		here = NULL;
		err = sp__visit_begin(rt);
		if (err < 0)
			return err;
	}
	err = spawn_from(rt, here, attr, fn, arg, data, len, out);
	if (err < 0)
		count_refused_spawn(rt, here);
	if (here == NULL)
		sp__visit_end(rt);
	return err;
}

/* Attributes of sp_go(), and of a NULL @attr. */
static const struct sp_attr default_attr = { .place = SP_STEALABLE };

int sp_go(int (*fn)(void *), void *arg, struct sp_task *out)
{
	return spawn_fiber(NULL, &default_attr, fn, arg, NULL, 0, out);
}

int sp_go_on(struct sp_rt *rt, uint32_t shard, int (*fn)(void *), void *arg,
	     struct sp_task *out)
{
	return spawn_fiber(rt,
			   &(struct sp_attr){ .place = SP_PINNED,
					      .shard = shard },
			   fn, arg, NULL, 0, out);
}

int sp_go_attr(struct sp_rt *rt, const struct sp_attr *attr, int (*fn)(void *),
	       void *arg, struct sp_task *out)
{
	return spawn_fiber(rt, attr != NULL ? attr : &default_attr, fn, arg,
			   NULL, 0, out);
}

int sp_go_copy(struct sp_rt *rt, const struct sp_attr *attr, int (*fn)(void *),
	       const void *data, size_t len, struct sp_task *out)
{
	if (len > SP_COPY_MAX)
		return -E2BIG;
	return spawn_fiber(rt, attr != NULL ? attr : &default_attr, fn, NULL,
			   data, len, out);
}

/* A call from a thread that is not a fiber. */
struct call {
	int (*fn)(void *);
	void *arg;
	struct sp_task task; /* fiber to join, if fn is NULL */
	int ret;
	int err;
	sem_t done;
};

static int call_main(void *arg)
{
	struct call *call = arg;

	/* The caller's thread waits even if this fiber is cancelled. */
	sp_shield_begin();
	if (call->fn != NULL)
		call->ret = call->fn(call->arg);
	else
		call->err = sp_join(call->task, &call->ret);
	sem_post(&call->done);
	return 0;
}

static int call_from_thread(struct sp_rt *rt, uint32_t shard, struct call *call,
			    int *ret)
{
	int err;

	sem_init(&call->done, 0, 0);
	err = sp_go_on(rt, shard, call_main, call, NULL);
	if (err == 0) {
		while (sem_wait(&call->done) < 0)
			; /* interrupted by a signal */
		err = call->err;
		if (err == 0 && ret != NULL)
			*ret = call->ret;
	}
	sem_destroy(&call->done);
	return err;
}

int sp_call_on(struct sp_rt *rt, uint32_t shard, int (*fn)(void *), void *arg,
	       int *ret)
{
	struct call call = { .fn = fn, .arg = arg };
	struct sp_task task;
	int err;

	if (sp__fiber_self() == NULL) {
		if (rt == NULL)
			return -EPERM;
		return call_from_thread(rt, shard, &call, ret);
	}
	err = sp_go_on(rt, shard, fn, arg, &task);
	if (err < 0)
		return err;
	err = sp_join(task, ret);
	if (err < 0) {
		/*
		 * Cancelled: @arg belongs to the caller, so wait until the
		 * fiber has ended.
		 */
		sp_cancel(task);
		sp_shield_begin();
		sp_join(task, ret);
		sp_shield_end();
	}
	return err;
}

int sp_join_thread(struct sp_rt *rt, struct sp_task task, int *ret)
{
	struct call call = { .task = task };

	if (sp__fiber_self() != NULL)
		return sp_join(task, ret);
	return call_from_thread(rt, 0, &call, ret);
}
