#include "check.h"

#include "egress/subject.h"
#include "rib/event.h"

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

static void test_named_routers(void **state)
{
	const struct {
		const char *name;
		const char *want;
	} cases[] = {
		/* clang-format off */
		{ "core1", "id_core1" },
		{ "core1.example.net", "id_core1_2eexample_2enet" },
		{ "a_b", "id_a_5fb" },
		{ "a b*c>d\xc3\xa9-E9", "id_a_20b_2ac_3ed_c3_a9-E9" },
		{ "................................................................",
		  "" },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char got[SUBJECT_ROUTER_MAX];
		size_t len = subject_router_named(cases[i].name, got);

		assert_string_equal(got, cases[i].want);
		assert_int_equal(len, strlen(got));
	}
}

/* The longest name of an identity is the longest that fits here. */
static void test_names_up_to_the_limit(void **state)
{
	char name[SUBJECT_ROUTER_MAX] = "";
	char got[SUBJECT_ROUTER_MAX];

	(void)state;
	memset(name, 'x', SUBJECT_ROUTER_MAX - 4);
	assert_int_equal(subject_router_named(name, got),
			 SUBJECT_ROUTER_MAX - 1);
	name[SUBJECT_ROUTER_MAX - 4] = 'x';
	assert_int_equal(subject_router_named(name, got), 0);
	assert_string_equal(got, "");
}

static void test_prefixes(void **state)
{
	const struct {
		const char *pattern;
		int err;
		const char *want;
	} cases[] = {
		{ "arancini.updates", 0, "arancini.updates" },
		{ "a.{collector}.updates", 0, "a.ams_1.updates" },
		{ "{collector}-{collector}", 0, "ams_1-ams_1" },
		{ "", -EINVAL, NULL },
		{ ".a", -EINVAL, NULL },
		{ "a.", -EINVAL, NULL },
		{ "a..b", -EINVAL, NULL },
		{ "a b", -EINVAL, NULL },
		{ "a.*", -EINVAL, NULL },
		{ "a.>", -EINVAL, NULL },
		{ "a.{router}", -EINVAL, NULL },
	};
	char long_one[SUBJECT_PREFIX_MAX + 2];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char got[SUBJECT_PREFIX_MAX + 1] = "untouched";
		int err = subject_prefix(cases[i].pattern, "ams.1", got);

		CHECK(err == cases[i].err, "%s: %d", cases[i].pattern, err);
		assert_string_equal(got,
				    err == 0 ? cases[i].want : "untouched");
	}
	memset(long_one, 'x', sizeof(long_one));
	long_one[SUBJECT_PREFIX_MAX + 1] = '\0';
	char got[SUBJECT_PREFIX_MAX + 1];

	assert_int_equal(subject_prefix(long_one, "c", got), -ENAMETOOLONG);
	long_one[SUBJECT_PREFIX_MAX] = '\0';
	assert_int_equal(subject_prefix(long_one, "c", got), 0);
}

/* Whatever goes into it, a subject that was taken fits. */
static void test_the_longest_subjects_fit(void **state)
{
	char prefix[SUBJECT_PREFIX_MAX + 1];
	char router[SUBJECT_ROUTER_MAX];
	char got[SUBJECT_MAX];

	(void)state;
	memset(prefix, 'x', sizeof(prefix));
	prefix[SUBJECT_PREFIX_MAX] = '\0';
	memset(router, 'y', sizeof(router));
	router[SUBJECT_ROUTER_MAX - 1] = '\0';
	assert_in_range(subject_update(prefix, router, UINT32_MAX, UINT16_MAX,
				       UINT8_MAX, got),
			1, SUBJECT_MAX - 1);
	for (unsigned kind = 0; kind < RIB_EVENTS; kind++)
		assert_in_range(subject_event(prefix, router, kind, got), 1,
				SUBJECT_MAX - 1);
}

static void test_event_subject(void **state)
{
	char got[SUBJECT_MAX];
	int len = subject_event("arancini.events", SUBJECT_COLLECTOR,
				RIB_EVENT_EPOCH, got);

	(void)state;
	assert_string_equal(got, "arancini.events.collector.epoch");
	assert_int_equal(len, strlen(got));
	for (unsigned kind = 0; kind < RIB_EVENTS; kind++)
		assert_non_null(subject_event_kind(kind));
	assert_string_equal(subject_event_kind(RIB_EVENTS), "other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_router_tokens),
		cmocka_unit_test(test_update_subject),
		cmocka_unit_test(test_too_long_a_prefix_is_refused),
		cmocka_unit_test(test_named_routers),
		cmocka_unit_test(test_names_up_to_the_limit),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_the_longest_subjects_fit),
		cmocka_unit_test(test_event_subject),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
