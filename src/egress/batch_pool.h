/*
 * egress/batch_pool.h - a worker's unused batches, by size
 *
 * Batches are in classes by the size of their buffers:
 *
 *	class	0	1	2	...	last
 *	bytes	2 KiB	8 KiB	32 KiB	...	max_bytes
 *
 * There may be thousands of open batches with a few updates each, and a few
 * that are filled at full speed. So each batch starts small. When it needs more
 * space, it is exchanged for a batch of a larger class. So the large batches
 * are reused where they are needed. Once there are enough of each class,
 * nothing is allocated.
 *
 * The number of batches in flight depends on the disk and the broker. A class
 * that is short of batches now may have too many later, so unused batches are
 * not kept forever. Each trim looks at the batches of each class that were
 * unused since the last trim. It keeps up to EGRESS_POOL_KEEP of them and
 * frees half of the others.
 *
 * Threads	The worker's shard. Batches return to it through the bridge.
 */
#ifndef EGRESS_BATCH_POOL_H
#define EGRESS_BATCH_POOL_H

#include "egress/bridge.h"

#define EGRESS_POOL_CLASSES 8
#define EGRESS_POOL_FIRST   2048u
#define EGRESS_POOL_KEEP    64u /* unused batches kept per class in any case */

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
	uint64_t made;	    /* batches ever allocated */
	uint64_t trimmed;   /* value of made at the last trim */
	bool spare;	    /* the last trim left more batches to free later */
};

void egress_batch_pool_init(struct egress_batch_pool *pool,
			    struct egress_bridge *bridge, uint32_t worker,
			    uint32_t max_bytes);

/* Free the unused batches. */
void egress_batch_pool_fini(struct egress_batch_pool *pool);

/*
 * Free some unused batches; see the top. Call it every few seconds. The call
 * costs little if there is nothing to free.
 */
void egress_batch_pool_trim(struct egress_batch_pool *pool);

/* True if a trim may find batches to free. */
static inline bool egress_batch_pool_wants_trim(
	const struct egress_batch_pool *pool)
{
	return pool->spare || pool->made != pool->trimmed;
}

/*
 * Take an empty batch with space for @bytes. Its class is at most one above the
 * smallest class that suffices, unless @bytes exceeds max_bytes. NULL if out of
 * memory.
 */
struct egress_batch *egress_batch_pool_take(struct egress_batch_pool *pool,
					    uint32_t bytes);

/* Take a fence. NULL if out of memory. */
struct egress_batch *egress_batch_pool_take_fence(
	struct egress_batch_pool *pool);

/* Return a batch that was not pushed, or a fence that the bridge returned. */
void egress_batch_pool_put(struct egress_batch_pool *pool,
			   struct egress_batch *batch);

/*
 * Exchange @batch for a batch with the same content and space for at least
 * @bytes; @batch is put back into the pool. NULL if out of memory; @batch is
 * then unchanged.
 */
struct egress_batch *egress_batch_pool_grow(struct egress_batch_pool *pool,
					    struct egress_batch *batch,
					    uint32_t bytes);

#endif
