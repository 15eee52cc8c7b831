/*
 * rib/mem/hash_index.h - find a number by a hash, with incremental growth
 *
 *	directory, by the first bits of the hash
 *	[ . | . | . | . | . | . | . | . ]
 *	  |   |   \__ \__ |
 *	page page     page	510 slots of { hash, number } each, probed
 *				from a slot that the hash determines
 *
 * Extendible hashing: a page that becomes full is split in two by one more bit
 * of the hash, and only its entries are moved. A hash table that is doubled at
 * once would block the shard for tens of milliseconds at a few million entries.
 * Two sibling pages with few entries are merged.
 *
 * The caller chooses the numbers, which must not be zero. A lookup returns
 * candidates: all 32 bits of their hash are equal, and the caller compares the
 * keys. Nearly every candidate is the right one. Hashes must be seeded, so that
 * routers cannot choose the page of their keys.
 */
#ifndef RIB_MEM_HASH_INDEX_H
#define RIB_MEM_HASH_INDEX_H

#include "rib/mem/handle_heap.h"

#define RIB_HASH_INDEX_SLOTS 510

struct rib_hash_index_page {
	uint16_t count;
	/* number of leading hash bits that all its entries share */
	uint8_t depth;
	uint8_t unused[13];
	/* hash << 32 | number; 0 = free */
	uint64_t slots[RIB_HASH_INDEX_SLOTS];
};

struct rib_hash_index {
	struct rib_handle_heap *heap; /* heap in which pages are allocated */
	struct rib_hash_index_page **directory;
	unsigned depth; /* the directory has 1 << depth entries */
	uint64_t count;
};

/* Initialise the index. It allocates nothing until the first entry is added. */
void rib_hash_index_init(struct rib_hash_index *index,
			 struct rib_handle_heap *heap);
void rib_hash_index_fini(struct rib_hash_index *index);

/* Add an entry, which must not exist yet. Returns 0 or -ENOMEM. */
int rib_hash_index_add(struct rib_hash_index *index, uint32_t hash,
		       uint32_t number);

/* Remove an entry, which must exist. */
void rib_hash_index_remove(struct rib_hash_index *index, uint32_t hash,
			   uint32_t number);

/* The bytes that are not in the heap. */
uint64_t rib_hash_index_bytes(const struct rib_hash_index *index);

bool rib_hash_index_validate(const struct rib_hash_index *index);

/*
 * Iterate over the candidates for a hash:
 *
 *	struct rib_hash_index_probe p = rib_hash_index_probe(index, hash);
 *	while ((number = rib_hash_index_next(&p)) != 0)
 *		if (the key of number is the key looked for)
 */
struct rib_hash_index_probe {
	const uint64_t *slots;
	uint32_t at;
	uint32_t tag;
};

static inline uint32_t rib_hash_index_home(uint32_t hash)
{
	/*
	 * The first bits have selected the page, so all entries of the page
	 * share them. The multiplication makes the slot depend on the other
	 * bits.
	 */
	uint32_t mixed = hash * UINT32_C(0x9e3779b1);

	return (uint32_t)((uint64_t)mixed * RIB_HASH_INDEX_SLOTS >> 32);
}

static inline struct rib_hash_index_page *rib_hash_index_page(
	const struct rib_hash_index *index, uint32_t hash)
{
	/* Two shifts, because a shift by 32 is undefined. */
	return index->directory[hash >> 1 >> (31 - index->depth)];
}

static inline struct rib_hash_index_probe rib_hash_index_probe(
	const struct rib_hash_index *index, uint32_t hash)
{
	static const uint64_t none[1];

	if (index->directory == NULL)
		return (struct rib_hash_index_probe){ .slots = none };
	return (struct rib_hash_index_probe){
		.slots = rib_hash_index_page(index, hash)->slots,
		.at = rib_hash_index_home(hash),
		.tag = hash,
	};
}

static inline uint32_t rib_hash_index_next(struct rib_hash_index_probe *p)
{
	for (;;) {
		uint64_t slot = p->slots[p->at];

		if (slot == 0)
			return 0;
		if (++p->at == RIB_HASH_INDEX_SLOTS)
			p->at = 0;
		if (slot >> 32 == p->tag)
			return (uint32_t)slot;
	}
}

/* Prefetch the cache line where a probe will begin. */
static inline void rib_hash_index_prefetch(const struct rib_hash_index *index,
					   uint32_t hash)
{
	if (index->directory != NULL)
		__builtin_prefetch(&rib_hash_index_page(index, hash)
					    ->slots[rib_hash_index_home(hash)]);
}

#endif
