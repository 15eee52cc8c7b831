#include "check.h"

#include "collector/telemetry/latency_window.h"

#define SECOND INT64_C(1000000000)

/* From @from up to before @to, each second one time that falls in @bucket. */
static void look(struct latency_window *w, struct publisher_times *total,
		 int64_t from, int64_t to, int bucket)
{
	for (int64_t at = from; at < to; at++) {
		total->of[bucket]++;
		total->sum_us += 10;
		latency_window_sample(w, total, at * SECOND);
	}
}

static void test_first_minute_is_all_there_is_at_first(void **state)
{
	struct publisher_times total = { .of = { 0 } }, recent;
	struct latency_window w = { .count = 0 };

	(void)state;
	recent = latency_window_recent(&w, &total);
	assert_int_equal(recent.of[3], 0);
	look(&w, &total, 1000, 1050, 3);
	recent = latency_window_recent(&w, &total);
	assert_int_equal(recent.of[3], 50);
	assert_int_equal(recent.sum_us, 500);
	look(&w, &total, 1050, 1066, 3);
	recent = latency_window_recent(&w, &total);
	assert_in_range(recent.of[3], 55, 61);
}

static void test_what_is_older_than_a_minute_is_gone(void **state)
{
	struct publisher_times total = { .of = { 0 } }, recent;
	struct latency_window w = { .count = 0 };

	(void)state;
	look(&w, &total, 1000, 4600, 20);
	look(&w, &total, 4600, 4661, 3);
	recent = latency_window_recent(&w, &total);
	assert_int_equal(recent.of[20], 0);
	assert_in_range(recent.of[3], 55, 61);
	assert_int_equal(recent.sum_us, 10 * recent.of[3]);
}

static void test_a_quiet_minute_has_nothing(void **state)
{
	struct publisher_times total = { .of = { 0 } }, recent;
	struct latency_window w = { .count = 0 };

	(void)state;
	look(&w, &total, 1000, 1100, 7);
	for (int64_t at = 1100; at < 1161; at++)
		latency_window_sample(&w, &total, at * SECOND);
	recent = latency_window_recent(&w, &total);
	for (int i = 0; i < PUBLISHER_LATENCIES; i++)
		assert_int_equal(recent.of[i], 0);
	assert_int_equal(recent.sum_us, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_minute_is_all_there_is_at_first),
		cmocka_unit_test(test_what_is_older_than_a_minute_is_gone),
		cmocka_unit_test(test_a_quiet_minute_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
