#include "rib/mem/ptr_map.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

void rib_ptr_map_init(struct rib_ptr_map *map)
{
	*map = (struct rib_ptr_map){ 0 };
}

void rib_ptr_map_fini(struct rib_ptr_map *map)
{
	free(map->slots);
	rib_ptr_map_init(map);
}

static void slot_insert(struct rib_ptr_map *map, uint64_t hash, void *p)
{
	size_t at = hash & (map->capacity - 1);

	while (map->slots[at].p != NULL)
		at = (at + 1) & (map->capacity - 1);
	map->slots[at] = (struct rib_ptr_map_slot){ hash, p };
}

static int grow_map(struct rib_ptr_map *map)
{
	struct rib_ptr_map old = *map;
	size_t capacity = old.capacity == 0 ? 8 : 2 * old.capacity;
	struct rib_ptr_map_slot *slots = calloc(capacity, sizeof(*slots));

	if (slots == NULL)
		return -ENOMEM;
	map->slots = slots;
	map->capacity = capacity;
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].p != NULL)
			slot_insert(map, old.slots[i].hash, old.slots[i].p);
	free(old.slots);
	return 0;
}

int rib_ptr_map_add(struct rib_ptr_map *map, uint64_t hash, void *p)
{
	if (4 * (map->count + 1) > 3 * map->capacity && grow_map(map) < 0)
		return -ENOMEM;
	slot_insert(map, hash, p);
	map->count++;
	return 0;
}

void rib_ptr_map_remove(struct rib_ptr_map *map, uint64_t hash, const void *p)
{
	size_t mask = map->capacity - 1;
	size_t gap = hash & mask;
	size_t at;

	while (map->slots[gap].p != p) {
		assert(map->slots[gap].p != NULL);
		gap = (gap + 1) & mask;
	}
	/*
	 * Move back the entries that collisions had displaced beyond the slot
	 * @gap.
	 */
	for (at = (gap + 1) & mask; map->slots[at].p != NULL;
	     at = (at + 1) & mask) {
		size_t home = map->slots[at].hash & mask;

		if (((at - home) & mask) < ((at - gap) & mask))
			continue;
		map->slots[gap] = map->slots[at];
		gap = at;
	}
	map->slots[gap].p = NULL;
	map->count--;
}

void *rib_ptr_map_next(const struct rib_ptr_map *map, uint64_t hash, size_t *at)
{
	size_t mask = map->capacity - 1;

	if (map->capacity == 0)
		return NULL;
	for (;;) {
		const struct rib_ptr_map_slot *slot =
			&map->slots[(hash + *at) & mask];

		if (slot->p == NULL)
			return NULL;
		++*at;
		if (slot->hash == hash)
			return slot->p;
	}
}

bool rib_ptr_map_validate(const struct rib_ptr_map *map)
{
	size_t count = 0;

	for (size_t i = 0; i < map->capacity; i++) {
		const struct rib_ptr_map_slot *slot = &map->slots[i];
		size_t at = 0;
		const void *p;

		if (slot->p == NULL)
			continue;
		count++;
		do
			p = rib_ptr_map_next(map, slot->hash, &at);
		while (p != NULL && p != slot->p);
		if (p == NULL)
			return false;
	}
	return count == map->count;
}
