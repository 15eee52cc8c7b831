#include "check.h"

#include "bmp/as_path.h"

static void test_validity(void **state)
{
	const struct {
		const char *name;
		const uint8_t *in;
		size_t len;
		bool two, four;
	} cases[] = {
		/* clang-format off */
		{ "empty", NULL, 0, true, true },
		{ "one ASN of four bytes", BYTES(2, 1, 0, 0, 0, 1), false, true },
		{ "one ASN of two bytes", BYTES(2, 1, 0, 1), true, false },
		{ "a set", BYTES(1, 2, 0, 1, 0, 2), true, false },
		{ "confederation sequence and set", BYTES(3, 1, 0, 1, 4, 1, 0, 2), true, false },
		{ "type 0", BYTES(0, 1, 0, 1), false, false },
		{ "type 5", BYTES(5, 1, 0, 1), false, false },
		{ "no ASN at all", BYTES(2, 0), false, false },
		{ "half a header", BYTES(2), false, false },
		{ "ASNs beyond the end", BYTES(2, 2, 0, 1), false, false },
		{ "two of two, or one of four and a rest", BYTES(2, 2, 0, 1, 0, 2), true, false },
		/* Two segments of two bytes that are one of four, too. */
		{ "both are possible", BYTES(2, 2, 0, 1, 0, 2, 2, 1, 0, 3), true, true },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wire_view v = { cases[i].in, cases[i].len };

		CHECK(bgp_as_path_valid(v, 2) == cases[i].two, "%s: as 2",
		      cases[i].name);
		CHECK(bgp_as_path_valid(v, 4) == cases[i].four, "%s: as 4",
		      cases[i].name);
	}
}

/* A path as a flat list; a segment's type stands before its ASNs. */
static size_t flatten(const struct bgp_as_path *path, uint32_t *out)
{
	struct bgp_as_path_iter it = bgp_as_path_start(path);
	struct bgp_as_segment s;
	size_t n = 0;

	while (bgp_as_path_next(&it, &s)) {
		out[n++] = s.type;
		for (unsigned i = 0; i < s.count; i++)
			out[n++] = bgp_as_segment_at(&s, i);
	}
	return n;
}

#define LIST(...)                          \
	(const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)

#define TRANS 0x5b, 0xa0 /* 23456 */

static void test_rule_11_as4_path_merge(void **state)
{
	const struct {
		const char *name;
		const uint8_t *path;
		size_t path_len;
		const uint8_t *as4;
		size_t as4_len;
		const uint32_t *want;
		size_t want_len;
	} cases[] = {
		/* clang-format off */
		{ "no AS4_PATH", BYTES(2, 2, 0, 1, 0, 2), NULL, 0, LIST(2, 1, 2) },
		{ "same length", BYTES(2, 2, 0, 1, TRANS),
		  BYTES(2, 2, 0, 0, 0, 1, 0, 1, 0, 0), LIST(2, 1, 65536) },
		{ "the tail only", BYTES(2, 3, 0, 1, 0, 2, TRANS),
		  BYTES(2, 1, 0, 1, 0, 0), LIST(2, 1, 2, 2, 65536) },
		{ "tail longer than the whole is ignored", BYTES(2, 1, TRANS),
		  BYTES(2, 2, 0, 0, 0, 1, 0, 1, 0, 0), LIST(2, 23456) },
		{ "a set counts one", BYTES(2, 1, 0, 9, 1, 2, 0, 1, TRANS),
		  BYTES(1, 2, 0, 0, 0, 1, 0, 1, 0, 0), LIST(2, 9, 1, 1, 65536) },
		{ "cut between segments", BYTES(2, 1, 0, 9, 2, 1, TRANS),
		  BYTES(2, 1, 0, 1, 0, 0), LIST(2, 9, 2, 65536) },
		{ "confederations count nothing and stay in front",
		  BYTES(3, 2, 0, 7, 0, 8, 2, 1, TRANS), BYTES(2, 1, 0, 1, 0, 0),
		  LIST(3, 7, 8, 2, 65536) },
		{ "confederations in AS4_PATH are left out", BYTES(2, 2, 0, 1, TRANS),
		  BYTES(3, 1, 0, 0, 0, 7, 2, 1, 0, 1, 0, 0), LIST(2, 1, 2, 65536) },
		{ "an AS4_PATH of confederations only", BYTES(2, 1, 0, 1),
		  BYTES(3, 1, 0, 0, 0, 7), LIST(2, 1) },
		{ "an empty path", NULL, 0, BYTES(2, 1, 0, 1, 0, 0), NULL, 0 },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_as_path path = {
			.path = { cases[i].path, cases[i].path_len },
			.as4_path = { cases[i].as4, cases[i].as4_len },
			.width = 2,
		};
		uint32_t got[64] = { 0 };
		size_t n = flatten(&path, got);

		CHECK(n == cases[i].want_len, "%s: %zu numbers", cases[i].name,
		      n);
		for (size_t j = 0; j < cases[i].want_len; j++)
			CHECK(got[j] == cases[i].want[j], "%s: [%zu] is %u",
			      cases[i].name, j, got[j]);
	}
}

static void test_hops(void **state)
{
	static const uint8_t path[] = { 3, 1, 0, 1, 2, 2, 0, 1, 0, 2,
					1, 2, 0, 3, 0, 4, 4, 1, 0, 5 };

	(void)state;
	assert_int_equal(
		bgp_as_path_hops((struct wire_view){ path, sizeof(path) }, 2),
		3);
}

static void test_origin(void **state)
{
	static const uint8_t sequence[] = { 2, 2, 0, 1, 0, 2 };
	static const uint8_t set[] = { 2, 1, 0, 1, 1, 1, 0, 2 };
	struct bgp_as_path path = { .path = { sequence, sizeof(sequence) },
				    .width = 2 };

	(void)state;
	assert_int_equal(bgp_as_path_origin(&path), 2);
	path.path = (struct wire_view){ set, sizeof(set) };
	assert_int_equal(bgp_as_path_origin(&path), 0);
	path.path.len = 0;
	assert_int_equal(bgp_as_path_origin(&path), 0);
}

/* Runs as a flat list, as flatten(). */
static size_t flatten_runs(const struct bgp_as_path *path, uint32_t *out)
{
	struct bgp_as_runs runs = bgp_as_runs_start(path);
	uint32_t asns[BGP_AS_RUN_MAX];
	unsigned count;
	size_t n = 0;
	uint8_t type;

	while ((count = bgp_as_runs_next(&runs, &type, asns)) > 0) {
		out[n++] = type;
		memcpy(out + n, asns, count * sizeof(*asns));
		n += count;
	}
	return n;
}

static void test_sequences_are_merged(void **state)
{
	const struct {
		const char *name;
		const uint8_t *path;
		size_t path_len;
		const uint32_t *want;
		size_t want_len;
	} cases[] = {
		/* clang-format off */
		{ "one", BYTES(2, 2, 0, 1, 0, 2), LIST(2, 1, 2) },
		{ "two", BYTES(2, 1, 0, 1, 2, 2, 0, 2, 0, 3), LIST(2, 1, 2, 3) },
		{ "a set between", BYTES(2, 1, 0, 1, 1, 1, 0, 2, 2, 1, 0, 3),
		  LIST(2, 1, 1, 2, 2, 3) },
		{ "sets stay apart", BYTES(1, 1, 0, 1, 1, 1, 0, 2), LIST(1, 1, 1, 2) },
		{ "kinds stay apart", BYTES(3, 1, 0, 1, 3, 1, 0, 2, 2, 1, 0, 3),
		  LIST(3, 1, 2, 2, 3) },
		{ "none", NULL, 0, NULL, 0 },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_as_path path = {
			.path = { cases[i].path, cases[i].path_len },
			.width = 2,
		};
		uint32_t got[64] = { 0 };
		size_t n = flatten_runs(&path, got);

		CHECK(n == cases[i].want_len, "%s: %zu numbers", cases[i].name,
		      n);
		for (size_t j = 0; j < cases[i].want_len; j++)
			CHECK(got[j] == cases[i].want[j], "%s: [%zu] is %u",
			      cases[i].name, j, got[j]);
	}
}

/* Pieces of 255: 300 sequences of two are 255, 255 and 90. */
static void test_long_runs_are_cut(void **state)
{
	uint8_t bytes[300 * 6];
	uint32_t got[700], next = 1;
	struct bgp_as_path path = { .path = { bytes, sizeof(bytes) },
				    .width = 2 };
	size_t n;

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		bytes[6 * i] = BGP_AS_SEQUENCE;
		bytes[6 * i + 1] = 2;
		wire_put_u16(bytes + 6 * i + 2, (uint16_t)(2 * i + 1));
		wire_put_u16(bytes + 6 * i + 4, (uint16_t)(2 * i + 2));
	}
	n = flatten_runs(&path, got);
	assert_int_equal(n, 600 + 3);
	for (size_t i = 0; i < n; i++) {
		if (i % 256 == 0)
			assert_int_equal(got[i], BGP_AS_SEQUENCE);
		else
			assert_int_equal(got[i], next++);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_validity),
		cmocka_unit_test(test_rule_11_as4_path_merge),
		cmocka_unit_test(test_sequences_are_merged),
		cmocka_unit_test(test_long_runs_are_cut),
		cmocka_unit_test(test_hops),
		cmocka_unit_test(test_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
