#include "check.h"

#include "collector/policy/router_limit.h"

static uint32_t fill(struct router_limit *l, enum router_rank rank)
{
	uint32_t n = 0;

	while (router_limit_take(l, rank))
		n++;
	return n;
}

static void test_places_are_kept_by_rank(void **state)
{
	struct router_limit l = { 0 };

	(void)state;
	router_limit_set(&l, 100, 20);
	assert_int_equal(fill(&l, ROUTER_STRANGER), 70);
	assert_int_equal(fill(&l, ROUTER_KNOWN), 10);
	assert_int_equal(fill(&l, ROUTER_CONFIGURED), 20);
	assert_int_equal(atomic_load(&l.held), 100);
	/* A restore takes what it finds. */
	router_limit_take_beyond(&l);
	assert_false(router_limit_take(&l, ROUTER_CONFIGURED));
	router_limit_give_back(&l);
	router_limit_give_back(&l);
	assert_false(router_limit_take(&l, ROUTER_KNOWN));
	assert_true(router_limit_take(&l, ROUTER_CONFIGURED));
}

static void test_at_most_half_is_kept_for_configured_ones(void **state)
{
	struct router_limit l = { 0 };

	(void)state;
	router_limit_set(&l, 10, 1000);
	assert_int_equal(fill(&l, ROUTER_STRANGER), 4);
	assert_int_equal(fill(&l, ROUTER_KNOWN), 1);
	assert_int_equal(fill(&l, ROUTER_CONFIGURED), 5);
	router_limit_set(&l, 20, 0);
	assert_int_equal(fill(&l, ROUTER_STRANGER), 8);
}

static void test_room_is_made_before_it_is_needed(void **state)
{
	struct router_limit l = { 0 };

	(void)state;
	for (uint32_t max = 1; max < 100; max++) {
		uint32_t places;

		router_limit_set(&l, max, max / 4);
		places = fill(&l, ROUTER_STRANGER);
		if (places > 0)
			assert_true(router_limit_excess(&l) > 0);
		while (router_limit_excess(&l) > 0)
			router_limit_give_back(&l);
		if (places > 0)
			assert_true(router_limit_take(&l, ROUTER_STRANGER));
		while (atomic_load(&l.held) > 0)
			router_limit_give_back(&l);
		assert_int_equal(router_limit_excess(&l), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_are_kept_by_rank),
		cmocka_unit_test(test_at_most_half_is_kept_for_configured_ones),
		cmocka_unit_test(test_room_is_made_before_it_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
