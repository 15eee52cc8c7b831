/*
 * An entry is a word with the count in 24 bits and the first byte of the key in
 * 8, then the rest of the key. An IPv4 prefix begins with its length, so its
 * entry is exactly eight bytes. For keys of variable length the rest of the
 * entry is the number of a heap allocation, which has four bytes of length and
 * then the key.
 */
#include "rib/mem/key_table.h"

#include <assert.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define COUNT_MAX 0xffffffu

static uint32_t entry_size(uint32_t width)
{
	if (width == RIB_KEY_VARIABLE)
		return 8;
	return (4 + (width - 1) + 3) & ~3u;
}

void rib_key_table_init(struct rib_key_table *d, struct rib_handle_heap *heap,
			uint64_t seed, uint32_t width)
{
	assert(width <= RIB_KEY_FIXED);
	*d = (struct rib_key_table){ .heap = heap,
				     .seed = seed,
				     .width = width };
	rib_hash_index_init(&d->index, heap);
	rib_id_pool_init(&d->pool, heap, entry_size(width));
}

static uint8_t *entry_at(const struct rib_key_table *d, uint32_t id)
{
	return rib_id_pool_at(&d->pool, id);
}

static uint32_t load_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void store_u32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* The key of an entry in a table of variable-length keys. */
static struct wire_view far_key(const struct rib_key_table *d, const uint8_t *e)
{
	const uint8_t *piece = rib_handle_heap_at(d->heap, load_u32(e + 4));

	return (struct wire_view){ piece + 4, load_u32(piece) };
}

void rib_key_table_fini(struct rib_key_table *d)
{
	if (d->width == RIB_KEY_VARIABLE)
		for (uint32_t id = 0;
		     (id = rib_id_pool_next(&d->pool, id)) != RIB_NO_ID; id++)
			rib_handle_heap_free(
				d->heap,
				rib_handle_heap_at(d->heap,
						   load_u32(entry_at(d, id) +
							    4)));
	rib_hash_index_fini(&d->index);
	rib_id_pool_fini(&d->pool);
}

uint32_t rib_key_table_hash(const struct rib_key_table *d, struct wire_view key)
{
	uint64_t hash;

	/*
	 * With a constant length the compiler generates only a few
	 * instructions.
	 */
	if (d->width == 5)
		hash = XXH3_64bits_withSeed(key.p, 5, d->seed);
	else if (d->width == 17)
		hash = XXH3_64bits_withSeed(key.p, 17, d->seed);
	else
		hash = XXH3_64bits_withSeed(key.p, key.len, d->seed);
	return (uint32_t)(hash >> 32);
}

static bool entry_has_key(const struct rib_key_table *d, const uint8_t *e,
			  struct wire_view key)
{
	struct wire_view far;

	switch (d->width) {
	case RIB_KEY_VARIABLE:
		far = far_key(d, e);
		return far.len == key.len && memcmp(far.p, key.p, key.len) == 0;
	case 5:
		/*
		 * Most lookups are for IPv4 prefixes, so compare these with few
		 * instructions.
		 */
		return (uint8_t)load_u32(e) == key.p[0] &&
		       load_u32(e + 4) == load_u32(key.p + 1);
	default:
		return (uint8_t)load_u32(e) == key.p[0] &&
		       memcmp(e + 4, key.p + 1, d->width - 1) == 0;
	}
}

/*
 * Hot: once per route. Cost: one cache line of the index and one of the
 * entries, both of which a batch prefetches. bench/rib.c
 */
uint32_t rib_key_table_find(const struct rib_key_table *d, uint32_t hash,
			    struct wire_view key)
{
	struct rib_hash_index_probe p = rib_hash_index_probe(&d->index, hash);
	uint32_t number;

	while ((number = rib_hash_index_next(&p)) != 0)
		if (entry_has_key(d, entry_at(d, number - 1), key))
			return number - 1;
	return RIB_NO_ID;
}

bool rib_key_table_is(const struct rib_key_table *d, uint32_t id,
		      struct wire_view key)
{
	return rib_id_pool_has(&d->pool, id) &&
	       entry_has_key(d, entry_at(d, id), key);
}

/*
 * Store a variable-length key in the heap. Returns the number of the
 * allocation, or 0.
 */
static uint32_t keep_far(struct rib_key_table *d, struct wire_view key)
{
	uint8_t *piece = rib_handle_heap_alloc(d->heap, 4 + key.len);

	if (piece == NULL)
		return 0;
	store_u32(piece, (uint32_t)key.len);
	if (key.len != 0)
		memcpy(piece + 4, key.p, key.len);
	return rib_handle_heap_number(piece);
}

uint32_t rib_key_table_add(struct rib_key_table *d, uint32_t hash,
			   struct wire_view key)
{
	uint32_t id = rib_id_pool_take(&d->pool);
	uint32_t far = 0;
	uint8_t *e;

	if (id == RIB_NO_ID)
		return RIB_NO_ID;
	e = entry_at(d, id);
	if (d->width == RIB_KEY_VARIABLE) {
		far = keep_far(d, key);
		if (far == 0)
			goto fail;
		store_u32(e, 0);
		store_u32(e + 4, far);
	} else {
		store_u32(e, key.p[0]);
		memcpy(e + 4, key.p + 1, d->width - 1);
	}
	if (rib_hash_index_add(&d->index, hash, id + 1) == 0)
		return id;
fail:
	if (far != 0)
		rib_handle_heap_free(d->heap, rib_handle_heap_at(d->heap, far));
	rib_id_pool_put(&d->pool, id);
	return RIB_NO_ID;
}

uint32_t rib_key_table_count(const struct rib_key_table *d, uint32_t id)
{
	return load_u32(entry_at(d, id)) >> 8;
}

void rib_key_table_get(struct rib_key_table *d, uint32_t id)
{
	uint8_t *e = entry_at(d, id);
	uint32_t head = load_u32(e);

	if (head >> 8 != COUNT_MAX)
		store_u32(e, head + 0x100);
}

void rib_key_table_drop(struct rib_key_table *d, uint32_t id)
{
	uint8_t room[RIB_KEY_FIXED];
	struct wire_view key;

	if (rib_key_table_count(d, id) != 0)
		return;
	key = rib_key_table_key(d, id, room);
	rib_hash_index_remove(&d->index, rib_key_table_hash(d, key), id + 1);
	if (d->width == RIB_KEY_VARIABLE)
		rib_handle_heap_free(
			d->heap,
			rib_handle_heap_at(d->heap,
					   load_u32(entry_at(d, id) + 4)));
	rib_id_pool_put(&d->pool, id);
}

void rib_key_table_put(struct rib_key_table *d, uint32_t id)
{
	uint8_t *e = entry_at(d, id);
	uint32_t head = load_u32(e);

	assert(head >> 8 != 0);
	if (head >> 8 == COUNT_MAX)
		return;
	store_u32(e, head - 0x100);
	if (head >> 8 == 1)
		rib_key_table_drop(d, id);
}

struct wire_view rib_key_table_key(const struct rib_key_table *d, uint32_t id,
				   uint8_t room[RIB_KEY_FIXED])
{
	const uint8_t *e = entry_at(d, id);

	if (d->width == RIB_KEY_VARIABLE)
		return far_key(d, e);
	room[0] = (uint8_t)load_u32(e);
	memcpy(room + 1, e + 4, d->width - 1);
	return (struct wire_view){ room, d->width };
}

uint32_t rib_key_table_next(const struct rib_key_table *d, uint32_t from)
{
	return rib_id_pool_next(&d->pool, from);
}

/* Patterns */

/*
 * Compare words of four bytes: the size of an entry is a multiple of that, and
 * the mask is zero beyond the key.
 */
static bool entry_matches(const uint8_t *e, size_t words,
			  const struct rib_key_pattern *p)
{
	uint8_t first = (uint8_t)load_u32(e);

	for (size_t i = 0; i < 4 * words; i += 4)
		if ((load_u32(e + 4 + i) & load_u32(p->mask + i)) !=
		    load_u32(p->value + i))
			return false;
	return first >= p->first_min && first <= p->first_max;
}

bool rib_key_table_matches(const struct rib_key_table *d, uint32_t id,
			   const struct rib_key_pattern *pattern)
{
	return entry_matches(entry_at(d, id), d->pool.size / 4 - 1, pattern);
}

/*
 * The index of the first of the 64 entries at @e that is in the bit mask
 * @wanted and matches.
 */
static unsigned scan_entries(const struct rib_key_table *d, const uint8_t *e,
			     uint64_t wanted,
			     const struct rib_key_pattern *pattern)
{
	size_t size = d->pool.size;
	size_t words = size / 4 - 1;

	while (wanted != 0) {
		unsigned i = (unsigned)__builtin_ctzll(wanted);

		if (entry_matches(e + i * size, words, pattern))
			return i;
		wanted &= wanted - 1;
	}
	return 64;
}

uint32_t rib_key_table_scan(const struct rib_key_table *d, uint32_t from,
			    uint32_t to, const struct rib_key_pattern *pattern)
{
	for (uint32_t at = from & ~63u; at < to; at += 64) {
		const struct rib_id_pool_chunk *c =
			&d->pool.chunks[at >> RIB_ID_POOL_BITS];
		uint64_t wanted = c->taken[at % RIB_ID_POOL_CHUNK / 64];
		unsigned i;

		if (at < from)
			wanted = wanted >> (from - at) << (from - at);
		if (to - at < 64)
			wanted &= (UINT64_C(1) << (to - at)) - 1;
		if (wanted == 0)
			continue;
		i = scan_entries(d, entry_at(d, at), wanted, pattern);
		if (i < 64)
			return at + i;
	}
	return RIB_NO_ID;
}

uint32_t rib_key_table_end(const struct rib_key_table *d)
{
	return d->pool.limit << RIB_ID_POOL_BITS;
}

uint64_t rib_key_table_bytes(const struct rib_key_table *d)
{
	return rib_hash_index_bytes(&d->index) + rib_id_pool_bytes(&d->pool);
}

bool rib_key_table_validate(const struct rib_key_table *d)
{
	uint8_t room[RIB_KEY_FIXED];

	if (!rib_hash_index_validate(&d->index) ||
	    !rib_id_pool_validate(&d->pool) || d->index.count != d->pool.count)
		return false;
	for (uint32_t id = 0;
	     (id = rib_id_pool_next(&d->pool, id)) != RIB_NO_ID; id++) {
		struct wire_view key = rib_key_table_key(d, id, room);

		if (rib_key_table_find(d, rib_key_table_hash(d, key), key) !=
		    id)
			return false;
	}
	return true;
}
