/*
 * spargio/fiber.h - spawn, join, cancel
 *
 * A fiber is a function with its own stack that gives up its thread when it
 * waits. Its placement determines where it may run:
 *
 *	pinned		on one shard; data that only fibers pinned to the same
 *			shard use needs no lock
 *	round robin	pinned, to each shard in turn
 *	by key		pinned; the same key always means the same shard
 *	stealable	on the caller's shard until an idle shard takes the
 *			fiber, which is possible at any wait unless an
 *			operation of the fiber is in flight
 *
 * A stealable fiber must not keep the address of a thread-local variable (or
 * of errno) across a call that yields.
 *
 * Threads	All functions may be called from any fiber. Those that take a
 *		runtime may also be called from any thread; in a fiber NULL
 *		means its own runtime.
 * Blocking	Calls marked "yields" wait and let other fibers run. Outside a
 *		fiber they return -EPERM.
 * Ownership	sp_go_...() stores a task in *@out, which must be joined or
 *		detached once. If @out is NULL, the fiber is detached from the
 *		start. Functions return -ESRCH for a task that was joined.
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

/*
 * A handle of a fiber. Functions return -ESRCH if the fiber does not exist any
 * more.
 */
struct sp_task {
	struct sp_fiber *fiber;
	uint64_t id;
};

enum sp_place {
	/* queued on the caller's shard; any idle shard may take it */
	SP_STEALABLE,
	SP_PREFER,	/* stealable, queued on sp_attr.shard */
	SP_PINNED,	/* on sp_attr.shard, never moved */
	SP_ROUND_ROBIN, /* pinned to the next shard in turn */
	SP_BY_KEY,	/* pinned to a shard: by the hash of sp_attr.key */
};

struct sp_attr {
	enum sp_place place;
	uint32_t shard;
	uint64_t key;
	size_t stack_size; /* bytes; 0 = sp_opts.stack_size */
	const char *name;  /* for sp_dump(); must stay valid */
	/* the fiber is a member of this group; see group.h */
	struct sp_group *group;
	/* cancelling this token cancels the fiber; see group.h */
	struct sp_token *token;
};

/* Arguments up to this size are copied by sp_go_copy(). */
#define SP_COPY_MAX 64

#define SP_NO_SHARD UINT32_MAX

/* Spawning: 0, -EAGAIN (queue full), -ENOMEM, -EINVAL or -ESHUTDOWN */

/* Spawn a stealable fiber in the caller's runtime. */
int sp_go(int (*fn)(void *), void *arg, struct sp_task *out);

/* Spawn a fiber pinned to @shard of @rt. */
int sp_go_on(struct sp_rt *rt, uint32_t shard, int (*fn)(void *), void *arg,
	     struct sp_task *out);

/* Spawn a fiber as @attr describes. NULL is an all-zero @attr: stealable. */
int sp_go_attr(struct sp_rt *rt, const struct sp_attr *attr, int (*fn)(void *),
	       void *arg, struct sp_task *out);

/*
 * As sp_go_attr(), but @fn gets a pointer to a copy of the @len bytes at @data,
 * or NULL if @data is NULL. -E2BIG if @len exceeds SP_COPY_MAX.
 */
int sp_go_copy(struct sp_rt *rt, const struct sp_attr *attr, int (*fn)(void *),
	       const void *data, size_t len, struct sp_task *out);

/*
 * Run @fn(@arg) in a fiber on @shard and wait until the fiber has ended; *@ret
 * is the result of @fn. A calling fiber yields; any other calling thread
 * blocks.
 */
int sp_call_on(struct sp_rt *rt, uint32_t shard, int (*fn)(void *), void *arg,
	       int *ret);

/* Joining and cancelling */

/*
 * Wait for @task to end and take its return value; @ret may be NULL. Yields.
 * -ESRCH if @task was joined or detached before, -EDEADLK if @task is the
 * calling fiber, -EBUSY if another fiber is joining @task. After -ECANCELED or
 * -ETIMEDOUT the task can still be joined.
 */
int sp_join(struct sp_task task, int *ret);
int sp_join_until(struct sp_task task, int64_t deadline, int *ret);

/* As sp_join(), for a thread that does not run fibers: blocks the thread. */
int sp_join_thread(struct sp_rt *rt, struct sp_task task, int *ret);

/*
 * Give up the right to join @task; its return value is dropped. -ESRCH if
 * @task was joined or detached before, -EBUSY if a fiber is joining it.
 */
int sp_detach(struct sp_task task);

/*
 * Request that @task ends: the current wait of the fiber and each later wait
 * return -ECANCELED, except between sp_shield_begin() and sp_shield_end(). A
 * fiber that does not wait has to poll sp_cancelled(). -ESRCH if the fiber has
 * ended.
 */
int sp_cancel(struct sp_task task);

bool sp_cancelled(void);

/*
 * Between begin and end neither a cancel nor a deadline of sp_deadline_push()
 * ends the caller's waits. Pairs may nest.
 */
void sp_shield_begin(void);
void sp_shield_end(void);

/* The running fiber */

struct sp_task sp_self(void); /* .fiber is NULL outside a fiber */
uint32_t sp_shard(void);      /* SP_NO_SHARD outside a fiber */
const char *sp_name(void);    /* NULL if the fiber has no name */

/*
 * Let other runnable fibers of this shard run. A fiber that waits for an event,
 * such as bytes on a socket or a timer, does not become runnable before the
 * shard polls for events, which it does between two turns. If no other fiber is
 * runnable, the caller continues immediately, until the turn has used its
 * budget. Yields.
 */
void sp_yield(void);

/*
 * As sp_yield(), but the shard ends its turn and polls for events before it
 * runs the caller again. For a fiber that has used the shard for long. Yields.
 */
void sp_yield_poll(void);

/*
 * The number of the current turn of the caller's shard. As long as the number
 * does not change, the shard has not polled for events. 0 outside a fiber.
 */
uint64_t sp_shard_turn(void);

/*
 * Continue on @shard. Yields. A pinned fiber is pinned to @shard from then on.
 * -EINVAL if there is no such shard, -EBUSY while an operation of the fiber is
 * in flight.
 */
int sp_migrate(uint32_t shard);

/* Fiber-local storage: up to 8 keys per runtime */

/*
 * Make a key for values that each fiber sets for itself. When a fiber that has
 * set a value for the key ends, @drop(value) is called, unless @drop is NULL.
 */
int sp_local_new(struct sp_rt *rt, void (*drop)(void *), uint32_t *out);
int sp_local_set(uint32_t key, void *value);
void *sp_local_get(uint32_t key);

/*
 * Mark a section in which the caller must not yield, for instance because it
 * holds a pthread mutex. In builds with assertions a wait in the section
 * aborts.
 */
void sp_no_yield_begin(void);
void sp_no_yield_end(void);

/*
 * errno of the current thread. Unlike errno itself it is correct after the
 * fiber has moved to another thread.
 */
int sp_errno(void);

#ifdef __cplusplus
}
#endif

#endif
