/*
 * egress/batch_pool.h - a worker's unused batches, by size
 *
 * There may be thousands of open batches with a few updates each, and a few
 * that are filled at full speed. So a batch starts small, and one that grows
 * is exchanged for a bigger one: what was grown once is used again where it is
 * needed, and the small ones stay small. Once there are enough of each size,
 * nothing is allocated any more.
 *
 * How many are on their way at a time depends on the disk and the broker, and
 * so does which size is short. What was needed once is therefore not kept for
 * ever: of those that lay unused from one trim to the next, beyond a few, half
 * are freed.
 *
 *	class	0	1	2	...	last
 *	bytes	2 KiB	8 KiB	32 KiB	...	what a batch may have at most
 *
 * Threads	One worker's. Batches come back to it through the bridge.
 */
#ifndef EGRESS_BATCH_POOL_H
#define EGRESS_BATCH_POOL_H

#include "egress/bridge.h"

#define EGRESS_POOL_CLASSES 8
#define EGRESS_POOL_FIRST   2048u
#define EGRESS_POOL_KEEP    64u /* of a class, whatever is needed */

struct egress_batch_pool {
	struct egress_bridge *bridge;
	uint32_t worker;
	uint32_t max_bytes; /* of the last class */
	struct egress_batch *unused[EGRESS_POOL_CLASSES];
	uint32_t counts[EGRESS_POOL_CLASSES]; /* of them */
	uint32_t idle[EGRESS_POOL_CLASSES];   /* least of it since the trim */
	struct egress_batch *fences;	      /* without bytes */
	uint64_t allocated; /* batches there are, in use or not */
	uint64_t made;	    /* and that ever were */
	uint64_t trimmed;   /* made, when it was last trimmed */
	bool spare;	    /* that trim left some that are too many */
};

void egress_batch_pool_init(struct egress_batch_pool *pool,
			    struct egress_bridge *bridge, uint32_t worker,
			    uint32_t max_bytes);

/* Frees what is unused. */
void egress_batch_pool_fini(struct egress_batch_pool *pool);

/* Every few seconds: see above. Costs a look if there is nothing to free. */
void egress_batch_pool_trim(struct egress_batch_pool *pool);

/* Whether a trim may find something to free. */
static inline bool egress_batch_pool_wants_trim(
	const struct egress_batch_pool *pool)
{
	return pool->spare || pool->made != pool->trimmed;
}

/*
 * An empty batch with room for @bytes; at most a class more than that, if it
 * is not above max_bytes. NULL: no memory.
 */
struct egress_batch *egress_batch_pool_take(struct egress_batch_pool *pool,
					    uint32_t bytes);

/* A fence. NULL: no memory. */
struct egress_batch *egress_batch_pool_take_fence(
	struct egress_batch_pool *pool);

/* Give back one that was not pushed, or a fence that came back. */
void egress_batch_pool_put(struct egress_batch_pool *pool,
			   struct egress_batch *batch);

/*
 * A batch of the same content with room for @bytes at least; @batch is put
 * back. NULL: no memory, and @batch is as it was.
 */
struct egress_batch *egress_batch_pool_grow(struct egress_batch_pool *pool,
					    struct egress_batch *batch,
					    uint32_t bytes);

#endif
