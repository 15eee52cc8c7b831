/*
 * rib/mem/ptr_map.h - find one of a few thousand pointers by a hash
 *
 * For routers and peers. There are few of them, so the map is simply doubled
 * when it is three quarters full. The caller compares the candidates, as with
 * rib/mem/hash_index.h.
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

struct rib_ptr_map {
	struct rib_ptr_map_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

void rib_ptr_map_init(struct rib_ptr_map *map);
void rib_ptr_map_fini(struct rib_ptr_map *map);

/*
 * Add @p, which is not NULL and must not be in the map. Returns 0 or -ENOMEM.
 */
int rib_ptr_map_add(struct rib_ptr_map *map, uint64_t hash, void *p);
void rib_ptr_map_remove(struct rib_ptr_map *map, uint64_t hash, const void *p);

/* Iterate over the candidates; start with *@at = 0. NULL at the end. */
void *rib_ptr_map_next(const struct rib_ptr_map *map, uint64_t hash,
		       size_t *at);

bool rib_ptr_map_validate(const struct rib_ptr_map *map);

#endif
