/*
 * The straight way of the rib against the general one (two_ways.h).
 */
#include "two_ways_session.h"

static void test_single_routes(void **state)
{
	(void)state;
	check_session(300, 1, false, 1, NULL);
}

static void test_some_routes(void **state)
{
	(void)state;
	check_session(300, 3, false, 2, NULL);
}

static void test_damaged_messages(void **state)
{
	(void)state;
	for (uint64_t seed = 3; seed < 8; seed++)
		check_session(300, 1, true, seed, NULL);
}

static void test_many_attribute_sets(void **state)
{
	(void)state;
	check_session(8000, 1, false, 9, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_routes),
		cmocka_unit_test(test_some_routes),
		cmocka_unit_test(test_damaged_messages),
		cmocka_unit_test(test_many_attribute_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
