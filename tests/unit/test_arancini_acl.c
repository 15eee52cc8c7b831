#include "check.h"

#include "arancini/acl.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_networks_are_refused),
		cmocka_unit_test(test_empty_lists_let_everybody_in),
		cmocka_unit_test(test_deny_wins_over_allow),
		cmocka_unit_test(test_default_route_stays_in_its_family),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
