#include "check.h"

#include "egress/publisher/backoff.h"

#define MS INT64_C(1000000)

static void test_the_wait_doubles_up_to_the_limit(void **state)
{
	static const int64_t full[] = { 100, 200, 400, 800, 1600, 2000, 2000 };
	struct backoff b;

	(void)state;
	backoff_init(&b, 100 * MS, 2000 * MS);
	for (size_t i = 0; i < sizeof(full) / sizeof(full[0]); i++) {
		int64_t wait = backoff_next(&b);

		assert_true(wait >= full[i] * MS / 2);
		assert_true(wait <= full[i] * MS);
	}
	backoff_reset(&b);
	assert_true(backoff_next(&b) <= 100 * MS);
}

/* Every process had the same sequence: nobody had called srand48(). */
static void test_two_do_not_wait_alike(void **state)
{
	struct backoff a, b;
	int alike = 0;

	(void)state;
	backoff_init(&a, 100 * MS, 2000 * MS);
	backoff_init(&b, 100 * MS, 2000 * MS);
	for (int i = 0; i < 16; i++)
		alike += backoff_next(&a) == backoff_next(&b);
	assert_true(alike < 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_wait_doubles_up_to_the_limit),
		cmocka_unit_test(test_two_do_not_wait_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
