/*
 * spargio/sched/shard.h - one thread, one ring, one run queue
 *
 * Types only; the functions are in current, ready, switch, idle and sched.
 * Fields are grouped by writer. "Owner" is the shard's thread.
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

/*
 * The park word. Only the shard itself sets PARKED; a waker replaces PARKED by
 * NOTIFIED.
 */
enum sp__park {
	SP__RUNNING,
	SP__PARKED,
	SP__NOTIFIED,
	SP__DEAD, /* the thread has ended and reads no queue any more */
};

/* The action of finish_switch() in switch.c for the fiber that was left. */
enum sp__switch_action {
	SP__SWITCH_NONE,    /* it waits: nothing */
	SP__SWITCH_REQUEUE, /* it yielded: queue it */
	SP__SWITCH_MIGRATE, /* send it to the shard in sp_shard.migrate_to */
	SP__SWITCH_REAP,    /* it has ended: wake its joiner, or free it */
	SP__SWITCH_COUNT,   /* it has ended, and its joiner already runs */
};

/* First in, first out, linked by qnext; owner only. */
struct sp__fifo {
	struct sp_fiber *head;
	struct sp_fiber *tail;
	uint32_t len;
};

/* Operations that threads of the pool carry out; see offload.h. */
struct sp__offload {
	/* owner: operations not yet completed */
	uint32_t running;
	struct sp__op *_Atomic finished; /* pushed by the pool's threads */
};

struct sp_shard {
	/* Set once. */
	struct sp_rt *rt;
	uint32_t index;
	pthread_t thread;
	bool has_thread; /* the thread has to be joined */
	int open_error;	 /* error of the back end's open() */
	void *signal_stack;
	const struct sp__backend *backend;
	void *io;			 /* data of the back end */
	struct sp__msg_inbox *msg_inbox; /* messages */
	/* buffers of receive streams; or NULL */
	struct sp__recv_buffers *recv_buffers;

	/* Owner: scheduling. */
	struct sp_fiber *current;
	struct sp__context sched; /* the scheduler's own stack */
	/* C++ exception state of this thread, or NULL */
	struct sp__cxx_exceptions *exceptions;
	struct sp__cxx_exceptions sched_exceptions;
	enum sp__switch_action switch_action;
	struct sp_fiber *switched_from;
	uint32_t migrate_to;
	uint64_t turn; /* turns so far, including the current one */
	/* switches, sends and refused waits left in this turn */
	int32_t budget;
	/* number of times in a row that next_fiber was chosen */
	uint8_t next_fiber_run;
	bool local_first;  /* take from local first, else from runq */
	bool closing_seen; /* see sp__closing_seen() */
	bool stopping;
	/* control words of the thread; the same at every switch */
	struct sp__fenv fenv;
	int64_t turn_began;
	/* end of the last idle period if it just ended; else 0 */
	int64_t woke_at;
	struct sp__fifo local; /* runnable fibers that may not be stolen */
	struct sp__stack_cache stacks;
	struct sp__timer_wheel timer_wheel;
	uint32_t inflight; /* operations in flight in the back end */
	_Atomic uint32_t
		closes; /* operations started that close a descriptor */
	struct sp__idle_spin idle_spin;
	uint64_t wakeups_seen; /* counts.shard_wakeups when last idle */
	/* shard of the same runtime that this shard woke last, or NULL */
	const struct sp_shard *woken;
	uint32_t victim; /* shard at which the next search begins */
	/* steps of steal_stride since the last step to the neighbour */
	uint32_t victim_steps;
	bool searched; /* searched or slept since the shard had work */
	uint64_t seed;

	/* Used by the owner and by idle shards that steal. */
	alignas(SP__CACHE_LINE) struct sp__runq runq;
	struct sp_fiber *_Atomic next_fiber; /* fiber woken last: runs next */
	/*
	 * Start of the turn in which next_fiber was set; SP_NEVER if that fiber
	 * may not be stolen.
	 */
	_Atomic int64_t next_fiber_since;

	/*
	 * Runnable stealable fibers that did not fit into runq; idle shards
	 * also take fibers from the front.
	 */
	alignas(SP__CACHE_LINE) struct sp__spin spill_lock;
	struct sp__fifo spill;
	_Atomic uint32_t spill_len;

	/*
	 * Any thread pushes; an idle shard steals from the inbox if the owner
	 * is stuck.
	 */
	alignas(SP__CACHE_LINE) struct sp_fiber *_Atomic fiber_inbox;
	atomic_bool inbox_movable; /* the inbox may contain a stealable fiber */
	struct sp__offload offload;
	alignas(SP__CACHE_LINE) _Atomic uint32_t park;

	/* Written by the owner, read by any thread. */
	alignas(SP__CACHE_LINE) struct sp__shard_counts {
		_Atomic uint64_t switches, spawned, finished, stolen;
		_Atomic uint64_t refused_spawns;
		_Atomic uint64_t steals, steal_probes, steal_backoffs;
		_Atomic uint64_t steal_attempts, parks, spins, wakes;
		_Atomic uint64_t shard_wakeups, sent, refused, received;
		_Atomic uint64_t affinity_violations, ops, cq_overflows;
		_Atomic uint64_t local_ops, remote_ops, refused_ops;
		_Atomic uint64_t recv_starved, recv_copied, recv_aside;
		_Atomic uint64_t recv_pauses;
		/*
		 * While the shard is idle (even): total busy time. While it is
		 * busy (odd, SP__BUSY): start of the busy period minus the
		 * total busy time before. One word, so that a reader never
		 * sees the busy time decrease.
		 */
		_Atomic uint64_t busy;
		_Atomic uint64_t accept_pauses;
		_Atomic uint32_t runnable, pending_ops, recv_out;
	} counts;
	struct sp_fiber *_Atomic running; /* for the watchdog and the dump */
	_Atomic int64_t last_poll;	  /* start of the shard's turn */
};

#define SP__BUSY UINT64_C(1)

/*
 * Add to a counter that only its own shard writes: no read-modify-write needed.
 */
static inline void sp__count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter,
			      atomic_load_explicit(counter,
						   memory_order_relaxed) +
				      n,
			      memory_order_relaxed);
}

#endif
