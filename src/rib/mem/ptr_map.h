/*
 * rib/mem/ptr_map.h - find one of a few thousand pointers by a hash or by its
 * serial number
 *
 *	slots, by hash			free, { hash, p }, free, { hash, p }
 *	serials, in ascending order	{ 3, p }, { 4, removed }, { 9, p }
 *
 * For routers and peers. There are few of them, so the map is simply doubled
 * when it is three quarters full. The caller compares the candidates, as with
 * rib/mem/hash_index.h.
 *
 * Each object gets a larger serial number than all before it, so it is appended
 * to serials, and a binary search finds it. A walk in slices stores a serial
 * number as its position and continues there without visiting earlier objects.
 * When more than half of serials are removed, they are compacted.
 */
#ifndef RIB_MEM_PTR_MAP_H
#define RIB_MEM_PTR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rib_ptr_map_slot {
	uint64_t hash;
	void *p; /* NULL = free */
};

struct rib_ptr_map_serial {
	uint64_t serial;
	void *p; /* NULL = removed */
};

struct rib_ptr_map {
	struct rib_ptr_map_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
	struct rib_ptr_map_serial *serials;
	size_t serial_used; /* entries, including removed ones */
	size_t serial_capacity;
};

void rib_ptr_map_init(struct rib_ptr_map *map);
void rib_ptr_map_fini(struct rib_ptr_map *map);

/*
 * Add @p, which is not NULL and must not be in the map. @serial is larger than
 * that of any object before. Returns 0 or -ENOMEM.
 */
int rib_ptr_map_add(struct rib_ptr_map *map, uint64_t hash, uint64_t serial,
		    void *p);
void rib_ptr_map_remove(struct rib_ptr_map *map, uint64_t hash, uint64_t serial,
			const void *p);

/* Iterate over the candidates; start with *@at = 0. NULL at the end. */
void *rib_ptr_map_next(const struct rib_ptr_map *map, uint64_t hash,
		       size_t *at);

/* The first object whose serial number is @serial or more, or NULL. */
void *rib_ptr_map_from(const struct rib_ptr_map *map, uint64_t serial);

uint64_t rib_ptr_map_bytes(const struct rib_ptr_map *map);
bool rib_ptr_map_validate(const struct rib_ptr_map *map);

#endif
