#include "check.h"

#include "bmp/bytes.h"

/* Any length from any place: all of it, and nothing beside it. */
static void test_a_copy_is_whole(void **state)
{
	uint8_t from[80], to[80];

	(void)state;
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i + 1);
	for (size_t n = 0; n <= 64; n++)
		for (size_t at = 0; at < 8; at++) {
			memset(to, 0, sizeof(to));
			wire_copy(to + 8, from + at, n);
			assert_memory_equal(to + 8, from + at, n);
			assert_int_equal(to[7], 0);
			assert_int_equal(to[8 + n], 0);
		}
}

/* What is read past the end of a number is zeros, not what stands there. */
static void test_short_numbers_are_padded(void **state)
{
	static const uint8_t p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	(void)state;
	assert_int_equal(wire_get_u64_padded(p, 8), 0x0102030405060708);
	assert_int_equal(wire_get_u64_padded(p, 3), UINT64_C(0x010203) << 40);
	assert_int_equal(wire_get_u32_padded(p, 9), 0x01020304);
	assert_int_equal(wire_get_u32_padded(p, 1), 0x01000000);
	assert_int_equal(wire_get_u32_padded(p, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_copy_is_whole),
		cmocka_unit_test(test_short_numbers_are_padded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
