/*
 * spargio/sched/runtime.h - what the shards of a runtime share
 *
 * Types only. src/spargio/runtime makes and ends a runtime.
 */
#ifndef SPARGIO_SCHED_RUNTIME_H
#define SPARGIO_SCHED_RUNTIME_H

#include "spargio/sched/shard.h"

#include <spargio/runtime.h>

#include <semaphore.h>

struct sp__leases;
struct sp__pool;
struct sp__stop_timer;
struct sp__watchdog;

/* A barrier that all shards pass together. */
struct sp__gate {
	pthread_mutex_t lock;
	pthread_cond_t open;
	uint32_t expected;
	uint32_t arrived;
	uint32_t round;
};

struct sp_rt {
	/* Set once. */
	struct sp_opts opts; /* every default filled in */
	uint32_t nshards;
	struct sp_shard *shards;
	int backend_error; /* error of the io_uring set-up, or 0 */
	int stack_class;
	/* steps of opts.steal_stride that lead back to the same shard */
	uint32_t steal_cycle;
	struct sp__pool *pool;
	struct sp__watchdog *watchdog;
	struct sp__stop_timer *stop_timer; /* used by sp_run(); or NULL */
	/* leases of descriptors; see placement.h */
	struct sp__leases *leases;
	uint8_t *tag_kinds; /* see msg_inbox.h; NULL = all plain */

	struct sp__stacks stacks;
	void (*_Atomic local_drop[SP__LOCALS])(void *);
	_Atomic uint32_t local_keys;

	/* Calls by threads that are not shards of this runtime; see visit.h. */
	struct sp_rt *next_open;
	uint32_t visitors;

	/* Fibers spawned by threads that are not shards of this runtime. */
	_Atomic uint64_t outside_spawned;
	/* spawns in outside_spawned that were then refused */
	_Atomic uint64_t outside_finished;
	_Atomic uint64_t outside_refused; /* all spawns that were refused */
	_Atomic uint32_t round_robin;
	_Atomic uint32_t searching; /* shards that search for work to steal */

	/*
	 * Read at every wake of a stealable fiber, written when a shard falls
	 * asleep or wakes up: keep it off cache lines that change often.
	 */
	alignas(SP__CACHE_LINE) _Atomic uint32_t parked;
	/* A parked shard checks the others every SP__STUCK_NS; see idle.c. */
	atomic_bool watched;
	/* new fibers are refused */
	alignas(SP__CACHE_LINE) atomic_bool closing;
	atomic_bool ending;    /* shards leave their loops */
	_Atomic uint64_t ends; /* orders calls of sp__shards_end_if_over() */
	sem_t ended;	       /* posted when all fibers have ended */
	sem_t opened;	  /* posted when all back ends are open, or failed */
	sem_t gone;	  /* posted by each thread at its end */
	uint32_t threads; /* threads that have not posted gone */
	struct sp__gate gate;
};

#endif
