/*
 * rib/mem/id_pool.h - entries of one size, numbered densely from 0
 *
 *	chunks:	[ 256 entries ][ 256 entries ][ none ][ 256 entries ]
 *
 * A freed number is reused, lowest chunk first, so that numbers stay dense and
 * arrays indexed by them stay short. An empty chunk is freed.
 */
#ifndef RIB_MEM_ID_POOL_H
#define RIB_MEM_ID_POOL_H

#include "rib/mem/handle_heap.h"

#define RIB_ID_POOL_BITS  8
#define RIB_ID_POOL_CHUNK (1u << RIB_ID_POOL_BITS)
#define RIB_NO_ID	  UINT32_MAX /* not a number of an entry */

struct rib_id_pool_chunk {
	uint8_t *entries;  /* NULL if all 256 are free */
	uint64_t taken[4]; /* one bit per entry */
};

struct rib_id_pool {
	struct rib_handle_heap *heap;
	struct rib_id_pool_chunk *chunks;
	uint32_t size;	   /* bytes per entry */
	uint32_t capacity; /* chunks in the array */
	uint32_t limit;	   /* chunks from this one on were never used */
	uint32_t hint;	   /* chunks before this one have no free entry */
	uint32_t count;	   /* entries taken */
};

void rib_id_pool_init(struct rib_id_pool *pool, struct rib_handle_heap *heap,
		      uint32_t size);
void rib_id_pool_fini(struct rib_id_pool *pool);

/* Allocate an entry, not cleared. RIB_NO_ID if out of memory. */
uint32_t rib_id_pool_take(struct rib_id_pool *pool);
void rib_id_pool_put(struct rib_id_pool *pool, uint32_t number);

/* The first number in use at or above @from, or RIB_NO_ID. */
uint32_t rib_id_pool_next(const struct rib_id_pool *pool, uint32_t from);

uint64_t rib_id_pool_bytes(const struct rib_id_pool *pool);
bool rib_id_pool_validate(const struct rib_id_pool *pool);

static inline bool rib_id_pool_has(const struct rib_id_pool *pool,
				   uint32_t number)
{
	unsigned i = number & (RIB_ID_POOL_CHUNK - 1);

	return number >> RIB_ID_POOL_BITS < pool->limit &&
	       pool->chunks[number >> RIB_ID_POOL_BITS].taken[i / 64] >>
			       (i % 64) &
		       1;
}

static inline void *rib_id_pool_at(const struct rib_id_pool *pool,
				   uint32_t number)
{
	return pool->chunks[number >> RIB_ID_POOL_BITS].entries +
	       (size_t)(number & (RIB_ID_POOL_CHUNK - 1)) * pool->size;
}

#endif
