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
	free(map->serials);
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

/* Serial numbers */

/* The first entry whose number is @serial or more. */
static size_t find_serial(const struct rib_ptr_map *map, uint64_t serial)
{
	size_t low = 0, high = map->serial_used;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->serials[middle].serial < serial)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int resize_serials(struct rib_ptr_map *map, size_t capacity)
{
	struct rib_ptr_map_serial *serials =
		realloc(map->serials, capacity * sizeof(*serials));

	if (serials == NULL)
		return -ENOMEM;
	map->serials = serials;
	map->serial_capacity = capacity;
	return 0;
}

static int append_serial(struct rib_ptr_map *map, uint64_t serial, void *p)
{
	size_t n = map->serial_capacity;

	assert(map->serial_used == 0 ||
	       map->serials[map->serial_used - 1].serial < serial);
	if (map->serial_used == n &&
	    resize_serials(map, n == 0 ? 4 : 2 * n) < 0)
		return -ENOMEM;
	map->serials[map->serial_used++] =
		(struct rib_ptr_map_serial){ serial, p };
	return 0;
}

static void compact_serials(struct rib_ptr_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < map->serial_used; i++)
		if (map->serials[i].p != NULL)
			map->serials[n++] = map->serials[i];
	map->serial_used = n;
	/*
	 * If there is no memory for the shorter array, the longer one is kept.
	 */
	if (n > 0 && map->serial_capacity / 4 >= n)
		(void)resize_serials(map, 2 * n);
}

void *rib_ptr_map_from(const struct rib_ptr_map *map, uint64_t serial)
{
	for (size_t i = find_serial(map, serial); i < map->serial_used; i++)
		if (map->serials[i].p != NULL)
			return map->serials[i].p;
	return NULL;
}

/* Both indices */

int rib_ptr_map_add(struct rib_ptr_map *map, uint64_t hash, uint64_t serial,
		    void *p)
{
	if (4 * (map->count + 1) > 3 * map->capacity && grow_map(map) < 0)
		return -ENOMEM;
	if (append_serial(map, serial, p) < 0)
		return -ENOMEM;
	slot_insert(map, hash, p);
	map->count++;
	return 0;
}

static void slot_remove(struct rib_ptr_map *map, uint64_t hash, const void *p)
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
}

void rib_ptr_map_remove(struct rib_ptr_map *map, uint64_t hash, uint64_t serial,
			const void *p)
{
	size_t at = find_serial(map, serial);

	assert(at < map->serial_used && map->serials[at].p == p);
	slot_remove(map, hash, p);
	map->serials[at].p = NULL;
	map->count--;
	if (2 * map->count < map->serial_used)
		compact_serials(map);
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

uint64_t rib_ptr_map_bytes(const struct rib_ptr_map *map)
{
	return map->capacity * sizeof(*map->slots) +
	       map->serial_capacity * sizeof(*map->serials);
}

static bool serials_valid(const struct rib_ptr_map *map)
{
	size_t count = 0;

	for (size_t i = 0; i < map->serial_used; i++) {
		count += map->serials[i].p != NULL;
		if (i > 0 &&
		    map->serials[i - 1].serial >= map->serials[i].serial)
			return false;
	}
	return count == map->count && map->serial_used <= 2 * map->count &&
	       map->serial_used <= map->serial_capacity;
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
	return count == map->count && serials_valid(map);
}
