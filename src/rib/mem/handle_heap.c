#include "rib/mem/handle_heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define HEADER	   sizeof(struct rib_handle_heap_block)
#define LARGEST	   16384
#define NUMBERS	   ((uint32_t)1 << 18)
#define LARGE_KIND RIB_HANDLE_HEAP_CLASSES

static_assert(sizeof(struct rib_handle_heap_block) % 8 == 0,
	      "pieces are aligned");

/*
 * Size classes: multiples of 8 bytes up to 128, then eight classes per
 * doubling. The largest is class 15 + 8 * 7 = 71.
 */
static unsigned class_of(size_t size)
{
	unsigned shift;

	if (size <= 128)
		return (unsigned)((size + 7) / 8) - 1;
	/* 129..256 in steps of 16, 257..512 in steps of 32, and so on. */
	shift = 60u - (unsigned)__builtin_clzll(size - 1);
	return 16 + 8 * (shift - 4) + ((unsigned)((size - 1) >> shift) - 8);
}

static size_t class_size(unsigned class)
{
	unsigned step;

	if (class < 16)
		return 8 * (class + 1);
	step = (class - 16) / 8 + 4;
	return (size_t)(9 + (class - 16) % 8) << step;
}

size_t rib_handle_heap_room(size_t size)
{
	return size > LARGEST ? size : class_size(class_of(size));
}

void rib_handle_heap_init(struct rib_handle_heap *heap)
{
	*heap = (struct rib_handle_heap){ .free_number = 1 };
	rib_block_alloc_init(&heap->block_alloc);
}

void rib_handle_heap_fini(struct rib_handle_heap *heap)
{
	for (uint32_t i = 1; i < heap->capacity; i++)
		if (heap->blocks[i] != NULL &&
		    heap->blocks[i]->class == LARGE_KIND)
			free(heap->blocks[i]);
	rib_block_alloc_fini(&heap->block_alloc);
	free(heap->blocks);
	rib_handle_heap_init(heap);
}

/* Make sure that there is a free number for one more block. */
static bool reserve_number(struct rib_handle_heap *heap)
{
	uint32_t capacity = heap->capacity == 0 ? 64 : heap->capacity * 2;
	struct rib_handle_heap_block **blocks;

	while (heap->free_number < heap->capacity &&
	       heap->blocks[heap->free_number] != NULL)
		heap->free_number++;
	if (heap->free_number < heap->capacity)
		return true;
	if (capacity > NUMBERS)
		return false;
	blocks = realloc(heap->blocks,
			 capacity * sizeof(struct rib_handle_heap_block *));
	if (blocks == NULL)
		return false;
	memset(blocks + heap->capacity, 0,
	       (capacity - heap->capacity) *
		       sizeof(struct rib_handle_heap_block *));
	heap->blocks = blocks;
	heap->capacity = capacity;
	return true;
}

static void set_number(struct rib_handle_heap *heap,
		       struct rib_handle_heap_block *b)
{
	b->number = heap->free_number;
	heap->blocks[b->number] = b;
	heap->block_count++;
}

static void clear_number(struct rib_handle_heap *heap,
			 const struct rib_handle_heap_block *b)
{
	heap->blocks[b->number] = NULL;
	heap->block_count--;
	if (b->number < heap->free_number)
		heap->free_number = b->number;
}

static void link_partial(struct rib_handle_heap *heap,
			 struct rib_handle_heap_block *b)
{
	b->prev = NULL;
	b->next = heap->partial[b->class];
	if (b->next != NULL)
		b->next->prev = b;
	heap->partial[b->class] = b;
}

static void unlink_partial(struct rib_handle_heap *heap,
			   struct rib_handle_heap_block *b)
{
	if (b->prev != NULL)
		b->prev->next = b->next;
	else
		heap->partial[b->class] = b->next;
	if (b->next != NULL)
		b->next->prev = b->prev;
}

static unsigned pieces_of(unsigned class)
{
	return (unsigned)((RIB_BLOCK_SIZE - HEADER) / class_size(class));
}

static struct rib_handle_heap_block *block_new(struct rib_handle_heap *heap,
					       unsigned class)
{
	struct rib_handle_heap_block *b;

	if (!reserve_number(heap))
		return NULL;
	b = rib_block_alloc_get(&heap->block_alloc);
	if (b == NULL)
		return NULL;
	b->class = (uint16_t) class;
	b->touched = HEADER / 8;
	set_number(heap, b);
	link_partial(heap, b);
	return b;
}

static void *large_alloc(struct rib_handle_heap *heap, size_t size)
{
	size_t whole = HEADER + size;
	struct rib_handle_heap_block *b;

	if (whole > UINT32_MAX || !reserve_number(heap))
		return NULL;
	/*
	 * Aligned to RIB_BLOCK_SIZE, so that the header of an allocation can be
	 * computed.
	 */
	if (posix_memalign((void **)&b, RIB_BLOCK_SIZE, whole) != 0)
		return NULL;
	*b = (struct rib_handle_heap_block){
		.class = LARGE_KIND,
		.used = 1,
		.large = (uint32_t)whole,
	};
	set_number(heap, b);
	heap->large_bytes += whole;
	heap->pieces++;
	return b + 1;
}

void *rib_handle_heap_alloc(struct rib_handle_heap *heap, size_t size)
{
	struct rib_handle_heap_block *b;
	unsigned class;
	uint8_t *p;

	if (size > LARGEST)
		return large_alloc(heap, size);
	class = class_of(size);
	b = heap->partial[class];
	if (b == NULL)
		b = block_new(heap, class);
	if (b == NULL)
		return NULL;
	if (b->free != 0) {
		p = (uint8_t *)b + (size_t)b->free * 8;
		memcpy(&b->free, p, sizeof(b->free));
	} else {
		p = (uint8_t *)b + (size_t)b->touched * 8;
		b->touched = (uint16_t)(b->touched + class_size(class) / 8);
	}
	b->used++;
	heap->pieces++;
	if (b->used == pieces_of(class))
		unlink_partial(heap, b);
	return p;
}

static void large_free(struct rib_handle_heap *heap,
		       struct rib_handle_heap_block *b)
{
	clear_number(heap, b);
	heap->large_bytes -= b->large;
	free(b);
}

void rib_handle_heap_free(struct rib_handle_heap *heap, void *piece)
{
	struct rib_handle_heap_block *b;

	if (piece == NULL)
		return;
	b = rib_handle_heap_block(piece);
	heap->pieces--;
	if (b->class == LARGE_KIND) {
		large_free(heap, b);
		return;
	}
	memcpy(piece, &b->free, sizeof(b->free));
	b->free = (uint16_t)(((uintptr_t)piece & (RIB_BLOCK_SIZE - 1)) / 8);
	if (b->used == pieces_of(b->class))
		link_partial(heap, b);
	b->used--;
	/*
	 * Keep the last block of a class, because it would soon be needed
	 * again.
	 */
	if (b->used != 0 || (b->prev == NULL && b->next == NULL))
		return;
	unlink_partial(heap, b);
	clear_number(heap, b);
	rib_block_alloc_put(&heap->block_alloc, b);
}

uint64_t rib_handle_heap_bytes(const struct rib_handle_heap *heap)
{
	return heap->block_alloc.bytes + heap->large_bytes + heap->beside +
	       heap->capacity * sizeof(struct rib_handle_heap_block *);
}

static bool block_valid(const struct rib_handle_heap_block *b, uint32_t number)
{
	unsigned steps = 0;
	uint16_t free = b->free;

	if (b->number != number || b->used > pieces_of(b->class))
		return false;
	while (free != 0) {
		const uint8_t *p = (const uint8_t *)b + (size_t)free * 8;

		if (free >= b->touched || steps++ > pieces_of(b->class))
			return false;
		memcpy(&free, p, sizeof(free));
	}
	/* Every slot that was ever used is in use or on the free list. */
	return (size_t)(steps + b->used) * class_size(b->class) + HEADER ==
	       (size_t)b->touched * 8;
}

bool rib_handle_heap_validate(const struct rib_handle_heap *heap)
{
	uint64_t pieces = 0;
	uint32_t blocks = 0;

	for (uint32_t i = 0; i < heap->capacity; i++) {
		const struct rib_handle_heap_block *b = heap->blocks[i];

		if (b == NULL)
			continue;
		blocks++;
		pieces += b->used;
		if (b->class == LARGE_KIND)
			continue;
		if (!block_valid(b, i))
			return false;
	}
	return blocks == heap->block_count && pieces == heap->pieces;
}
