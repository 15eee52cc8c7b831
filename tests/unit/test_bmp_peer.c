/* Rules and field notes are numbered as in docs/protocol-tests.md. */
#include "check.h"

#include "bmp/peer.h"

#include <string.h>

static const uint8_t v4_mapped[16] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 7,
};

/* The 42 bytes as they stand, with flags and address to fill in. */
static struct bmp_peer peer_of(uint8_t type, uint8_t flags,
			       const uint8_t address[16])
{
	uint8_t bytes[BMP_PEER_HEADER_LEN] = { type, flags };
	struct wire_cursor c = { bytes, sizeof(bytes) };
	struct bmp_peer out;

	memcpy(bytes + 10, address, 16);
	assert_true(bmp_peer_decode(&c, &out));
	assert_int_equal(c.left, 0);
	return out;
}

static void test_rule_05_flags_depend_on_the_peer_type(void **state)
{
	static const uint8_t v6[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 1 };
	static const uint8_t zero[16];
	static const struct {
		const char *name;
		uint8_t type, flags;
		enum bmp_view view;
		bool ipv6, two_byte, filtered;
	} cases[] = {
		/* clang-format off */
		{ "pre-policy IPv4", 0, 0x00, BMP_VIEW_IN_PRE, false, false, false },
		{ "IPv6", 0, 0x80, BMP_VIEW_IN_PRE, true, false, false },
		{ "post-policy", 0, 0x40, BMP_VIEW_IN_POST, false, false, false },
		{ "two-byte AS_PATH", 1, 0x20, BMP_VIEW_IN_PRE, false, true, false },
		{ "Adj-RIB-Out", 2, 0x10, BMP_VIEW_OUT_PRE, false, false, false },
		{ "Adj-RIB-Out, post, IPv6", 0, 0xd0, BMP_VIEW_OUT_POST, true, false, false },
		{ "Loc-RIB", 3, 0x00, BMP_VIEW_LOC_RIB, false, false, false },
		{ "Loc-RIB, filtered and not IPv6", 3, 0x80, BMP_VIEW_LOC_RIB, false, false, true },
		{ "Loc-RIB, no other flag means a thing", 3, 0x70, BMP_VIEW_LOC_RIB, false, false, false },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bmp_peer p = peer_of(cases[i].type, cases[i].flags, v6);
		bool loc_rib = cases[i].type == BMP_PEER_LOC_RIB;

		CHECK(p.view == cases[i].view, "%s: view %d", cases[i].name,
		      p.view);
		CHECK(p.ipv6 == cases[i].ipv6, "%s: ipv6", cases[i].name);
		CHECK(p.two_byte_as == cases[i].two_byte, "%s: A",
		      cases[i].name);
		CHECK(p.filtered == cases[i].filtered, "%s: F", cases[i].name);
		CHECK((memcmp(p.address, zero, 16) == 0) == loc_rib,
		      "%s: address", cases[i].name);
	}
}

/* RFC 8671: O is for Route Monitoring; up and down are about the session. */
static void test_rule_07_out_flag_on_peer_down_is_kept_apart(void **state)
{
	static const uint8_t address[16] = { [12] = 192, 0, 2, 7 };
	struct bmp_peer in = peer_of(0, 0x00, address);
	struct bmp_peer out = peer_of(0, 0x10, address);

	(void)state;
	/* What the collector compares to find the peer is not touched by O. */
	assert_int_equal(in.type, out.type);
	assert_memory_equal(in.address, out.address, 16);
	assert_int_not_equal(in.view, out.view);
}

static void test_rule_08_pre_and_post_policy_are_two_views(void **state)
{
	static const uint8_t address[16] = { [12] = 192, 0, 2, 7 };

	(void)state;
	assert_int_equal(peer_of(0, 0x00, address).view, BMP_VIEW_IN_PRE);
	assert_int_equal(peer_of(0, 0x40, address).view, BMP_VIEW_IN_POST);
}

static void test_rule_09_timestamp_zero_is_unset(void **state)
{
	uint8_t bytes[BMP_PEER_HEADER_LEN] = { 0 };
	struct wire_cursor c = { bytes, sizeof(bytes) };
	struct bmp_peer p;

	(void)state;
	assert_true(bmp_peer_decode(&c, &p));
	assert_true(p.time_ns == 0);

	/* Microseconds are kept. */
	wire_put_u32(bytes + 34, 1);
	wire_put_u32(bytes + 38, 999999);
	c = (struct wire_cursor){ bytes, sizeof(bytes) };
	assert_true(bmp_peer_decode(&c, &p));
	assert_true(p.time_ns == 1999999000);
}

/* Uptime, another year, more than a second of microseconds: as it was sent. */
static void test_note_14_nonsense_in_timestamps_is_passed_on(void **state)
{
	uint8_t bytes[BMP_PEER_HEADER_LEN] = { 0 };
	struct wire_cursor c = { bytes, sizeof(bytes) };
	struct bmp_peer p;

	(void)state;
	memset(bytes + 34, 0xff, 8);
	assert_true(bmp_peer_decode(&c, &p));
	assert_true(p.time_ns == UINT64_C(4294967295) * 1000000000 +
					 UINT64_C(4294967295) * 1000);
}

static void test_rule_10_ipv4_is_in_the_last_four_bytes(void **state)
{
	/* A router that leaves rubbish in the first twelve. */
	static const uint8_t address[16] = { 1, 2, 3, [12] = 192, 0, 2, 7 };

	(void)state;
	assert_memory_equal(peer_of(0, 0, address).address, v4_mapped, 16);
	assert_memory_equal(peer_of(0, 0x80, address).address, address, 16);
}

static void test_peer_header_cut(void **state)
{
	uint8_t bytes[BMP_PEER_HEADER_LEN] = { 0 };
	struct bmp_peer p;

	(void)state;
	for (size_t len = 0; len < sizeof(bytes); len++) {
		struct wire_cursor c = { bytes, len };

		assert_false(bmp_peer_decode(&c, &p));
		assert_int_equal(c.left, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule_05_flags_depend_on_the_peer_type),
		cmocka_unit_test(
			test_rule_07_out_flag_on_peer_down_is_kept_apart),
		cmocka_unit_test(
			test_rule_08_pre_and_post_policy_are_two_views),
		cmocka_unit_test(test_rule_09_timestamp_zero_is_unset),
		cmocka_unit_test(
			test_note_14_nonsense_in_timestamps_is_passed_on),
		cmocka_unit_test(test_rule_10_ipv4_is_in_the_last_four_bytes),
		cmocka_unit_test(test_peer_header_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
