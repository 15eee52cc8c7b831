#include "check.h"

#include <spargio/address.h>

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

struct parse_case {
	const char *text;
	const char *back; /* how it is written again; NULL: refused */
	int err;
};

static const struct parse_case parse_cases[] = {
	{ "192.0.2.1:179", "192.0.2.1:179", 0 },
	{ "192.0.2.1", "192.0.2.1:7", 0 },
	{ "0.0.0.0:0", "0.0.0.0:0", 0 },
	{ "255.255.255.255:65535", "255.255.255.255:65535", 0 },
	{ "[2001:db8::1]:179", "[2001:db8::1]:179", 0 },
	{ "2001:db8::1", "[2001:db8::1]:7", 0 },
	{ "[::]", "[::]:7", 0 },
	{ "[::1%1]:80", NULL, 0 }, /* name of interface 1, see below */
	{ "::ffff:192.0.2.1", "[::ffff:192.0.2.1]:7", 0 },
	{ "unix:/run/x.sock", "unix:/run/x.sock", 0 },
	{ "unix:@abstract", "unix:@abstract", 0 },
	{ "", NULL, -EINVAL },
	{ ":80", NULL, -EINVAL },
	{ "localhost:80", NULL, -EINVAL },
	{ "192.0.2.1:", NULL, -EINVAL },
	{ "192.0.2.1:65536", NULL, -EINVAL },
	{ "192.0.2.1:-1", NULL, -EINVAL },
	{ "192.0.2.1: 1", NULL, -EINVAL },
	{ "192.0.2.1:99999999999999999999", NULL, -EINVAL },
	{ "192.0.2:80", NULL, -EINVAL },
	{ "192.0.2.1:80:81", NULL, -EINVAL },
	{ "[2001:db8::1", NULL, -EINVAL },
	{ "[2001:db8::1]179", NULL, -EINVAL },
	{ "[192.0.2.1]:179", NULL, -EINVAL },
	{ "2001:db8::g", NULL, -EINVAL },
	{ "[fe80::1%nosuchinterface]:1", NULL, -ENODEV },
	{ "unix:", NULL, -EINVAL },
};

static void test_literals_are_read_and_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(parse_cases); i++) {
		const struct parse_case *c = &parse_cases[i];
		struct sp_addr addr, again;
		char text[SP_ADDR_TEXT];
		int err = sp_addr_parse(c->text, 7, &addr);

		CHECK(err == c->err, "\"%s\" is %d, not %d", c->text, err,
		      c->err);
		if (err < 0)
			continue;
		sp_addr_format(&addr, text);
		CHECK(c->back == NULL || strcmp(text, c->back) == 0,
		      "\"%s\" is written \"%s\"", c->text, text);
		CHECK(sp_addr_parse(text, 0, &again) == 0 &&
			      sp_addr_equal(&addr, &again),
		      "\"%s\" is not read again", text);
	}
}

static void test_an_interface_by_number_is_written_by_name(void **state)
{
	char text[SP_ADDR_TEXT], want[SP_ADDR_TEXT], name[IF_NAMESIZE];
	struct sp_addr addr;

	(void)state;
	assert_int_equal(sp_addr_parse("[fe80::1%1]:80", 0, &addr), 0);
	assert_int_equal(addr.in6.sin6_scope_id, 1);
	sp_addr_format(&addr, text);
	snprintf(want, sizeof(want), "[fe80::1%%%s]:80",
		 if_indextoname(1, name) == NULL ? "1" : name);
	assert_string_equal(text, want);
}

static void test_paths_are_bounded(void **state)
{
	char text[SP_ADDR_TEXT + 64] = "unix:/";
	struct sp_addr addr;

	(void)state;
	memset(text + 6, 'x', 106);
	assert_int_equal(sp_addr_parse(text, 0, &addr), 0);
	text[6 + 106] = 'x';
	assert_int_equal(sp_addr_parse(text, 0, &addr), -ENAMETOOLONG);
	text[5] = '@'; /* needs no NUL */
	assert_int_equal(sp_addr_parse(text, 0, &addr), 0);
	sp_addr_format(&addr, text);
	assert_int_equal(strlen(text), 113);
}

static void test_addresses_are_compared_whole(void **state)
{
	static const char *const texts[] = {
		"192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1", "[::1]:1",
		"[::2]:1",     "[::1%1]:1",   "unix:/a",     "unix:@a",
	};
	struct sp_addr a, b;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		for (size_t j = 0; j < COUNT(texts); j++) {
			assert_int_equal(sp_addr_parse(texts[i], 0, &a), 0);
			assert_int_equal(sp_addr_parse(texts[j], 0, &b), 0);
			CHECK(sp_addr_equal(&a, &b) == (i == j), "%s and %s",
			      texts[i], texts[j]);
		}
}

static void test_a_port_is_where_there_is_one(void **state)
{
	struct sp_addr addr;

	(void)state;
	assert_int_equal(sp_addr_parse("[::1]:179", 0, &addr), 0);
	assert_int_equal(sp_addr_port(&addr), 179);
	assert_int_equal(sp_addr_parse("unix:/a", 179, &addr), 0);
	assert_int_equal(sp_addr_port(&addr), 0);
	assert_int_equal(sp_addr_local(-1, &addr), -EBADF);
	assert_int_equal(sp_addr_peer(-1, &addr), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals_are_read_and_written),
		cmocka_unit_test(
			test_an_interface_by_number_is_written_by_name),
		cmocka_unit_test(test_paths_are_bounded),
		cmocka_unit_test(test_addresses_are_compared_whole),
		cmocka_unit_test(test_a_port_is_where_there_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
