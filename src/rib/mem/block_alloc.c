#include "rib/mem/block_alloc.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#define FIRST_BLOCKS 16	 /* 1 MiB: size of the first region in blocks */
#define LATER_BLOCKS 256 /* 16 MiB: size of later regions in blocks */
#define HUGE_PAGE    ((size_t)2 << 20)

static size_t region_size(const struct rib_block_region *r)
{
	return r->blocks * RIB_BLOCK_SIZE;
}

/* Map @size bytes at a multiple of @align, or return NULL. */
static uint8_t *map_aligned(size_t size, size_t align)
{
	uint8_t *p = mmap(NULL, size + align, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p & (align - 1);
	if (before != 0)
		munmap(p, before);
	munmap(p + before + size, align - before);
	return p + before;
}

static struct rib_block_region *region_new(uint32_t blocks)
{
	struct rib_block_region *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->blocks = blocks;
	if (blocks == FIRST_BLOCKS) {
		r->base = map_aligned(region_size(r), RIB_BLOCK_SIZE);
	} else {
		r->base = map_aligned(region_size(r), HUGE_PAGE);
		/*
		 * madvise() is only a hint: if it is refused, small pages are
		 * used.
		 */
		if (r->base != NULL)
			(void)madvise(r->base, region_size(r), MADV_HUGEPAGE);
	}
	if (r->base != NULL)
		return r;
	free(r);
	return NULL;
}

void rib_block_alloc_init(struct rib_block_alloc *alloc)
{
	*alloc = (struct rib_block_alloc){ 0 };
}

void rib_block_alloc_fini(struct rib_block_alloc *alloc)
{
	struct rib_block_region *r = alloc->first;

	while (r != NULL) {
		struct rib_block_region *next = r->next;

		munmap(r->base, region_size(r));
		free(r);
		r = next;
	}
	rib_block_alloc_init(alloc);
}

/* Take the lowest free block; there must be one. */
static void *take_block(struct rib_block_alloc *alloc,
			struct rib_block_region *r)
{
	unsigned word = 0;
	unsigned bit;

	while (r->taken[word] == UINT64_MAX)
		word++;
	bit = (unsigned)__builtin_ctzll(~r->taken[word]);
	r->taken[word] |= UINT64_C(1) << bit;
	r->used++;
	alloc->bytes += RIB_BLOCK_SIZE;
	return r->base + (64 * word + bit) * RIB_BLOCK_SIZE;
}

void *rib_block_alloc_get(struct rib_block_alloc *alloc)
{
	struct rib_block_region **at = &alloc->first;

	while (*at != NULL) {
		if ((*at)->used < (*at)->blocks)
			return take_block(alloc, *at);
		at = &(*at)->next;
	}
	*at = region_new(alloc->first == NULL ? FIRST_BLOCKS : LATER_BLOCKS);
	return *at == NULL ? NULL : take_block(alloc, *at);
}

static bool region_contains(const struct rib_block_region *r, const uint8_t *p)
{
	return p >= r->base && p < r->base + region_size(r);
}

void rib_block_alloc_put(struct rib_block_alloc *alloc, void *block)
{
	struct rib_block_region **at = &alloc->first;
	struct rib_block_region *r;
	size_t n;

	while (!region_contains(*at, block))
		at = &(*at)->next;
	r = *at;
	n = (size_t)((uint8_t *)block - r->base) >> RIB_BLOCK_BITS;
	assert(r->taken[n / 64] >> (n % 64) & 1);
	r->taken[n / 64] &= ~(UINT64_C(1) << (n % 64));
	r->used--;
	alloc->bytes -= RIB_BLOCK_SIZE;
	if (r->used != 0 || r == alloc->first) {
		/* The next user of the block gets zeros. */
		(void)madvise(block, RIB_BLOCK_SIZE, MADV_DONTNEED);
		return;
	}
	*at = r->next;
	munmap(r->base, region_size(r));
	free(r);
}
