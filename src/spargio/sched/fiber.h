/*
 * spargio/sched/fiber.h - the state of a fiber and of its wait
 *
 * Types only; the functions are in fiber_alloc, wake, wait, exit, cancel and
 * task.
 *
 * A waiting fiber belongs to the shard on which it went to sleep. A waker, on
 * any thread, claims the wait and puts the fiber into the inbox of that shard
 * (sp__wake). Only that shard makes the fiber runnable and clears its
 * deadline; from then on an idle shard may steal the fiber. So a fiber is
 * never resumed before it has left its stack, and a stolen fiber has no timer
 * and no operation in flight on its old shard. (An idle shard may steal a
 * fiber from the inbox of a stuck shard, but only if the fiber has left its
 * stack and has neither a timer nor an operation.)
 *
 * The wake word decides between event, deadline and cancellation:
 *
 *	 63           17    16        15        0
 *	+---------------+-------------+----------+
 *	| epoch         | cancellable |   code   |	code 0: still waiting
 *	+---------------+-------------+----------+
 *
 * Each wait has a new epoch. A waker replaces code 0 by its own code, if the
 * epoch is still that of the wait; one waker succeeds, the others fail.
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

/*
 * Codes of the wake word. An event may use any code from 1 to SP__EVENT_MAX.
 */
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

/* An entry in the wait list of an object; on the waiting fiber's stack. */
struct sp__waiter {
	struct sp__waiter *next;
	struct sp__waiter *prev; /* NULL if in no list */
	struct sp_fiber *fiber;
	uint64_t epoch;
	uint32_t code;
};

/* A list of waiters, in order of arrival; protected by its owner's lock. */
struct sp__waitlist {
	struct sp__waiter head; /* only its links are used */
};

/* Links a fiber or token into the list of its group or token. */
struct sp__member {
	struct sp__member *next;
	struct sp__member *prev;
};

struct sp_fiber {
	struct sp__slot slot; /* must be first: header of the stack slot */

	/* Used by every switch. */
	struct sp__context ctx;
	struct sp_shard *shard; /* current shard; set at each resume */
	struct sp_fiber *qnext; /* link of the queue that the fiber is in */
	_Atomic uint64_t wake;
	/*
	 * Separate from the small non-atomic fields, which the compiler may
	 * read as one word.
	 */
	atomic_bool cancelled;
	_Atomic uint8_t state;	/* enum sp__fiber_state, for the dump */
	atomic_bool on_stack;	/* cleared by finish_switch() in switch.c */
	struct sp__timer timer; /* deadline of the current wait */
	/* operations in flight: the fiber must not move while > 0 */
	uint16_t pins;
	uint16_t shield;
	uint16_t no_yield; /* see sp_no_yield_begin() */
	bool stealable;
	bool has_locals; /* a fiber-local value was set */
	bool timed; /* the current wait has a deadline in the timer wheel */
	/* saved while the fiber does not run */
	struct sp__cxx_exceptions exceptions;

	/* Set once, at spawn. */
	int (*fn)(void *);
	void *arg;
	const char *_Atomic name;
	int64_t deadline; /* limit of every wait; see sp_deadline_push() */
	struct sp_group *group;
	struct sp_token *token;
	struct sp__member in_group;
	struct sp__member in_token;

	/* The end of the fiber; protected by lock. */
	struct sp__spin lock;
	bool done;
	bool detached;
	int ret;
	struct sp__waiter *joiner;
	struct sp_fiber *claimed; /* joiner whose wait this fiber has claimed */
	_Atomic uint64_t id;	  /* 0 while the slot is free */

	/* For the dump: written by the fiber's shard, read by any thread. */
	_Atomic uint32_t seen_on; /* index of the shard it last ran on */
	const char *_Atomic waits_for;
	const void *_Atomic waits_on;
	_Atomic int64_t waits_since;

	void *locals[SP__LOCALS];
	alignas(16) uint8_t copy[SP_COPY_MAX];
};

#endif
