/*
 * rib/route_array.h - the routes of one table: a few bytes each, by prefix number
 *
 *	directory	page of 256 numbers
 *	[  page 0   ] -> full:   256 routes of 8 bytes
 *	[  page 1   ] -> packed: a bit for each of the 256, then the routes
 *	[  none     ]		 that are there, in order
 *
 * A full table is 8 bytes a route. A page with few routes is packed, and
 * becomes full when that takes no more. A table that has routes in few pages
 * has a directory of those only, searched by halves; so a peer with ten routes
 * takes a few hundred bytes, however many prefixes the shard knows. All forms
 * go by number, so a walk that stands at a number can always go on.
 */
#ifndef RIB_ROUTE_ARRAY_H
#define RIB_ROUTE_ARRAY_H

#include "rib/mem/handle_heap.h"

/* What is kept of a route. */
struct rib_entry {
	uint32_t value; /* rib/attrset.h; RIB_VALUE_NONE: not there */
	uint32_t stamp; /* generation in 4 bits, time of change in 28 */
};

/* Stamps of routes: 4 bits of generation, 28 of time in steps of 4 s. */
#define RIB_GENERATIONS 16u
#define RIB_TIME_BASE_S UINT64_C(1577836800) /* 2020-01-01 */

static inline uint32_t rib_stamp(uint8_t generation, uint64_t wall_ns)
{
	uint64_t s = wall_ns / 1000000000;
	uint64_t steps = s > RIB_TIME_BASE_S ? (s - RIB_TIME_BASE_S) / 4 : 0;

	/* It lasts until 2054 and stands still then. */
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
	uint32_t number; /* numbers >> 8 */
	uint16_t count;
	uint16_t room; /* routes a packed page can take; 256: it is full */
};

struct rib_route_array {
	struct rib_page *pages;
	uint32_t used;	   /* sparse: pages there; else the array's length */
	uint32_t capacity; /* pages in the array */
	bool direct;	   /* pages[number], not sorted and searched */
	uint32_t filled;   /* pages with routes */
	uint64_t count;
};

void rib_route_array_init(struct rib_route_array *r);

/* Frees the memory; the values in it are the caller's. */
void rib_route_array_fini(struct rib_route_array *r,
			  struct rib_handle_heap *heap);

/* NULL if it is not there. Good until the next put or remove. */
struct rib_entry *rib_route_array_find(const struct rib_route_array *r,
				       uint32_t id);

/* A new entry for @id, which must not be there. NULL: no memory. */
struct rib_entry *rib_route_array_add(struct rib_route_array *r,
				      struct rib_handle_heap *heap,
				      uint32_t id);

/* @id must be there. */
void rib_route_array_remove(struct rib_route_array *r,
			    struct rib_handle_heap *heap, uint32_t id);

/*
 * The first route whose number is not below @from, its number in *@id. NULL:
 * none.
 */
struct rib_entry *rib_route_array_next(const struct rib_route_array *r,
				       uint32_t from, uint32_t *id);

/* Ask for the line where the route is, or would be. */
void rib_route_array_prefetch(const struct rib_route_array *r, uint32_t id);

/* Bytes beside those in the heap, which knows them as such. */
uint64_t rib_route_array_bytes(const struct rib_route_array *r);

bool rib_route_array_validate(const struct rib_route_array *r);

#endif
