#include "check.h"

#include "collector/policy/acl.h"

#include <arpa/inet.h>
#include <errno.h>

static bool permits(const struct acl *acl, const char *text)
{
	uint8_t addr[16] = { [10] = 0xff, [11] = 0xff };

	if (inet_pton(AF_INET, text, addr + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, addr), 1);
	return acl_permits(acl, addr);
}

static void test_bad_networks_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"192.0.2.0/33",
		"192.0.2.0/-1",
		"192.0.2.0/",
		"192.0.2.1/24",
		"2001:db8::/129",
		"2001:db8::1/64",
		"192.0.2.0/24x",
	};
	struct acl acl = ACL_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		CHECK(acl_list_add(&acl.allow, bad[i]) == -EINVAL, "%s",
		      bad[i]);
	assert_int_equal(acl.allow.count, 0);
}

static void test_empty_lists_let_everybody_in(void **state)
{
	struct acl acl = ACL_INIT;

	(void)state;
	assert_true(permits(&acl, "192.0.2.1"));
	assert_true(permits(&acl, "2001:db8::1"));
}

static void test_deny_wins_over_allow(void **state)
{
	struct acl acl = ACL_INIT;

	(void)state;
	assert_int_equal(acl_list_add(&acl.allow, "192.0.2.0/24"), 0);
	assert_int_equal(acl_list_add(&acl.allow, "2001:db8::/33"), 0);
	assert_int_equal(acl_list_add(&acl.deny, "192.0.2.77"), 0);
	assert_true(permits(&acl, "192.0.2.1"));
	assert_false(permits(&acl, "192.0.2.77"));
	assert_false(permits(&acl, "192.0.3.1"));
	assert_true(permits(&acl, "2001:db8:7fff::1"));
	assert_false(permits(&acl, "2001:db8:8000::1"));
	acl_release(&acl);
}

/* 0.0.0.0/0 is all of IPv4 and none of IPv6. */
static void test_default_route_stays_in_its_family(void **state)
{
	struct acl acl = ACL_INIT;

	(void)state;
	assert_int_equal(acl_list_add(&acl.allow, "0.0.0.0/0"), 0);
	assert_true(permits(&acl, "203.0.113.9"));
	assert_false(permits(&acl, "2001:db8::1"));
	acl_release(&acl);
}

/* IPv4 is kept mapped, below ::/0; it is not meant by who writes that. */
static void test_networks_of_ipv6_have_no_ipv4(void **state)
{
	static const struct {
		const char *network, *address;
		bool has;
	} cases[] = {
		{ "::/0", "203.0.113.9", false },
		{ "::/0", "2001:db8::1", true },
		{ "::/0", "::", true },
		{ "::/0", "::fffe:203.0.113.9", true },
		{ "::/64", "203.0.113.9", false },
		{ "::/80", "0.0.0.0", false },
		{ "::/80", "::1", true },
		{ "::fffe:0:0/95", "203.0.113.9", false },
		/* These say it, one way or the other. */
		{ "::ffff:0:0/96", "203.0.113.9", true },
		{ "::ffff:203.0.113.0/120", "203.0.113.9", true },
		{ "::ffff:203.0.113.0/120", "203.0.114.9", false },
		{ "::ffff:203.0.113.9", "203.0.113.9", true },
		{ "0.0.0.0/0", "203.0.113.9", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct acl allow = ACL_INIT, deny = ACL_INIT;

		assert_int_equal(acl_list_add(&allow.allow, cases[i].network),
				 0);
		assert_int_equal(acl_list_add(&deny.deny, cases[i].network), 0);
		CHECK(permits(&allow, cases[i].address) == cases[i].has,
		      "allow %s: %s", cases[i].network, cases[i].address);
		CHECK(permits(&deny, cases[i].address) != cases[i].has,
		      "deny %s: %s", cases[i].network, cases[i].address);
		acl_release(&allow);
		acl_release(&deny);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_networks_are_refused),
		cmocka_unit_test(test_empty_lists_let_everybody_in),
		cmocka_unit_test(test_deny_wins_over_allow),
		cmocka_unit_test(test_default_route_stays_in_its_family),
		cmocka_unit_test(test_networks_of_ipv6_have_no_ipv4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
