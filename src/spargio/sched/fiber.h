/*
 * spargio/sched/fiber.h - the state of a fiber and of its wait
 *
 * Types only; the functions are in fiber_alloc, wake, wait, exit, cancel and
 * task.
 *
 * A fiber that waits belongs to the shard it went to sleep on. Whoever wakes
 * it, from wherever, only says so (sp__wake); that shard alone makes it
 * runnable again, clears its deadline, and from then on an idle shard may
 * steal it. So a fiber is never resumed before it has left its stack, and a
 * timer or operation in flight is never left behind on another shard. (An
 * idle shard may steal a fiber from the inbox of a shard that is stuck, but
 * only one that has left its stack and has neither.)
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
#include "spargio/sched/cxx_exceptions.h"
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
	atomic_bool on_stack;	/* cleared by finish_switch() in switch.c */
	struct sp__timer timer; /* deadline of the present wait */
	uint16_t pins;		/* things of it in a ring: it must not move */
	uint16_t shield;
	uint16_t no_yield; /* see sp_no_yield_begin() */
	bool stealable;
	bool has_locals; /* some local was set */
	bool timed; /* its wait has a deadline in its shard's timer wheel */
	struct sp__cxx_exceptions exceptions; /* while it does not run */

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

#endif
