#include "check.h"
#include "random.h"

#include "rib/attrset.h"
#include "rib/route_array.h"

#include <string.h>

#define IDS (300u * 256)

static struct rib_entry model[IDS];

static void check_walk(const struct rib_route_array *r)
{
	uint32_t from = 0;

	for (uint32_t id = 0; id < IDS; id++) {
		const struct rib_entry *e;
		uint32_t at = 0;

		if (model[id].value == RIB_VALUE_NONE)
			continue;
		e = rib_route_array_next(r, from, &at);
		CHECK(e != NULL && at == id, "after %u came %u, not %u", from,
		      at, id);
		CHECK(e != NULL && memcmp(e, &model[id], sizeof(*e)) == 0,
		      "id %u", id);
		from = id + 1;
	}
	assert_null(rib_route_array_next(r, from, &(uint32_t){ 0 }));
}

static void check_same(const struct rib_route_array *r,
		       const struct rib_handle_heap *heap)
{
	assert_true(rib_route_array_validate(r));
	assert_int_equal(heap->beside, rib_route_array_bytes(r));
	for (uint32_t id = 0; id < IDS; id++) {
		const struct rib_entry *e = rib_route_array_find(r, id);

		CHECK((e != NULL) == (model[id].value != RIB_VALUE_NONE),
		      "id %u", id);
		if (e != NULL)
			CHECK(memcmp(e, &model[id], sizeof(*e)) == 0, "id %u",
			      id);
	}
	check_walk(r);
}

/* Ids from a range that moves: pages fill, empty, come and go. */
static void race(uint32_t range, int steps)
{
	struct draws d = draws_start("routes");
	struct rib_handle_heap heap;
	struct rib_route_array r;
	uint32_t value = 0;

	memset(model, 0, sizeof(model));
	rib_handle_heap_init(&heap);
	rib_route_array_init(&r);
	for (int i = 0; i < steps; i++) {
		uint32_t base = (uint32_t)((uint64_t)i * (IDS - range) /
					   (uint64_t)steps);
		uint32_t id = base + draw_below(&d, range);
		bool keep = draw_below(&d, 100) <
			    (i / (steps / 6) % 2 == 0 ? 70u : 30u);
		struct rib_entry *e = rib_route_array_find(&r, id);

		if (keep) {
			if (e == NULL)
				e = rib_route_array_add(&r, &heap, id);
			*e = (struct rib_entry){ ++value, id };
			model[id] = *e;
		} else if (e != NULL) {
			rib_route_array_remove(&r, &heap, id);
			model[id] = (struct rib_entry){ 0 };
		}
		if (i % (steps / 10) == 0)
			check_same(&r, &heap);
	}
	check_same(&r, &heap);
	for (uint32_t id = 0; id < IDS; id++)
		if (model[id].value != RIB_VALUE_NONE)
			rib_route_array_remove(&r, &heap, id);
	assert_int_equal(r.count, 0);
	assert_int_equal(heap.pieces, 0);
	assert_int_equal(rib_route_array_bytes(&r), 0);
	assert_int_equal(heap.beside, 0);
	rib_route_array_fini(&r, &heap);
	rib_handle_heap_fini(&heap);
}

static void test_dense_table_is_an_array(void **state)
{
	(void)state;
	race(IDS / 2, FEWER_IF_SANITIZED(1000000));
}

static void test_moving_range_is_an_array(void **state)
{
	(void)state;
	race(2000, FEWER_IF_SANITIZED(300000));
}

/* A table that once had many pages and then one far away. */
static void test_a_far_number_costs_little(void **state)
{
	struct rib_handle_heap heap;
	struct rib_route_array r;

	(void)state;
	rib_handle_heap_init(&heap);
	rib_route_array_init(&r);
	for (uint32_t page = 0; page < 100; page++)
		rib_route_array_add(&r, &heap, page * 256)->value = 1;
	assert_true(r.direct);
	rib_route_array_add(&r, &heap, 0x7fffff00)->value = 1;
	assert_false(r.direct);
	assert_true(rib_route_array_bytes(&r) < 4096);
	assert_true(rib_route_array_validate(&r));
	assert_non_null(rib_route_array_find(&r, 0x7fffff00));
	assert_non_null(rib_route_array_find(&r, 99 * 256));
	rib_route_array_fini(&r, &heap);
	assert_int_equal(heap.pieces, 0);
	rib_handle_heap_fini(&heap);
}

static void test_few_routes_take_few_bytes(void **state)
{
	struct draws d = draws_start("sparse");
	struct rib_handle_heap heap;
	struct rib_route_array r;

	(void)state;
	rib_handle_heap_init(&heap);
	rib_route_array_init(&r);
	for (int i = 0; i < 100; i++) {
		uint32_t id = draw_below(&d, 10000000);

		if (rib_route_array_find(&r, id) == NULL)
			rib_route_array_add(&r, &heap, id)->value = 1;
	}
	/* 40 bytes a page, and the directory. */
	assert_true(r.count * rib_handle_heap_room(40) +
			    rib_route_array_bytes(&r) <
		    r.count * 70);
	rib_route_array_fini(&r, &heap);
	rib_handle_heap_fini(&heap);
}

static void test_full_page_is_eight_bytes_a_route(void **state)
{
	struct rib_handle_heap heap;
	struct rib_route_array r;

	(void)state;
	rib_handle_heap_init(&heap);
	rib_route_array_init(&r);
	for (uint32_t id = 0; id < IDS; id++)
		rib_route_array_add(&r, &heap, id)->value = 1;
	assert_true(rib_handle_heap_bytes(&heap) + rib_route_array_bytes(&r) <
		    IDS * 9 + 16 * RIB_BLOCK_SIZE);
	assert_int_equal(heap.pieces, IDS / 256);
	rib_route_array_fini(&r, &heap);
	rib_handle_heap_fini(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dense_table_is_an_array),
		cmocka_unit_test(test_moving_range_is_an_array),
		cmocka_unit_test(test_a_far_number_costs_little),
		cmocka_unit_test(test_few_routes_take_few_bytes),
		cmocka_unit_test(test_full_page_is_eight_bytes_a_route),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
