#include "check.h"

#include "bmp/bgp_writer.h"
#include "bmp/decode_context.h"
#include "bmp/nlri_text.h"
#include "bmp/update.h"

#include <string.h>

#define ORIGIN	 0x40, 1, 1, 0
#define AS_PATH	 0x40, 2, 6, 2, 1, 0, 0, 0xfd, 0xe8
#define NEXT_HOP 0x40, 3, 4, 192, 0, 2, 1
/* The three, 20 bytes. */
#define USUAL ORIGIN, AS_PATH, NEXT_HOP

static const struct bgp_decode_opts plain = { .as_width = 4 };

static enum bgp_verdict decode(const uint8_t *p, size_t len,
			       const struct bgp_decode_opts *r,
			       struct bgp_update *out)
{
	return bgp_update_decode((struct wire_view){ p, len }, r, out);
}

static struct bgp_next_hop next_hop_of(const struct bgp_update *u,
				       enum bgp_nlri_part_id s)
{
	struct bgp_next_hop out;

	bgp_update_next_hop(u, s, &out);
	return out;
}

/* Every route in order, as "+10.0.0.0/8" and "-10.0.0.0/8". */
static void list_routes(const struct bgp_update *u, char *out, size_t cap)
{
	struct text t = text_start(out, cap);
	struct bgp_nlri_iter it;
	char line[256];

	for (int s = 0; s < BGP_PARTS; s++) {
		uint32_t n = 0;

		if (!bgp_update_routes(u, s, &it))
			continue;
		for (; bgp_nlri_next(&it); n++) {
			bgp_nlri_text(&it.nlri, line, sizeof(line));
			text_char(&t, bgp_update_announces(u, s) ? '+' : '-');
			text_str(&t, line);
			text_char(&t, ' ');
		}
		assert_false(it.malformed);
		assert_int_equal(n, u->nlri_parts[s].count);
	}
	text_end(&t);
}

struct update_case {
	const char *name;
	const uint8_t *in;
	size_t len;
	enum bgp_verdict verdict;
	enum bgp_fault fault;
	const char *routes;
};

static void check_updates(const struct update_case *cases, size_t n,
			  const struct bgp_decode_opts *r)
{
	for (size_t i = 0; i < n; i++) {
		struct bgp_update u;
		char routes[512];

		decode(cases[i].in, cases[i].len, r, &u);
		CHECK(u.verdict == cases[i].verdict, "%s: verdict %d",
		      cases[i].name, u.verdict);
		CHECK(u.fault == cases[i].fault, "%s: fault %d", cases[i].name,
		      u.fault);
		list_routes(&u, routes, sizeof(routes));
		CHECK(strcmp(routes, cases[i].routes) == 0, "%s: %s",
		      cases[i].name, routes);
		CHECK(!u.end_of_rib, "%s: is no End-of-RIB", cases[i].name);
	}
}

static void test_rule_20_end_of_rib(void **state)
{
	const struct {
		const char *name;
		const uint8_t *in;
		size_t len;
		bool eor;
		uint16_t afi;
		uint8_t safi;
	} cases[] = {
		/* clang-format off */
		{ "IPv4 unicast: nothing", BYTES(0, 0, 0, 0), true, 1, 1 },
		{ "IPv6 unicast", BYTES(0, 0, 0, 6, 0x80, 15, 3, 0, 2, 1), true, 2, 1 },
		{ "long length", BYTES(0, 0, 0, 7, 0x90, 15, 0, 3, 0, 2, 1), true, 2, 1 },
		{ "IPv4 unicast in the form of the others", BYTES(0, 0, 0, 6, 0x80, 15, 3, 0, 1, 1), true, 1, 1 },
		{ "a family nobody knows", BYTES(0, 0, 0, 6, 0x80, 15, 3, 0x40, 0, 9), true, 16384, 9 },
		{ "EVPN", BYTES(0, 0, 0, 6, 0x80, 15, 3, 0, 25, 70), true, 25, 70 },
		{ "with another attribute", BYTES(0, 0, 0, 10, ORIGIN, 0x80, 15, 3, 0, 2, 1), false, 0, 0 },
		{ "with an unknown one", BYTES(0, 0, 0, 9, 0xc0, 200, 0, 0x80, 15, 3, 0, 2, 1), false, 0, 0 },
		{ "with wrong flags", BYTES(0, 0, 0, 6, 0xc0, 15, 3, 0, 2, 1), false, 0, 0 },
		{ "empty, with attributes", BYTES(0, 0, 0, 4, ORIGIN), false, 0, 0 },
		{ "with a withdrawn route", BYTES(0, 2, 8, 10, 0, 6, 0x80, 15, 3, 0, 2, 1), false, 0, 0 },
		{ "MP_UNREACH with a route", BYTES(0, 0, 0, 8, 0x80, 15, 5, 0, 2, 1, 8, 0x20), false, 0, 0 },
		{ "MP_REACH of nothing", BYTES(0, 0, 0, 8, 0x80, 14, 5, 0, 2, 1, 0, 0), false, 0, 0 },
		/* clang-format on */
	};
	/* With add-path it is the same. */
	const struct bgp_decode_opts opts[] = {
		{ .as_width = 4 },
		{ .as_width = 4, .add_path = UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		size_t c = i % COUNT(cases);
		struct bgp_update u;

		decode(cases[c].in, cases[c].len, &opts[i / COUNT(cases)], &u);
		CHECK(u.end_of_rib == cases[c].eor, "%s", cases[c].name);
		if (!cases[c].eor)
			continue;
		CHECK(u.eor_afi == cases[c].afi && u.eor_safi == cases[c].safi,
		      "%s: %u/%u", cases[c].name, u.eor_afi, u.eor_safi);
		CHECK(u.verdict == BGP_ACCEPT, "%s: verdict", cases[c].name);
	}
}

static void test_rule_24_withdraws_come_before_announces(void **state)
{
	const struct update_case cases[] = {
		/* clang-format off */
		{ "announce", BYTES(0, 0, 0, 20, USUAL, 8, 10), BGP_ACCEPT, 0, "+10.0.0.0/8 " },
		{ "withdraw", BYTES(0, 2, 8, 10, 0, 0), BGP_ACCEPT, 0, "-10.0.0.0/8 " },
		{ "both", BYTES(0, 2, 8, 10, 0, 20, USUAL, 8, 11), BGP_ACCEPT, 0, "-10.0.0.0/8 +11.0.0.0/8 " },
		{ "all four places",
		  BYTES(0, 2, 8, 10, 0, 53, USUAL,
			0x80, 14, 23, 0, 2, 1, 16, 0x20, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 8, 0x20,
			0x80, 15, 4, 0, 2, 1, 0,
			8, 11),
		  BGP_ACCEPT, 0, "-10.0.0.0/8 -::/0 +11.0.0.0/8 +2000::/8 " },
		/* clang-format on */
	};

	(void)state;
	check_updates(cases, COUNT(cases), &plain);
}

/* NEXT_HOP belongs to the classic routes, MP_REACH's to its own. */
static void test_rule_24_each_section_has_its_next_hop(void **state)
{
	static const uint8_t in[] = {
		0,  0,	  0, 46,   USUAL, 0x80, 14, 23, 0,    2, 1,
		16, 0x20, 1, 0x0d, 0xb8,  0,	0,  0,	0,    0, 0,
		0,  0,	  0, 0,	   0,	  1,	0,  8,	0x20, 8, 11,
	};
	static const uint8_t v4[16] = { 0, 0, 0,    0,	  0,   0, 0, 0,
					0, 0, 0xff, 0xff, 192, 0, 2, 1 };
	static const uint8_t v6[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 1 };
	struct bgp_next_hop nh;
	struct bgp_update u;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &plain, &u), BGP_ACCEPT);
	nh = next_hop_of(&u, BGP_PART_NLRI);
	assert_true(nh.has_address);
	assert_memory_equal(nh.address, v4, 16);
	nh = next_hop_of(&u, BGP_PART_MP_REACH);
	assert_memory_equal(nh.address, v6, 16);
	assert_false(next_hop_of(&u, BGP_PART_WITHDRAWN).has_address);
}

/* An IPv4 route with a next hop of @len bytes in MP_REACH: 1, 2, 3 and so on. */
static void decode_next_hop(uint8_t len, struct bgp_update *out)
{
	static const uint8_t head[] = { ORIGIN, AS_PATH };
	static uint8_t in[128];
	struct bmp_writer w = bmp_writer_on(in, sizeof(in));

	bmp_put_u16(&w, 0);
	bmp_put_u16(&w, (uint16_t)(sizeof(head) + 3 + 6 + len));
	bmp_put(&w, head, sizeof(head));
	bmp_put(&w, (uint8_t[]){ 0x80, 14 }, 2);
	bmp_put_u8(&w, len + 6);
	bmp_put(&w, (uint8_t[]){ 0, 1, 1, len }, 4);
	for (uint8_t i = 0; i < len; i++)
		bmp_put_u8(&w, i + 1);
	bmp_put_u16(&w, 0); /* reserved, and 0.0.0.0/0 */
	decode(in, w.len, &plain, out);
}

static void test_rule_23_next_hop_lengths(void **state)
{
	static const struct {
		uint8_t len;
		bool valid, address, link_local;
		uint8_t first; /* byte of the address after any mapping */
		bool ipv4;
	} cases[] = {
		/* clang-format off */
		{ 0, true, false, false, 0, false },   /* flow specification */
		{ 4, true, true, false, 1, true },
		{ 8, true, false, false, 0, false },   /* IOS XR: distinguisher only */
		{ 12, true, true, false, 9, true },
		{ 16, true, true, false, 1, false },
		{ 24, true, true, false, 9, false },
		{ 32, true, true, true, 1, false },
		{ 48, true, true, true, 9, false },
		{ 5, false, false, false, 0, false },
		{ 20, false, false, false, 0, false },
		{ 40, false, false, false, 0, false },
		{ 49, false, false, false, 0, false },
		/* clang-format on */
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_next_hop nh;
		struct bgp_update u;

		decode_next_hop(cases[i].len, &u);
		/* Rule 31: what cannot be a next hop costs the family. */
		CHECK(u.verdict == (cases[i].valid ? BGP_ACCEPT
						   : BGP_DISABLE_FAMILY),
		      "%u: verdict %d", cases[i].len, u.verdict);
		CHECK(u.nlri_parts[BGP_PART_MP_REACH].lost == !cases[i].valid,
		      "%u: lost", cases[i].len);
		nh = next_hop_of(&u, BGP_PART_MP_REACH);
		CHECK(nh.has_address == cases[i].address, "%u: address",
		      cases[i].len);
		CHECK(nh.has_link_local == cases[i].link_local, "%u: local",
		      cases[i].len);
		if (nh.has_link_local)
			CHECK(nh.link_local[0] == cases[i].len - 15,
			      "%u: wrong link-local", cases[i].len);
		if (nh.has_address)
			CHECK(nh.address[cases[i].ipv4 ? 12 : 0] ==
				      cases[i].first,
			      "%u: wrong bytes", cases[i].len);
	}
}

static void test_rule_23_ipv4_routes_over_an_ipv6_next_hop(void **state)
{
	/* Also VPNv4 with 16 bytes and no distinguisher (Junos, multi14-r19). */
	static const struct {
		uint8_t safi;
		uint8_t nlri[16];
		uint8_t nlri_len;
	} cases[] = {
		{ 1, { 8, 10 }, 2 },
		{ 128, { 96, 0, 1, 1, 0, 0, 0xfd, 0xe8, 0, 0, 0, 1, 10 }, 13 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		static const uint8_t head[] = { ORIGIN, AS_PATH };
		uint8_t next_hop[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 1 };
		struct bgp_update u;
		uint8_t in[128];
		struct bmp_writer w = bmp_writer_on(in, sizeof(in));

		bmp_put_u16(&w, 0);
		bmp_put_u16(&w, (uint16_t)(sizeof(head) + 3 + 21 +
					   cases[i].nlri_len));
		bmp_put(&w, head, sizeof(head));
		bmp_put(&w, (uint8_t[]){ 0x80, 14 }, 2);
		bmp_put_u8(&w, (uint8_t)(21 + cases[i].nlri_len));
		bmp_put(&w, (uint8_t[]){ 0, 1, cases[i].safi, 16 }, 4);
		bmp_put(&w, next_hop, 16);
		bmp_put_u8(&w, 0);
		bmp_put(&w, cases[i].nlri, cases[i].nlri_len);
		assert_int_equal(decode(in, w.len, &plain, &u), BGP_ACCEPT);
		assert_int_equal(u.nlri_parts[BGP_PART_MP_REACH].count, 1);
		assert_memory_equal(next_hop_of(&u, BGP_PART_MP_REACH).address,
				    next_hop, 16);
	}
}

static void test_rule_26_prefix_too_long_is_never_a_route(void **state)
{
	const struct update_case cases[] = {
		/* clang-format off */
		{ "announced /33", BYTES(0, 0, 0, 20, USUAL, 8, 10, 33, 1, 2, 3, 4, 5), BGP_RESET, BGP_FAULT_NLRI, "" },
		{ "withdrawn /33", BYTES(0, 6, 33, 1, 2, 3, 4, 5, 0, 0), BGP_RESET, BGP_FAULT_NLRI, "" },
		{ "IPv6 /129 costs the family and no other",
		  BYTES(0, 2, 8, 10, 0, 11, ORIGIN, 0x80, 15, 4, 0, 2, 1, 129), BGP_DISABLE_FAMILY, BGP_FAULT_NLRI, "-10.0.0.0/8 " },
		/* clang-format on */
	};

	(void)state;
	check_updates(cases, COUNT(cases), &plain);
}

static void test_rule_28_message_class_errors(void **state)
{
	const struct update_case cases[] = {
		/* clang-format off */
		{ "empty body", NULL, 0, BGP_RESET, BGP_FAULT_SECTIONS, "" },
		{ "withdrawn beyond the end", BYTES(0, 9, 8, 10, 0, 0), BGP_RESET, BGP_FAULT_SECTIONS, "" },
		{ "attributes beyond the end", BYTES(0, 0, 0, 9, ORIGIN), BGP_RESET, BGP_FAULT_SECTIONS, "" },
		{ "no attributes' length", BYTES(0, 0), BGP_RESET, BGP_FAULT_SECTIONS, "" },
		{ "prefix cut by the end", BYTES(0, 0, 0, 20, USUAL, 24, 10, 0), BGP_RESET, BGP_FAULT_NLRI, "" },
		{ "the good part of a bad message is not used", BYTES(0, 2, 8, 10, 0, 20, USUAL, 24, 10, 0), BGP_RESET, BGP_FAULT_NLRI, "" },
		/* clang-format on */
	};

	(void)state;
	check_updates(cases, COUNT(cases), &plain);
}

static void test_rule_28_treat_as_withdraw_turns_announcements(void **state)
{
	const struct update_case cases[] = {
		/* clang-format off */
		{ "ORIGIN missing", BYTES(0, 0, 0, 16, AS_PATH, NEXT_HOP, 8, 10), BGP_WITHDRAW, BGP_FAULT_MISSING, "-10.0.0.0/8 " },
		{ "AS_PATH missing", BYTES(0, 0, 0, 11, ORIGIN, NEXT_HOP, 8, 10), BGP_WITHDRAW, BGP_FAULT_MISSING, "-10.0.0.0/8 " },
		{ "ORIGIN 3", BYTES(0, 0, 0, 20, 0x40, 1, 1, 3, AS_PATH, NEXT_HOP, 8, 10), BGP_WITHDRAW, BGP_FAULT_VALUE, "-10.0.0.0/8 " },
		{ "an attribute overruns the block", BYTES(0, 0, 0, 23, USUAL, 0x40, 4, 9, 8, 10), BGP_WITHDRAW, BGP_FAULT_OVERRUN, "-10.0.0.0/8 " },
		{ "nothing is mandatory for withdrawals", BYTES(0, 2, 8, 10, 0, 0), BGP_ACCEPT, 0, "-10.0.0.0/8 " },
		/* clang-format on */
	};

	(void)state;
	check_updates(cases, COUNT(cases), &plain);
}

#define BGPSEC_PATH 0x80, 33, 11, 0, 8, 1, 0, 0, 0, 0, 1, 0, 3, 1

/* RFC 8205 3 */
static void test_bgpsec_path_stands_in_for_as_path(void **state)
{
	const struct update_case cases[] = {
		/* clang-format off */
		{ "BGPSEC_PATH alone", BYTES(0, 0, 0, 25, ORIGIN, NEXT_HOP, BGPSEC_PATH, 8, 10), BGP_ACCEPT, 0, "+10.0.0.0/8 " },
		{ "BGPSEC_PATH and AS_PATH", BYTES(0, 0, 0, 34, USUAL, BGPSEC_PATH, 8, 10), BGP_WITHDRAW, BGP_FAULT_VALUE, "-10.0.0.0/8 " },
		/* clang-format on */
	};

	(void)state;
	check_updates(cases, COUNT(cases), &plain);
}

/* FRR 8.0.1, pmacct-206 and multi14-r58a: docs/decisions. */
static void test_rule_28_missing_next_hop_is_shown(void **state)
{
	const struct update_case cases[] = {
		/* clang-format off */
		{ "NEXT_HOP missing", BYTES(0, 0, 0, 13, ORIGIN, AS_PATH, 8, 10), BGP_DISCARD_ATTR, BGP_FAULT_MISSING, "+10.0.0.0/8 " },
		/* clang-format on */
	};
	struct bgp_update u;

	(void)state;
	check_updates(cases, COUNT(cases), &plain);
	decode(cases[0].in, cases[0].len, &plain, &u);
	assert_int_equal(u.fault_code, BGP_NEXT_HOP);
	assert_false(next_hop_of(&u, BGP_PART_NLRI).has_address);
}

/* GoBGP 3.10, tests/captures/gobgp.bmp: docs/decisions. */
static void test_rule_28_missing_as_path_of_a_loc_rib_is_shown(void **state)
{
	struct bgp_decode_opts loc_rib = { .as_width = 4, .loc_rib = true };
	const struct update_case shown[] = {
		/* clang-format off */
		{ "AS_PATH missing", BYTES(0, 0, 0, 11, ORIGIN, NEXT_HOP, 8, 10), BGP_DISCARD_ATTR, BGP_FAULT_MISSING, "+10.0.0.0/8 " },
		{ "ORIGIN, too", BYTES(0, 0, 0, 7, NEXT_HOP, 8, 10), BGP_WITHDRAW, BGP_FAULT_MISSING, "-10.0.0.0/8 " },
		/* clang-format on */
	};
	const struct update_case withdrawn[] = {
		/* clang-format off */
		{ "AS_PATH missing from what a peer sent", BYTES(0, 0, 0, 11, ORIGIN, NEXT_HOP, 8, 10), BGP_WITHDRAW, BGP_FAULT_MISSING, "-10.0.0.0/8 " },
		/* clang-format on */
	};

	(void)state;
	check_updates(shown, COUNT(shown), &loc_rib);
	check_updates(withdrawn, COUNT(withdrawn), &plain);
}

static void test_rule_31_bad_next_hop_spares_other_sections(void **state)
{
	const struct update_case cases[] = {
		/* clang-format off */
		{ "MP_REACH with a next hop of 3 bytes",
		  BYTES(0, 2, 8, 10, 0, 32, USUAL, 0x80, 14, 9, 0, 2, 1, 3, 1, 2, 3, 0, 0, 8, 11),
		  BGP_DISABLE_FAMILY, BGP_FAULT_NEXT_HOP, "-10.0.0.0/8 +11.0.0.0/8 " },
		/* The stronger verdict must not hide the weaker. */
		{ "and a bad ORIGIN beside it",
		  BYTES(0, 0, 0, 32, 0x40, 1, 1, 3, AS_PATH, NEXT_HOP, 0x80, 14, 9, 0, 2, 1, 3, 1, 2, 3, 0, 0, 8, 11),
		  BGP_DISABLE_FAMILY, BGP_FAULT_NEXT_HOP, "-11.0.0.0/8 " },
		/* clang-format on */
	};

	(void)state;
	check_updates(cases, COUNT(cases), &plain);
}

static void test_rule_14_addpath_applies_to_all_four_places(void **state)
{
	static const uint8_t in[] = {
		0, 6, 0, 0, 0, 1, 8, 10, 0, 45, USUAL, 0x80, 14, 11,
		0, 2, 1, 0, 0, 0, 0, 0,	 2, 8,	0x20,  0x80, 15, 8,
		0, 2, 1, 0, 0, 0, 3, 0,	 0, 0,	0,     4,    8,	 11,
	};
	const struct bgp_decode_opts r = {
		.as_width = 4,
		.add_path = bgp_family_bit(BGP_IPV4_UNICAST) |
			    bgp_family_bit(BGP_IPV6_UNICAST),
	};
	static const uint32_t ids[BGP_PARTS] = { 1, 3, 4, 2 };
	struct bgp_nlri_iter it;
	struct bgp_update u;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &r, &u), BGP_ACCEPT);
	for (int s = 0; s < BGP_PARTS; s++) {
		assert_true(bgp_update_routes(&u, s, &it));
		assert_true(bgp_nlri_next(&it));
		assert_true(it.nlri.has_path_id);
		assert_int_equal(it.nlri.path_id, ids[s]);
		assert_false(bgp_nlri_next(&it));
		assert_false(it.malformed);
	}
}

/* Read with the wrong idea of add-path, the message shows it. */
static void test_note_02_addpath_mismatch_shows(void **state)
{
	/* Path id 1, 10.1.0.0/16; plain, it is 0/0, 0/0, 0/0, then 8.x/1. */
	static const uint8_t in[] = {
		0, 0, 0, 20, USUAL, 0, 0, 0, 1, 16, 10, 1
	};
	struct bgp_update u;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &plain, &u), BGP_RESET);
	assert_int_equal(u.fault, BGP_FAULT_NLRI);
}

static void test_note_17_unknown_family_is_passed_raw(void **state)
{
	static const uint8_t in[] = {
		0,    0, 0,  25, ORIGIN, AS_PATH, 0x80, 14,   9,
		0x40, 0, 99, 0,	 0,	 0xde,	  0xad, 0xbe, 0xef,
	};
	struct bgp_nlri_iter it;
	struct bgp_update u;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &plain, &u), BGP_ACCEPT);
	assert_int_equal(u.nlri_parts[BGP_PART_MP_REACH].count, 1);
	assert_true(bgp_update_routes(&u, BGP_PART_MP_REACH, &it));
	assert_true(bgp_nlri_next(&it));
	assert_int_equal(it.nlri.kind, BGP_NLRI_RAW);
	assert_int_equal(it.nlri.afi, 16384);
	assert_int_equal(it.nlri.safi, 99);
	assert_int_equal(it.nlri.body.len, 4);
	assert_false(bgp_nlri_next(&it));
}

/* One PDU may hold thousands of routes, and they may have been packed anew. */
static void test_rule_22_every_route_of_a_full_update(void **state)
{
	static uint8_t in[65535];
	struct bmp_writer w = bmp_writer_on(in, sizeof(in));
	static const uint8_t usual[] = { USUAL };
	struct bgp_update u;

	(void)state;
	bmp_put_u16(&w, 0);
	bmp_put_u16(&w, sizeof(usual));
	bmp_put(&w, usual, sizeof(usual));
	for (uint32_t i = 0; w.len + 5 <= 65535 - 19; i++) {
		bmp_put_u8(&w, 32);
		bmp_put_u32(&w, i);
	}
	assert_int_equal(decode(in, w.len, &plain, &u), BGP_ACCEPT);
	assert_int_equal(u.nlri_parts[BGP_PART_NLRI].count, (w.len - 24) / 5);
}

/* multi14-r23.bmp, message 62: docs/decisions/0118 */
static void test_path_ids_of_a_family_no_open_names(void **state)
{
	enum {
		NLRI_AT = 23,
		LENGTH_AT = 27,
		LAST = 34
	};
	const uint8_t from_r23[] = { 0, 0, 0, 31, 0x40, 1, 1, 0, 0x40, 2, 0,
				     0x80, 14, 21, 0, 1, 4, 4, 10, 0, 0, 1, 0,
				     /* path id 0, label 24067, 90.0.0.1/32 */
				     0, 0, 0, 0, 0x38, 0x05, 0xe0, 0x31, 90, 0,
				     0, 1 };
	struct bgp_decode_opts r = { .as_width = 4, .loc_rib = true };
	struct wire_view body = { from_r23, sizeof(from_r23) };
	uint8_t stray[sizeof(from_r23)];
	struct bgp_nlri_iter it;
	struct bgp_update u;

	(void)state;
	assert_int_equal(from_r23[NLRI_AT], 0);
	/* An operator said that it has no path identifiers. */
	assert_int_equal(bgp_update_decode(body, &r, &u), BGP_DISABLE_FAMILY);
	assert_true(u.nlri_parts[BGP_PART_MP_REACH].lost);

	r.add_path_either = ~(bgp_family_set)0;
	assert_int_equal(bgp_update_decode(body, &r, &u), BGP_ACCEPT);
	assert_true(bgp_update_guessed(&u, BGP_PART_MP_REACH));
	assert_true(bgp_update_routes(&u, BGP_PART_MP_REACH, &it));
	assert_true(bgp_nlri_next(&it));
	assert_int_equal(it.nlri.prefix_len, 32);
	assert_false(bgp_nlri_next(&it));

	/* One bit beyond its length, and it is no perfect reading any more. */
	memcpy(stray, from_r23, sizeof(stray));
	stray[LENGTH_AT] = 0x37;
	assert_int_equal(stray[LAST] & 1, 1);
	body.p = stray;
	assert_int_equal(bgp_update_decode(body, &r, &u), BGP_DISABLE_FAMILY);

	/* What can be read as it should be is. */
	r.add_path = bgp_family_bit(BGP_IPV4_LABELED);
	body.p = from_r23;
	assert_int_equal(bgp_update_decode(body, &r, &u), BGP_ACCEPT);
	assert_false(bgp_update_guessed(&u, BGP_PART_MP_REACH));
}

/* With and without path identifiers: docs/decisions/0118 */
static void test_other_form_only_if_the_first_is_impossible(void **state)
{
	static const uint8_t one[] = { 0, 0, 0, 20, USUAL, 24, 198, 51, 100 };
	/* As one route with identifier 24.198.51.100 it reads as well. */
	static const uint8_t both[] = { 0,  0,	 0,  20,  USUAL, 24, 198,
					51, 100, 24, 203, 0,	 113 };
	static const uint8_t id_7[] = { 0, 0, 0,  20,  USUAL, 0,  0,
					0, 7, 24, 198, 51,    100 };
	/* 10.0.0.0/24 and 10.0.1.0/24 withdrawn, 198.51.100.0/24 announced. */
	static const uint8_t fields[] = { 0, 8, 24, 10,	   0,  0,   24, 10, 0,
					  1, 0, 20, USUAL, 24, 198, 51, 100 };
	/* Neither: 198 bits, and what is left behind an identifier is short. */
	static const uint8_t neither[] = { 0, 0, 0, 20, USUAL, 198, 51 };
	static const struct {
		const char *name;
		const uint8_t *in;
		size_t len;
		bool add_path; /* negotiated */
		bool certain;  /* by an operator */
		bool guessed;
		enum bgp_verdict verdict;
		const char *want;
	} cases[] = {
		{ "negotiated, not sent", one, sizeof(one), true, false, true,
		  BGP_ACCEPT, "+198.51.100.0/24 " },
		{ "the same, but certain", one, sizeof(one), true, true, false,
		  BGP_RESET, "" },
		{ "negotiated, readable both ways", both, sizeof(both), true,
		  false, false, BGP_ACCEPT, "+203.0.113.0/24 " },
		{ "not negotiated, readable both ways", both, sizeof(both),
		  false, false, false, BGP_ACCEPT,
		  "+198.51.100.0/24 +203.0.113.0/24 " },
		{ "not negotiated, sent", id_7, sizeof(id_7), false, false,
		  true, BGP_ACCEPT, "+198.51.100.0/24 " },
		{ "not negotiated, sent, but certain", id_7, sizeof(id_7),
		  false, true, false, BGP_RESET, "" },
		{ "both fields have one form", fields, sizeof(fields), true,
		  false, true, BGP_ACCEPT,
		  "-10.0.0.0/24 -10.0.1.0/24 +198.51.100.0/24 " },
		{ "neither form", neither, sizeof(neither), true, false, false,
		  BGP_RESET, "" },
		{ "neither form, plain", neither, sizeof(neither), false, false,
		  false, BGP_RESET, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_decode_opts r = plain;
		struct bgp_update u;
		char got[256];

		if (cases[i].add_path)
			r.add_path = bgp_family_bit(BGP_IPV4_UNICAST);
		if (!cases[i].certain)
			r.add_path_either = ~(bgp_family_set)0;
		CHECK(decode(cases[i].in, cases[i].len, &r, &u) ==
			      cases[i].verdict,
		      "%s: verdict %d", cases[i].name, u.verdict);
		list_routes(&u, got, sizeof(got));
		CHECK(strcmp(got, cases[i].want) == 0, "%s: '%s'",
		      cases[i].name, got);
		CHECK((u.add_path_guessed ==
		       bgp_family_bit(BGP_IPV4_UNICAST)) == cases[i].guessed,
		      "%s", cases[i].name);
	}
}

/* One family that reads the other way, and one that reads in no way. */
static void test_other_form_of_one_family(void **state)
{
	static const uint8_t in[] = {
		0,    0, 0,    45,   USUAL, 0x80, 14, 22,  0,  2,   1, 16,
		0x20, 1, 0x0d, 0xb8, 0,	    0,	  0,  0,   0,  0,   0, 0,
		0,    0, 0,    1,    0,	    200,  24, 198, 51, 100,
	};
	struct bgp_decode_opts r = { .as_width = 4,
				     .add_path = UINT64_MAX,
				     .add_path_either = UINT64_MAX };
	struct bgp_update u;

	(void)state;
	assert_int_equal(decode(in, sizeof(in), &r, &u), BGP_DISABLE_FAMILY);
	assert_true(u.nlri_parts[BGP_PART_MP_REACH].lost);
	assert_false(bgp_update_guessed(&u, BGP_PART_MP_REACH));
	assert_int_equal(u.nlri_parts[BGP_PART_NLRI].count, 1);
	assert_true(bgp_update_guessed(&u, BGP_PART_NLRI));
}

static void test_conclusive_parts(void **state)
{
	static const uint8_t one[] = { 24, 198, 51, 100 };
	static const uint8_t two[] = { 24, 198, 51, 100, 24, 203, 0, 113 };
	static const uint8_t default_route[] = { 0 };
	static const uint8_t id_0[] = { 0, 0, 0, 0, 24, 198, 51, 100 };
	static const uint8_t id_7[] = { 0, 0, 0, 7, 24, 198, 51, 100 };
	/* 10.0.0.0/25 is 0.0.0.0/0 with an identifier, too. */
	static const uint8_t half[] = { 25, 10, 0, 0, 0 };
	static const struct {
		const uint8_t *in;
		size_t len;
		bool add_path, want;
	} cases[] = {
		{ one, sizeof(one), false, true },
		{ two, sizeof(two), false, false },
		{ two, sizeof(two), true, false },
		{ default_route, sizeof(default_route), false, true },
		{ id_0, sizeof(id_0), true, true },
		{ id_0, sizeof(id_0), false, false },
		{ id_7, sizeof(id_7), true, true },
		{ half, sizeof(half), false, false },
		{ half, 0, false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_nlri_part part = {
			.field = { cases[i].in, cases[i].len },
			.format = { .afi = 1,
				    .safi = 1,
				    .family = BGP_IPV4_UNICAST,
				    .add_path = cases[i].add_path },
		};

		if (cases[i].len != 0)
			CHECK(bgp_nlri_count(part.field, &part.format,
					     &part.count),
			      "case %zu", i);
		CHECK(bgp_nlri_part_conclusive(&part) == cases[i].want,
		      "case %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path_ids_of_a_family_no_open_names),
		cmocka_unit_test(
			test_other_form_only_if_the_first_is_impossible),
		cmocka_unit_test(test_other_form_of_one_family),
		cmocka_unit_test(test_conclusive_parts),
		cmocka_unit_test(test_rule_20_end_of_rib),
		cmocka_unit_test(test_rule_24_withdraws_come_before_announces),
		cmocka_unit_test(test_rule_24_each_section_has_its_next_hop),
		cmocka_unit_test(test_rule_23_next_hop_lengths),
		cmocka_unit_test(
			test_rule_23_ipv4_routes_over_an_ipv6_next_hop),
		cmocka_unit_test(test_rule_26_prefix_too_long_is_never_a_route),
		cmocka_unit_test(test_rule_28_message_class_errors),
		cmocka_unit_test(
			test_rule_28_treat_as_withdraw_turns_announcements),
		cmocka_unit_test(test_bgpsec_path_stands_in_for_as_path),
		cmocka_unit_test(test_rule_28_missing_next_hop_is_shown),
		cmocka_unit_test(
			test_rule_28_missing_as_path_of_a_loc_rib_is_shown),
		cmocka_unit_test(
			test_rule_31_bad_next_hop_spares_other_sections),
		cmocka_unit_test(
			test_rule_14_addpath_applies_to_all_four_places),
		cmocka_unit_test(test_note_02_addpath_mismatch_shows),
		cmocka_unit_test(test_note_17_unknown_family_is_passed_raw),
		cmocka_unit_test(test_rule_22_every_route_of_a_full_update),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
