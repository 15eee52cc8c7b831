#include "check.h"

#include "collector/checkpoint/manifest.h"
#include "rib/checksum.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct manifest_entry entry(const char *token, bool filed,
				   uint64_t position)
{
	struct manifest_entry e = {
		.filed = filed,
		.since = { false, 1763251200123456789, position },
	};

	snprintf(e.token, sizeof(e.token), "%s", token);
	return e;
}

static struct manifest example(void)
{
	struct manifest m = {
		.mark = { false, 1763251200123456789, 4711 },
		.held = { 1763251200123456789, 4650, 4711, 0,
			  1763251200123456789, 1763251299123456789 },
	};
	struct manifest_entry a = entry("v4_192_0_2_9", false, 4650);
	struct manifest_entry b = entry("id_core-1_2enet", true, 4700);

	b.since.journal = true;
	b.relies_on = (struct record_id){ 1763251200123, 42, 0 };
	assert_int_equal(manifest_add(&m, &a), 0);
	assert_int_equal(manifest_add(&m, &b), 0);
	return m;
}

static enum manifest_status parse(const char *text, size_t len,
				  const char *collector, struct manifest *out)
{
	return manifest_parse((struct wire_view){ (const uint8_t *)text, len },
			      collector, out);
}

/* @body with its sum behind it. */
static enum manifest_status parse_summed(const char *body, struct manifest *out)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "%ssum %08x\n", body,
			 rib_checksum(0, body, strlen(body)));

	assert_true(n < (int)sizeof(text));
	return parse(text, (size_t)n, "ams1", out);
}

static void test_it_is_what_the_header_shows(void **state)
{
	static const char want[] =
		"arancini manifest 3\n"
		"collector ams1\n"
		"mark stream 1763251200123456789 4711\n"
		"held 4650 4711 0 1763251200123456789 1763251299123456789\n"
		"router v4_192_0_2_9 new - stream 1763251200123456789 4650\n"
		"router id_core-1_2enet filed 1763251200123.42 journal "
		"1763251200123456789 4700\n"
		"sum ";
	struct manifest m = example();
	size_t len;
	char *text = manifest_format(&m, "ams1", &len);

	(void)state;
	assert_non_null(text);
	assert_int_equal(len, sizeof(want) - 1 + 9);
	assert_memory_equal(text, want, sizeof(want) - 1);
	free(text);
	manifest_release(&m);
}

static void test_what_is_written_is_read(void **state)
{
	struct manifest m = example(), back;
	const struct manifest_entry *e;
	size_t len;
	char *text = manifest_format(&m, "ams1", &len);

	(void)state;
	assert_int_equal(parse(text, len, "ams1", &back), MANIFEST_OK);
	assert_int_equal(back.count, 2);
	assert_int_equal(back.mark.position, 4711);
	assert_memory_equal(&back.held, &m.held, sizeof(m.held));
	e = manifest_find(&back, "id_core-1_2enet");
	assert_non_null(e);
	assert_true(e->filed && e->since.journal);
	assert_int_equal(e->since.position, 4700);
	assert_int_equal(e->relies_on.epoch, 1763251200123);
	assert_int_equal(e->relies_on.seq, 42);
	e = manifest_find(&back, "v4_192_0_2_9");
	assert_non_null(e);
	assert_false(e->filed);
	assert_null(manifest_find(&back, "v4_192_0_2_8"));
	manifest_release(&back);
	assert_int_equal(parse(text, len, "ams2", &back), MANIFEST_FOREIGN);
	assert_int_equal(parse(text, len, NULL, &back), MANIFEST_OK);
	free(text);
	manifest_release(&m);
	manifest_release(&back);
}

/* A look at another stream than the one of the mark says nothing. */
static void test_what_another_stream_held_is_left_out(void **state)
{
	struct manifest m = example(), back;
	size_t len;
	char *text;

	(void)state;
	m.held.created_ns++;
	text = manifest_format(&m, "ams1", &len);
	assert_int_equal(parse(text, len, "ams1", &back), MANIFEST_OK);
	assert_int_equal(back.held.created_ns, 0);
	assert_int_equal(back.count, 2);
	free(text);
	manifest_release(&m);
	manifest_release(&back);
}

static void test_any_number_of_routers_is_found_again(void **state)
{
	(void)state;
	for (size_t count = 0; count < 300; count += 37) {
		struct manifest m = { .mark = { true, 9, 9 } }, back;
		char *text;
		size_t len;

		for (size_t i = 0; i < count; i++) {
			struct manifest_entry e;
			char token[32];

			/* Not in the order in which they are found. */
			snprintf(token, sizeof(token), "v4_10_0_%zu_%zu",
				 i * 7 % 256, i % 251);
			e = entry(token, i % 2, i);
			assert_int_equal(manifest_add(&m, &e), 0);
		}
		text = manifest_format(&m, "ams1", &len);
		assert_int_equal(parse(text, len, "ams1", &back), MANIFEST_OK);
		assert_int_equal(back.count, count);
		for (size_t i = 0; i < count; i++)
			assert_non_null(
				manifest_find(&back, m.entries[i].token));
		free(text);
		manifest_release(&m);
		manifest_release(&back);
	}
}

static void test_each_damaged_byte_is_found(void **state)
{
	struct manifest m = example(), back;
	size_t len;
	char *text = manifest_format(&m, "ams1", &len);

	(void)state;
	for (size_t i = 0; i < len; i++) {
		for (int bit = 0; bit < 8; bit++) {
			text[i] = (char)(text[i] ^ 1 << bit);
			assert_int_not_equal(parse(text, len, "ams1", &back),
					     MANIFEST_OK);
			assert_null(back.entries);
			text[i] = (char)(text[i] ^ 1 << bit);
		}
		assert_int_equal(parse(text, i, "ams1", &back),
				 MANIFEST_DAMAGED);
	}
	free(text);
	manifest_release(&m);
}

#define HEAD3 "arancini manifest 3\ncollector ams1\nmark stream 5 5\n"
#define HEAD2 "arancini manifest 2\ncollector ams1\nmark stream 5 5\n"
#define HEAD  "arancini manifest 1\ncollector ams1\nmark stream 5 5\n"

static void test_what_makes_no_sense_is_refused(void **state)
{
	const struct {
		const char *body;
		enum manifest_status wanted;
	} cases[] = {
		{ HEAD, MANIFEST_OK },
		{ HEAD "router v4_10_0_0_1 new stream 0 0\n", MANIFEST_OK },
		{ HEAD2 "router v4_10_0_0_1 new - stream 0 0\n", MANIFEST_OK },
		{ HEAD2 "router v4_10_0_0_1 filed 7.1 stream 0 0\n",
		  MANIFEST_OK },
		{ HEAD2 "router v4_10_0_0_1 filed stream 0 0\n",
		  MANIFEST_DAMAGED },
		{ HEAD2 "router v4_10_0_0_1 filed 7 stream 0 0\n",
		  MANIFEST_DAMAGED },
		{ HEAD2 "router v4_10_0_0_1 filed 0.1 stream 0 0\n",
		  MANIFEST_DAMAGED },
		{ HEAD3 "router v4_10_0_0_1 new - stream 0 0\n", MANIFEST_OK },
		{ HEAD3 "held 1 5 0 7 9\n"
			"router v4_10_0_0_1 new - stream 0 0\n",
		  MANIFEST_OK },
		{ HEAD3 "held 1 5 0 7 9\nheld 1 5 0 7 9\n", MANIFEST_DAMAGED },
		{ HEAD3 "held 1 5 0 7\n", MANIFEST_DAMAGED },
		{ HEAD3 "held 1 5 0 7 9 9\n", MANIFEST_DAMAGED },
		{ HEAD3 "held 1 5 0 7 -9\n", MANIFEST_DAMAGED },
		{ HEAD3 "held 1 5 0 7 9223372036854775808\n",
		  MANIFEST_DAMAGED },
		{ HEAD3 "held 1 5 0 7 99999999999999999999\n",
		  MANIFEST_DAMAGED },
		{ HEAD2 "held 1 5 0 7 9\n", MANIFEST_DAMAGED },
		{ "arancini manifest 3\ncollector ams1\nmark journal 5 5\n"
		  "held 1 5 0 7 9\n",
		  MANIFEST_DAMAGED },
		{ "arancini manifest 4\nwhat may come\n",
		  MANIFEST_VERSION_NEW },
		{ "arancini manifest 0\n", MANIFEST_DAMAGED },
		{ "arancini manifest x\n", MANIFEST_DAMAGED },
		{ "arancini manifest 1234567890\n", MANIFEST_DAMAGED },
		{ "arancini manifest \n", MANIFEST_DAMAGED },
		{ "", MANIFEST_DAMAGED },
		{ "arancini manifest 1\n", MANIFEST_DAMAGED },
		{ "arancini manifest 1\ncollector ams2\nmark stream 5 5\n",
		  MANIFEST_FOREIGN },
		{ "arancini manifest 1\ncollector ams1\n", MANIFEST_DAMAGED },
		{ "arancini manifest 1\ncollector ams1\nmark river 5 5\n",
		  MANIFEST_DAMAGED },
		{ HEAD "router v4_10_0_0_1 new stream 1\n", MANIFEST_DAMAGED },
		{ HEAD "router v4_10_0_0_1 old stream 1 1\n",
		  MANIFEST_DAMAGED },
		{ HEAD "router ../../etc new stream 1 1\n", MANIFEST_DAMAGED },
		{ HEAD "router v4_10_0_0 new stream 1 1\n", MANIFEST_DAMAGED },
		{ HEAD "switch v4_10_0_0_1 new stream 1 1\n",
		  MANIFEST_DAMAGED },
		{ HEAD "\n", MANIFEST_DAMAGED },
		{ HEAD "router v4_10_0_0_1 new stream 1 1", MANIFEST_DAMAGED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct manifest m;
		enum manifest_status got = parse_summed(cases[i].body, &m);

		CHECK(got == cases[i].wanted, "%s: it %s", cases[i].body,
		      manifest_text(got));
		manifest_release(&m);
	}
}

static void test_a_token_of_any_length_is_no_harm(void **state)
{
	char body[1024], token[IDENTITY_TOKEN_MAX + 8] = "id_";
	struct manifest m;

	(void)state;
	memset(token + 3, 'a', sizeof(token) - 4);
	token[sizeof(token) - 1] = '\0';
	snprintf(body, sizeof(body), HEAD "router %s new stream 1 1\n", token);
	assert_int_equal(parse_summed(body, &m), MANIFEST_DAMAGED);
	assert_null(manifest_find(&m, token));
}

/* A manifest that was written for another file says nothing of this one. */
static void test_where_to_read_on(void **state)
{
	static const struct record_id first = { 7, 1, 0 }, second = { 7, 2, 0 };
	const struct wire_view start = { (const uint8_t *)"stream 5 10", 11 };
	const struct wire_view none = { (const uint8_t *)"river 5 10", 10 };
	struct manifest_entry e = { .since = { false, 5, 20 },
				    .relies_on = second };
	struct log_position at;

	(void)state;
	assert_true(manifest_read_from(NULL, start, second, &at));
	assert_int_equal(at.position, 10);
	assert_true(manifest_read_from(&e, start, second, &at));
	assert_int_equal(at.position, 20);
	assert_true(manifest_read_from(&e, start, first, &at));
	assert_int_equal(at.position, 10);
	e.since.identity = 6; /* another log */
	assert_true(manifest_read_from(&e, start, second, &at));
	assert_int_equal(at.position, 10);
	assert_false(manifest_read_from(&e, none, second, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_what_the_header_shows),
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_what_another_stream_held_is_left_out),
		cmocka_unit_test(test_any_number_of_routers_is_found_again),
		cmocka_unit_test(test_each_damaged_byte_is_found),
		cmocka_unit_test(test_where_to_read_on),
		cmocka_unit_test(test_what_makes_no_sense_is_refused),
		cmocka_unit_test(test_a_token_of_any_length_is_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
