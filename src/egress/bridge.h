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
 * Threads	Worker's calls: from the shard of that worker, in any number
 *		of its fibers. Publisher's calls: from one
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
 * Average bytes of a batch in a full ring: times the size of the ring, it is
 * the limit by weight. Default of egress_bridge_set_batch_bytes().
 */
#define EGRESS_BRIDGE_BATCH_BYTES (32u << 10)

/*
 * State of a worker's ring. Values read from another thread may be slightly
 * old.
 */
struct egress_bridge_stats {
	uint32_t capacity;
	uint32_t batches;     /* batches in the ring */
	uint32_t batches_max; /* maximum of batches so far */
	uint64_t bytes;	      /* bytes in the ring */
	/* fibers that wait for space, or for their batches to be taken */
	uint32_t waiting;
	uint64_t pushed; /* batches pushed so far, with fences */
	uint64_t pushed_bytes;
	uint64_t refused;  /* pushes refused because of a full ring */
	uint64_t waits;	   /* times that a fiber waited for space */
	uint64_t spurious; /* wake-ups for space that found none */
};

/* Life cycle */

/*
 * Make a bridge with a ring of @batches for each of @workers workers; @batches
 * is rounded up to a power of two. -EINVAL if one of them is 0 or @batches is
 * more than EGRESS_BRIDGE_MAX, -ENOMEM.
 */
int egress_bridge_new(uint32_t workers, uint32_t batches,
		      struct egress_bridge **out);

/*
 * Use @bytes instead of EGRESS_BRIDGE_BATCH_BYTES, if @bytes is larger. Call it
 * before the first push.
 */
void egress_bridge_set_batch_bytes(struct egress_bridge *bridge,
				   uint32_t bytes);

/*
 * Free the bridge and the batches in it. No thread may be using it. @bridge may
 * be NULL.
 */
void egress_bridge_free(struct egress_bridge *bridge);

uint32_t egress_bridge_workers(const struct egress_bridge *bridge);

/* Worker's side */

/*
 * Push @batch. -EAGAIN if the ring is full, -EPIPE after close. A ring is full
 * if it holds too many batches or if their weight is too high, because one
 * update may make a batch much larger than the size limit.
 */
int egress_bridge_push(struct egress_bridge *bridge, uint32_t worker,
		       struct egress_batch *batch);

/*
 * True from the moment when the ring refused a batch until the ring is half
 * empty. While true, the worker should not read from its routers.
 */
bool egress_bridge_blocked(struct egress_bridge *bridge, uint32_t worker);

/*
 * Wait until egress_bridge_blocked() is false. Returns 0, -ETIMEDOUT or
 * -ECANCELED; -EPIPE once egress_bridge_stop() was called. Yields.
 */
int egress_bridge_wait_room(struct egress_bridge *bridge, uint32_t worker,
			    int64_t deadline);

/*
 * The weight of all batches that the worker has pushed so far; see
 * egress_batch_weight().
 */
uint64_t egress_bridge_pushed_weight(struct egress_bridge *bridge,
				     uint32_t worker);

/*
 * True if the publisher has taken all batches that the worker had pushed when
 * egress_bridge_pushed_weight() was @weight.
 */
bool egress_bridge_has_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight);

/*
 * Wait until egress_bridge_has_taken() is true and egress_bridge_blocked() is
 * false. Returns as egress_bridge_wait_room(). Yields.
 */
int egress_bridge_wait_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight, int64_t deadline);

/*
 * Take all batches that the publisher returned since the last call, linked by
 * next, the last returned first; NULL if there are none.
 */
struct egress_batch *egress_bridge_take_back(struct egress_bridge *bridge,
					     uint32_t worker);

/*
 * Take the fences that became safe, linked by next, oldest first; NULL if there
 * are none.
 */
struct egress_batch *egress_bridge_take_fence(struct egress_bridge *bridge,
					      uint32_t worker);

/*
 * Wait until there is a fence to take. Only one fiber may wait at a time.
 * Returns 0, -ETIMEDOUT or -ECANCELED; -EPIPE after egress_bridge_stop().
 * Yields.
 */
int egress_bridge_wait_fence(struct egress_bridge *bridge, uint32_t worker,
			     int64_t deadline);

/*
 * Declare that this worker pushes no more batches. Those in its ring are still
 * delivered.
 */
void egress_bridge_close(struct egress_bridge *bridge, uint32_t worker);

/* Publisher's side */

/* Take the next batch; NULL if there is none. */
struct egress_batch *egress_bridge_pop(struct egress_bridge *bridge);

/*
 * Wait until there is a batch, or egress_bridge_wake() was called. Returns 0,
 * -ETIMEDOUT or -ECANCELED; -EPIPE if every worker has closed its ring and all
 * rings are empty. Yields.
 */
int egress_bridge_wait(struct egress_bridge *bridge, int64_t deadline);

/*
 * Return @batch to its worker. To return a fence means that everything before
 * it is safe; set its position first. Any thread. Batches may be returned in
 * any order, but fences of a worker in the order in which they were popped.
 */
void egress_bridge_give_back(struct egress_bridge *bridge,
			     struct egress_batch *batch);

/*
 * Declare that the publisher takes no more batches: waiting workers get -EPIPE,
 * and a full ring stays full. Called at the end of a drain that failed. Any
 * thread.
 */
void egress_bridge_stop(struct egress_bridge *bridge);

/* Any thread */

/* Make the current or the next egress_bridge_wait() return. */
void egress_bridge_wake(struct egress_bridge *bridge);

void egress_bridge_stats(struct egress_bridge *bridge, uint32_t worker,
			 struct egress_bridge_stats *out);

#endif
