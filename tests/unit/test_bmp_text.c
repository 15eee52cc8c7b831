#include "check.h"

#include "bmp/names.h"
#include "bmp/open.h"
#include "bmp/stats.h"
#include "bmp/text.h"
#include "bmp/update.h"

#include <arpa/inet.h>
#include <string.h>

static void test_ipv6_as_the_c_library_writes_it(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint8_t address[16];
		char got[64], want[64];
		struct text t = text_start(got, sizeof(got));

		/* Many zeros, so that there are runs of them. */
		for (int j = 0; j < 16; j += 2) {
			seed = seed * 1103515245 + 12345;
			address[j] = seed >> 16 & 1 ? (uint8_t)(seed >> 20) : 0;
			address[j + 1] =
				seed >> 17 & 1 ? (uint8_t)(seed >> 24) : 0;
		}
		/* It writes these with dots; RFC 5952 5 leaves it open. */
		if (memcmp(address, (uint8_t[10]){ 0 }, 10) == 0)
			continue;
		text_ipv6(&t, address);
		text_end(&t);
		inet_ntop(AF_INET6, address, want, sizeof(want));
		CHECK(strcmp(got, want) == 0, "got %s, want %s", got, want);
	}
}

static void test_ipv6_edges(void **state)
{
	const struct {
		uint8_t address[16];
		const char *want;
	} cases[] = {
		{ { 0 }, "::" },
		{ { [15] = 1 }, "::1" },
		{ { [0] = 0x20, [1] = 1 }, "2001::" },
		{ { [10] = 0xff, 0xff, 192, 0, 2, 1 }, "::ffff:c000:201" },
		/* One zero group is not shortened. */
		{ { 0, 1, 0, 2, 0, 3, 0, 0, 0, 5, 0, 6, 0, 7, 0, 8 },
		  "1:2:3:0:5:6:7:8" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char got[64];
		struct text t = text_start(got, sizeof(got));

		text_ipv6(&t, cases[i].address);
		text_end(&t);
		CHECK(strcmp(got, cases[i].want) == 0, "%s", got);
	}
}

static void test_canonical_form_reads_as_ipv4(void **state)
{
	static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 192, 0, 2, 1 };
	char got[64];
	struct text t = text_start(got, sizeof(got));

	(void)state;
	text_ip(&t, mapped);
	text_end(&t);
	assert_string_equal(got, "192.0.2.1");
}

static void test_route_distinguishers(void **state)
{
	static const struct {
		uint64_t rd;
		const char *want;
	} cases[] = {
		{ 0, "0:0" },
		{ 0x0000fde800000001, "65000:1" },
		{ 0x0001c00002010002, "192.0.2.1:2" },
		{ 0x0002000100000003, "65536:3" },
		{ 0xffff000000000001, "ff:ff:00:00:00:00:00:01" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char got[64];
		struct text t = text_start(got, sizeof(got));

		text_rd(&t, cases[i].rd);
		text_end(&t);
		CHECK(strcmp(got, cases[i].want) == 0, "%s", got);
	}
}

static void test_text_that_does_not_fit_is_cut_and_measured(void **state)
{
	char got[4] = "xyz";
	struct text t = text_start(got, sizeof(got));

	(void)state;
	text_u64(&t, UINT64_MAX);
	assert_int_equal(text_end(&t), 20);
	assert_string_equal(got, "184");
	t = text_start(got, 0);
	text_str(&t, "abc");
	assert_int_equal(text_end(&t), 3);
	assert_string_equal(got, "184");
}

static void check_names(const char *(*name)(unsigned), unsigned first,
			unsigned end)
{
	for (unsigned i = first; i < end; i++)
		CHECK(strcmp(name(i), "unknown") != 0, "%u has no name", i);
	assert_string_equal(name(1000), "unknown");
}

static void test_every_number_has_a_name(void **state)
{
	(void)state;
	check_names(bmp_frame_status_name, 0, BMP_FRAME_STATUSES);
	check_names(bmp_type_name, 0, BMP_TYPES);
	check_names(bmp_status_name, 0, BMP_STATUSES);
	check_names(bmp_peer_type_name, 0, BMP_PEER_TYPES);
	check_names(bmp_view_name, 0, BMP_VIEWS);
	check_names(bmp_down_reason_name, 1, BMP_DOWN_REASONS);
	check_names(bmp_term_reason_name, 0, BMP_TERM_REASONS);
	check_names(bgp_pdu_type_name, 1, 6);
	check_names(bgp_open_status_name, 0, BGP_OPEN_STATUSES);
	check_names(bgp_verdict_name, 0, BGP_VERDICTS);
	check_names(bgp_fault_name, 0, BGP_FAULTS);
	check_names(bgp_nlri_kind_name, 0, BGP_NLRI_KINDS);
	for (unsigned code = 0; code < 256; code++)
		CHECK(!bgp_attr_known((uint8_t)code) ||
			      strcmp(bgp_attr_name(code), "unknown") != 0,
		      "attribute %u", code);
	for (uint16_t type = 0; type < BMP_STAT_TYPES; type++)
		CHECK((bmp_stat_kind(type) != BMP_STAT_RAW) ==
			      (strcmp(bmp_stat_name(type), "unknown") != 0),
		      "statistic %u", type);
}

static void test_a_text_is_cut_between_characters(void **state)
{
	static const struct {
		const char *text;
		size_t max, want;
	} cases[] = {
		{ "", 0, 0 },
		{ "abc", 3, 3 },
		{ "abcd", 3, 3 },
		{ "abcd", 0, 0 },
		{ "ab\xe2\x82\xac", 5, 5 },
		{ "ab\xe2\x82\xac", 4, 2 },
		{ "ab\xe2\x82\xac", 3, 2 },
		{ "ab\xe2\x82\xac", 2, 2 },
		{ "a\xf0\x9f\x8d\x8a", 4, 1 },
		/* What is not UTF-8 is cut anywhere. */
		{ "\x80\x80\x80\x80\x80\x80", 4, 4 },
		{ "ab\xe2\x82z", 4, 4 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wire_view v = { (const uint8_t *)cases[i].text,
				       strlen(cases[i].text) };
		size_t got = text_cut(v, cases[i].max).len;

		CHECK(got == cases[i].want, "case %zu: %zu", i, got);
	}
}

/* Every code point, against the list of the ranges. */
static void test_controls_and_directions_are_unsafe(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 0x10000; code++) {
		bool want = code < 0x20 || (code >= 0x7f && code < 0xa0) ||
			    code == 0x61c || code == 0x200e || code == 0x200f ||
			    (code >= 0x202a && code <= 0x202e) ||
			    (code >= 0x2066 && code <= 0x2069);
		uint8_t utf8[3] = { (uint8_t)code };
		uint32_t got;
		size_t len = 1;

		if (code >= 0x800) {
			utf8[0] = (uint8_t)(0xe0 | code >> 12);
			utf8[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
			utf8[2] = (uint8_t)(0x80 | (code & 0x3f));
			len = 3;
		} else if (code >= 0x80) {
			utf8[0] = (uint8_t)(0xc0 | code >> 6);
			utf8[1] = (uint8_t)(0x80 | (code & 0x3f));
			len = 2;
		}
		CHECK(text_is_unsafe(utf8, len, &got) == want, "U+%04x", code);
		CHECK(got == code, "U+%04x", code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv6_as_the_c_library_writes_it),
		cmocka_unit_test(test_ipv6_edges),
		cmocka_unit_test(test_canonical_form_reads_as_ipv4),
		cmocka_unit_test(test_route_distinguishers),
		cmocka_unit_test(
			test_text_that_does_not_fit_is_cut_and_measured),
		cmocka_unit_test(test_every_number_has_a_name),
		cmocka_unit_test(test_a_text_is_cut_between_characters),
		cmocka_unit_test(test_controls_and_directions_are_unsafe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
