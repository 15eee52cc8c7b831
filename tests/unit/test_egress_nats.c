#include "check.h"

#include "egress/nats/stream.h"

#include <string.h>

static struct nats_ack parse(const char *json)
{
	struct nats_ack ack;

	nats_ack_parse(json, strlen(json), &ack);
	return ack;
}

static void test_acks(void **state)
{
	struct nats_ack ack = parse("{\"stream\":\"ARANCINI\", \"seq\":42}");

	(void)state;
	assert_int_equal(ack.error, 0);
	assert_int_equal(ack.seq, 42);
	assert_false(ack.duplicate);
	ack = parse("{\"stream\":\"A\",\"seq\":7,\"duplicate\": true}");
	assert_int_equal(ack.seq, 7);
	ack = parse("{\"stream\":\"A\",\"seq\":7,\"duplicate\":true}");
	assert_true(ack.duplicate);
	ack = parse("{\"error\":{\"code\":400,\"err_code\":10070,"
		    "\"description\":\"wrong last msg ID: a.1.2\"},"
		    "\"stream\":\"A\",\"seq\":0}");
	assert_int_equal(ack.error, 10070);
	assert_string_equal(ack.text, "wrong last msg ID: a.1.2");
	ack = parse("{\"error\":{\"code\":503,"
		    "\"description\":\"no space\"},\"stream\":\"A\"}");
	assert_int_equal(ack.error, NATS_ACK_UNREADABLE);
	assert_string_equal(ack.text, "no space");
}

/* Whatever it is cut to or made of, it is never taken for stored. */
static void test_what_is_no_ack(void **state)
{
	static const char whole[] = "{\"stream\":\"ARANCINI\",\"seq\":";
	static const char *const cases[] = {
		"",
		"{}",
		"null",
		"{\"seq\":}",
		"{\"seq\":\"1\"}",
		"{\"seq\":0}",
		"{\"description\":\"\\\"seq\\\":5\"}",
	};

	(void)state;
	for (size_t n = 0; n < sizeof(whole); n++) {
		struct nats_ack ack;

		nats_ack_parse(whole, n, &ack);
		assert_int_not_equal(ack.error, 0);
	}
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK(parse(cases[i]).error != 0, "'%s' is an ack", cases[i]);
}

static void test_covering(void **state)
{
	const struct {
		const char *filter;
		const char *subject;
		bool covers;
	} cases[] = {
		{ "a.b", "a.b", true },	   { "a.b", "a.c", false },
		{ "a.*", "a.b", true },	   { "a.*", "a.b.c", false },
		{ "a.>", "a.b.c", true },  { "a.>", "a.>", true },
		{ "a.>", "a", false },	   { ">", "a.>", true },
		{ "a.*", "a.>", false },   { "a.*.c", "a.*.c", true },
		{ "a.b.>", "a.>", false }, { "a.b", "a.bc", false },
		{ "a.b.c", "a.b", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK(nats_subject_covers(cases[i].filter, cases[i].subject) ==
			      cases[i].covers,
		      "%s and %s", cases[i].filter, cases[i].subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acks),
		cmocka_unit_test(test_what_is_no_ack),
		cmocka_unit_test(test_covering),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
