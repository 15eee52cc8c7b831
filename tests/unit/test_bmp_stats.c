#include "check.h"

#include "bmp/stats.h"
#include "bmp/writer.h"

#include <string.h>

static void test_stats_length_decides(void **state)
{
	const struct {
		const char *name;
		const uint8_t *in;
		size_t len;
		enum bmp_stat_kind kind;
		uint64_t value;
		bool registered, unexpected;
	} cases[] = {
		/* clang-format off */
		{ "counter", BYTES(0, 0, 0, 4, 0, 0, 0, 9), BMP_STAT_COUNTER32, 9, true, false },
		{ "gauge", BYTES(0, 7, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0), BMP_STAT_GAUGE64, UINT64_C(1) << 32, true, false },
		{ "gauge of a family", BYTES(0, 9, 0, 11, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 5), BMP_STAT_FAMILY_GAUGE64, 5, true, false },
		{ "a gauge where a counter belongs", BYTES(0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7), BMP_STAT_GAUGE64, 7, true, true },
		{ "a counter where a gauge belongs", BYTES(0, 7, 0, 4, 0, 0, 0, 7), BMP_STAT_COUNTER32, 7, true, true },
		{ "no such length", BYTES(0, 7, 0, 3, 1, 2, 3), BMP_STAT_RAW, 0, true, true },
		{ "24 is nobody's", BYTES(0, 24, 0, 4, 0, 0, 0, 1), BMP_STAT_COUNTER32, 1, false, false },
		{ "FRR's 65531", BYTES(0xff, 0xfb, 0, 8, 0, 0, 0, 0, 0, 0, 0, 3), BMP_STAT_GAUGE64, 3, false, false },
		{ "unknown and odd", BYTES(0x80, 0, 0, 1, 7), BMP_STAT_RAW, 0, false, false },
		{ "empty", BYTES(0, 0, 0, 0), BMP_STAT_RAW, 0, true, true },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bmp_message m = {
			.tlvs = { cases[i].in, cases[i].len },
		};
		struct bmp_stat_iter it = bmp_stat_start(&m);
		struct bmp_stat s;

		CHECK(bmp_stat_next(&it, &s), "%s", cases[i].name);
		CHECK(s.kind == cases[i].kind, "%s: kind %d", cases[i].name,
		      s.kind);
		CHECK(s.value == cases[i].value, "%s: value", cases[i].name);
		CHECK(s.registered == cases[i].registered, "%s: registered",
		      cases[i].name);
		CHECK(s.unexpected == cases[i].unexpected, "%s: unexpected",
		      cases[i].name);
		CHECK(s.raw.len == cases[i].len - 4, "%s: raw", cases[i].name);
		CHECK(!bmp_stat_next(&it, &s), "%s: more", cases[i].name);
	}
}

/* The table of PROTOCOL.md, type by type. */
static void test_stats_types_0_to_43(void **state)
{
	static const char kinds[BMP_STAT_TYPES + 1] = "ccccccc" /* 0-6 */
						      "gg"	/* 7, 8 */
						      "ff"	/* 9, 10 */
						      "ccc"	/* 11-13 */
						      "gg"	/* 14, 15 */
						      "ff"	/* 16, 17 */
						      "gfgf"	/* 18-21 */
						      "ff"	/* 22, 23 */
						      "--"	/* 24, 25 */
						      "fff"	/* 26-28 */
						      "gfgf"	/* 29-32 */
						      "gf"	/* 33, 34 */
						      "ffff"	/* 35-38 */
						      "gf"	/* 39, 40 */
						      "fff";	/* 41-43 */

	(void)state;
	assert_int_equal(strlen(kinds), BMP_STAT_TYPES);
	for (uint16_t type = 0; type < BMP_STAT_TYPES; type++)
		CHECK("-cgf"[bmp_stat_kind(type)] == kinds[type], "type %u",
		      type);
	assert_int_equal(bmp_stat_kind(44), BMP_STAT_RAW);
}

static void test_stats_cut_list(void **state)
{
	static const uint8_t in[] = { 0, 0, 0, 4, 0, 0, 0, 9, 0, 7, 0, 8, 0 };
	struct bmp_message m = { .tlvs = { in, sizeof(in) } };
	struct bmp_stat_iter it = bmp_stat_start(&m);
	struct bmp_stat s;

	(void)state;
	assert_true(bmp_stat_next(&it, &s));
	assert_false(bmp_stat_next(&it, &s));
	assert_true(it.tlvs.cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stats_length_decides),
		cmocka_unit_test(test_stats_types_0_to_43),
		cmocka_unit_test(test_stats_cut_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
