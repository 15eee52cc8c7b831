#include "check.h"

#include "bmp/open.h"

#define IPV4 bgp_family_bit(BGP_IPV4_UNICAST)
#define IPV6 bgp_family_bit(BGP_IPV6_UNICAST)
#define VPN4 bgp_family_bit(BGP_IPV4_VPN)

/* Version, AS 65001, hold time 180, id 192.0.2.7. */
#define FIXED 4, 0xfd, 0xe9, 0, 180, 192, 0, 2, 7

static enum bgp_open_status decode(const uint8_t *p, size_t len,
				   struct bgp_open *out)
{
	return bgp_open_decode((struct wire_view){ p, len }, out);
}

static void test_open_statuses(void **state)
{
	const struct {
		const char *name;
		const uint8_t *in;
		size_t len;
		enum bgp_open_status want;
	} cases[] = {
		/* clang-format off */
		{ "nothing", NULL, 0, BGP_OPEN_SHORT },
		{ "cut in the id", BYTES(4, 0xfd, 0xe9, 0, 180, 192, 0, 2), BGP_OPEN_SHORT },
		{ "version 3", BYTES(3, 0xfd, 0xe9, 0, 180, 192, 0, 2, 7, 0), BGP_OPEN_BAD_VERSION },
		{ "no parameters", BYTES(FIXED, 0), BGP_OPEN_OK },
		{ "no length of parameters", BYTES(FIXED), BGP_OPEN_CUT_PARAMETERS },
		{ "parameters beyond the end", BYTES(FIXED, 4, 2, 2), BGP_OPEN_CUT_PARAMETERS },
		{ "parameter beyond the list", BYTES(FIXED, 2, 2, 2), BGP_OPEN_CUT_PARAMETERS },
		{ "capability beyond its parameter", BYTES(FIXED, 4, 2, 2, 65, 4), BGP_OPEN_CUT_PARAMETERS },
		{ "route refresh", BYTES(FIXED, 4, 2, 2, 2, 0), BGP_OPEN_OK },
		{ "multiprotocol of 3 bytes", BYTES(FIXED, 7, 2, 5, 1, 3, 0, 1, 0), BGP_OPEN_BAD_CAPABILITY },
		{ "four-byte AS of 2 bytes", BYTES(FIXED, 6, 2, 4, 65, 2, 0, 1), BGP_OPEN_BAD_CAPABILITY },
		{ "add-path of 5 bytes", BYTES(FIXED, 9, 2, 7, 69, 5, 0, 1, 1, 3, 0), BGP_OPEN_BAD_CAPABILITY },
		{ "unknown parameter", BYTES(FIXED, 3, 1, 1, 0), BGP_OPEN_OK },
		{ "unknown capability", BYTES(FIXED, 5, 2, 3, 200, 1, 0), BGP_OPEN_OK },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_open open;
		enum bgp_open_status got =
			decode(cases[i].in, cases[i].len, &open);

		CHECK(got == cases[i].want, "%s: got %d", cases[i].name, got);
	}
}

static void test_bad_capability_leaves_no_trace(void **state)
{
	const uint8_t in[] = { FIXED, 9, 2, 7, 69, 5, 0, 1, 1, 3, 0 };
	struct bgp_open open;

	(void)state;
	decode(in, sizeof(in), &open);
	assert_true(open.add_path_send == 0);
	assert_true(open.add_path_receive == 0);
	/* What stands outside is good. */
	assert_int_equal(open.bgp_id, 0xc0000207);
	assert_int_equal(open.as, 65001);
}

static void test_no_family_means_ipv4_unicast(void **state)
{
	const uint8_t in[] = { FIXED, 0 };
	struct bgp_open open;

	(void)state;
	decode(in, sizeof(in), &open);
	assert_true(open.families == IPV4);
}

static void test_rule_13_long_parameters_of_rfc_9072(void **state)
{
	const struct {
		const char *name;
		const uint8_t *in;
		size_t len;
	} cases[] = {
		/* clang-format off */
		{ "old length 255", BYTES(FIXED, 255, 255, 0, 9, 2, 0, 6, 65, 4, 0, 1, 0, 1) },
		{ "old length anything but zero", BYTES(FIXED, 12, 255, 0, 9, 2, 0, 6, 65, 4, 0, 1, 0, 1) },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_open open;

		CHECK(decode(cases[i].in, cases[i].len, &open) == BGP_OPEN_OK,
		      "%s", cases[i].name);
		CHECK(open.long_parameters, "%s: not long", cases[i].name);
		CHECK(open.as == 65537, "%s: AS %u", cases[i].name, open.as);
	}
}

static void test_capabilities_span_parameters(void **state)
{
	/* One capability in each of two parameters, an unknown one between. */
	const uint8_t in[] = { FIXED, 17, 2, 6, 1, 4, 0, 2, 0, 1,
			       9,     1,  0, 2, 4, 2, 0, 6, 0 };
	struct bgp_capability_iter it;
	struct bgp_open open;
	struct tlv cap = { 0 };
	static const uint16_t want[] = { 1, 2, 6 };
	size_t n = 0;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &open), BGP_OPEN_OK);
	assert_true(open.families == IPV6);
	assert_true(open.ext_message);
	it = bgp_open_capabilities(&open);
	for (; n < COUNT(want) && bgp_capability_next(&it, &cap); n++)
		assert_int_equal(cap.type, want[n]);
	assert_false(bgp_capability_next(&it, &cap));
	assert_int_equal(n, COUNT(want));
}

static void test_rule_16_capabilities_that_change_parsing(void **state)
{
	const uint8_t in[] = {
		FIXED,
		26,
		2,
		24,
		/* extended next hop: IPv4 unicast over IPv6 */
		5,
		6,
		0,
		1,
		0,
		1,
		0,
		2,
		6,
		0,
		/* two labels for VPNv4; one for IPv6, which is none */
		8,
		8,
		0,
		1,
		128,
		2,
		0,
		2,
		1,
		1,
		2,
		0,
		70,
		0,
	};
	struct bgp_open open;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &open), BGP_OPEN_OK);
	assert_true(open.ext_next_hop == IPV4);
	assert_true(open.ext_message);
	assert_true(open.multiple_labels == VPN4);
}

static void test_add_path_values(void **state)
{
	const uint8_t in[] = {
		/* clang-format off */
		FIXED, 24,
		2, 22, 69, 20,
		0, 1, 1, 1,   /* IPv4: receive */
		0, 2, 1, 2,   /* IPv6: send */
		0, 1, 128, 3, /* VPNv4: both */
		0, 1, 4, 0,   /* nothing */
		0, 2, 4, 7,   /* no such value: ignored */
		/* clang-format on */
	};
	struct bgp_open open;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &open), BGP_OPEN_OK);
	assert_true(open.add_path_receive == (IPV4 | VPN4));
	assert_true(open.add_path_send == (IPV6 | VPN4));
}

static void test_fqdn(void **state)
{
	const uint8_t in[] = { FIXED, 8, 2, 6, 73, 4, 2, 'r', '1', 0 };
	struct bgp_open open;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &open), BGP_OPEN_OK);
	assert_int_equal(open.hostname.len, 2);
	assert_memory_equal(open.hostname.p, "r1", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_statuses),
		cmocka_unit_test(test_bad_capability_leaves_no_trace),
		cmocka_unit_test(test_no_family_means_ipv4_unicast),
		cmocka_unit_test(test_rule_13_long_parameters_of_rfc_9072),
		cmocka_unit_test(test_capabilities_span_parameters),
		cmocka_unit_test(test_rule_16_capabilities_that_change_parsing),
		cmocka_unit_test(test_add_path_values),
		cmocka_unit_test(test_fqdn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
