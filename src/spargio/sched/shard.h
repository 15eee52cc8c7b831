/*
 * spargio/sched/shard.h - one thread, one ring, one run queue
 *
 * Types only; the functions are in current, ready, switch, idle and sched.
 * Fields are grouped by who writes them. "Owner" is the shard's thread.
 */
#ifndef SPARGIO_SCHED_SHARD_H
#define SPARGIO_SCHED_SHARD_H

#include "spargio/sched/fenv.h"
#include "spargio/sched/fiber.h"
#include "spargio/sched/idle_spin.h"
#include "spargio/sched/runq.h"

#include <spargio/stats.h>

#include <pthread.h>

struct sp_rt;
struct sp__backend;
struct sp__op;

/* The park word. Only its shard sets PARKED; a waker swaps it for NOTIFIED. */
enum sp__park {
	SP__RUNNING,
	SP__PARKED,
	SP__NOTIFIED,
	SP__DEAD, /* the thread has ended: nothing will be read any more */
};

/* What finish_switch() in switch.c does for the fiber that was left. */
enum sp__switch_action {
	SP__SWITCH_NONE,    /* it waits: nothing */
	SP__SWITCH_REQUEUE, /* it yielded: queue it */
	SP__SWITCH_MIGRATE, /* send it to the shard in sp_shard.migrate_to */
	SP__SWITCH_REAP,    /* it has ended: wake its joiner, or free it */
	SP__SWITCH_COUNT,   /* it has ended, and its joiner runs already */
};

/* First in, first out, linked by qnext; owner only. */
struct sp__fifo {
	struct sp_fiber *head;
	struct sp_fiber *tail;
	uint32_t len;
};

/* Operations that threads of the pool carry out; see offload.h. */
struct sp__offload {
	uint32_t running;		 /* owner: not yet completed */
	struct sp__op *_Atomic finished; /* pushed by those threads */
};

struct sp_shard {
	/* Set once. */
	struct sp_rt *rt;
	uint32_t index;
	pthread_t thread;
	bool has_thread; /* to be joined */
	int open_error;	 /* of the back end */
	void *signal_stack;
	const struct sp__backend *backend;
	void *io;			       /* the back end's own */
	struct sp__msg_inbox *msg_inbox;       /* messages */
	struct sp__recv_buffers *recv_buffers; /* of receive streams; or NULL */

	/* Owner: scheduling. */
	struct sp_fiber *current;
	struct sp__context sched;	       /* the scheduler's own stack */
	struct sp__cxx_exceptions *exceptions; /* this thread's, or NULL */
	struct sp__cxx_exceptions sched_exceptions;
	enum sp__switch_action switch_action;
	struct sp_fiber *switched_from;
	uint32_t migrate_to;
	int32_t budget;		/* fibers left to run in this turn */
	uint8_t next_fiber_run; /* times in a row */
	bool local_first;	/* whose turn it is, local or runq */
	bool closing_seen;	/* see sp__closing_seen() */
	bool stopping;
	struct sp__fenv fenv; /* the thread's, at every switch */
	int64_t turn_began;
	int64_t woke_at;       /* from idling, if that was just now; else 0 */
	struct sp__fifo local; /* runnable, may not be stolen */
	struct sp__stack_cache stacks;
	struct sp__timer_wheel timer_wheel;
	uint32_t inflight; /* operations the back end holds */
	struct sp__idle_spin idle_spin;
	uint64_t wakeups_seen; /* of counts.shard_wakeups, when last idle */
	uint32_t victim;       /* where the next search begins */
	bool searched;	       /* or slept, since it last had work */
	uint64_t seed;

	/* Owner and idle shards that steal. */
	alignas(SP__CACHE_LINE) struct sp__runq runq;
	struct sp_fiber *_Atomic next_fiber; /* woken last: runs next */
	/* When its turn began; SP_NEVER for a fiber that may not be stolen. */
	_Atomic int64_t next_fiber_since;

	/* When the ring above is full; idle shards also take from its front. */
	alignas(SP__CACHE_LINE) struct sp__spin spill_lock;
	struct sp__fifo spill;
	_Atomic uint32_t spill_len;

	/* Anybody pushes; an idle shard steals it if the owner is stuck. */
	alignas(SP__CACHE_LINE) struct sp_fiber *_Atomic fiber_inbox;
	atomic_bool inbox_movable; /* perhaps a stealable one is in it */
	struct sp__offload offload;
	alignas(SP__CACHE_LINE) _Atomic uint32_t park;

	/* Owner writes, anybody reads. */
	alignas(SP__CACHE_LINE) struct sp__shard_counts {
		_Atomic uint64_t switches, spawned, finished, stolen;
		_Atomic uint64_t steal_attempts, parks, spins, wakes;
		_Atomic uint64_t shard_wakeups, sent, refused, received;
		_Atomic uint64_t affinity_violations, ops, cq_overflows;
		_Atomic uint64_t local_ops, remote_ops, refused_ops;
		_Atomic uint64_t recv_starved, recv_copied, recv_aside;
		_Atomic uint64_t recv_pauses;
		/*
		 * At rest: the time it was busy, even. Busy: when that began,
		 * less the time before, odd (SP__BUSY). One word, so that
		 * who reads it never sees time go backwards.
		 */
		_Atomic uint64_t busy;
		_Atomic uint64_t accept_pauses;
		_Atomic uint32_t runnable, pending_ops, recv_out;
	} counts;
	struct sp_fiber *_Atomic running; /* for the watchdog and the dump */
	_Atomic int64_t last_poll;	  /* when its turn began */
};

#define SP__BUSY UINT64_C(1)

/* Add to a counter only its own shard writes: no read-modify-write needed. */
static inline void sp__count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter,
			      atomic_load_explicit(counter,
						   memory_order_relaxed) +
				      n,
			      memory_order_relaxed);
}

#endif
