#include "check.h"

#include "egress/message_id.h"

#include <string.h>

/* 64 letters: one more than fits. */
#define TOO_LONG \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_formats(void **state)
{
	const struct {
		struct message_id id;
		const char *text;
	} cases[] = {
		{ { 5, { 5, 0, 0 } }, "ams-1.5.0" },
		{ { 5, { 5, 42, 0 } }, "ams-1.5.42" },
		{ { 6, { 5, 43, 0 } }, "ams-1.6.5.43" },
		{ { 5, { 5, 42, 15360 } }, "ams-1.5.42-15360" },
		{ { 6, { 5, 43, 8 } }, "ams-1.6.5.43-8" },
		{ { UINT64_MAX, { UINT64_MAX - 1, UINT64_MAX, UINT32_MAX } },
		  "ams-1.18446744073709551615.18446744073709551614."
		  "18446744073709551615-4294967295" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char collector[COLLECTOR_ID_MAX];
		char text[MESSAGE_ID_MAX];
		struct message_id got;

		message_id_format("ams-1", &cases[i].id, text);
		assert_string_equal(text, cases[i].text);
		assert_true(message_id_parse(text, collector, &got));
		assert_string_equal(collector, "ams-1");
		assert_int_equal(got.epoch, cases[i].id.epoch);
		assert_int_equal(record_id_compare(got.record,
						   cases[i].id.record),
				 0);
	}
}

static void test_what_is_no_id(void **state)
{
	static const char *const cases[] = {
		"",	     ".",
		"a",	     "a.",
		"a.1",	     "a.1.",
		"a.1.2.",    "a.1.2.3.4",
		"a.x.2",     "a.1.-2",
		".1.2",	     "a b.1.2",
		"a.1.2 ",    "a.18446744073709551616.1",
		"a.1.2-",    "a.1.2-0",
		"a.1-8",     "a.1-8.2",
		"a.1.2-x",   "a.1.2-8.",
		"a.1.2-8-8", "a.1.2-4294967296",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char collector[COLLECTOR_ID_MAX] = "untouched";
		struct message_id got;

		CHECK(!message_id_parse(cases[i], collector, &got),
		      "'%s' was taken for an id", cases[i]);
		assert_string_equal(collector, "untouched");
	}
}

static void test_id_of_a_collector_that_is_too_long(void **state)
{
	char collector[COLLECTOR_ID_MAX];
	struct message_id got;

	(void)state;
	assert_false(message_id_parse(TOO_LONG ".1.2", collector, &got));
}

static void test_order(void **state)
{
	const struct record_id in_order[] = {
		{ 0, 0, 0 },  { 0, 1, 0 }, { 1, 0, 0 }, { 1, 7, 8 },
		{ 1, 7, 16 }, { 1, 7, 0 }, { 1, 8, 8 }, { 2, 3, 0 },
	};

	(void)state;
	for (size_t a = 0; a < COUNT(in_order); a++)
		for (size_t b = 0; b < COUNT(in_order); b++) {
			int got = record_id_compare(in_order[a], in_order[b]);

			assert_int_equal((got > 0) - (got < 0),
					 (a > b) - (a < b));
		}
}

static void test_record_ids(void **state)
{
	struct record_id got = { 9, 9, 9 };
	char text[MESSAGE_ID_MAX];

	(void)state;
	record_id_format((struct record_id){ 12, 34, 0 }, text);
	assert_string_equal(text, "12.34");
	assert_true(record_id_parse(text, &got));
	assert_int_equal(got.epoch, 12);
	assert_int_equal(got.seq, 34);
	assert_int_equal(got.upto, 0);
	record_id_format((struct record_id){ 12, 34, 56 }, text);
	assert_string_equal(text, "12.34-56");
	assert_true(record_id_parse(text, &got));
	assert_int_equal(got.upto, 56);
	assert_true(record_id_parse("281474976710655.1", &got));
	assert_int_equal(got.epoch, EPOCH_MAX);
	assert_false(record_id_parse("281474976710656.1", &got));
	assert_int_equal(got.epoch, EPOCH_MAX);
	assert_false(record_id_parse("12", &got));
	assert_false(record_id_parse("12.34.56", &got));
}

static void test_collector_ids(void **state)
{
	(void)state;
	assert_true(collector_id_valid("ams1"));
	assert_true(collector_id_valid("A-b_9"));
	assert_false(collector_id_valid(""));
	assert_false(collector_id_valid("a.b"));
	assert_false(collector_id_valid("a*"));
	assert_false(collector_id_valid(TOO_LONG));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_what_is_no_id),
		cmocka_unit_test(test_id_of_a_collector_that_is_too_long),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_record_ids),
		cmocka_unit_test(test_collector_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
