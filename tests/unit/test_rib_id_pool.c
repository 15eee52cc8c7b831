#include "check.h"
#include "random.h"

#include "rib/mem/id_pool.h"

#include <string.h>

#define ENTRIES 20000u

/* Against an array that says which numbers are taken. */
static void test_numbers_are_taken_once(void **state)
{
	static bool taken[ENTRIES * 2];
	static uint32_t held[ENTRIES];
	struct draws d = draws_start("pool");
	uint32_t count = 0;
	struct rib_handle_heap heap;
	struct rib_id_pool pool;

	(void)state;
	memset(taken, 0, sizeof(taken));
	rib_handle_heap_init(&heap);
	rib_id_pool_init(&pool, &heap, 20);
	for (int i = 0; i < FEWER_IF_SANITIZED(400000); i++) {
		if (count < ENTRIES && draw_below(&d, 2) == 0) {
			uint32_t n = rib_id_pool_take(&pool);

			assert_true(n < COUNT(taken) && !taken[n]);
			taken[n] = true;
			memcpy(rib_id_pool_at(&pool, n), &n, sizeof(n));
			held[count++] = n;
		} else if (count > 0) {
			uint32_t k = draw_below(&d, count);
			uint32_t n;

			memcpy(&n, rib_id_pool_at(&pool, held[k]), sizeof(n));
			assert_int_equal(n, held[k]);
			rib_id_pool_put(&pool, n);
			taken[n] = false;
			held[k] = held[--count];
		}
		if (i % 50000 == 0)
			assert_true(rib_id_pool_validate(&pool));
	}
	assert_true(rib_id_pool_validate(&pool));
	for (uint32_t n = 0, at = 0; n < COUNT(taken); n++) {
		if (!taken[n])
			continue;
		at = rib_id_pool_next(&pool, at);
		assert_int_equal(at++, n);
	}
	rib_id_pool_fini(&pool);
	assert_int_equal(heap.pieces, 0);
	rib_handle_heap_fini(&heap);
}

/* The lowest free number comes first, so that arrays stay short. */
static void test_numbers_stay_dense(void **state)
{
	struct rib_handle_heap heap;
	struct rib_id_pool pool;

	(void)state;
	rib_handle_heap_init(&heap);
	rib_id_pool_init(&pool, &heap, 8);
	for (uint32_t i = 0; i < 2000; i++)
		assert_int_equal(rib_id_pool_take(&pool), i);
	for (uint32_t i = 0; i < 1900; i++)
		rib_id_pool_put(&pool, i);
	assert_true(rib_id_pool_validate(&pool));
	/* Chunks of which nothing is left are gone. */
	assert_int_equal(heap.pieces, 1);
	for (uint32_t i = 0; i < 1900; i++)
		assert_int_equal(rib_id_pool_take(&pool), i);
	rib_id_pool_fini(&pool);
	rib_handle_heap_fini(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_taken_once),
		cmocka_unit_test(test_numbers_stay_dense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
