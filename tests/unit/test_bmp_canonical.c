#include "check.h"

#include "bmp/bgp_writer.h"
#include "bmp/canonical.h"
#include "bmp/decode_context.h"

#include <string.h>

#define ORIGIN	 0x40, 1, 1, 0
#define AS_PATH	 0x40, 2, 6, 2, 1, 0, 0, 0xfd, 0xe8
#define NEXT_HOP 0x40, 3, 4, 192, 0, 2, 1

static const struct bgp_decode_opts plain = { .as_width = 4 };
static const struct bgp_decode_opts two_byte = { .as_width = 2 };

/* The canonical form of a block of attributes with one IPv4 route. */
static size_t canonical(const uint8_t *block, size_t len,
			const struct bgp_decode_opts *r,
			enum bgp_nlri_part_id s, uint8_t *out, size_t cap)
{
	uint8_t body[8192], room[16384];
	struct bmp_writer w = bmp_writer_on(body, sizeof(body));
	struct wire_view same;
	struct bgp_update u;
	size_t n;

	bmp_put_u16(&w, 0);
	bmp_put_u16(&w, (uint16_t)len);
	bmp_put(&w, block, len);
	bmp_put_u16(&w, 0x080a);
	assert_false(w.full);
	bgp_update_decode((struct wire_view){ body, w.len }, r, &u);
	n = bgp_canonical_write(&u, s, out, cap);
	assert_true(n <= bgp_canonical_bound(&u));
	assert_int_equal(bgp_canonical_write(&u, s, out,
					     bgp_canonical_bound(&u) - 1),
			 0);
	assert_true(bgp_canonical_bound(&u) <= sizeof(room));
	same = bgp_canonical(&u, s, room);
	assert_int_equal(same.len, n);
	assert_memory_equal(same.p, out, n);
	return n;
}

/* What comes out must read as attributes and make itself again. */
static void check_stable(const uint8_t *form, size_t len)
{
	struct bgp_decode_opts r = BGP_DECODE_CANONICAL;
	uint8_t again[8192];
	struct bgp_update u = { 0 };
	enum bgp_verdict v =
		bgp_attrs_decode((struct wire_view){ form, len }, &r, &u.attrs);

	CHECK(v == BGP_ACCEPT, "fault %d of %u", u.attrs.fault,
	      u.attrs.fault_code);
	assert_int_equal(bgp_canonical_write(&u, BGP_PART_NLRI, again,
					     sizeof(again)),
			 len);
	assert_memory_equal(again, form, len);
}

struct pair {
	const char *name;
	const uint8_t *a;
	size_t a_len;
	const uint8_t *b;
	size_t b_len;
};

static void check_pairs(const struct pair *pairs, size_t n, bool same,
			const struct bgp_decode_opts *ra,
			const struct bgp_decode_opts *rb)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t a[4096], b[4096];
		size_t a_len = canonical(pairs[i].a, pairs[i].a_len, ra,
					 BGP_PART_NLRI, a, sizeof(a));
		size_t b_len = canonical(pairs[i].b, pairs[i].b_len, rb,
					 BGP_PART_NLRI, b, sizeof(b));
		bool equal = a_len == b_len && memcmp(a, b, a_len) == 0;

		CHECK(equal == same, "%s", pairs[i].name);
		check_stable(a, a_len);
		check_stable(b, b_len);
	}
}

static void test_same_meaning_same_bytes(void **state)
{
	const struct pair pairs[] = {
		/* clang-format off */
		{ "order of attributes", BYTES(ORIGIN, AS_PATH, NEXT_HOP), BYTES(NEXT_HOP, ORIGIN, AS_PATH) },
		{ "long length", BYTES(ORIGIN), BYTES(0x50, 1, 0, 1, 0) },
		{ "partial bit of a known attribute", BYTES(0xc0, 8, 4, 0, 1, 0, 2), BYTES(0xe0, 8, 4, 0, 1, 0, 2) },
		{ "reserved flags", BYTES(0xc0, 200, 1, 9), BYTES(0xcf, 200, 1, 9) },
		{ "order of communities", BYTES(0xc0, 8, 8, 0, 1, 0, 2, 0, 3, 0, 4), BYTES(0xc0, 8, 8, 0, 3, 0, 4, 0, 1, 0, 2) },
		{ "a community twice", BYTES(0xc0, 8, 4, 0, 1, 0, 2), BYTES(0xc0, 8, 8, 0, 1, 0, 2, 0, 1, 0, 2) },
		{ "order of extended communities", BYTES(0xc0, 16, 16, 0, 2, 0, 1, 0, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 2),
		  BYTES(0xc0, 16, 16, 0, 2, 0, 1, 0, 0, 0, 2, 0, 2, 0, 1, 0, 0, 0, 1) },
		{ "order of large communities", BYTES(0xc0, 32, 24, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2),
		  BYTES(0xc0, 32, 24, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1) },
		{ "order in an AS_SET", BYTES(0x40, 2, 10, 1, 2, 0, 0, 0, 1, 0, 0, 0, 2), BYTES(0x40, 2, 10, 1, 2, 0, 0, 0, 2, 0, 0, 0, 1) },
		{ "a sequence in two pieces", BYTES(0x40, 2, 10, 2, 2, 0, 0, 0, 1, 0, 0, 0, 2), BYTES(0x40, 2, 12, 2, 1, 0, 0, 0, 1, 2, 1, 0, 0, 0, 2) },
		{ "a discarded attribute", BYTES(ORIGIN), BYTES(ORIGIN, 0x40, 6, 1, 0) },
		{ "a repeated attribute", BYTES(ORIGIN), BYTES(ORIGIN, 0x40, 1, 1, 2) },
		{ "AS4_PATH beside four bytes", BYTES(AS_PATH), BYTES(AS_PATH, 0xc0, 17, 6, 2, 1, 0, 0, 0, 9) },
		{ "MP_UNREACH rides along", BYTES(ORIGIN), BYTES(ORIGIN, 0x80, 15, 4, 0, 2, 1, 0) },
		{ "AGGREGATOR by its length", BYTES(0xc0, 7, 8, 0, 0, 0, 1, 1, 2, 3, 4), BYTES(0xc0, 7, 6, 0, 1, 1, 2, 3, 4) },
		/* clang-format on */
	};

	(void)state;
	check_pairs(pairs, COUNT(pairs), true, &plain, &plain);
}

static void test_same_meaning_of_both_widths(void **state)
{
	const struct pair pairs[] = {
		/* clang-format off */
		{ "two bytes", BYTES(AS_PATH), BYTES(0x40, 2, 4, 2, 1, 0xfd, 0xe8) },
		{ "AS4_PATH merged", BYTES(0x40, 2, 10, 2, 2, 0, 0, 0, 1, 0, 1, 0, 0),
		  BYTES(0x40, 2, 6, 2, 2, 0, 1, 0x5b, 0xa0, 0xc0, 17, 6, 2, 1, 0, 1, 0, 0) },
		{ "AS4_AGGREGATOR", BYTES(AS_PATH, 0xc0, 7, 8, 0, 1, 0, 0, 1, 2, 3, 4),
		  BYTES(0x40, 2, 4, 2, 1, 0xfd, 0xe8, 0xc0, 7, 6, 0x5b, 0xa0, 1, 2, 3, 4, 0xc0, 18, 8, 0, 1, 0, 0, 1, 2, 3, 4) },
		/* clang-format on */
	};

	(void)state;
	check_pairs(pairs, COUNT(pairs), true, &plain, &two_byte);
}

static void test_other_meaning_other_bytes(void **state)
{
	const struct pair pairs[] = {
		/* clang-format off */
		{ "origin", BYTES(ORIGIN), BYTES(0x40, 1, 1, 1) },
		{ "an attribute more", BYTES(ORIGIN), BYTES(ORIGIN, 0x40, 6, 0) },
		{ "order of a sequence", BYTES(0x40, 2, 10, 2, 2, 0, 0, 0, 1, 0, 0, 0, 2), BYTES(0x40, 2, 10, 2, 2, 0, 0, 0, 2, 0, 0, 0, 1) },
		{ "set or sequence", BYTES(0x40, 2, 6, 1, 1, 0, 0, 0, 1), BYTES(0x40, 2, 6, 2, 1, 0, 0, 0, 1) },
		{ "one set or two", BYTES(0x40, 2, 10, 1, 2, 0, 0, 0, 1, 0, 0, 0, 2), BYTES(0x40, 2, 12, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 2) },
		{ "prepending", BYTES(AS_PATH), BYTES(0x40, 2, 10, 2, 2, 0, 0, 0xfd, 0xe8, 0, 0, 0xfd, 0xe8) },
		{ "order of a CLUSTER_LIST", BYTES(0x80, 10, 8, 0, 0, 0, 1, 0, 0, 0, 2), BYTES(0x80, 10, 8, 0, 0, 0, 2, 0, 0, 0, 1) },
		{ "next hop", BYTES(NEXT_HOP), BYTES(0x40, 3, 4, 192, 0, 2, 2) },
		{ "value of an unknown attribute", BYTES(0xc0, 200, 1, 9), BYTES(0xc0, 200, 1, 8) },
		{ "partial bit of an unknown attribute", BYTES(0xc0, 200, 1, 9), BYTES(0xe0, 200, 1, 9) },
		{ "AIGP", BYTES(0x80, 26, 11, 1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 1), BYTES(0x80, 26, 11, 1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 2) },
		/* clang-format on */
	};

	(void)state;
	check_pairs(pairs, COUNT(pairs), false, &plain, &plain);
}

/* Whether a block of attributes with one IPv4 route is not even copied. */
static bool stands(const uint8_t *block, size_t len,
		   const struct bgp_decode_opts *r)
{
	struct bgp_update u = { 0 };
	uint8_t room[1024];
	struct wire_view v;

	bgp_attrs_decode((struct wire_view){ block, len }, r, &u.attrs);
	assert_true(bgp_canonical_bound(&u) <= sizeof(room));
	v = bgp_canonical(&u, BGP_PART_NLRI, room);
	return v.p == block;
}

/* What a good many routers send, and what makes it another spelling. */
static void test_a_canonical_block_stands(void **state)
{
	const struct {
		const char *name;
		const uint8_t *in;
		size_t len;
		bool stands;
	} cases[] = {
		/* clang-format off */
		{ "plain", BYTES(ORIGIN, AS_PATH, NEXT_HOP), true },
		{ "empty path", BYTES(ORIGIN, 0x40, 2, 0, NEXT_HOP), true },
		{ "no next hop", BYTES(ORIGIN, AS_PATH), true },
		{ "communities", BYTES(ORIGIN, AS_PATH, 0xc0, 8, 8, 0, 1, 0, 2, 0, 3, 0, 4), true },
		{ "unknown", BYTES(ORIGIN, AS_PATH, 0xe0, 200, 1, 9), true },
		{ "aggregator", BYTES(ORIGIN, AS_PATH, 0xc0, 7, 8, 0, 0, 0, 1, 1, 2, 3, 4), true },
		{ "order", BYTES(AS_PATH, ORIGIN), false },
		{ "long length", BYTES(0x50, 1, 0, 1, 0, AS_PATH), false },
		{ "partial bit", BYTES(ORIGIN, AS_PATH, 0xe0, 8, 4, 0, 1, 0, 2), false },
		{ "reserved flags", BYTES(ORIGIN, AS_PATH, 0xc1, 200, 1, 9), false },
		{ "order of communities", BYTES(ORIGIN, AS_PATH, 0xc0, 8, 8, 0, 3, 0, 4, 0, 1, 0, 2), false },
		{ "a community twice", BYTES(ORIGIN, AS_PATH, 0xc0, 8, 8, 0, 1, 0, 2, 0, 1, 0, 2), false },
		{ "order of extended communities", BYTES(0xc0, 16, 16, 0, 2, 0, 1, 0, 0, 0, 2, 0, 2, 0, 1, 0, 0, 0, 1), false },
		{ "order of large communities",
		  BYTES(0xc0, 32, 24, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1), false },
		{ "a set in the path", BYTES(ORIGIN, 0x40, 2, 6, 1, 1, 0, 0, 0, 1), false },
		{ "two segments", BYTES(ORIGIN, 0x40, 2, 12, 2, 1, 0, 0, 0, 1, 2, 1, 0, 0, 0, 2), false },
		{ "a short aggregator", BYTES(ORIGIN, AS_PATH, 0xc0, 7, 6, 0, 1, 1, 2, 3, 4), false },
		{ "a refused attribute", BYTES(ORIGIN, AS_PATH, 0x40, 6, 1, 0), false },
		{ "twice", BYTES(ORIGIN, ORIGIN, AS_PATH), false },
		{ "AS4_PATH", BYTES(AS_PATH, 0xc0, 17, 6, 2, 1, 0, 0, 0, 9), false },
		{ "AS4_AGGREGATOR", BYTES(AS_PATH, 0xc0, 18, 8, 0, 1, 0, 0, 1, 2, 3, 4), false },
		{ "MP_UNREACH", BYTES(ORIGIN, AS_PATH, 0x80, 15, 4, 0, 2, 1, 0), false },
		{ "a cut attribute", BYTES(ORIGIN, AS_PATH, 0x80, 4, 4, 0), false },
		/* clang-format on */
	};
	static const uint8_t two_bytes[] = { ORIGIN, 0x40, 2,	 4,
					     2,	     1,	   0xfd, 0xe8 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK(stands(cases[i].in, cases[i].len, &plain) ==
			      cases[i].stands,
		      "%s", cases[i].name);
	assert_false(stands(two_bytes, sizeof(two_bytes), &two_byte));
}

/* Whatever the order on the wire, and wherever the next hop came from. */
static void test_codes_ascend(void **state)
{
	static const uint8_t in[] = {
		0xc0, 200, 1, 9, 0x80,	 4,	   4,
		0,    0,   0, 1, ORIGIN, NEXT_HOP, AS_PATH
	};
	uint8_t form[256];
	size_t n = canonical(in, sizeof(in), &plain, BGP_PART_NLRI, form,
			     sizeof(form));
	struct wire_cursor c = { form, n };
	static const uint8_t want[] = { 1, 2, 3, 4, 200 };
	struct bgp_attr t;
	size_t i = 0;

	(void)state;
	for (; bgp_attr_next(&c, &t); i++)
		assert_int_equal(t.code, want[i]);
	assert_int_equal(i, COUNT(want));
}

static void test_next_hop_of_mp_reach(void **state)
{
	/* The same IPv4 next hop, said in NEXT_HOP and in MP_REACH 1/1. */
	static const uint8_t classic[] = { ORIGIN, AS_PATH, NEXT_HOP };
	static const uint8_t mp[] = { ORIGIN, AS_PATH, 0x80, 14, 11, 0, 1, 1,
				      4,      192,     0,    2,	 1,  0, 8, 10 };
	/* IPv6, with a link-local one, beside a NEXT_HOP that is not its own. */
	static const uint8_t v6[] = {
		ORIGIN, AS_PATH, NEXT_HOP, 0x80, 14, 39, 0, 2, 1,
		32,	0x20,	 1,	   0,	 0,  0,	 0, 0, 0,
		0,	0,	 0,	   0,	 0,  0,	 0, 1, 0xfe,
		0x80,	0,	 0,	   0,	 0,  0,	 0, 0, 0,
		0,	0,	 0,	   0,	 0,  1,	 0, 8, 0x20,
	};
	uint8_t a[256], b[256];
	size_t n = canonical(classic, sizeof(classic), &plain, BGP_PART_NLRI, a,
			     sizeof(a));
	struct bgp_decode_opts r = BGP_DECODE_CANONICAL;
	struct bgp_attrs attrs;

	(void)state;
	assert_int_equal(canonical(mp, sizeof(mp), &plain, BGP_PART_MP_REACH, b,
				   sizeof(b)),
			 n);
	assert_memory_equal(a, b, n);

	n = canonical(v6, sizeof(v6), &plain, BGP_PART_MP_REACH, a, sizeof(a));
	check_stable(a, n);
	bgp_attrs_decode((struct wire_view){ a, n }, &r, &attrs);
	assert_int_equal(attrs.next_hop_len, 32);
	assert_int_equal(attrs.next_hop[0], 0x20);
	assert_int_equal(attrs.next_hop[16], 0xfe);
	/* Its routes are not in it: others with the same attributes share. */
	assert_false(bgp_attrs_has(&attrs, BGP_MP_REACH));
}

/* Sorting must be right for any number, and not slow for many. */
static void test_many_communities_backwards(void **state)
{
	static uint8_t block[4 + 4 * 1000], forth[4 + 4 * 1000];
	uint8_t a[16384], b[16384];

	(void)state;
	for (uint32_t n = 1; n <= 1000; n += n < 70 ? 1 : 93) {
		size_t len = (n < 64 ? 3 : 4) + 4 * n;

		memcpy(block, (uint8_t[]){ 0xd0, 8 }, 2);
		memcpy(forth, (uint8_t[]){ 0xd0, 8 }, 2);
		wire_put_u16(block + 2, (uint16_t)(4 * n));
		wire_put_u16(forth + 2, (uint16_t)(4 * n));
		for (uint32_t i = 0; i < n; i++) {
			wire_put_u32(block + 4 + 4 * i, (n - i) * 77);
			wire_put_u32(forth + 4 + 4 * i, (i + 1) * 77);
		}
		assert_int_equal(canonical(block, 4 + 4 * n, &plain,
					   BGP_PART_NLRI, a, sizeof(a)),
				 len);
		canonical(forth, 4 + 4 * n, &plain, BGP_PART_NLRI, b,
			  sizeof(b));
		CHECK(memcmp(a, b, len) == 0, "%u communities", n);
	}
}

/* A sequence of more than 255 comes in pieces, wherever it was cut. */
static void test_long_sequence_is_cut_in_one_way(void **state)
{
	uint8_t path[2][4 + 4 + 4 * 300];
	uint8_t a[4096], b[4096];
	size_t len[2], out[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bmp_writer w = bmp_writer_on(path[i], sizeof(path[i]));
		unsigned first = i == 0 ? 200 : 100;

		bmp_put_u16(&w, 0x5002);
		bmp_put_u16(&w, 4 + 4 * 300);
		bmp_put_u16(&w, (uint16_t)(0x200 | first));
		for (unsigned n = 0; n < 300; n++) {
			if (n == first)
				bmp_put_u16(&w,
					    (uint16_t)(0x200 | (300 - first)));
			bmp_put_u32(&w, n + 1);
		}
		len[i] = w.len;
	}
	out[0] =
		canonical(path[0], len[0], &plain, BGP_PART_NLRI, a, sizeof(a));
	out[1] =
		canonical(path[1], len[1], &plain, BGP_PART_NLRI, b, sizeof(b));
	assert_int_equal(out[0], out[1]);
	assert_memory_equal(a, b, out[0]);
	assert_int_equal(a[5], 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_meaning_same_bytes),
		cmocka_unit_test(test_same_meaning_of_both_widths),
		cmocka_unit_test(test_other_meaning_other_bytes),
		cmocka_unit_test(test_a_canonical_block_stands),
		cmocka_unit_test(test_codes_ascend),
		cmocka_unit_test(test_next_hop_of_mp_reach),
		cmocka_unit_test(test_many_communities_backwards),
		cmocka_unit_test(test_long_sequence_is_cut_in_one_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
