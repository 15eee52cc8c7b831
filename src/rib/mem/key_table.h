/*
 * rib/mem/key_table.h - a number for each distinct key
 *
 *	key	-- hash -->	index	-- number -->	entry: count, key
 *
 * One key table holds the keys of one family, of all tables of the shard; the
 * routes of a table are then an array indexed by these numbers. Keys of one
 * length stand in the entry: 8 bytes for an IPv4 prefix, 20 for an IPv6 one.
 * Keys of any length stand in the heap, and their number in the entry.
 *
 * Each number is counted: every route that uses it has one reference. What
 * nobody uses is forgotten, and its number given out again. A count that would
 * pass 16 million stays there, and such a key is kept for ever.
 */
#ifndef RIB_MEM_KEY_TABLE_H
#define RIB_MEM_KEY_TABLE_H

#include "rib/mem/hash_index.h"
#include "rib/mem/id_pool.h"

#include "bmp/wire.h"

#include <string.h>

#define RIB_KEY_VARIABLE 0
#define RIB_KEY_FIXED	 32 /* the longest of one length */

struct rib_key_table {
	struct rib_hash_index index;
	struct rib_id_pool pool;
	struct rib_handle_heap *heap;
	uint64_t seed;
	uint32_t width; /* of keys in bytes, or RIB_KEY_VARIABLE */
};

void rib_key_table_init(struct rib_key_table *d, struct rib_handle_heap *heap,
			uint64_t seed, uint32_t width);
void rib_key_table_fini(struct rib_key_table *d);

/* Keys handed in have the key table's width, or are of any length. */
uint32_t rib_key_table_hash(const struct rib_key_table *d,
			    struct wire_view key);

/* The number of a key, or RIB_NO_ID. Counts nothing. */
uint32_t rib_key_table_find(const struct rib_key_table *d, uint32_t hash,
			    struct wire_view key);

/* Whether @id is the number of @key. @id need not be in use. */
bool rib_key_table_is(const struct rib_key_table *d, uint32_t id,
		      struct wire_view key);

/* The number of a key that is not there yet, with no reference. */
uint32_t rib_key_table_add(struct rib_key_table *d, uint32_t hash,
			   struct wire_view key);

/* One more user of @id, and one less. */
void rib_key_table_get(struct rib_key_table *d, uint32_t id);
void rib_key_table_put(struct rib_key_table *d, uint32_t id);

/* Forget @id if nobody uses it: for who added it and then did not. */
void rib_key_table_drop(struct rib_key_table *d, uint32_t id);

/* The key of @id. @room is used for keys of one length. */
struct wire_view rib_key_table_key(const struct rib_key_table *d, uint32_t id,
				   uint8_t room[RIB_KEY_FIXED]);

/* The first number in use that is not below @from, or RIB_NO_ID. */
uint32_t rib_key_table_next(const struct rib_key_table *d, uint32_t from);

/* How many users @id has. */
uint32_t rib_key_table_count(const struct rib_key_table *d, uint32_t id);

uint64_t rib_key_table_bytes(const struct rib_key_table *d);
bool rib_key_table_validate(const struct rib_key_table *d);

/*
 * For batches, in three passes over them: ask for the slot, then for the entry
 * that the slot names, then find.
 */
static inline void rib_key_table_prefetch(const struct rib_key_table *d,
					  uint32_t hash)
{
	rib_hash_index_prefetch(&d->index, hash);
}

/*
 * Returns the number whose entry was asked for, or RIB_NO_ID. It is almost
 * certainly the one, so what depends on it can be asked for at the same time.
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
