#include "check.h"

#include "egress/nats/reply.h"
#include "egress/nats/stream.h"

#include <string.h>

static struct nats_ack parse(const char *json)
{
	struct nats_ack ack;

	nats_ack_parse((struct wire_view){ (const uint8_t *)json,
					   strlen(json) },
		       &ack);
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

		nats_ack_parse((struct wire_view){ (const uint8_t *)whole, n },
			       &ack);
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

static struct wire_view view(const char *text)
{
	return (struct wire_view){ (const uint8_t *)text, strlen(text) };
}

static void test_times(void **state)
{
	const struct {
		const char *text;
		int64_t ns; /* -1: refused */
	} cases[] = {
		{ "\"1970-01-01T00:00:00Z\"", 0 },
		{ "\"2026-11-18T03:17:26.891944517Z\"", 1794971846891944517 },
		{ "\"2024-02-29T01:00:00+01:00\"", 1709164800000000000 },
		{ "\"2023-12-31T23:30:00.5-00:30\"", 1704067200500000000 },
		{ "\"2026-13-01T00:00:00Z\"", -1 },
		{ "\"2026-01-01T00:00:00\"", -1 },
		{ "\"2026-01-01T00:00:00.Z\"", -1 },
		{ "\"0001-01-01T00:00:00Z\"", -1 },
		{ "5", -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t ns = -1;
		bool good = nats_json_time(view(cases[i].text), &ns);

		CHECK(good == (cases[i].ns >= 0) && ns == cases[i].ns,
		      "%s: %ld", cases[i].text, (long)ns);
	}
}

static void test_json_strings(void **state)
{
	struct wire_view value;
	char text[8];

	(void)state;
	assert_true(nats_json_string(view("\"a\\n\\u0041\""), text, 8));
	assert_string_equal(text, "a\nA");
	assert_true(nats_json_string(view("\"1234567\""), text, 8));
	assert_false(nats_json_string(view("\"12345678\""), text, 8));
	assert_false(nats_json_string(view("\"\\u0000\""), text, 8));
	assert_false(nats_json_string(view("\"a"), text, 8));
	assert_false(nats_json_string(view("5"), text, 8));
	/* A value cannot look like a member, nor one of an inner object. */
	assert_false(
		nats_json_member(view("{\"a\":\"\\\"b\\\":1\"}"), "b", &value));
	assert_false(nats_json_member(view("{\"a\":{\"b\":1}}"), "b", &value));
	assert_true(
		nats_json_member(view("{\"a\":{} , \"b\" : 1}"), "b", &value));
}

static void test_json_nesting(void **state)
{
	char text[2 * NATS_JSON_DEPTH + 16] = "{\"a\":";
	size_t len = strlen(text);

	(void)state;
	for (size_t depth = 1; depth <= NATS_JSON_DEPTH; depth++) {
		memset(text + len, '[', depth);
		memset(text + len + depth, ']', depth);
		memcpy(text + len + 2 * depth, "}", 2);
		assert_int_equal(nats_json_is_object(view(text)),
				 depth < NATS_JSON_DEPTH);
	}
}

static void test_places(void **state)
{
	struct nats_reply_place place;

	(void)state;
	assert_true(nats_reply_place("$JS.ACK.S.C.1.42.7.9.3", &place));
	assert_int_equal(place.stream_seq, 42);
	assert_int_equal(place.delivery, 7);
	assert_int_equal(place.time_ns, 9);
	assert_int_equal(place.pending, 3);
	assert_true(nats_reply_place("$JS.ACK._.acc.S.C.1.42.7.9.3.x", &place));
	assert_int_equal(place.stream_seq, 42);
	assert_false(nats_reply_place("$JS.ACK.S.C.1.42.7.9", &place));
	assert_false(nats_reply_place("$JS.ACK.S.C.1.x.7.9.3", &place));
	assert_false(nats_reply_place("$JS.ACK.", &place));
	assert_false(nats_reply_place("_INBOX.1.2.3.4.5.6.7", &place));
	assert_false(nats_reply_place(
		"$JS.ACK.1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17", &place));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acks),
		cmocka_unit_test(test_what_is_no_ack),
		cmocka_unit_test(test_covering),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_json_strings),
		cmocka_unit_test(test_json_nesting),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
