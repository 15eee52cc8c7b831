#include "check.h"
#include "random.h"

#include "rib/mem/ptr_map.h"

#include <string.h>

#define OBJECTS 20000u

/* Few hashes, so that there are several candidates for each. */
static uint64_t hash_of(uint32_t serial)
{
	return serial % 5000 * UINT64_C(0x9e3779b97f4a7c15);
}

static void check_object(const struct rib_ptr_map *map, const bool *present,
			 uint8_t *objects, uint32_t n)
{
	uint32_t want = n;
	size_t at = 0;
	const void *p;

	while (want < OBJECTS && !present[want])
		want++;
	assert_ptr_equal(rib_ptr_map_from(map, n),
			 want == OBJECTS ? NULL : &objects[want]);
	do
		p = rib_ptr_map_next(map, hash_of(n), &at);
	while (p != NULL && p != &objects[n]);
	assert_int_equal(p != NULL, present[n]);
}

/* Against an array that says which numbers are in the map. */
static void test_objects_are_found(void **state)
{
	static uint8_t objects[OBJECTS];
	static bool present[OBJECTS];
	struct draws d = draws_start("serials");
	struct rib_ptr_map map;
	uint32_t next = 0;

	(void)state;
	memset(present, 0, sizeof(present));
	rib_ptr_map_init(&map);
	assert_null(rib_ptr_map_from(&map, 0));
	for (uint32_t i = 0; i < 5 * OBJECTS; i++) {
		uint32_t n = draw_below(&d, OBJECTS);

		if (draw_below(&d, 3) == 0 && next + 3 < OBJECTS) {
			next += 1 + draw_below(&d, 3);
			assert_int_equal(rib_ptr_map_add(&map, hash_of(next),
							 next, &objects[next]),
					 0);
			present[next] = true;
		} else if (present[n] && draw_below(&d, 4) != 0) {
			rib_ptr_map_remove(&map, hash_of(n), n, &objects[n]);
			present[n] = false;
		} else {
			check_object(&map, present, objects, n);
		}
		if (i % 1000 == 0)
			assert_true(rib_ptr_map_validate(&map));
	}
	assert_true(rib_ptr_map_validate(&map));
	rib_ptr_map_fini(&map);
}

/* The list of a router whose peers are gone does not stay long. */
static void test_serials_are_compacted(void **state)
{
	static uint8_t objects[OBJECTS];
	struct rib_ptr_map map;

	(void)state;
	rib_ptr_map_init(&map);
	for (uint32_t i = 0; i < OBJECTS; i++)
		assert_int_equal(rib_ptr_map_add(&map, hash_of(i), i,
						 &objects[i]),
				 0);
	for (uint32_t i = 0; i < OBJECTS - 10; i++)
		rib_ptr_map_remove(&map, hash_of(i), i, &objects[i]);
	assert_true(rib_ptr_map_validate(&map));
	assert_true(map.serial_capacity <= 100);
	assert_ptr_equal(rib_ptr_map_from(&map, 0), &objects[OBJECTS - 10]);
	rib_ptr_map_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects_are_found),
		cmocka_unit_test(test_serials_are_compacted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
