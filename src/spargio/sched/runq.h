/*
 * spargio/sched/runq.h - runnable fibers that other shards may steal
 *
 *	      steal    real		       tail
 *	        v        v		        v
 *	 ... [  being  ][ to be popped, oldest first ][ free ...
 *	     [ copied  ]
 *
 * A ring of 256 fibers with one owner, which pushes at the tail and pops at
 * the head. An idle shard steals half of the fibers at a time from the head.
 * The head has two indices in one word: a stealing shard moves "real" to claim
 * fibers, copies the fibers, then moves "steal" to real. The owner pops at
 * real and pushes at most one lap ahead of steal, so slots are not overwritten
 * while they are copied. A compare-and-swap of the head decides who gets a
 * fiber.
 *
 * A full ring is not an error: push returns false and the caller queues the
 * fiber elsewhere.
 */
#ifndef SPARGIO_SCHED_RUNQ_H
#define SPARGIO_SCHED_RUNQ_H

#include "spargio/sched/spin.h"

#include <stdalign.h>
#include <stdint.h>

struct sp_fiber;

enum {
	SP__RUNQ_SIZE = 256
};

struct sp__runq {
	alignas(SP__CACHE_LINE) _Atomic uint64_t head; /* steal << 32 | real */
	alignas(SP__CACHE_LINE) _Atomic uint32_t tail;
	struct sp_fiber *_Atomic slots[SP__RUNQ_SIZE];
};

/* Owner: append @fiber at the tail. False if the ring is full. */
bool sp__runq_push(struct sp__runq *q, struct sp_fiber *fiber);

/* Owner: remove and return the oldest fiber. NULL if the ring is empty. */
struct sp_fiber *sp__runq_pop(struct sp__runq *q);

/*
 * Any thread: the number of fibers in the ring. It may be wrong if the owner or
 * another shard changes the ring during the call.
 */
uint32_t sp__runq_len(const struct sp__runq *q);

/*
 * Idle shard, owner of @to: move up to half of the fibers of @from, at most
 * @max, to @to, but return the last fiber instead of queueing it. *@moved is
 * the number of fibers, including the returned one. NULL if @from is empty or
 * another shard is stealing from it.
 */
struct sp_fiber *sp__runq_steal(struct sp__runq *from, struct sp__runq *to,
				uint32_t max, uint32_t *moved);

#endif
