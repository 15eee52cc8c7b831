/*
 * spargio/fiber.h - spawn, join, cancel
 *
 * A fiber is a function with a stack of its own that gives up its thread when
 * it waits. Where it may run is its placement:
 *
 *	pinned		one shard for ever; what it touches needs no lock
 *	round robin	pinned, shards taken in turn
 *	by key		pinned, the same key always the same shard
 *	stealable	here, until an idle shard takes it; it may move at any
 *			wait, but never while something of it is in a ring
 *
 * A stealable fiber must not keep the address of a thread-local variable (or
 * of errno) across a call that yields.
 *
 * Threads	Everything here may be called from any fiber. Those that take
 *		a runtime may be called from any thread, too; NULL there means
 *		the caller's own.
 * Blocking	Calls marked "yields" wait and let other fibers run. Outside a
 *		fiber they return -EPERM.
 * Ownership	sp_go_... with an @out gives a task that must be joined or
 *		detached, once. Without (NULL) it is detached from the start.
 *		A task that was joined is gone: -ESRCH.
 */
#ifndef SPARGIO_FIBER_H
#define SPARGIO_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_rt;
struct sp_fiber;
struct sp_group;
struct sp_token;

/* A name for a fiber that stays harmless when the fiber is gone. */
struct sp_task {
	struct sp_fiber *fiber;
	uint64_t id;
};

enum sp_place {
	SP_STEALABLE,	/* queued here; any idle shard may take it */
	SP_PREFER,	/* stealable, queued on @shard */
	SP_PINNED,	/* on @shard for ever */
	SP_ROUND_ROBIN, /* pinned, the next shard in turn */
	SP_BY_KEY,	/* pinned, chosen by @key */
};

struct sp_attr {
	enum sp_place place;
	uint32_t shard;
	uint64_t key;
	size_t stack_size;	/* 0: the runtime's default */
	const char *name;	/* for sp_dump(); must stay valid */
	struct sp_group *group; /* belongs to it; see group.h */
	struct sp_token *token; /* cancelled with it; see group.h */
};

/* Arguments up to this size are copied by sp_go_copy(). */
#define SP_COPY_MAX 64

#define SP_NO_SHARD UINT32_MAX

/* Spawning: 0, -EAGAIN (queue full), -ENOMEM, -EINVAL, -ESHUTDOWN */

/* Stealable, in the caller's runtime. */
int sp_go(int (*fn)(void *), void *arg, struct sp_task *out);

/* Pinned to @shard of @rt. */
int sp_go_on(struct sp_rt *rt, uint32_t shard, int (*fn)(void *), void *arg,
	     struct sp_task *out);

/* As @attr says; NULL: stealable, as all zero. */
int sp_go_attr(struct sp_rt *rt, const struct sp_attr *attr, int (*fn)(void *),
	       void *arg, struct sp_task *out);

/*
 * The same; @fn gets a copy of the @len bytes at @data, or NULL if @data is
 * NULL. -E2BIG beyond 64.
 */
int sp_go_copy(struct sp_rt *rt, const struct sp_attr *attr, int (*fn)(void *),
	       const void *data, size_t len, struct sp_task *out);

/*
 * Run @fn(@arg) on @shard and wait; *@ret is what it returned. From a fiber it
 * yields; from any other thread it blocks the thread.
 */
int sp_call_on(struct sp_rt *rt, uint32_t shard, int (*fn)(void *), void *arg,
	       int *ret);

/* Ending */

/*
 * Wait for @task and take its result; @ret may be NULL. Yields. -ESRCH if it
 * was joined or detached before, -EDEADLK for oneself, -EBUSY if another is
 * joining it, -ECANCELED or -ETIMEDOUT: still yours to join.
 */
int sp_join(struct sp_task task, int *ret);
int sp_join_until(struct sp_task task, int64_t deadline, int *ret);

/* From a thread that is no fiber: blocks the thread. */
int sp_join_thread(struct sp_rt *rt, struct sp_task task, int *ret);

/* Let it end unobserved. -ESRCH if it is no longer yours. */
int sp_detach(struct sp_task task);

/*
 * Ask it to end: the wait it is in, and each later one, returns -ECANCELED,
 * except while it shields itself. Cooperative: a fiber that does not wait does
 * not notice, unless it asks sp_cancelled(). -ESRCH if it is gone.
 */
int sp_cancel(struct sp_task task);

bool sp_cancelled(void);

/* Between these the caller's waits are not cancelled. They nest. */
void sp_shield_begin(void);
void sp_shield_end(void);

/* The running fiber */

struct sp_task sp_self(void); /* .fiber is NULL outside a fiber */
uint32_t sp_shard(void);      /* SP_NO_SHARD outside a fiber */
const char *sp_name(void);    /* NULL if it has none */

/* Let others run. Yields. */
void sp_yield(void);

/*
 * Go on running on @shard. Yields. A pinned fiber is then pinned there.
 * -EINVAL for no such shard, -EBUSY while something of it is in a ring.
 */
int sp_migrate(uint32_t shard);

/* Fiber-local storage: up to 8 keys in a runtime */

/* @drop, unless NULL, is called for a value left over when a fiber ends. */
int sp_local_new(struct sp_rt *rt, void (*drop)(void *), uint32_t *out);
int sp_local_set(uint32_t key, void *value);
void *sp_local_get(uint32_t key);

/*
 * Mark a stretch in which the caller must not yield, such as one that holds a
 * pthread mutex. In builds with assertions, waiting in between aborts.
 */
void sp_no_yield_begin(void);
void sp_no_yield_end(void);

/* errno, read in a way that survives moving to another thread. */
int sp_errno(void);

#ifdef __cplusplus
}
#endif

#endif
