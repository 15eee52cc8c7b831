#include "check.h"

#include "collector/base/ip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint8_t v4[16] = { [10] = 0xff, 0xff, 192, 0, 2, 1 };
static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };

static void test_literals(void **state)
{
	static const struct {
		const char *text;
		int family;
		const uint8_t *want;
	} cases[] = {
		{ "192.0.2.1", AF_INET, v4 },
		{ "::ffff:192.0.2.1", AF_INET6, v4 },
		{ "::ffff:c000:201", AF_INET6, v4 },
		{ "2001:db8::1", AF_INET6, v6 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t got[16] = { 0 };

		CHECK(ip_parse(cases[i].text, got) == cases[i].family, "%s",
		      cases[i].text);
		CHECK(memcmp(got, cases[i].want, 16) == 0, "%s", cases[i].text);
	}
}

static void test_what_is_not_a_literal_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"192.0.2",
		"192.0.2.1:179",
		"192.0.2.256",
		"[2001:db8::1]",
		"fe80::1%lo",
		"core1",
		" 192.0.2.1",
		"2001:db8::1/64",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		uint8_t got[16];

		memcpy(got, v6, 16);
		CHECK(ip_parse(bad[i], got) == -EINVAL, "'%s'", bad[i]);
		CHECK(memcmp(got, v6, 16) == 0, "'%s'", bad[i]);
	}
}

static void test_sockets_have_the_family_of_the_address(void **state)
{
	uint8_t back[16];
	struct sp_addr addr;

	(void)state;
	ip_to_sockaddr(v4, 179, &addr);
	assert_int_equal(addr.any.sa_family, AF_INET);
	assert_int_equal(addr.len, sizeof(addr.in4));
	assert_int_equal(sp_addr_port(&addr), 179);
	ip_from_sockaddr(&addr.any, back);
	assert_memory_equal(back, v4, 16);

	ip_to_sockaddr(v6, 65535, &addr);
	assert_int_equal(addr.any.sa_family, AF_INET6);
	assert_int_equal(addr.len, sizeof(addr.in6));
	assert_int_equal(sp_addr_port(&addr), 65535);
	ip_from_sockaddr(&addr.any, back);
	assert_memory_equal(back, v6, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_what_is_not_a_literal_is_refused),
		cmocka_unit_test(test_sockets_have_the_family_of_the_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
