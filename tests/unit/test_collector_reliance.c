#include "check.h"

#include "collector/checkpoint/reliance.h"

#include <string.h>

static struct wire_view view(const char *text)
{
	return (struct wire_view){ (const uint8_t *)text, strlen(text) };
}

static void test_end_marks(void **state)
{
	static const struct log_position mark = { false, 1763251200123456789,
						  4711 };
	static const struct record_id record = { 1763251200123, 42, 0 };
	static const struct record_id none;
	char text[RELIANCE_END_MAX];
	struct record_id back;
	size_t len;

	(void)state;
	len = reliance_end_mark(&mark, record, text);
	assert_int_equal(len, strlen(text));
	assert_string_equal(text, "stream 1763251200123456789 4711 "
				  "1763251200123.42");
	back = reliance_of_end_mark(view(text));
	assert_int_equal(record_id_compare(back, record), 0);
	/* As it was written before, and what nobody has written. */
	len = reliance_end_mark(&mark, none, text);
	assert_int_equal(len, strlen(text));
	assert_string_equal(text, "stream 1763251200123456789 4711");
	assert_int_equal(reliance_of_end_mark(view(text)).epoch, 0);
	assert_int_equal(reliance_of_end_mark(view("")).epoch, 0);
	assert_int_equal(reliance_of_end_mark(view("1.2.3")).epoch, 0);
	assert_int_equal(reliance_of_end_mark((struct wire_view){ 0 }).epoch,
			 0);
	memset(text, '1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(reliance_of_end_mark(view(text)).epoch, 0);
}

#define RECORDS 8

/* Records end with one of epoch 0. */
struct held_case {
	const char *what;
	struct record_id last; /* of the stream; epoch 0: none */
	struct record_id spool[RECORDS];
	struct record_id held[RECORDS];
	struct record_id lost[RECORDS];
};

static const struct held_case cases[] = {
	{ .what = "all is in the stream",
	  .last = { 10, 5, 0 },
	  .held = { { 10, 5, 0 }, { 10, 1, 0 }, { 9, 77, 0 } },
	  .lost = { { 10, 6, 0 }, { 11, 1, 0 } } },
	{ .what = "the spool goes on",
	  .last = { 10, 5, 0 },
	  .spool = { { 10, 5, 0 }, { 10, 6, 0 }, { 10, 7, 0 } },
	  .held = { { 10, 5, 0 }, { 10, 7, 0 } },
	  .lost = { { 10, 8, 0 } } },
	{ .what = "an epoch that was opened anew, then another run",
	  .last = { 10, 5, 0 },
	  .spool = { { 11, 6, 0 }, { 11, 7, 0 }, { 20, 1, 0 }, { 20, 2, 0 } },
	  .held = { { 11, 7, 0 }, { 20, 2, 0 } },
	  .lost = { { 11, 8, 0 }, { 20, 3, 0 } } },
	{ .what = "the beginning of the spool is lost",
	  .last = { 10, 5, 0 },
	  .spool = { { 10, 7, 0 }, { 10, 8, 0 } },
	  .held = { { 10, 5, 0 } },
	  .lost = { { 10, 6, 0 }, { 10, 8, 0 } } },
	{ .what = "the end of a run is lost, the next one is there",
	  .last = { 10, 5, 0 },
	  .spool = { { 10, 6, 0 }, { 20, 1, 0 } },
	  .held = { { 10, 6, 0 }, { 20, 1, 0 } },
	  .lost = { { 10, 7, 0 } } },
	{ .what = "the stream has a part of the last",
	  .last = { 10, 5, 100 },
	  .spool = { { 10, 5, 0 }, { 10, 6, 0 } },
	  .held = { { 10, 4, 0 }, { 10, 5, 0 }, { 10, 6, 0 } } },
	{ .what = "a part of the last, and no spool",
	  .last = { 10, 5, 100 },
	  .held = { { 10, 4, 0 } },
	  .lost = { { 10, 5, 0 } } },
	{ .what = "nothing was ever published",
	  .spool = { { 10, 1, 0 }, { 10, 2, 0 } },
	  .held = { { 10, 2, 0 } },
	  .lost = { { 10, 3, 0 }, { 9, 1, 0 } } },
	{ .what = "nothing at all", .lost = { { 10, 1, 0 } } },
};

static void test_what_is_held(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct held_case *c = &cases[i];
		struct reliance r = { .has_last = c->last.epoch != 0,
				      .last = c->last };
		const struct record_id *at;

		for (at = c->spool; at->epoch != 0; at++)
			assert_int_equal(reliance_add_spooled(&r, *at), 0);
		for (at = c->held; at->epoch != 0; at++)
			CHECK(reliance_is_held(&r, *at), "%s: %llu.%llu",
			      c->what, (unsigned long long)at->epoch,
			      (unsigned long long)at->seq);
		for (at = c->lost; at->epoch != 0; at++)
			CHECK(!reliance_is_held(&r, *at), "%s: %llu.%llu",
			      c->what, (unsigned long long)at->epoch,
			      (unsigned long long)at->seq);
		/* A file that relies on nothing. */
		assert_true(reliance_is_held(&r, (struct record_id){ 0 }));
		reliance_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_marks),
		cmocka_unit_test(test_what_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
