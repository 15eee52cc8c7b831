#include "check.h"

#include "collector/policy/output_rate.h"

#define S    INT64_C(1000000000)
#define RATE UINT64_C(1000000)

static void test_no_limit(void **state)
{
	struct output_rate r = { 0 };

	(void)state;
	output_rate_add(&r, 0, UINT64_MAX / 2, 5 * S);
	assert_false(output_rate_exceeded(&r, 0, 5 * S));
	assert_int_equal(output_rate_until(&r, 0, 5 * S), 5 * S);
	assert_int_equal(output_rate_turn(0, 1 << 20), 1 << 20);
	/* What was made then does not count when there is one. */
	assert_false(output_rate_exceeded(&r, RATE, 5 * S));
}

static void test_a_second_at_once_and_no_more(void **state)
{
	struct output_rate r = { 0 };

	(void)state;
	output_rate_add(&r, RATE, RATE, 100 * S);
	assert_false(output_rate_exceeded(&r, RATE, 100 * S));
	output_rate_add(&r, RATE, 1, 100 * S);
	assert_true(output_rate_exceeded(&r, RATE, 100 * S));
	/* Until half of the bucket is there again. */
	assert_int_equal(output_rate_until(&r, RATE, 100 * S),
			 100 * S + S / 2 + 1000);
	assert_int_equal(output_rate_until(&r, RATE, 100 * S + S / 4),
			 100 * S + S / 2 + 1000);
	assert_int_equal(output_rate_until(&r, RATE, 101 * S), 101 * S);
}

/* However it sends: what it makes in a long time is what it may make. */
static void test_the_sum_over_time(void **state)
{
	static const uint64_t turns[] = { 1, 1000, RATE / 4, 3 * RATE };

	(void)state;
	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		struct output_rate r = { 0 };
		int64_t now = 7 * S, end = now + 20 * S;
		uint64_t made = 0;

		while (now < end) {
			output_rate_add(&r, RATE, turns[i], now);
			made += turns[i];
			now += 100; /* it takes some time */
			if (output_rate_exceeded(&r, RATE, now))
				now = output_rate_until(&r, RATE, now);
		}
		/* A second in advance, and one turn more. */
		assert_in_range(made, 19 * RATE, 21 * RATE + turns[i]);
	}
}

static void test_another_rate(void **state)
{
	struct output_rate r = { 0 };

	(void)state;
	output_rate_add(&r, RATE, 100 * RATE, S);
	assert_true(output_rate_until(&r, RATE, S) > 90 * S);
	/* A reload makes it larger: what was used is paid for faster. */
	assert_true(output_rate_until(&r, 50 * RATE, S) <= 3 * S);
	/* And none ends the wait. */
	assert_int_equal(output_rate_until(&r, 0, S), S);
}

static void test_extremes(void **state)
{
	struct output_rate r = { 0 };

	(void)state;
	/* Not longer than an hour, whatever it is. */
	output_rate_add(&r, OUTPUT_RATE_MAX, UINT64_MAX, S);
	output_rate_add(&r, OUTPUT_RATE_MAX, UINT64_MAX, S);
	assert_int_equal(output_rate_until(&r, OUTPUT_RATE_MAX, S),
			 3600 * S + S / 2);
	assert_int_equal(output_rate_until(&r, OUTPUT_RATE_MIN, S),
			 3600 * S + S / 2);
	assert_false(output_rate_exceeded(&r, OUTPUT_RATE_MIN, INT64_MAX));
	/* A turn is a part of a second, if that is less than it may be. */
	assert_int_equal(output_rate_turn(OUTPUT_RATE_MIN, 1 << 20),
			 OUTPUT_RATE_MIN / 4);
	assert_int_equal(output_rate_turn(OUTPUT_RATE_MAX, 1 << 20), 1 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_limit),
		cmocka_unit_test(test_a_second_at_once_and_no_more),
		cmocka_unit_test(test_the_sum_over_time),
		cmocka_unit_test(test_another_rate),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
