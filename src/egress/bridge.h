/*
 * egress/bridge.h - the queues from the workers to the publisher
 *
 *	worker 0  push --> [ ring 0 ] --\
 *	worker 1  push --> [ ring 1 ] ---+--> pop  publisher
 *	worker n  push --> [ ring n ] --/
 *	          take_back <-- [ used batches ] <-- give_back
 *	          take_fence <- [ safe fences ] <-----'
 *
 * Every worker has its own bounded ring; the publisher takes a few batches from
 * each in turn, so that a busy worker cannot delay the others. Order is kept
 * per worker. A full ring refuses a batch: the worker keeps it and stops
 * reading from its routers until there is space.
 *
 * A batch that the publisher has finished with returns to the worker that made
 * it. A fence (EGRESS_BATCH_FENCE) is queued after the batches pushed before it
 * and is returned only when all of them are safe.
 *
 * Threads	Worker's calls: from one thread (a shard) per worker, though any
 *		number of its fibers may wait. Publisher's calls: from one
 *		thread. The two may be in different runtimes. Calls marked "any
 *		thread" may come from any thread.
 * Blocking	Calls marked "yields" wait in a fiber; outside one they return
 *		-EPERM. All others return immediately and take no lock unless
 *		they have to wake a fiber.
 * Ownership	A batch that was pushed, or given back, no longer belongs to the
 *		caller. A refused batch still does.
 * Errors	0 or a negative errno. Nothing here logs.
 */
#ifndef EGRESS_BRIDGE_H
#define EGRESS_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct egress_batch;
struct egress_bridge;

#define EGRESS_BRIDGE_BATCHES 1024 /* default of --bridge-batches */
#define EGRESS_BRIDGE_MAX     65536

/*
 * Average bytes of a batch in a full ring, for the limit by weight, unless set.
 */
#define EGRESS_BRIDGE_BATCH_BYTES (32u << 10)

/*
 * State of a worker's ring. Read from another thread, it may be slightly old.
 */
struct egress_bridge_stats {
	uint32_t capacity;
	uint32_t batches;     /* batches in the ring */
	uint32_t batches_max; /* maximum of batches so far */
	uint64_t bytes;	      /* bytes in the ring */
	/* fibers that wait for space, or for their batches to be taken */
	uint32_t waiting;
	uint64_t pushed; /* batches pushed so far, including fences */
	uint64_t pushed_bytes;
	uint64_t refused;  /* pushes that found the ring full */
	uint64_t waits;	   /* waits for space */
	uint64_t spurious; /* wake-ups of these that found no space */
};

/* Life cycle */

/*
 * A bridge for @workers workers with @batches in each ring, rounded up to a
 * power of two. -EINVAL for 0 or more than EGRESS_BRIDGE_MAX, -ENOMEM.
 */
int egress_bridge_new(uint32_t workers, uint32_t batches,
		      struct egress_bridge **out);

/*
 * Use @bytes instead of EGRESS_BRIDGE_BATCH_BYTES, if it is larger. Call it
 * before the first push.
 */
void egress_bridge_set_batch_bytes(struct egress_bridge *bridge,
				   uint32_t bytes);

/* No thread may be using the bridge. Batches in it are freed. NULL is fine. */
void egress_bridge_free(struct egress_bridge *bridge);

uint32_t egress_bridge_workers(const struct egress_bridge *bridge);

/* Worker's side */

/*
 * Push @batch. -EAGAIN if the ring is full, -EPIPE after close. A ring is full
 * by number of batches or by weight, because one update may make a batch much
 * larger than the size limit.
 */
int egress_bridge_push(struct egress_bridge *bridge, uint32_t worker,
		       struct egress_batch *batch);

/*
 * True from the moment the ring refused a batch until it is half empty: stop
 * reading from routers.
 */
bool egress_bridge_blocked(struct egress_bridge *bridge, uint32_t worker);

/*
 * Wait until egress_bridge_blocked() is false. 0, -ETIMEDOUT, -ECANCELED;
 * -EPIPE once egress_bridge_stop() was called. Yields.
 */
int egress_bridge_wait_room(struct egress_bridge *bridge, uint32_t worker,
			    int64_t deadline);

/* The weight of all batches pushed so far; see egress_batch_weight(). */
uint64_t egress_bridge_pushed_weight(struct egress_bridge *bridge,
				     uint32_t worker);

/* True if the publisher has taken that much weight. */
bool egress_bridge_has_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight);

/*
 * Wait until egress_bridge_has_taken() and not egress_bridge_blocked(). Returns
 * as egress_bridge_wait_room(). Yields.
 */
int egress_bridge_wait_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight, int64_t deadline);

/*
 * All batches that came back since the last call, linked by next, last used
 * first; NULL if there are none.
 */
struct egress_batch *egress_bridge_take_back(struct egress_bridge *bridge,
					     uint32_t worker);

/*
 * Fences that became safe, linked by next, oldest first; NULL if there are
 * none.
 */
struct egress_batch *egress_bridge_take_fence(struct egress_bridge *bridge,
					      uint32_t worker);

/*
 * Wait for a fence, in one fiber at a time. 0, -ETIMEDOUT, -ECANCELED; -EPIPE
 * after egress_bridge_stop(). Yields.
 */
int egress_bridge_wait_fence(struct egress_bridge *bridge, uint32_t worker,
			     int64_t deadline);

/* This worker pushes no more. Batches in its ring are still delivered. */
void egress_bridge_close(struct egress_bridge *bridge, uint32_t worker);

/* Publisher's side */

/* The next batch, or NULL if there is none. */
struct egress_batch *egress_bridge_pop(struct egress_bridge *bridge);

/*
 * Wait until there is a batch, or egress_bridge_wake() was called. 0,
 * -ETIMEDOUT, -ECANCELED; -EPIPE if every worker has closed and nothing is
 * left. Yields.
 */
int egress_bridge_wait(struct egress_bridge *bridge, int64_t deadline);

/*
 * Return @batch to its worker. A fence is returned as safe; set its position
 * before. Any thread, in any order except for fences, which must be returned in
 * the order in which they were popped.
 */
void egress_bridge_give_back(struct egress_bridge *bridge,
			     struct egress_batch *batch);

/*
 * The publisher takes no more: waiting workers get -EPIPE, and a full ring
 * stays full. Called at the end of a drain that failed. Any thread.
 */
void egress_bridge_stop(struct egress_bridge *bridge);

/* Any thread */

/* Make the current or the next egress_bridge_wait() return. */
void egress_bridge_wake(struct egress_bridge *bridge);

void egress_bridge_stats(struct egress_bridge *bridge, uint32_t worker,
			 struct egress_bridge_stats *out);

#endif
