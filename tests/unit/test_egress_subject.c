#include "check.h"

#include "egress/subject.h"

#include <errno.h>
#include <string.h>

static void test_router_tokens(void **state)
{
	const struct {
		uint8_t addr[16];
		const char *want;
	} cases[] = {
		/* clang-format off */
		{ { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 }, "v4_192_0_2_1" },
		{ { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 }, "v6_2001_db8_0_0_0_0_0_1" },
		{ { 0 }, "v6_0_0_0_0_0_0_0_0" },
		{ { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 },
		  "v6_ffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff" },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char got[SUBJECT_ROUTER_MAX];
		size_t len = subject_router(cases[i].addr, got);

		assert_string_equal(got, cases[i].want);
		assert_int_equal(len, strlen(got));
	}
}

static void test_update_subject(void **state)
{
	char got[SUBJECT_MAX];
	int len = subject_update("arancini.updates", "v4_192_0_2_1", 4294967295,
				 25, 70, got);

	(void)state;
	assert_string_equal(got,
			    "arancini.updates.v4_192_0_2_1.4294967295.25_70");
	assert_int_equal(len, strlen(got));
}

static void test_too_long_a_prefix_is_refused(void **state)
{
	char prefix[SUBJECT_MAX];
	char got[SUBJECT_MAX] = "untouched";

	(void)state;
	memset(prefix, 'x', sizeof(prefix));
	prefix[sizeof(prefix) - 1] = '\0';
	assert_int_equal(subject_update(prefix, "r", 1, 1, 1, got),
			 -ENAMETOOLONG);
	assert_string_equal(got, "untouched");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_router_tokens),
		cmocka_unit_test(test_update_subject),
		cmocka_unit_test(test_too_long_a_prefix_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
