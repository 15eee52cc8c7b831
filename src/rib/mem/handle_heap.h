/*
 * rib/mem/handle_heap.h - allocations of any length, named by 32-bit numbers
 *
 *	block:	[ header | piece | piece | piece | ... ]
 *	number:	 18 bits of block, 13 bits of offset / 8
 *
 * A piece is the memory of one allocation. All pieces of a block have one size.
 * A number takes half the space of a pointer, and most of the data here are
 * such numbers. Bit 31 of a number is never set, and the numbers below 8192 are
 * never used: the users of the heap may use both for other purposes.
 *
 * Sizes are rounded up to a size class, by at most an eighth. A block is
 * returned to the system with its last allocation. Allocations above 16 KiB
 * have their own block, from malloc.
 */
#ifndef RIB_MEM_HANDLE_HEAP_H
#define RIB_MEM_HANDLE_HEAP_H

#include "rib/mem/block_alloc.h"

#include <stdbool.h>

#define RIB_HANDLE_HEAP_CLASSES 80

/* The header of each block. */
struct rib_handle_heap_block {
	uint32_t number;
	/* size class; RIB_HANDLE_HEAP_CLASSES = one large piece */
	uint16_t class;
	uint16_t used;	  /* allocations in use */
	uint16_t free;	  /* offset / 8 of the first free slot, 0 = none */
	uint16_t touched; /* offset / 8 after the last slot ever used */
	uint32_t large;	  /* bytes of the large allocation, else 0 */
	/* list of blocks with a free slot */
	struct rib_handle_heap_block *prev;
	struct rib_handle_heap_block *next;
};

struct rib_handle_heap {
	struct rib_block_alloc block_alloc;
	/* array of blocks by block number; entry 0 is not used */
	struct rib_handle_heap_block **blocks;
	uint32_t capacity;
	uint32_t free_number; /* lowest block number that may be free */
	uint32_t block_count;
	uint64_t large_bytes;
	/* bytes of arrays outside the heap, counted by their owners */
	uint64_t beside;
	uint64_t pieces;
	struct rib_handle_heap_block *partial[RIB_HANDLE_HEAP_CLASSES];
};

void rib_handle_heap_init(struct rib_handle_heap *heap);

/* Frees all allocations. */
void rib_handle_heap_fini(struct rib_handle_heap *heap);

/*
 * Allocate @size bytes, which must not be zero. Aligned to 8 bytes, not
 * cleared. NULL if out of memory.
 */
void *rib_handle_heap_alloc(struct rib_handle_heap *heap, size_t size);
void rib_handle_heap_free(struct rib_handle_heap *heap, void *piece);

/* The number of bytes that an allocation of @size bytes gets. */
size_t rib_handle_heap_room(size_t size);

/*
 * The bytes taken from the system, including headers, free slots, and the
 * arrays outside the heap.
 */
uint64_t rib_handle_heap_bytes(const struct rib_handle_heap *heap);

bool rib_handle_heap_validate(const struct rib_handle_heap *heap);

static inline struct rib_handle_heap_block *rib_handle_heap_block(
	const void *piece)
{
	/*
	 * Computed from the pointer itself, so that the compiler knows its
	 * origin.
	 */
	const uint8_t *p = piece;

	return (struct rib_handle_heap_block *)(p - ((uintptr_t)p &
						     (RIB_BLOCK_SIZE - 1)));
}

/* The number of the allocation at @piece. */
static inline uint32_t rib_handle_heap_number(const void *piece)
{
	const struct rib_handle_heap_block *b = rib_handle_heap_block(piece);

	return b->number << 13 |
	       (uint32_t)((uintptr_t)piece & (RIB_BLOCK_SIZE - 1)) >> 3;
}

/* The address of allocation @number. */
static inline void *rib_handle_heap_at(const struct rib_handle_heap *heap,
				       uint32_t number)
{
	return (uint8_t *)heap->blocks[number >> 13] +
	       (size_t)(number & 0x1fff) * 8;
}

#endif
