/*
 * rib/route_array.h - the routes of one table, indexed by prefix id
 *
 *	directory	page of 256 prefix ids
 *	[  page 0   ] -> full:   256 routes of 8 bytes
 *	[  page 1   ] -> packed: one bit for each of the 256, then only
 *	[  none     ]		 the routes that exist, in order
 *
 * A table needs 8 bytes per route if all its pages are full. A page with few
 * routes is packed; it becomes full when that needs no more memory. A table
 * with routes in few pages has a directory of those pages only, with binary
 * search; so a peer with ten routes takes a few hundred bytes, whatever the
 * number of prefixes of the shard. All forms are ordered by prefix id, so a
 * walk can always continue from an id.
 */
#ifndef RIB_ROUTE_ARRAY_H
#define RIB_ROUTE_ARRAY_H

#include "rib/mem/handle_heap.h"

/* A stored route. */
struct rib_entry {
	uint32_t value; /* see rib/attrset.h; RIB_VALUE_NONE = no route */
	/* generation (4 bits), time of the last change (28 bits) */
	uint32_t stamp;
};

/*
 * The stamp of a route: 4 bits of generation, and 28 bits of time in steps of 4
 * s.
 */
#define RIB_GENERATIONS 16u
#define RIB_TIME_BASE_S UINT64_C(1577836800) /* 2020-01-01 */

static inline uint32_t rib_stamp(uint8_t generation, uint64_t wall_ns)
{
	uint64_t s = wall_ns / 1000000000;
	uint64_t steps = s > RIB_TIME_BASE_S ? (s - RIB_TIME_BASE_S) / 4 : 0;

	/*
	 * The range ends in 2054; a later time is stored as the end of the
	 * range.
	 */
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
	uint32_t number; /* page number: prefix id >> 8 */
	uint16_t count;
	uint16_t room; /* number of routes that fit; 256 = a full page */
};

struct rib_route_array {
	struct rib_page *pages;
	/* number of pages; if direct, length of the used part of the array */
	uint32_t used;
	uint32_t capacity; /* allocated length of the array */
	/* true = indexed by page number; false = sorted, binary search */
	bool direct;
	uint32_t filled; /* number of pages that have routes */
	uint64_t count;
};

void rib_route_array_init(struct rib_route_array *r);

/* Free the memory. The caller must have released the values. */
void rib_route_array_fini(struct rib_route_array *r,
			  struct rib_handle_heap *heap);

/*
 * Find the route of prefix id @id; NULL if it does not exist. Valid until the
 * next add or remove.
 */
struct rib_entry *rib_route_array_find(const struct rib_route_array *r,
				       uint32_t id);

/* Add an entry for @id, which must not exist. NULL if out of memory. */
struct rib_entry *rib_route_array_add(struct rib_route_array *r,
				      struct rib_handle_heap *heap,
				      uint32_t id);

/* Remove the entry of @id, which must exist. */
void rib_route_array_remove(struct rib_route_array *r,
			    struct rib_handle_heap *heap, uint32_t id);

/*
 * Find the first route with an id of @from or more; *@id is its id. NULL if
 * there is none.
 */
struct rib_entry *rib_route_array_next(const struct rib_route_array *r,
				       uint32_t from, uint32_t *id);

/* Prefetch the cache line with the route of @id. */
void rib_route_array_prefetch(const struct rib_route_array *r, uint32_t id);

/* The bytes that are not in the heap. They are also reported to the heap. */
uint64_t rib_route_array_bytes(const struct rib_route_array *r);

bool rib_route_array_validate(const struct rib_route_array *r);

#endif
