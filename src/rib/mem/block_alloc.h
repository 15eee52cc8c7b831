/*
 * rib/mem/block_alloc.h - allocate blocks of 64 KiB from the system
 *
 *	region of 16 MiB:  [block][block][ free ][block][ free ]...
 *
 * Data of the rib lives for hours, and then millions of objects are freed.
 * malloc would keep most of their memory, because it returns only the end of
 * its heap to the system. Here the memory of a freed block is returned to the
 * system immediately. A region, except the first, is unmapped when its last
 * block is freed.
 *
 * The first region is small, so that a rib with few routes is small; later ones
 * request huge pages, because lookups are random.
 */
#ifndef RIB_MEM_BLOCK_ALLOC_H
#define RIB_MEM_BLOCK_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#define RIB_BLOCK_BITS 16
#define RIB_BLOCK_SIZE ((size_t)1 << RIB_BLOCK_BITS)

struct rib_block_region {
	struct rib_block_region *next;
	uint8_t *base;
	uint32_t blocks;
	uint32_t used;
	uint64_t taken[4]; /* one bit per block */
};

struct rib_block_alloc {
	struct rib_block_region *first;
	uint64_t bytes; /* bytes of used blocks */
};

void rib_block_alloc_init(struct rib_block_alloc *alloc);

/* Unmap all regions, including used blocks. */
void rib_block_alloc_fini(struct rib_block_alloc *alloc);

/*
 * Allocate a block, which is zeroed and aligned to its size. NULL if out of
 * memory.
 */
void *rib_block_alloc_get(struct rib_block_alloc *alloc);
void rib_block_alloc_put(struct rib_block_alloc *alloc, void *block);

#endif
