/*
 * egress/bridge.h - batches on their way from the workers to the publisher
 *
 *	worker 0  push --> [ ring 0 ] --\
 *	worker 1  push --> [ ring 1 ] ---+--> pop  publisher
 *	worker n  push --> [ ring n ] --/
 *	          take_back <-- [ used batches ] <-- give_back
 *	          take_fence <- [ safe fences ] <-----'
 *
 * Every worker has a bounded ring of its own; the publisher takes from them in
 * rounds, a few batches from each, so that a busy worker cannot hold up the
 * others. Order holds per worker. A ring that is full refuses: the worker
 * keeps the batch and stops reading from its routers until there is room.
 *
 * A batch that the publisher is done with goes back to the worker that made
 * it. A fence (EGRESS_BATCH_FENCE) travels behind the batches pushed before it
 * and is given back only once all of those are safe: that is its whole
 * meaning.
 *
 * Threads	Worker's calls: from one thread (a shard) per worker, though
 *		any number of its fibers may wait. Publisher's calls: from one
 *		thread. The two may be of different runtimes. Calls marked "any
 *		thread" may come from anywhere.
 * Blocking	Calls marked "yields" wait in a fiber; outside one they return
 *		-EPERM. All others return at once and take no lock, unless they
 *		find somebody to wake.
 * Ownership	A batch that was pushed, or given back, is no longer yours. A
 *		refused one still is.
 * Errors	0 or a negative errno. Nothing here logs.
 */
#ifndef EGRESS_BRIDGE_H
#define EGRESS_BRIDGE_H

#include "egress/batch.h"

#include <stdbool.h>

struct egress_bridge;

#define EGRESS_BRIDGE_BATCHES 1024 /* default of --bridge-batches */
#define EGRESS_BRIDGE_MAX     65536

/* Bytes that a batch in a full ring has on average at most, unless set. */
#define EGRESS_BRIDGE_BATCH_BYTES (32u << 10)

/* How full a worker's ring is. Of another thread's, a moment ago. */
struct egress_bridge_stats {
	uint32_t capacity;
	uint32_t batches;     /* in the ring */
	uint32_t batches_max; /* most there ever were */
	uint64_t bytes;	      /* in the ring */
	uint32_t waiting;     /* fibers, for room or for their share of it */
	uint64_t pushed;      /* batches so far, fences included */
	uint64_t pushed_bytes;
	uint64_t refused;  /* pushes that found the ring full */
	uint64_t waits;	   /* for room */
	uint64_t spurious; /* wake-ups from these that found none */
};

/* Life cycle */

/*
 * A bridge for @workers workers with @batches in each ring, which is made a
 * power of two. -EINVAL for none or more than EGRESS_BRIDGE_MAX, -ENOMEM.
 */
int egress_bridge_new(uint32_t workers, uint32_t batches,
		      struct egress_bridge **out);

/*
 * Have @bytes stand for EGRESS_BRIDGE_BATCH_BYTES, if it is more. Before the
 * first push.
 */
void egress_bridge_set_batch_bytes(struct egress_bridge *bridge,
				   uint32_t bytes);

/* Nobody may be using it. Batches still inside are freed. NULL is fine. */
void egress_bridge_free(struct egress_bridge *bridge);

uint32_t egress_bridge_workers(const struct egress_bridge *bridge);

/* Worker's side */

/*
 * Hand over @batch. -EAGAIN if the ring is full, -EPIPE after close. A ring is
 * full by batches or by their weight: one update may make a batch of many times the
 * size that it should have.
 */
int egress_bridge_push(struct egress_bridge *bridge, uint32_t worker,
		       struct egress_batch *batch);

/*
 * Whether to stop reading from routers: from the moment the ring refused a
 * batch until it is half empty.
 */
bool egress_bridge_blocked(struct egress_bridge *bridge, uint32_t worker);

/*
 * Wait until egress_bridge_blocked() is false. 0, -ETIMEDOUT, -ECANCELED;
 * -EPIPE once egress_bridge_stop() was called. Yields.
 */
int egress_bridge_wait_room(struct egress_bridge *bridge, uint32_t worker,
			    int64_t deadline);

/* The weight of all batches pushed so far; egress_batch_weight(). */
uint64_t egress_bridge_pushed_weight(struct egress_bridge *bridge,
				     uint32_t worker);

/* Whether the publisher has taken so much of it. */
bool egress_bridge_has_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight);

/*
 * Wait until that is so, and egress_bridge_blocked() is false: for a fiber that
 * leaves room for others. Returns as egress_bridge_wait_room(). Yields.
 */
int egress_bridge_wait_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight, int64_t deadline);

/*
 * All batches that came back since the last time, linked by next, the last
 * one used first; NULL if there is none.
 */
struct egress_batch *egress_bridge_take_back(struct egress_bridge *bridge,
					     uint32_t worker);

/* Fences that became safe, linked by next, oldest first; NULL if none did. */
struct egress_batch *egress_bridge_take_fence(struct egress_bridge *bridge,
					      uint32_t worker);

/*
 * Wait until there is a fence to take, in one fiber at a time. 0, -ETIMEDOUT,
 * -ECANCELED, -EPIPE once egress_bridge_stop() was called. Yields.
 */
int egress_bridge_wait_fence(struct egress_bridge *bridge, uint32_t worker,
			     int64_t deadline);

/* This worker pushes no more. What is in its ring is still delivered. */
void egress_bridge_close(struct egress_bridge *bridge, uint32_t worker);

/* Publisher's side */

/* The next batch, or NULL if there is none. */
struct egress_batch *egress_bridge_pop(struct egress_bridge *bridge);

/*
 * Wait until there is something to pop or somebody has kicked. 0, -ETIMEDOUT,
 * -ECANCELED; -EPIPE if every worker has closed and nothing is left. Yields.
 */
int egress_bridge_wait(struct egress_bridge *bridge, int64_t deadline);

/*
 * Done with @batch: it goes to its worker. A fence goes there as a safe one;
 * set its position before. Any thread, in any order but for fences, which must
 * come back in the order in which they were popped.
 */
void egress_bridge_give_back(struct egress_bridge *bridge,
			     struct egress_batch *batch);

/*
 * The publisher takes no more: waiting workers get -EPIPE, and a full ring
 * stays full. For the end of a drain that did not succeed. Any thread.
 */
void egress_bridge_stop(struct egress_bridge *bridge);

/* Any thread */

/* Make egress_bridge_wait() return, now or the next time. */
void egress_bridge_wake(struct egress_bridge *bridge);

void egress_bridge_stats(struct egress_bridge *bridge, uint32_t worker,
			 struct egress_bridge_stats *out);

#endif
