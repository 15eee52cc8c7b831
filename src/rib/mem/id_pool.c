#include "rib/mem/id_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void rib_id_pool_init(struct rib_id_pool *pool, struct rib_handle_heap *heap,
		      uint32_t size)
{
	*pool = (struct rib_id_pool){ .heap = heap, .size = size };
}

void rib_id_pool_fini(struct rib_id_pool *pool)
{
	for (uint32_t i = 0; i < pool->limit; i++)
		rib_handle_heap_free(pool->heap, pool->chunks[i].entries);
	free(pool->chunks);
	rib_id_pool_init(pool, pool->heap, pool->size);
}

static bool is_full(const struct rib_id_pool_chunk *c)
{
	return (c->taken[0] & c->taken[1] & c->taken[2] & c->taken[3]) ==
	       UINT64_MAX;
}

static bool is_empty(const struct rib_id_pool_chunk *c)
{
	return (c->taken[0] | c->taken[1] | c->taken[2] | c->taken[3]) == 0;
}

/* The lowest chunk with a free entry. If there is none, a chunk is added. */
static struct rib_id_pool_chunk *chunk_with_room(struct rib_id_pool *pool)
{
	struct rib_id_pool_chunk *c;

	while (pool->hint < pool->limit && is_full(&pool->chunks[pool->hint]))
		pool->hint++;
	if (pool->hint == pool->capacity) {
		uint32_t capacity =
			pool->capacity == 0 ? 16 : 2 * pool->capacity;

		if (capacity > UINT32_MAX >> RIB_ID_POOL_BITS)
			return NULL;
		c = realloc(pool->chunks, capacity * sizeof(*c));
		if (c == NULL)
			return NULL;
		memset(c + pool->capacity, 0,
		       (capacity - pool->capacity) * sizeof(*c));
		pool->chunks = c;
		pool->capacity = capacity;
	}
	c = &pool->chunks[pool->hint];
	if (c->entries == NULL)
		c->entries = rib_handle_heap_alloc(pool->heap,
						   (size_t)pool->size *
							   RIB_ID_POOL_CHUNK);
	if (c->entries == NULL)
		return NULL;
	if (pool->hint == pool->limit)
		pool->limit++;
	return c;
}

uint32_t rib_id_pool_take(struct rib_id_pool *pool)
{
	struct rib_id_pool_chunk *c = chunk_with_room(pool);
	unsigned word = 0;
	unsigned bit;

	if (c == NULL)
		return RIB_NO_ID;
	while (c->taken[word] == UINT64_MAX)
		word++;
	bit = (unsigned)__builtin_ctzll(~c->taken[word]);
	c->taken[word] |= UINT64_C(1) << bit;
	pool->count++;
	return pool->hint << RIB_ID_POOL_BITS | (64 * word + bit);
}

void rib_id_pool_put(struct rib_id_pool *pool, uint32_t number)
{
	uint32_t chunk = number >> RIB_ID_POOL_BITS;
	unsigned i = number & (RIB_ID_POOL_CHUNK - 1);
	struct rib_id_pool_chunk *c = &pool->chunks[chunk];

	assert(chunk < pool->limit && c->taken[i / 64] >> (i % 64) & 1);
	c->taken[i / 64] &= ~(UINT64_C(1) << (i % 64));
	pool->count--;
	if (chunk < pool->hint)
		pool->hint = chunk;
	if (!is_empty(c))
		return;
	rib_handle_heap_free(pool->heap, c->entries);
	c->entries = NULL;
	while (pool->limit > 0 && pool->chunks[pool->limit - 1].entries == NULL)
		pool->limit--;
	if (pool->hint > pool->limit)
		pool->hint = pool->limit;
}

uint32_t rib_id_pool_next(const struct rib_id_pool *pool, uint32_t from)
{
	uint32_t chunk = from >> RIB_ID_POOL_BITS;
	unsigned i = from & (RIB_ID_POOL_CHUNK - 1);

	for (; chunk < pool->limit; chunk++, i = 0) {
		const uint64_t *taken = pool->chunks[chunk].taken;

		for (unsigned word = i / 64; word < 4; word++, i = 0) {
			uint64_t m = taken[word] >> (i % 64) << (i % 64);

			if (m != 0)
				return chunk << RIB_ID_POOL_BITS |
				       (64 * word +
					(unsigned)__builtin_ctzll(m));
		}
	}
	return RIB_NO_ID;
}

uint64_t rib_id_pool_bytes(const struct rib_id_pool *pool)
{
	return (uint64_t)pool->capacity * sizeof(*pool->chunks);
}

bool rib_id_pool_validate(const struct rib_id_pool *pool)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < pool->capacity; i++) {
		const struct rib_id_pool_chunk *c = &pool->chunks[i];

		if ((c->entries == NULL) != is_empty(c))
			return false;
		if (i >= pool->limit && c->entries != NULL)
			return false;
		if (i < pool->hint && !is_full(c))
			return false;
		for (unsigned word = 0; word < 4; word++)
			count += (unsigned)__builtin_popcountll(c->taken[word]);
	}
	return count == pool->count && pool->hint <= pool->limit;
}
