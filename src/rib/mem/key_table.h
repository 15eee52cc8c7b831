/*
 * rib/mem/key_table.h - assign a number to each distinct key
 *
 *	key	-- hash -->	index	-- number -->	entry: count, key
 *
 * One key table holds the keys of one family, for all tables of the shard; the
 * routes of a table are then an array indexed by these numbers. Fixed-length
 * keys are in the entry: 8 bytes for an IPv4 prefix, 20 for an IPv6 prefix.
 * Variable-length keys are in the heap, and their number is in the entry.
 *
 * Each number has a reference count: every route that uses it has one
 * reference. An unused key is removed, and its number reused. A count saturates
 * at 16 million; such a key is kept forever.
 */
#ifndef RIB_MEM_KEY_TABLE_H
#define RIB_MEM_KEY_TABLE_H

#include "rib/mem/hash_index.h"
#include "rib/mem/id_pool.h"

#include "bmp/wire.h"

#include <string.h>

#define RIB_KEY_VARIABLE 0
#define RIB_KEY_FIXED	 32 /* maximum length of fixed-length keys */

struct rib_key_table {
	struct rib_hash_index index;
	struct rib_id_pool pool;
	struct rib_handle_heap *heap;
	uint64_t seed;
	uint32_t width; /* bytes of each key, or RIB_KEY_VARIABLE */
};

void rib_key_table_init(struct rib_key_table *d, struct rib_handle_heap *heap,
			uint64_t seed, uint32_t width);
void rib_key_table_fini(struct rib_key_table *d);

/*
 * The hash of a key. In all functions keys must have the width of the table,
 * unless that is variable.
 */
uint32_t rib_key_table_hash(const struct rib_key_table *d,
			    struct wire_view key);

/* Find the number of a key, or return RIB_NO_ID. Adds no reference. */
uint32_t rib_key_table_find(const struct rib_key_table *d, uint32_t hash,
			    struct wire_view key);

/* True if @id is the number of @key. @id need not be in use. */
bool rib_key_table_is(const struct rib_key_table *d, uint32_t id,
		      struct wire_view key);

/*
 * Add a key that does not exist yet, without a reference. Returns its number;
 * RIB_NO_ID if out of memory.
 */
uint32_t rib_key_table_add(struct rib_key_table *d, uint32_t hash,
			   struct wire_view key);

/* Add and remove a reference on @id. */
void rib_key_table_get(struct rib_key_table *d, uint32_t id);
void rib_key_table_put(struct rib_key_table *d, uint32_t id);

/*
 * Remove @id if it has no reference: for a caller that added the key and did
 * not use it.
 */
void rib_key_table_drop(struct rib_key_table *d, uint32_t id);

/* Get the key of @id. A fixed-length key is written to @room. */
struct wire_view rib_key_table_key(const struct rib_key_table *d, uint32_t id,
				   uint8_t room[RIB_KEY_FIXED]);

/* The first number in use at or above @from, or RIB_NO_ID. */
uint32_t rib_key_table_next(const struct rib_key_table *d, uint32_t from);

/* The number of references on @id. */
uint32_t rib_key_table_count(const struct rib_key_table *d, uint32_t id);

/*
 * A condition for fixed-length keys: the range of the first byte, and the bits
 * of those after it.
 */
struct rib_key_pattern {
	uint8_t first_min;
	uint8_t first_max;
	uint8_t mask[RIB_KEY_FIXED]; /* mask[i] is for key byte 1 + i */
	uint8_t value[RIB_KEY_FIXED];
};

/* True if the key of @id, which is in use, meets the condition. */
bool rib_key_table_matches(const struct rib_key_table *d, uint32_t id,
			   const struct rib_key_pattern *pattern);

/*
 * The first number in use, from @from to below @to, whose key meets the
 * condition; RIB_NO_ID if there is none. The entries are read in the order of
 * memory, so that a key costs a few nanoseconds. @to is at most
 * rib_key_table_end().
 */
uint32_t rib_key_table_scan(const struct rib_key_table *d, uint32_t from,
			    uint32_t to, const struct rib_key_pattern *pattern);

/* A number that is above all numbers in use. */
uint32_t rib_key_table_end(const struct rib_key_table *d);

uint64_t rib_key_table_bytes(const struct rib_key_table *d);
bool rib_key_table_validate(const struct rib_key_table *d);

/*
 * A batch of lookups has three passes: prefetch the slot, prefetch the entry
 * that the slot names, then find.
 */
static inline void rib_key_table_prefetch(const struct rib_key_table *d,
					  uint32_t hash)
{
	rib_hash_index_prefetch(&d->index, hash);
}

/*
 * Prefetch the entry that the slot names, and return its number, or RIB_NO_ID.
 * It is almost certainly the right one, so data that depends on it can be
 * prefetched at the same time.
 */
static inline uint32_t rib_key_table_guess(const struct rib_key_table *d,
					   uint32_t hash)
{
	struct rib_hash_index_probe p = rib_hash_index_probe(&d->index, hash);
	uint32_t number = rib_hash_index_next(&p);

	if (number == 0)
		return RIB_NO_ID;
	__builtin_prefetch(rib_id_pool_at(&d->pool, number - 1));
	return number - 1;
}

#endif
