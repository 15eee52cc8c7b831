/*
 * spargio/sched/fiber.h - what a fiber is, and the one way it waits
 *
 * A fiber that waits belongs to the shard it went to sleep on. Whoever wakes
 * it, from wherever, only says so (sp__wake); that shard alone makes it
 * runnable again, clears its deadline, and from then on an idle shard may
 * steal it. So a fiber is never resumed before it has left its stack, and a
 * timer or operation in flight is never left behind on another shard. (A thief
 * may take a fiber from the inbox of a shard that does not get to it, but only
 * one that has left its stack and has neither.)
 *
 * The wake word decides between event, deadline and cancellation:
 *
 *	 63           17    16        15        0
 *	+---------------+-------------+----------+
 *	| epoch         | cancellable |   code   |	code 0: still waiting
 *	+---------------+-------------+----------+
 *
 * Each wait has a new epoch. A waker swaps code 0 for its own under the epoch
 * it was given; one succeeds, the others find that they are late.
 */
#ifndef SPARGIO_SCHED_FIBER_H
#define SPARGIO_SCHED_FIBER_H

#include "spargio/sched/context.h"
#include "spargio/sched/stack.h"
#include "spargio/sched/timer_wheel.h"

#include <spargio/fiber.h>

#include <stdalign.h>
#include <stdatomic.h>

struct sp_shard;

enum {
	SP__LOCALS = 8
};

enum sp__fiber_state {
	SP__FIBER_FREE,
	SP__FIBER_NEW,
	SP__FIBER_READY,
	SP__FIBER_RUNNING,
	SP__FIBER_WAITING,
	SP__FIBER_DONE,
};

/* Codes of the wake word. An event may use any from 1 to SP__EVENT_MAX. */
enum {
	SP__PENDING = 0,
	SP__EVENT = 1,
	SP__EVENT_MAX = 0xff00,
	SP__TIMED_OUT = 0xfffe,
	SP__CANCELLED = 0xffff,
};

#define SP__CODE_MASK	UINT64_C(0xffff)
#define SP__CANCELLABLE (UINT64_C(1) << 16)
#define SP__EPOCH_SHIFT 17

/* A fiber in the list of something it waits for; on the fiber's stack. */
struct sp__waiter {
	struct sp__waiter *next;
	struct sp__waiter *prev; /* NULL: in no list */
	struct sp_fiber *fiber;
	uint64_t epoch;
	uint32_t code;
};

/* A list of waiters, in order of arrival; guarded by its owner. */
struct sp__waitlist {
	struct sp__waiter head; /* only its links are used */
};

/* A fiber or token in the list of its group or token. */
struct sp__member {
	struct sp__member *next;
	struct sp__member *prev;
};

struct sp_fiber {
	struct sp__slot slot; /* first: the stack pool's */

	/* Touched by every switch. */
	struct sp__context ctx;
	struct sp_shard *shard; /* rewritten at each resume */
	struct sp_fiber *qnext; /* in whichever queue it is */
	_Atomic uint64_t wake;
	/* Not beside the plain small ones: those may be read as one word. */
	atomic_bool cancelled;
	_Atomic uint8_t state;	/* enum sp__fiber_state, for the dump */
	atomic_bool on_stack;	/* runs, or has not quite left; see settle() */
	struct sp__timer timer; /* deadline of the present wait */
	uint16_t pins;		/* things of it in a ring: it must not move */
	uint16_t shield;
	uint16_t no_yield; /* see sp_no_yield_begin() */
	bool stealable;
	bool has_locals; /* some local was set */
	bool timed;	 /* its wait has a deadline in its shard's wheel */

	/* Said once, at spawn. */
	int (*fn)(void *);
	void *arg;
	const char *_Atomic name;
	int64_t deadline; /* bound on every wait; see sp_deadline_push() */
	struct sp_group *group;
	struct sp_token *token;
	struct sp__member in_group;
	struct sp__member in_token;

	/* How it ends, guarded by lock. */
	struct sp__spin lock;
	bool done;
	bool detached;
	int ret;
	struct sp__waiter *joiner;
	struct sp_fiber *claimed; /* it, once it is ours alone to wake */
	_Atomic uint64_t id;	  /* 0 while free */

	/* For the dump: written by its shard, read by anybody. */
	_Atomic uint32_t seen_on; /* index of the shard it ran on last */
	const char *_Atomic waits_for;
	const void *_Atomic waits_on;
	_Atomic int64_t waits_since;

	void *locals[SP__LOCALS];
	alignas(16) uint8_t copy[SP_COPY_MAX];
};

/* The fiber now running on this thread, NULL on a scheduler or elsewhere. */
struct sp_fiber *sp__fiber_self(void);

/*
 * Begin a wait and return its epoch. From here on sp__wake() works, so that
 * the fiber can be put into lists before it sleeps.
 */
uint64_t sp__wait_begin(struct sp_fiber *fiber);

/* A wait that neither cancellation nor shutdown ends. */
uint64_t sp__wait_begin_shielded(struct sp_fiber *fiber);

/*
 * Sleep until somebody wakes us or @deadline comes; returns the code. Yields.
 * @why and @on are for the dump; @why must be a literal.
 *
 * Hot: once per suspension. Cost: one compare-and-swap by the waker, one
 * context switch if another fiber is runnable here, none if woken already.
 */
uint32_t sp__wait_end(struct sp_fiber *fiber, uint64_t epoch, int64_t deadline,
		      const char *why, const void *on);

/*
 * For those who must not even begin what they would wait for: -ECANCELED if
 * the fiber is to end, else 0. May yield.
 */
int sp__wait_refused(struct sp_fiber *fiber);

/*
 * Call the wait off. True: nobody woke us, go on. False: somebody did, and
 * sp__wait_end() must be called to take the wake-up.
 */
bool sp__wait_drop(struct sp_fiber *fiber, uint64_t epoch);

/* @fiber will never run again: whoever comes to wake it is late. */
void sp__wait_void(struct sp_fiber *fiber);

/* Wake @fiber from the wait @epoch. False if that wait is over. */
bool sp__wake(struct sp_fiber *fiber, uint64_t epoch, uint32_t code);

/*
 * The same in two steps, to put something into the fiber's hands in between:
 * once claimed it can be woken by nobody else, and it sleeps until delivered.
 */
bool sp__wake_claim(struct sp_fiber *fiber, uint64_t epoch, uint32_t code);
void sp__wake_deliver(struct sp_fiber *fiber);

/* 0, -ETIMEDOUT or -ECANCELED for a code. */
int sp__code_error(uint32_t code);

/* Lists of waiters; the caller holds the lock of the list's owner. */
void sp__waitlist_init(struct sp__waitlist *list);
void sp__waitlist_add(struct sp__waitlist *list, struct sp__waiter *w);
void sp__waitlist_remove(struct sp__waiter *w); /* fine if in none */
bool sp__waitlist_empty(const struct sp__waitlist *list);
/* Take waiters off the front until one could be woken; false if none. */
bool sp__waitlist_wake_one(struct sp__waitlist *list);
void sp__waitlist_wake_all(struct sp__waitlist *list);

/*
 * Get a fiber from the pool, not yet queued. NULL if memory is out. @here is
 * the caller's shard of that runtime, or NULL.
 */
struct sp_fiber *sp__fiber_new(struct sp_rt *rt, struct sp_shard *here,
			       size_t stack_size);

/* Give it back; it has ended or never ran. */
void sp__fiber_free(struct sp_rt *rt, struct sp_shard *here,
		    struct sp_fiber *fiber);

/*
 * Whether @fiber is to end: it was cancelled, or its runtime is closing.
 */
bool sp__fiber_is_cancelled(const struct sp_fiber *fiber);

/*
 * @fiber has run to its end but still stands on its stack. Claim its joiner,
 * and return it if it waits on the same shard: it may run as soon as the fiber
 * has left, and will find the fiber done. Another is woken by the burial.
 */
struct sp_fiber *sp__fiber_hand_over(struct sp_fiber *fiber);

/*
 * @fiber has left its stack for ever: tell its joiner, or free it.
 */
void sp__fiber_bury(struct sp_shard *here, struct sp_fiber *fiber);

/*
 * Joining in steps, for those who wait for more than one thing. Errors as
 * sp_join().
 */
/* Without waiting: -EAGAIN if it has not ended. */
int sp__join_try(struct sp_task task, int *ret);
/* Make @w its joiner: 0, or 1 if it has ended already and @w will not hear. */
int sp__join_begin(struct sp_task task, struct sp__waiter *w);
/* Its joiner takes the result, or with -EAGAIN goes away. */
int sp__join_end(struct sp_task task, int *ret);
/* Its joiner goes away, ended or not. */
void sp__join_leave(struct sp_task task);

/* Ask @fiber, whose id was checked, to end. */
void sp__fiber_cancel(struct sp_fiber *fiber);

#endif
