/*
 * A page is split when it has reached the limit. It is merged with its sibling
 * when the result would be less than half full, so that a page is not split and
 * merged repeatedly.
 */
#include "rib/mem/hash_index.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT_AT  432
#define MERGE_AT  200
#define DEPTH_MAX 23

static_assert(sizeof(struct rib_hash_index_page) == 4096, "a page");

void rib_hash_index_init(struct rib_hash_index *index,
			 struct rib_handle_heap *heap)
{
	*index = (struct rib_hash_index){ .heap = heap };
}

static size_t directory_size(const struct rib_hash_index *index)
{
	return index->directory == NULL ? 0 : (size_t)1 << index->depth;
}

/* The first directory entry for @page's range of hashes. */
static size_t first_of(const struct rib_hash_index *index,
		       const struct rib_hash_index_page *page, size_t at)
{
	unsigned spare = index->depth - page->depth;

	return at >> spare << spare;
}

static size_t entries_of(const struct rib_hash_index *index,
			 const struct rib_hash_index_page *page)
{
	return (size_t)1 << (index->depth - page->depth);
}

void rib_hash_index_fini(struct rib_hash_index *index)
{
	size_t i = 0;

	while (i < directory_size(index)) {
		struct rib_hash_index_page *page = index->directory[i];

		i += entries_of(index, page);
		rib_handle_heap_free(index->heap, page);
	}
	free(index->directory);
	rib_hash_index_init(index, index->heap);
}

static struct rib_hash_index_page *page_new(struct rib_hash_index *index,
					    unsigned depth)
{
	struct rib_hash_index_page *page =
		rib_handle_heap_alloc(index->heap, sizeof(*page));

	if (page == NULL)
		return NULL;
	memset(page, 0, sizeof(*page));
	page->depth = (uint8_t)depth;
	return page;
}

static void page_add(struct rib_hash_index_page *page, uint64_t slot)
{
	uint32_t at = rib_hash_index_home((uint32_t)(slot >> 32));

	while (page->slots[at] != 0)
		at = at + 1 == RIB_HASH_INDEX_SLOTS ? 0 : at + 1;
	page->slots[at] = slot;
	page->count++;
}

/* True if @home, the home slot of an entry, is cyclically in (@gap, @at]. */
static bool slot_stays(uint32_t home, uint32_t gap, uint32_t at)
{
	return gap < at ? home > gap && home <= at : home > gap || home <= at;
}

/*
 * Empty the slot @gap, and move back the entries that collisions had displaced
 * beyond it.
 */
static void page_remove(struct rib_hash_index_page *page, uint32_t gap)
{
	uint32_t at = gap;

	for (;;) {
		at = at + 1 == RIB_HASH_INDEX_SLOTS ? 0 : at + 1;
		if (page->slots[at] == 0)
			break;
		if (slot_stays(rib_hash_index_home(
				       (uint32_t)(page->slots[at] >> 32)),
			       gap, at))
			continue;
		page->slots[gap] = page->slots[at];
		gap = at;
	}
	page->slots[gap] = 0;
	page->count--;
}

static int double_directory(struct rib_hash_index *index)
{
	size_t size = directory_size(index);
	struct rib_hash_index_page **twice;

	/* There are billions of entries, or many have the same hash. */
	if (index->depth == DEPTH_MAX)
		return -ENOMEM;
	twice = malloc(2 * size * sizeof(struct rib_hash_index_page *));
	if (twice == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		/* All 1 << depth entries are initialised. */
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
		twice[2 * i] = twice[2 * i + 1] = index->directory[i];
	free(index->directory);
	index->directory = twice;
	index->depth++;
	return 0;
}

/* Move the entries of @page whose next hash bit is set to @high. */
static void move_half(struct rib_hash_index_page *page,
		      struct rib_hash_index_page *high)
{
	struct rib_hash_index_page old = *page;
	unsigned bit = 63u - old.depth;

	memset(page->slots, 0, sizeof(page->slots));
	page->count = 0;
	page->depth++;
	for (unsigned i = 0; i < RIB_HASH_INDEX_SLOTS; i++)
		if (old.slots[i] != 0)
			page_add(old.slots[i] >> bit & 1 ? high : page,
				 old.slots[i]);
}

static int page_split(struct rib_hash_index *index, uint32_t hash)
{
	struct rib_hash_index_page *page = rib_hash_index_page(index, hash);
	struct rib_hash_index_page *high;
	size_t first, half;

	if (page->depth == index->depth && double_directory(index) < 0)
		return -ENOMEM;
	high = page_new(index, page->depth + 1u);
	if (high == NULL)
		return -ENOMEM;
	first = first_of(index, page, hash >> 1 >> (31 - index->depth));
	half = entries_of(index, page) / 2;
	for (size_t i = 0; i < half; i++)
		index->directory[first + half + i] = high;
	move_half(page, high);
	return 0;
}

static int first_page(struct rib_hash_index *index)
{
	index->directory = malloc(sizeof(struct rib_hash_index_page *));
	if (index->directory == NULL)
		return -ENOMEM;
	index->directory[0] = page_new(index, 0);
	if (index->directory[0] != NULL)
		return 0;
	free(index->directory);
	index->directory = NULL;
	return -ENOMEM;
}

int rib_hash_index_add(struct rib_hash_index *index, uint32_t hash,
		       uint32_t number)
{
	assert(number != 0);
	if (index->directory == NULL && first_page(index) < 0)
		return -ENOMEM;
	while (rib_hash_index_page(index, hash)->count >= SPLIT_AT)
		if (page_split(index, hash) < 0)
			return -ENOMEM;
	page_add(rib_hash_index_page(index, hash),
		 (uint64_t)hash << 32 | number);
	index->count++;
	return 0;
}

/* Merge two siblings into one page and free the other. */
static void page_merge(struct rib_hash_index *index, uint32_t hash)
{
	struct rib_hash_index_page *page = rib_hash_index_page(index, hash);
	size_t first, count;
	struct rib_hash_index_page *other;

	if (page->depth == 0)
		return;
	first = first_of(index, page, hash >> 1 >> (31 - index->depth));
	count = entries_of(index, page);
	other = index->directory[first ^ count];
	if (other->depth != page->depth ||
	    other->count + page->count > MERGE_AT)
		return;
	for (unsigned i = 0; i < RIB_HASH_INDEX_SLOTS; i++)
		if (other->slots[i] != 0)
			page_add(page, other->slots[i]);
	for (size_t i = 0; i < count; i++)
		index->directory[(first ^ count) + i] = page;
	page->depth--;
	rib_handle_heap_free(index->heap, other);
}

void rib_hash_index_remove(struct rib_hash_index *index, uint32_t hash,
			   uint32_t number)
{
	struct rib_hash_index_page *page = rib_hash_index_page(index, hash);
	uint64_t slot = (uint64_t)hash << 32 | number;
	uint32_t at = rib_hash_index_home(hash);

	while (page->slots[at] != slot) {
		assert(page->slots[at] != 0);
		at = at + 1 == RIB_HASH_INDEX_SLOTS ? 0 : at + 1;
	}
	page_remove(page, at);
	index->count--;
	if (page->count < MERGE_AT / 2)
		page_merge(index, hash);
}

uint64_t rib_hash_index_bytes(const struct rib_hash_index *index)
{
	return directory_size(index) * sizeof(struct rib_hash_index_page *);
}

/* Each entry must be found from its hash, in the page that its hash selects. */
static bool page_valid(const struct rib_hash_index *index,
		       const struct rib_hash_index_page *page)
{
	unsigned count = 0;

	for (unsigned i = 0; i < RIB_HASH_INDEX_SLOTS; i++) {
		uint64_t slot = page->slots[i];
		struct rib_hash_index_probe p;
		uint32_t number;

		if (slot == 0)
			continue;
		count++;
		if (rib_hash_index_page(index, (uint32_t)(slot >> 32)) != page)
			return false;
		p = rib_hash_index_probe(index, (uint32_t)(slot >> 32));
		do
			number = rib_hash_index_next(&p);
		while (number != 0 && number != (uint32_t)slot);
		if (number == 0)
			return false;
	}
	return count == page->count && count <= SPLIT_AT;
}

bool rib_hash_index_validate(const struct rib_hash_index *index)
{
	uint64_t count = 0;
	size_t i = 0;

	while (i < directory_size(index)) {
		const struct rib_hash_index_page *page = index->directory[i];

		if (page->depth > index->depth || !page_valid(index, page))
			return false;
		for (size_t k = 0; k < entries_of(index, page); k++)
			if (index->directory[i + k] != page)
				return false;
		count += page->count;
		i += entries_of(index, page);
	}
	return count == index->count;
}
