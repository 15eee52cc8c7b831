/*
 * rib/route_array.h - the routes of one table, indexed by prefix id
 *
 *	directory	page of 256 numbers
 *	[  page 0   ] -> full:   256 routes of 8 bytes
 *	[  page 1   ] -> packed: a bit for each of the 256, then the routes
 *	[  none     ]		 that are there, in order
 *
 * A full table is 8 bytes per route. A page with few routes is packed, and
 * becomes full when that is not larger. A table with routes in few pages has a
 * directory of those pages only, with binary search; so a peer with ten routes
 * takes a few hundred bytes, whatever the number of prefixes of the shard. All
 * forms are ordered by number, so a walk can always continue from a number.
 */
#ifndef RIB_ROUTE_ARRAY_H
#define RIB_ROUTE_ARRAY_H

#include "rib/mem/handle_heap.h"

/* A stored route. */
struct rib_entry {
	uint32_t value; /* rib/attrset.h; RIB_VALUE_NONE = not present */
	uint32_t stamp; /* generation in 4 bits, time of change in 28 */
};

/* Stamps of routes: 4 bits of generation, 28 of time in steps of 4 s. */
#define RIB_GENERATIONS 16u
#define RIB_TIME_BASE_S UINT64_C(1577836800) /* 2020-01-01 */

static inline uint32_t rib_stamp(uint8_t generation, uint64_t wall_ns)
{
	uint64_t s = wall_ns / 1000000000;
	uint64_t steps = s > RIB_TIME_BASE_S ? (s - RIB_TIME_BASE_S) / 4 : 0;

	/* The range ends in 2054; later times are stored as its end. */
	if (steps > 0xfffffff)
		steps = 0xfffffff;
	return (uint32_t)generation << 28 | (uint32_t)steps;
}

static inline uint8_t rib_stamp_generation(uint32_t stamp)
{
	return (uint8_t)(stamp >> 28);
}

static inline uint64_t rib_stamp_seconds(uint32_t stamp)
{
	return RIB_TIME_BASE_S + (uint64_t)(stamp & 0xfffffff) * 4;
}

struct rib_page {
	void *p;
	uint32_t number; /* number >> 8 */
	uint16_t count;
	uint16_t room; /* capacity of a packed page; 256 = a full page */
};

struct rib_route_array {
	struct rib_page *pages;
	/* sparse: number of pages; direct: length of the array */
	uint32_t used;
	uint32_t capacity; /* pages in the array */
	/* indexed by page number; false = sorted and searched */
	bool direct;
	uint32_t filled; /* pages with routes */
	uint64_t count;
};

void rib_route_array_init(struct rib_route_array *r);

/* Frees the memory; the caller releases the values. */
void rib_route_array_fini(struct rib_route_array *r,
			  struct rib_handle_heap *heap);

/* NULL if not present. Valid until the next add or remove. */
struct rib_entry *rib_route_array_find(const struct rib_route_array *r,
				       uint32_t id);

/* A new entry for @id, which must not be present. NULL if out of memory. */
struct rib_entry *rib_route_array_add(struct rib_route_array *r,
				      struct rib_handle_heap *heap,
				      uint32_t id);

/* @id must be present. */
void rib_route_array_remove(struct rib_route_array *r,
			    struct rib_handle_heap *heap, uint32_t id);

/* The first route at or above @from; *@id is its number. NULL if none. */
struct rib_entry *rib_route_array_next(const struct rib_route_array *r,
				       uint32_t from, uint32_t *id);

/* Prefetch the cache line of the route. */
void rib_route_array_prefetch(const struct rib_route_array *r, uint32_t id);

/* Bytes in addition to those in the heap; also reported to the heap. */
uint64_t rib_route_array_bytes(const struct rib_route_array *r);

bool rib_route_array_validate(const struct rib_route_array *r);

#endif
