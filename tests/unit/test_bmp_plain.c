/*
 * The straight way of plain UPDATEs and the table of attributes fill the same
 * struct: for UPDATEs as routers send them, and for those with one to three
 * bytes changed, of which some are still plain and most have a fault.
 */
#include "check.h"
#include "update_same.h"

#include "bmp/canonical.h"
#include "bmp/decode_context.h"

#include <string.h>

#define MESSAGES FEWER_IF_SANITIZED(300000)

/* A block of every attribute that is plain, of IPv4 and of IPv6. */
/* clang-format off */
static const uint8_t classic[] = {
	0, 0, 0, 114,
	0x40, 1, 1, 2,
	0x40, 2, 14, 2, 3, 0, 0, 0xfd, 0xe8, 0, 0, 0x1b, 0x1b, 0, 3, 0, 1,
	0x40, 3, 4, 192, 0, 2, 1,
	0x80, 4, 4, 0, 0, 0, 50,
	0x40, 5, 4, 0, 0, 0, 100,
	0x40, 6, 0,
	0xc0, 7, 8, 0, 0, 0xfd, 0xe9, 192, 0, 2, 9,
	0xc0, 8, 8, 0xfd, 0xe8, 0, 1, 0xfd, 0xe8, 0, 2,
	0x80, 9, 4, 192, 0, 2, 7,
	0x80, 10, 4, 192, 0, 2, 8,
	0xc0, 16, 8, 0, 2, 0xfd, 0xe8, 0, 0, 0, 1,
	0xc0, 32, 12, 0, 0, 0xfd, 0xe8, 0, 0, 0, 1, 0, 0, 0, 2,
	0xc0, 35, 4, 0, 0, 0xfd, 0xe8,
	24, 198, 51, 100, 22, 203, 0, 112,
};
static const uint8_t mp_reach[] = {
	0, 0, 0, 73,
	0x90, 14, 0, 37, 0, 2, 1, 16, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 1, 0, 48, 0x20, 1, 0x0d, 0xb8, 0, 1, 64, 0x20, 1, 0x0d, 0xb8, 0, 2,
	0, 3,
	0x40, 1, 1, 0,
	0x50, 2, 0, 10, 2, 2, 0, 0, 0xfd, 0xe8, 0, 0, 0x1b, 0x1b,
	0xc0, 8, 4, 0xfd, 0xe8, 0, 1,
	0xc0, 35, 4, 0, 0, 0xfd, 0xe8,
	0, 0, 0,
};
/* clang-format on */

static const struct bgp_decode_opts usual = {
	.add_path_either = ~(bgp_family_set)0,
	.as_width = 4,
};

static uint32_t next_random(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(*random >> 33);
}

/* Taken as it stands, or copied with the next hop: as it is always written. */
static void check_canonical(const struct bgp_update *plain,
			    const struct bgp_update *any)
{
	enum bgp_nlri_part_id s = bgp_attrs_has(&any->attrs, BGP_MP_REACH)
					  ? BGP_PART_MP_REACH
					  : BGP_PART_NLRI;
	uint8_t room[1024], written[1024];
	struct wire_view v = bgp_canonical(plain, s, room);
	size_t len = bgp_canonical_write(any, s, written, sizeof(written));

	assert_int_equal(v.len, len);
	assert_memory_equal(v.p, written, len);
}

/* Returns whether the straight way took it. */
static bool check_same(struct wire_view body, const struct bgp_decode_opts *r)
{
	static struct bgp_update plain, any;
	bool taken;

	memset(&plain, 0xa5, sizeof(plain));
	memset(&any, 0x5a, sizeof(any));
	taken = bgp_plain_decode(body, r, &plain);
	bgp_update_decode_any(body, r, &any);
	if (taken) {
		assert_true(same_update(&plain, &any));
		check_canonical(&plain, &any);
	}
	return taken;
}

/* An UPDATE of MP_REACH has nothing behind its attributes. */
static struct wire_view body_of(bool mp)
{
	return mp ? (struct wire_view){ mp_reach, sizeof(mp_reach) - 3 }
		  : (struct wire_view){ classic, sizeof(classic) };
}

static void test_usual_updates_are_plain(void **state)
{
	struct bgp_decode_opts loc_rib = usual;

	(void)state;
	loc_rib.loc_rib = true;
	assert_true(check_same(body_of(false), &usual));
	assert_true(check_same(body_of(true), &usual));
	assert_true(check_same(body_of(false), &loc_rib));
}

static void test_other_readings_are_not_plain(void **state)
{
	struct bgp_decode_opts narrow = usual, paths = usual, mrt = usual;

	(void)state;
	narrow.as_width = 2;
	paths.add_path = bgp_family_bit(BGP_IPV4_UNICAST);
	mrt.mrt_rib = true;
	assert_false(check_same(body_of(false), &narrow));
	assert_false(check_same(body_of(false), &paths));
	assert_false(check_same(body_of(false), &mrt));
	/* Path identifiers of another family do not concern it. */
	assert_true(check_same(body_of(true), &paths));
}

/* Each byte in turn has each value. */
static void test_each_byte_changed(void **state)
{
	uint64_t taken = 0, refused = 0;
	uint8_t bytes[256];

	(void)state;
	for (int mp = 0; mp < 2; mp++) {
		struct wire_view body = body_of(mp);

		for (size_t at = 0; at < body.len; at++)
			for (unsigned value = 0; value < 256; value++) {
				struct wire_view v = { bytes, body.len };

				memcpy(bytes, body.p, body.len);
				bytes[at] = (uint8_t)value;
				if (check_same(v, &usual))
					taken++;
				else
					refused++;
			}
	}
	assert_true(taken > 10000);
	assert_true(refused > 10000);
}

static void test_random_changes(void **state)
{
	uint64_t random = 1, taken = 0;
	uint8_t bytes[256];

	(void)state;
	for (int i = 0; i < MESSAGES; i++) {
		struct wire_view body = body_of(next_random(&random) & 1);
		unsigned changes = 1 + next_random(&random) % 3;
		size_t cut = next_random(&random) % 8;

		memcpy(bytes, body.p, body.len);
		while (changes-- > 0)
			bytes[next_random(&random) % body.len] ^=
				(uint8_t)(1u << next_random(&random) % 8);
		body.p = bytes;
		body.len -= cut == 1 ? next_random(&random) % body.len : 0;
		taken += check_same(body, &usual);
	}
	assert_true(taken > (uint64_t)MESSAGES / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual_updates_are_plain),
		cmocka_unit_test(test_other_readings_are_not_plain),
		cmocka_unit_test(test_each_byte_changed),
		cmocka_unit_test(test_random_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
