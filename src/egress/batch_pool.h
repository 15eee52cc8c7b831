/*
 * egress/batch_pool.h - a worker's unused batches, by size
 *
 * There may be thousands of open batches with a few updates each, and a few
 * that are filled at full speed. So a batch starts small, and one that grows is
 * exchanged for a larger one: large batches are reused where they are needed,
 * and the small ones stay small. Once there are enough of each size, nothing is
 * allocated.
 *
 * The number of batches in flight, and so the size that is short, depends on
 * the disk and the broker. So unused batches are not kept forever: each trim
 * frees half of those, beyond a few, that were unused since the last trim.
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
#define EGRESS_POOL_KEEP    64u /* kept per class, even if not needed */

struct egress_batch_pool {
	struct egress_bridge *bridge;
	uint32_t worker;
	uint32_t max_bytes; /* size of the last class */
	struct egress_batch *unused[EGRESS_POOL_CLASSES];
	uint32_t counts[EGRESS_POOL_CLASSES]; /* unused batches of each class */
	/* minimum of counts since the last trim */
	uint32_t idle[EGRESS_POOL_CLASSES];
	/* unused batches without a buffer */
	struct egress_batch *fences;
	uint64_t allocated; /* batches that exist, in use or not */
	uint64_t made;	    /* batches ever made */
	uint64_t trimmed;   /* value of made at the last trim */
	bool spare;	    /* the last trim left batches that may be freed */
};

void egress_batch_pool_init(struct egress_batch_pool *pool,
			    struct egress_bridge *bridge, uint32_t worker,
			    uint32_t max_bytes);

/* Free the unused batches. */
void egress_batch_pool_fini(struct egress_batch_pool *pool);

/* Call it every few seconds: see above. Cheap if there is nothing to free. */
void egress_batch_pool_trim(struct egress_batch_pool *pool);

/* True if a trim may find batches to free. */
static inline bool egress_batch_pool_wants_trim(
	const struct egress_batch_pool *pool)
{
	return pool->spare || pool->made != pool->trimmed;
}

/*
 * An empty batch with space for @bytes; at most one class larger, unless @bytes
 * exceeds max_bytes. NULL if out of memory.
 */
struct egress_batch *egress_batch_pool_take(struct egress_batch_pool *pool,
					    uint32_t bytes);

/* A fence. NULL if out of memory. */
struct egress_batch *egress_batch_pool_take_fence(
	struct egress_batch_pool *pool);

/* Return a batch that was not pushed, or a fence that came back. */
void egress_batch_pool_put(struct egress_batch_pool *pool,
			   struct egress_batch *batch);

/*
 * A batch with the same content and space for at least @bytes; @batch is put
 * back. NULL if out of memory; @batch is then unchanged.
 */
struct egress_batch *egress_batch_pool_grow(struct egress_batch_pool *pool,
					    struct egress_batch *batch,
					    uint32_t bytes);

#endif
