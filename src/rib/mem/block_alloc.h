/*
 * rib/mem/block_alloc.h - blocks of 64 KiB from the system, and back to it
 *
 *	region of 16 MiB:  [block][block][ free ][block][ free ]...
 *
 * What the rib keeps lives for hours and goes away by the million. malloc
 * would keep most of that: it gives back what lies at the end of its heap.
 * Here a block that is put back leaves the process at once, and a region with
 * it when its last block goes.
 *
 * The first region is small, so that a rib with few routes is small; later
 * ones ask for huge pages, because look-ups in them are at random.
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
	uint64_t taken[4]; /* one bit a block */
};

struct rib_block_alloc {
	struct rib_block_region *first;
	uint64_t bytes; /* in blocks that are taken */
};

void rib_block_alloc_init(struct rib_block_alloc *alloc);

/* Everything goes, taken or not. */
void rib_block_alloc_fini(struct rib_block_alloc *alloc);

/* A block of zeros, aligned to its size. NULL: no memory. */
void *rib_block_alloc_get(struct rib_block_alloc *alloc);
void rib_block_alloc_put(struct rib_block_alloc *alloc, void *block);

#endif
