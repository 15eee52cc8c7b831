#include "check.h"

#include "capture/format.h"

#include <string.h>

static void test_formats_by_content(void **state)
{
	const struct {
		const uint8_t *in;
		size_t len;
		enum capture_format want;
	} cases[] = {
		/* clang-format off */
		{ NULL, 0, CAPTURE_UNKNOWN },
		{ BYTES(0x1f, 0x8b, 8, 0), CAPTURE_GZIP },
		{ BYTES('B', 'Z', 'h', '9'), CAPTURE_BZIP2 },
		{ BYTES(0xfd, '7', 'z', 'X', 'Z', 0), CAPTURE_XZ },
		{ BYTES(0xfd, '7', 'z'), CAPTURE_UNKNOWN },
		{ BYTES(0x28, 0xb5, 0x2f, 0xfd), CAPTURE_ZSTD },
		{ BYTES(0xd4, 0xc3, 0xb2, 0xa1), CAPTURE_PCAP },
		{ BYTES(0xa1, 0xb2, 0x3c, 0x4d), CAPTURE_PCAP },
		{ BYTES(0x0a, 0x0d, 0x0d, 0x0a), CAPTURE_PCAPNG },
		{ BYTES(3, 0, 0, 0, 32, 4), CAPTURE_BMP },
		{ BYTES(0x5e, 0, 0, 0, 0, 13, 0, 1, 0, 0, 0, 40), CAPTURE_MRT },
		{ BYTES(0x5e, 0, 0, 0, 0, 99, 0, 1, 0, 0, 0, 40), CAPTURE_UNKNOWN },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wire_view in = { cases[i].in, cases[i].len };

		CHECK(capture_format_of(in) == cases[i].want, "case %zu: %s", i,
		      capture_format_name(capture_format_of(in)));
	}
}

static void test_every_format_has_a_name(void **state)
{
	(void)state;
	for (int f = 0; f < CAPTURE_FORMATS; f++)
		assert_non_null(capture_format_name((enum capture_format)f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats_by_content),
		cmocka_unit_test(test_every_format_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
