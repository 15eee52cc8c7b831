#include "check.h"

#include "collector/ingest/route_budget.h"

#include <stdatomic.h>

static void test_shards_share_the_routes(void **state)
{
	const uint64_t max = 100 * ROUTE_BUDGET_ADVANCE;
	struct route_budget b;
	uint64_t mine[3] = { 0 }, first = 0;

	(void)state;
	route_budget_init(&b, max);
	/* Shard 0 grows until it is stopped; it is alone and gets all. */
	while (route_budget_adjust(&b, &mine[0], first, 1) > first)
		first = mine[0];
	assert_int_equal(first, max);
	assert_int_equal(route_budget_adjust(&b, &mine[1], 0, 1), 0);
	/* Once it has fewer, the others get some. */
	assert_int_equal(route_budget_adjust(&b, &mine[0], 7, 1),
			 ROUTE_BUDGET_ADVANCE + 7);
	assert_int_equal(route_budget_adjust(&b, &mine[1], 100, 1),
			 ROUTE_BUDGET_ADVANCE + 100);
	/* A little more or less changes nothing: no traffic for each route. */
	assert_int_equal(route_budget_adjust(&b, &mine[1], 200, 1),
			 ROUTE_BUDGET_ADVANCE + 100);
	assert_int_equal(route_budget_adjust(&b, &mine[1], 50, 1),
			 ROUTE_BUDGET_ADVANCE + 100);
	for (int i = 0; i < 3; i++)
		(void)route_budget_adjust(&b, &mine[i], max, 1);
	assert_int_equal(mine[0] + mine[1] + mine[2], max);
}

static void test_a_small_maximum_is_not_held_in_advance(void **state)
{
	struct route_budget b;
	uint64_t mine[3] = { 0 };

	(void)state;
	route_budget_init(&b, 640);
	for (int i = 0; i < 3; i++)
		assert_int_equal(route_budget_adjust(&b, &mine[i], 0, 1), 10);
	assert_int_equal(route_budget_adjust(&b, &mine[0], 640, 1), 620);
	route_budget_init(&b, 1);
	mine[0] = mine[1] = 0;
	assert_int_equal(route_budget_adjust(&b, &mine[0], 0, 1), 1);
	assert_int_equal(route_budget_adjust(&b, &mine[1], 0, 1), 0);
}

static void test_what_is_needed_is_reserved_and_returned(void **state)
{
	struct route_budget b;
	uint64_t mine[2] = { 0 };

	(void)state;
	route_budget_init(&b, 640);
	assert_int_equal(route_budget_adjust(&b, &mine[0], 0, 100), 100);
	assert_int_equal(route_budget_adjust(&b, &mine[1], 0, 600), 540);
	/* They were known: only what is beyond is returned. */
	assert_int_equal(route_budget_adjust(&b, &mine[0], 50, 1), 60);
	assert_int_equal(route_budget_adjust(&b, &mine[1], 540, 10), 550);
	assert_int_equal(route_budget_adjust(&b, &mine[1], 550, UINT32_MAX),
			 580);
	assert_int_equal(route_budget_adjust(&b, &mine[0], 0, 1), 10);
	assert_int_equal(route_budget_adjust(&b, &mine[1], 580, 100), 630);
}

static void test_no_limit_on_routes_is_no_limit(void **state)
{
	struct route_budget b;
	uint64_t mine = 0;

	(void)state;
	route_budget_init(&b, 0);
	assert_int_equal(route_budget_adjust(&b, &mine, 5000000, 1), 0);
	route_budget_set(&b, 1000);
	assert_int_equal(route_budget_adjust(&b, &mine, 5000000, 1), 1000);
	assert_int_equal(route_budget_adjust(&b, &mine, 5000000, 1), 1000);
	route_budget_set(&b, 0);
	assert_int_equal(route_budget_adjust(&b, &mine, 5000000, 1), 0);
	assert_int_equal(atomic_load(&b.given), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shards_share_the_routes),
		cmocka_unit_test(test_a_small_maximum_is_not_held_in_advance),
		cmocka_unit_test(test_what_is_needed_is_reserved_and_returned),
		cmocka_unit_test(test_no_limit_on_routes_is_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
