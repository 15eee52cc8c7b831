#include "check.h"
#include "random.h"

#include "rib/mem/hash_index.h"

#define ENTRIES 60000u

static bool found(const struct rib_hash_index *index, uint32_t hash,
		  uint32_t number)
{
	struct rib_hash_index_probe p = rib_hash_index_probe(index, hash);
	uint32_t n;

	while ((n = rib_hash_index_next(&p)) != 0)
		if (n == number)
			return true;
	return false;
}

/* Against an array that says of each number whether it is in. */
static void race(unsigned hash_bits, int steps)
{
	static bool in[ENTRIES + 1];
	static uint32_t hashes[ENTRIES + 1];
	struct draws d = draws_start("index");
	struct rib_handle_heap heap;
	struct rib_hash_index index;
	uint64_t count = 0;
	/* It fills for a third of the time, then is in balance, then empties. */
	rib_handle_heap_init(&heap);
	rib_hash_index_init(&index, &heap);
	for (uint32_t i = 1; i <= ENTRIES; i++) {
		in[i] = false;
		hashes[i] = (uint32_t)draw(&d) << (32 - hash_bits);
	}
	for (int i = 0; i < steps; i++) {
		uint32_t n = 1 + draw_below(&d, ENTRIES);
		bool add = draw_below(&d, 3) < (i < steps / 2 ? 2u : 1u);

		assert_int_equal(found(&index, hashes[n], n), in[n]);
		if (add && !in[n]) {
			assert_int_equal(rib_hash_index_add(&index, hashes[n],
							    n),
					 0);
			in[n] = true;
			count++;
		} else if (!add && in[n]) {
			rib_hash_index_remove(&index, hashes[n], n);
			in[n] = false;
			count--;
		}
		if (i % (steps / 8) == 0)
			assert_true(rib_hash_index_validate(&index));
	}
	assert_int_equal(index.count, count);
	for (uint32_t n = 1; n <= ENTRIES; n++)
		if (in[n])
			rib_hash_index_remove(&index, hashes[n], n);
	assert_true(rib_hash_index_validate(&index));
	/* All merged into one page again. */
	assert_int_equal(heap.pieces, 1);
	rib_hash_index_fini(&index);
	assert_int_equal(heap.pieces, 0);
	rib_handle_heap_fini(&heap);
}

static void test_holds_what_an_array_holds(void **state)
{
	(void)state;
	race(32, FEWER_IF_SANITIZED(1000000));
}

/* Many entries share a hash: candidates are then several. */
static void test_equal_hashes_are_told_apart(void **state)
{
	(void)state;
	race(12, FEWER_IF_SANITIZED(300000));
}

static void test_an_empty_one_has_no_candidates(void **state)
{
	struct rib_handle_heap heap;
	struct rib_hash_index index;
	struct rib_hash_index_probe p;

	(void)state;
	rib_handle_heap_init(&heap);
	rib_hash_index_init(&index, &heap);
	p = rib_hash_index_probe(&index, 0xdeadbeef);
	assert_int_equal(rib_hash_index_next(&p), 0);
	assert_int_equal(rib_handle_heap_bytes(&heap), 0);
	rib_hash_index_fini(&index);
	rib_handle_heap_fini(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holds_what_an_array_holds),
		cmocka_unit_test(test_equal_hashes_are_told_apart),
		cmocka_unit_test(test_an_empty_one_has_no_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
