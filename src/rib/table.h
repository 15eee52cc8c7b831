/*
 * rib/table.h - one table of one peer: its routes, sweeps and floods
 *
 * See rib/rib_internal.h for the picture. Nothing here knows of sessions and timers;
 * nothing but rib_table_slice() does more than a bounded amount of work.
 */
#ifndef RIB_TABLE_H
#define RIB_TABLE_H

#include "rib/rib_internal.h"

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

/* Life */

struct rib_table *rib_table_find(struct rib_peer *peer, uint8_t view,
				 uint16_t afi, uint8_t safi);

/* Find or make it. -ENOMEM, or -ENOSPC beyond max_tables. */
int rib_table_get(struct rib_peer *peer, uint8_t view, uint16_t afi,
		  uint8_t safi, struct rib_table **out);

/* Its routes and floods go without a word. */
void rib_table_free(struct rib_table *table);

/* Put on the table what its peer says of itself now. */
void rib_table_refresh(struct rib_table *table);

/* Routes */

/* Which of the two stores of routes. */
static inline struct rib_routes *rib_store_routes(struct rib_store *store,
						  bool paths)
{
	return paths ? &store->paths : &store->plain;
}

/*
 * Put a new route in. @id has a key, maybe without a reference; @value's
 * reference is taken over. -ENOMEM: nothing happened.
 */
int rib_table_insert(struct rib_table *table, bool paths, uint32_t id,
		     uint32_t value, uint32_t stamp);

/* Take a route out that is there. @id may be another key's afterwards. */
void rib_table_remove(struct rib_table *table, bool paths, uint32_t id);

/*
 * The number of the pair of a prefix and a path id, found or RIB_NO_ID; made
 * without a reference, but holding one on the prefix.
 */
uint32_t rib_path_find(const struct rib_table *table, uint32_t prefix,
		       uint32_t path_id);
uint32_t rib_path_add(struct rib_table *table, uint32_t prefix,
		      uint32_t path_id);

/*
 * A reference on the key of a route, and back. The last one back forgets the
 * key; of a key that never had one, rib_key_drop() does.
 */
void rib_key_get(struct rib_table *table, bool paths, uint32_t id);
void rib_key_put(struct rib_table *table, bool paths, uint32_t id);
void rib_key_drop(struct rib_table *table, bool paths, uint32_t id);

/* Fill in the route of @id: key, path id, and for announcements the rest. */
void rib_table_route_key(const struct rib_table *table, bool paths, uint32_t id,
			 struct rib_route *out, uint8_t room[RIB_KEY_FIXED]);

/* For the files of the table: */

static inline uint64_t rib_store_count(const struct rib_store *store)
{
	return store->plain.count + store->paths.count;
}

/* Out of a store, with what it held. */
void rib_store_remove(struct rib_table *table, struct rib_store *store,
		      bool paths, uint32_t id, uint32_t value);
void rib_table_count_routes(struct rib_table *table, int64_t n);
void rib_table_count_dying(struct rib_table *table, int64_t n);
void rib_flood_free(struct rib_table *table, struct rib_flood *flood);

/* Generations */

/* Its router tells it anew from now. @clock is the router's. */
void rib_table_generation(struct rib_table *table, uint64_t clock);

/*
 * All there is was told: sweep the rest, in slices. Not where something of it
 * was dropped: that waits for the next generation.
 */
void rib_table_sweep(struct rib_table *table, const struct rib_when *when);

/* It waits for an End-of-RIB, or no longer. */
void rib_table_wait(struct rib_table *table);
void rib_table_unwait(struct rib_table *table);

/* Floods */

enum rib_flood_flags {
	RIB_FLOOD_SLICES = 0, /* all of it later */
	RIB_FLOOD_SMALL = 1,  /* at once if it is small */
	RIB_FLOOD_NOW = 2,    /* all at once, whatever it takes */
};

/* Routes in a table that is small. */
#define RIB_SMALL_FLOOD 64

/* Everything in the table was taken back. */
void rib_table_flood(struct rib_table *table, const struct rib_when *when,
		     enum rib_reason reason, enum rib_flood_flags flags);

/* The AS of its peer is another now: its floods are published elsewhere. */
void rib_table_move(struct rib_table *table);

/*
 * If a flood has the route, publish its withdraw now. The key may be gone then,
 * if the caller has no reference on it.
 */
bool rib_table_rescue(struct rib_table *table, const struct rib_when *when,
		      bool paths, uint32_t id);

/* Work */

void rib_table_queue(struct rib_table *table);
void rib_table_unqueue(struct rib_table *table);

/*
 * Publish again from *@place on, up to @budget routes; says at how many it
 * looked. At the end, place->id is RIB_NO_ID.
 */
size_t rib_table_again(struct rib_table *table, const struct rib_when *when,
		       struct rib_place *place, size_t budget);

/*
 * Do about @budget routes of what the table has to do, and say how many it
 * were. If that was all, the table is no longer queued.
 */
size_t rib_table_slice(struct rib_table *table, const struct rib_when *when,
		       size_t budget);

/*
 * The attribute set of a plain route; RIB_VALUE_NONE: it is not there, or its
 * attributes are unknown.
 */
uint32_t rib_table_set(const struct rib_table *table, uint32_t id);

#endif
