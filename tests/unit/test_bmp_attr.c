#include "check.h"

#include "bmp/attr.h"
#include "bmp/attr_row.h"
#include "bmp/decode_context.h"

static const struct bgp_decode_opts plain = { .as_width = 4 };
static const struct bgp_decode_opts two_byte = { .as_width = 2 };

static void decode(const uint8_t *p, size_t len,
		   const struct bgp_decode_opts *r, struct bgp_attrs *out)
{
	bgp_attrs_decode((struct wire_view){ p, len }, r, out);
}

struct verdict_case {
	const char *name;
	const uint8_t *in;
	size_t len;
	enum bgp_verdict want;
	enum bgp_fault fault;
};

static void check_verdicts(const struct verdict_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bgp_attrs got;

		decode(cases[i].in, cases[i].len, &plain, &got);
		CHECK(got.verdict == cases[i].want, "%s: verdict %d",
		      cases[i].name, got.verdict);
		CHECK(got.fault == cases[i].fault, "%s: fault %d",
		      cases[i].name, got.fault);
		/* What was refused is not there. */
		if (got.fault == BGP_FAULT_LENGTH ||
		    got.fault == BGP_FAULT_VALUE)
			CHECK(!bgp_attrs_has(&got, got.fault_code),
			      "%s: still there", cases[i].name);
	}
}

#define ZEROS_8	 0, 0, 0, 0, 0, 0, 0, 0
#define ZEROS_12 ZEROS_8, 0, 0, 0, 0
#define ZEROS_32 ZEROS_8, ZEROS_8, ZEROS_8, ZEROS_8

/* clang-format off */
static const struct verdict_case accepted[] = {
	{ "nothing at all", NULL, 0, BGP_ACCEPT, 0 },
	{ "origin igp", BYTES(0x40, 1, 1, 0), BGP_ACCEPT, 0 },
	{ "empty AS_PATH", BYTES(0x40, 2, 0), BGP_ACCEPT, 0 },
	{ "AS_PATH", BYTES(0x40, 2, 6, 2, 1, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "NEXT_HOP", BYTES(0x40, 3, 4, 192, 0, 2, 1), BGP_ACCEPT, 0 },
	{ "MED", BYTES(0x80, 4, 4, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "LOCAL_PREF", BYTES(0x40, 5, 4, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "ATOMIC_AGGREGATE", BYTES(0x40, 6, 0), BGP_ACCEPT, 0 },
	{ "AGGREGATOR of 8", BYTES(0xc0, 7, 8, 0, 0, 0, 1, 1, 2, 3, 4), BGP_ACCEPT, 0 },
	{ "AGGREGATOR of 6", BYTES(0xc0, 7, 6, 0, 1, 1, 2, 3, 4), BGP_ACCEPT, 0 },
	{ "COMMUNITIES", BYTES(0xc0, 8, 4, 0, 1, 0, 2), BGP_ACCEPT, 0 },
	{ "partial is no conflict", BYTES(0xe0, 8, 4, 0, 1, 0, 2), BGP_ACCEPT, 0 },
	{ "ORIGINATOR_ID", BYTES(0x80, 9, 4, 1, 2, 3, 4), BGP_ACCEPT, 0 },
	{ "CLUSTER_LIST", BYTES(0x80, 10, 4, 1, 2, 3, 4), BGP_ACCEPT, 0 },
	{ "MP_UNREACH", BYTES(0x80, 15, 3, 0, 2, 1), BGP_ACCEPT, 0 },
	{ "EXT_COMMUNITIES", BYTES(0xc0, 16, 8, 0, 2, 0, 1, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "LARGE_COMMUNITIES", BYTES(0xc0, 32, 12, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "OTC", BYTES(0xc0, 35, 4, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "AIGP", BYTES(0x80, 26, 11, 1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "PREFIX_SID", BYTES(0xc0, 40, 10, 1, 0, 7, 0, 0, 0, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "PREFIX_SID with an SRv6 service", BYTES(0xc0, 40, 28, 5, 0, 25, 0, 1, 0, 21, 0, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0), BGP_ACCEPT, 0 },
	{ "TUNNEL_ENCAP", BYTES(0xc0, 23, 8, 0, 8, 0, 4, 8, 2, 0x12, 0xb5), BGP_ACCEPT, 0 },
	{ "TUNNEL_ENCAP with a long sub-TLV", BYTES(0xc0, 23, 8, 0, 15, 0, 4, 128, 0, 1, 0), BGP_ACCEPT, 0 },
	{ "SFP with a hop", BYTES(0xc0, 37, 9, 2, 0, 6, 255, 3, 0, 2, 0, 1), BGP_ACCEPT, 0 },
	{ "BFD_DISCRIMINATOR", BYTES(0xc0, 38, 11, 1, 0, 0, 0, 7, 1, 4, 192, 0, 2, 1), BGP_ACCEPT, 0 },
	{ "next hop characteristics", BYTES(0xc0, 39, 20, 0, 1, 1, 4, 192, 0, 2, 1, 0, 3, 0, 8, 192, 0, 2, 1, 0, 0, 0xfd, 0xe8), BGP_ACCEPT, 0 },
	{ "PMSI", BYTES(0xc0, 22, 5, 0, 6, 0, 0, 16), BGP_ACCEPT, 0 },
	{ "BGP-LS", BYTES(0x80, 29, 4, 4, 0, 0, 0), BGP_ACCEPT, 0 },
	{ "ATTR_SET", BYTES(0xc0, 128, 4, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "unknown attribute", BYTES(0xc0, 200, 1, 7), BGP_ACCEPT, 0 },
	{ "D_PATH", BYTES(0xc0, 36, 15, 2, 0, 0, 0xfd, 0xe8, 0, 1, 70, 0, 0, 0xfd, 0xe9, 0, 2, 128), BGP_ACCEPT, 0 },
	{ "BGPSEC_PATH", BYTES(0x80, 33, 11, 0, 8, 1, 0, 0, 0, 0, 1, 0, 3, 1), BGP_ACCEPT, 0 },
	{ "AS4_PATH", BYTES(0xc0, 17, 6, 2, 1, 0, 0, 0, 1), BGP_ACCEPT, 0 },
	{ "AS4_AGGREGATOR", BYTES(0xc0, 18, 8, 0, 0, 0, 1, 1, 2, 3, 4), BGP_ACCEPT, 0 },
	{ "MP_REACH", BYTES(0x80, 14, 9, 0, 2, 1, 4, 192, 0, 2, 1, 0), BGP_ACCEPT, 0 },
	{ "TRAFFIC_ENGINEERING", BYTES(0x80, 24, 36, 0, 0, 0, 0, ZEROS_32), BGP_ACCEPT, 0 },
	{ "IPV6_EXT_COMMUNITIES", BYTES(0xc0, 25, 20, 0, 2, 0x20, 1, 0xd, 0xb8, ZEROS_12, 0, 1), BGP_ACCEPT, 0 },
	{ "PE_LABELS", BYTES(0xc0, 27, 7, 192, 0, 2, 1, 0, 1, 0), BGP_ACCEPT, 0 },
	{ "COMMUNITY_CONTAINER", BYTES(0xc0, 34, 6, 0, 1, 0, 0, 0, 0), BGP_ACCEPT, 0 },
	{ "BGP-LS of nothing", BYTES(0x80, 29, 0), BGP_ACCEPT, 0 },
	{ "BIER", BYTES(0xc0, 41, 4, 0, 1, 0, 0), BGP_ACCEPT, 0 },
	{ "EDGE_METADATA", BYTES(0x80, 42, 1, 7), BGP_ACCEPT, 0 },
};
/* clang-format on */

static void test_good_ones_are_accepted(void **state)
{

	(void)state;
	check_verdicts(accepted, COUNT(accepted));
}

/* clang-format off */
static const struct verdict_case overruns[] = {
	{ "long length", BYTES(0x50, 1, 0, 1, 0), BGP_ACCEPT, 0 },
	{ "length past the end", BYTES(0x40, 1, 9, 0), BGP_WITHDRAW, BGP_FAULT_OVERRUN },
	{ "cut inside a long length", BYTES(0x50, 2, 0), BGP_WITHDRAW, BGP_FAULT_OVERRUN },
	{ "flags only", BYTES(0x40), BGP_WITHDRAW, BGP_FAULT_OVERRUN },
	{ "flags and code", BYTES(0x40, 1), BGP_WITHDRAW, BGP_FAULT_OVERRUN },
};
/* clang-format on */

static void test_rule_27_extended_length_and_overrun(void **state)
{
	static const uint8_t in[] = { 0x40, 1, 1, 2, 0x40, 1 };
	struct bgp_attrs got;

	(void)state;
	check_verdicts(overruns, COUNT(overruns));
	/* What stands before the overrun is good. */
	decode(in, sizeof(in), &plain, &got);
	assert_true(bgp_attrs_has(&got, BGP_ORIGIN));
	assert_int_equal(got.origin, 2);
}

/* clang-format off */
static const struct verdict_case flags_and_repeats[] = {
	{ "origin marked optional", BYTES(0xc0, 1, 1, 0), BGP_WITHDRAW, BGP_FAULT_FLAGS },
	{ "MED marked transitive", BYTES(0xc0, 4, 4, 0, 0, 0, 1), BGP_WITHDRAW, BGP_FAULT_FLAGS },
	{ "atomic aggregate marked optional", BYTES(0xc0, 6, 0), BGP_WITHDRAW, BGP_FAULT_FLAGS },
	{ "origin twice", BYTES(0x40, 1, 1, 0, 0x40, 1, 1, 1), BGP_DISCARD_ATTR, BGP_FAULT_TWICE },
	{ "unknown twice", BYTES(0xc0, 200, 0, 0xc0, 200, 0), BGP_DISCARD_ATTR, BGP_FAULT_TWICE },
	{ "MP_REACH twice", BYTES(0x80, 14, 5, 0, 2, 1, 0, 0, 0x80, 14, 5, 0, 2, 1, 0, 0), BGP_RESET, BGP_FAULT_TWICE },
	{ "MP_UNREACH twice", BYTES(0x80, 15, 3, 0, 2, 1, 0x80, 15, 3, 0, 2, 1), BGP_RESET, BGP_FAULT_TWICE },
	{ "MP_REACH too short", BYTES(0x80, 14, 2, 0, 1), BGP_RESET, BGP_FAULT_VALUE },
	{ "MP_REACH without reserved byte", BYTES(0x80, 14, 4, 0, 1, 1, 0), BGP_RESET, BGP_FAULT_VALUE },
	{ "MP_UNREACH too short", BYTES(0x80, 15, 2, 0, 1), BGP_RESET, BGP_FAULT_LENGTH },
	{ "MP_REACH of 0 bytes", BYTES(0x80, 14, 0), BGP_RESET, BGP_FAULT_LENGTH },
	{ "MP_REACH of 1 byte", BYTES(0x80, 14, 1, 0), BGP_RESET, BGP_FAULT_VALUE },
};
/* clang-format on */

static void test_rule_28_flags_and_repeats(void **state)
{

	(void)state;
	check_verdicts(flags_and_repeats, COUNT(flags_and_repeats));
}

static void test_rule_28_strongest_wins_and_keeps_its_cause(void **state)
{
	/* Discard, then withdraw, then discard again. */
	static const uint8_t in[] = { 0x40, 6, 1,    0, 0x40, 1,
				      1,    3, 0x40, 1, 1,    0 };
	struct bgp_attrs got;

	(void)state;
	decode(in, sizeof(in), &plain, &got);
	assert_int_equal(got.verdict, BGP_WITHDRAW);
	assert_int_equal(got.fault, BGP_FAULT_VALUE);
	assert_int_equal(got.fault_code, BGP_ORIGIN);
}

static void test_rule_28_first_one_stands(void **state)
{
	static const uint8_t good[] = { 0x40, 1, 1, 2, 0x40, 1, 1, 0 };
	static const uint8_t bad[] = { 0x40, 1, 1, 3, 0x40, 1, 1, 0 };
	struct bgp_attrs got;

	(void)state;
	decode(good, sizeof(good), &plain, &got);
	assert_true(bgp_attrs_has(&got, BGP_ORIGIN));
	assert_int_equal(got.origin, 2);
	/* Even a bad first one: the second does not mend it. */
	decode(bad, sizeof(bad), &plain, &got);
	assert_false(bgp_attrs_has(&got, BGP_ORIGIN));
	assert_int_equal(got.verdict, BGP_WITHDRAW);
}

static void test_rule_28_mp_with_wrong_flags_is_still_read(void **state)
{
	static const uint8_t in[] = { 0xc0, 15, 6, 0, 2, 1, 16, 0x20, 1 };
	struct bgp_attrs got;

	(void)state;
	decode(in, sizeof(in), &plain, &got);
	assert_int_equal(got.verdict, BGP_WITHDRAW);
	assert_true(bgp_attrs_has(&got, BGP_MP_UNREACH));
	assert_int_equal(got.unreach.nlri.len, 3);
}

/* clang-format off */
static const struct verdict_case withdrawn[] = {
	{ "ORIGIN of 0 bytes", BYTES(0x40, 1, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "ORIGIN of 2 bytes", BYTES(0x40, 1, 2, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "ORIGIN 3 does not exist", BYTES(0x40, 1, 1, 3), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "AS_PATH with segment type 9", BYTES(0x40, 2, 6, 9, 1, 0, 0, 0, 1), BGP_WITHDRAW, BGP_FAULT_VALUE },
	/* RFC 7607 2 */
	{ "AS_PATH with AS 0", BYTES(0x40, 2, 10, 2, 2, 0, 0, 0, 1, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "AS_PATH with AS 0 in a set", BYTES(0x40, 2, 6, 1, 1, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	/* RFC 4271 6.3, RFC 7606 3c */
	{ "EDGE_METADATA of nothing", BYTES(0x80, 42, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "EDGE_METADATA marked transitive", BYTES(0xc0, 42, 1, 7), BGP_WITHDRAW, BGP_FAULT_FLAGS },
	{ "unknown and well-known", BYTES(0x40, 200, 1, 7), BGP_WITHDRAW, BGP_FAULT_FLAGS },
	/* RFC 8205 3 and 5.2 */
	{ "BGPSEC_PATH without an AS", BYTES(0x80, 33, 11, 0, 2, 0, 9, 1, 2, 3, 4, 5, 6, 7), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "BGPSEC_PATH with half an AS", BYTES(0x80, 33, 12, 0, 9, 1, 0, 0, 0, 0, 1, 7, 0, 3, 1), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "BGPSEC_PATH without signatures", BYTES(0x80, 33, 14, 0, 14, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 2), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "BGPSEC_PATH whose block overruns", BYTES(0x80, 33, 11, 0, 8, 1, 0, 0, 0, 0, 1, 0, 4, 1), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "BGPSEC_PATH with three blocks", BYTES(0x80, 33, 17, 0, 8, 1, 0, 0, 0, 0, 1, 0, 3, 1, 0, 3, 2, 0, 3, 3), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "AS_PATH with an empty segment", BYTES(0x40, 2, 2, 2, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "NEXT_HOP of 5 bytes", BYTES(0x40, 3, 5, 1, 2, 3, 4, 5), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "NEXT_HOP of 16 bytes", BYTES(0x40, 3, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "NEXT_HOP of 3 bytes", BYTES(0x40, 3, 3, 1, 2, 3), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "MED of 3 bytes", BYTES(0x80, 4, 3, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "LOCAL_PREF of 8 bytes", BYTES(0x40, 5, 8, 0, 0, 0, 0, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "COMMUNITIES of 3 bytes", BYTES(0xc0, 8, 3, 1, 2, 3), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "COMMUNITIES of 6 bytes", BYTES(0xc0, 8, 6, 1, 2, 3, 4, 5, 6), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "COMMUNITIES of none", BYTES(0xc0, 8, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "ORIGINATOR_ID of 5 bytes", BYTES(0x80, 9, 5, 1, 2, 3, 4, 5), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "CLUSTER_LIST of 6 bytes", BYTES(0x80, 10, 6, 1, 2, 3, 4, 5, 6), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "EXT_COMMUNITIES of 9 bytes", BYTES(0xc0, 16, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "IPV6_EXT_COMMUNITIES of 19 bytes", BYTES(0xc0, 25, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "LARGE_COMMUNITIES of 13 bytes", BYTES(0xc0, 32, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "OTC of 2 bytes", BYTES(0xc0, 35, 2, 0, 1), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "PMSI of 4 bytes", BYTES(0xc0, 22, 4, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "D_PATH of 7 bytes", BYTES(0xc0, 36, 7, 1, 0, 0, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "D_PATH with a segment of no domain", BYTES(0xc0, 36, 8, 0, 0, 0, 0, 1, 0, 1, 70), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "D_PATH whose segment overruns", BYTES(0xc0, 36, 8, 2, 0, 0, 0, 1, 0, 1, 70), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "TUNNEL_ENCAP without a tunnel", BYTES(0xc0, 23, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "TUNNEL_ENCAP whose tunnel overruns", BYTES(0xc0, 23, 4, 0, 8, 0, 1), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "TUNNEL_ENCAP whose sub-TLV overruns", BYTES(0xc0, 23, 7, 0, 8, 0, 3, 8, 2, 0x12), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "TUNNEL_ENCAP whose long sub-TLV has a short length", BYTES(0xc0, 23, 6, 0, 15, 0, 2, 128, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "SFP without a hop", BYTES(0xc0, 37, 5, 1, 0, 2, 1, 2), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "SFP whose hop is empty", BYTES(0xc0, 37, 3, 2, 0, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "SFP whose hop has half a TLV", BYTES(0xc0, 37, 6, 2, 0, 3, 255, 3, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "SRv6 service that overruns", BYTES(0xc0, 40, 3, 5, 0, 1), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "SRv6 service of nothing", BYTES(0xc0, 40, 3, 6, 0, 0), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "SRv6 SID information of 20 bytes", BYTES(0xc0, 40, 27, 5, 0, 24, 0, 1, 0, 20, 0, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "SRv6 SID structure that overruns", BYTES(0xc0, 40, 31, 5, 0, 28, 0, 1, 0, 24, 0, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "ATTR_SET of 3 bytes", BYTES(0xc0, 128, 3, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "NEXT_HOP of 32 bytes", BYTES(0x40, 3, 32, ZEROS_32), BGP_WITHDRAW, BGP_FAULT_VALUE },
	{ "NEXT_HOP of 33 bytes", BYTES(0x40, 3, 33, 0, ZEROS_32), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "MED of 5 bytes", BYTES(0x80, 4, 5, 0, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "LOCAL_PREF of 3 bytes", BYTES(0x40, 5, 3, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "LOCAL_PREF of 5 bytes", BYTES(0x40, 5, 5, 0, 0, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "ORIGINATOR_ID of 3 bytes", BYTES(0x80, 9, 3, 1, 2, 3), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "CLUSTER_LIST of 3 bytes", BYTES(0x80, 10, 3, 1, 2, 3), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "EXT_COMMUNITIES of 7 bytes", BYTES(0xc0, 16, 7, 0, 2, 0, 1, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "TUNNEL_ENCAP of 3 bytes", BYTES(0xc0, 23, 3, 0, 8, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "TRAFFIC_ENGINEERING of 35 bytes", BYTES(0x80, 24, 35, 0, 0, 0, ZEROS_32), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "PE_LABELS of 6 bytes", BYTES(0xc0, 27, 6, 192, 0, 2, 1, 0, 1), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "LARGE_COMMUNITIES of 11 bytes", BYTES(0xc0, 32, 11, ZEROS_8, 0, 0, 1), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "BGPSEC_PATH of 10 bytes", BYTES(0x80, 33, 10, 0, 8, 1, 0, 0, 0, 0, 1, 0, 2), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "COMMUNITY_CONTAINER of 5 bytes", BYTES(0xc0, 34, 5, 0, 1, 0, 0, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "OTC of 3 bytes", BYTES(0xc0, 35, 3, 0, 0, 1), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "OTC of 5 bytes", BYTES(0xc0, 35, 5, 0, 0, 0, 0, 1), BGP_WITHDRAW, BGP_FAULT_LENGTH },
	{ "SFP of 2 bytes", BYTES(0xc0, 37, 2, 2, 0), BGP_WITHDRAW, BGP_FAULT_LENGTH },
};
/* clang-format on */

static void test_rule_29_treat_as_withdraw(void **state)
{

	(void)state;
	check_verdicts(withdrawn, COUNT(withdrawn));
}

/* clang-format off */
static const struct verdict_case discarded[] = {
	/* RFC 9793 3: a TLV that overruns, and half a header */
	{ "BIER that overruns", BYTES(0xc0, 41, 4, 0, 1, 0, 1), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "BIER of 3 bytes", BYTES(0xc0, 41, 3, 0, 1, 0), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "BIER not transitive", BYTES(0x80, 41, 4, 0, 1, 0, 0), BGP_DISCARD_ATTR, BGP_FAULT_FLAGS },
	{ "ATOMIC_AGGREGATE with a body", BYTES(0x40, 6, 1, 0), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "AGGREGATOR of 5 bytes", BYTES(0xc0, 7, 5, 0, 0, 0, 0, 0), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "AGGREGATOR of 7 bytes", BYTES(0xc0, 7, 7, 0, 0, 0, 0, 0, 0, 0), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AGGREGATOR with AS 0", BYTES(0xc0, 7, 8, 0, 0, 0, 0, 1, 2, 3, 4), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AGGREGATOR with a short AS 0", BYTES(0xc0, 7, 6, 0, 0, 1, 2, 3, 4), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AS4_PATH with AS 0", BYTES(0xc0, 17, 6, 2, 1, 0, 0, 0, 0), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AS4_AGGREGATOR with AS 0", BYTES(0xc0, 18, 8, 0, 0, 0, 0, 1, 2, 3, 4), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AIGP whose TLV overruns", BYTES(0x80, 26, 3, 1, 0, 11), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AIGP whose TLV is shorter than its head", BYTES(0x80, 26, 3, 1, 0, 2), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AIGP marked transitive", BYTES(0xc0, 26, 3, 1, 0, 3), BGP_DISCARD_ATTR, BGP_FAULT_FLAGS },
	{ "PREFIX_SID whose TLV overruns", BYTES(0xc0, 40, 3, 1, 0, 7), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "BFD_DISCRIMINATOR of 10 bytes", BYTES(0xc0, 38, 10, 1, 0, 0, 0, 7, 1, 3, 192, 0, 2), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "BFD_DISCRIMINATOR whose TLV overruns", BYTES(0xc0, 38, 11, 1, 0, 0, 0, 7, 1, 5, 192, 0, 2, 1), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "next hop without characteristics", BYTES(0xc0, 39, 8, 0, 1, 1, 4, 192, 0, 2, 1), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "next hop characteristic that overruns", BYTES(0xc0, 39, 12, 0, 1, 1, 4, 192, 0, 2, 1, 0, 3, 0, 8), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "characteristics whose next hop overruns", BYTES(0xc0, 39, 8, 0, 1, 1, 5, 192, 0, 2, 1), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "BGP-LS whose TLV overruns", BYTES(0x80, 29, 4, 4, 0, 0, 1), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AS4_PATH with a bad segment", BYTES(0xc0, 17, 6, 9, 1, 0, 0, 0, 1), BGP_DISCARD_ATTR, BGP_FAULT_VALUE },
	{ "AS4_AGGREGATOR of 6 bytes", BYTES(0xc0, 18, 6, 0, 0, 0, 0, 0, 0), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "AGGREGATOR of 9 bytes", BYTES(0xc0, 7, 9, ZEROS_8, 1), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "AS4_PATH of 5 bytes", BYTES(0xc0, 17, 5, 2, 1, 0, 0, 0), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "AS4_AGGREGATOR of 7 bytes", BYTES(0xc0, 18, 7, 0, 0, 0, 1, 1, 2, 3), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "AS4_AGGREGATOR of 9 bytes", BYTES(0xc0, 18, 9, ZEROS_8, 1), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "AIGP of 2 bytes", BYTES(0x80, 26, 2, 1, 0), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "next hop characteristics of 7 bytes", BYTES(0xc0, 39, 7, 0, 1, 1, 0, 0, 3, 0), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
	{ "PREFIX_SID of 2 bytes", BYTES(0xc0, 40, 2, 1, 0), BGP_DISCARD_ATTR, BGP_FAULT_LENGTH },
};
/* clang-format on */

static void test_rule_30_attribute_discard(void **state)
{

	(void)state;
	check_verdicts(discarded, COUNT(discarded));
}

/* It would be in the canonical form, which is read again without a fault. */
static void test_refused_unknown_is_not_there(void **state)
{
	static const uint8_t block[] = { 0x40, 200, 1, 7 };
	struct bgp_attrs got;

	(void)state;
	decode(block, sizeof(block), &plain, &got);
	assert_int_equal(got.fault_code, 200);
	assert_false(bgp_attrs_has(&got, 200));
	assert_false(got.has_unknown);
}

static void test_rule_30_ibgp_attributes_are_reported_as_seen(void **state)
{
	static const uint8_t in[] = { 0x40, 5,	4, 0, 0, 0, 100,
				      0x80, 9,	4, 1, 2, 3, 4,
				      0x80, 10, 4, 5, 6, 7, 8 };
	struct bgp_attrs got;

	(void)state;
	decode(in, sizeof(in), &plain, &got);
	assert_int_equal(got.verdict, BGP_ACCEPT);
	assert_int_equal(got.local_pref, 100);
	assert_int_equal(got.originator_id, 0x01020304);
	assert_int_equal(got.cluster_list.len, 4);
}

static void test_values(void **state)
{
	static const uint8_t in[] = {
		0xc0, 7,  8, 0,	   1,	 0,    0,
		192,  0,  2, 9,			     /* aggregator */
		0x80, 4,  4, 0xff, 0xff, 0xff, 0xff, /* MED */
		0xc0, 35, 4, 0,	   1,	 0,    1,    /* OTC */
		0x40, 3,  4, 192,  0,	 2,    1,    /* next hop */
		0xc0, 99, 2, 0xab, 0xcd,	     /* nobody's */
	};
	struct wire_view v;
	struct bgp_attrs got;

	(void)state;
	decode(in, sizeof(in), &plain, &got);
	assert_int_equal(got.aggregator_as, 65536);
	assert_int_equal(got.aggregator_id, 0xc0000209);
	assert_int_equal(got.med, UINT32_MAX);
	assert_int_equal(got.otc, 65537);
	assert_int_equal(got.next_hop_len, 4);
	assert_true(got.has_unknown);
	assert_true(bgp_attrs_find(&got, 99, &v));
	assert_memory_equal(v.p, "\xab\xcd", 2);
	assert_false(bgp_attrs_find(&got, 98, &v));
}

static void test_note_04_second_width_only_if_the_first_cannot_be(void **state)
{
	/* FRR 8.0.1 (multi14-r58a): A is clear, the path is of two bytes. */
	static const uint8_t two[] = { 0x50, 2, 0, 4, 2, 1, 0xfd, 0xe8 };
	static const uint8_t four[] = { 0x40, 2, 6, 2, 1, 0, 0, 0xfd, 0xe8 };
	struct bgp_decode_opts certain = { .as_width = 4,
					   .as_width_certain = true };
	struct bgp_attrs got;

	(void)state;
	decode(two, sizeof(two), &plain, &got);
	assert_int_equal(got.verdict, BGP_ACCEPT);
	assert_true(got.as_width_guessed);
	assert_int_equal(got.as_path.width, 2);
	decode(four, sizeof(four), &plain, &got);
	assert_false(got.as_width_guessed);
	/* A set, and the path of four bytes. */
	decode(four, sizeof(four), &two_byte, &got);
	assert_int_equal(got.verdict, BGP_ACCEPT);
	assert_true(got.as_width_guessed);
	assert_int_equal(got.as_path.width, 4);
	/* The operator has said so. */
	decode(two, sizeof(two), &certain, &got);
	assert_int_equal(got.verdict, BGP_WITHDRAW);
}

static void test_note_04_ambiguous_path_is_read_as_told(void **state)
{
	/* {1, 2} and {3} of two bytes, or {65538, 33619971} of four. */
	static const uint8_t in[] = {
		0x40, 2, 10, 2, 2, 0, 1, 0, 2, 2, 1, 0, 3
	};
	struct bgp_attrs got;

	(void)state;
	decode(in, sizeof(in), &two_byte, &got);
	assert_false(got.as_width_guessed);
	assert_int_equal(got.as_path.width, 2);
	assert_int_equal(bgp_as_path_origin(&got.as_path), 3);
	decode(in, sizeof(in), &plain, &got);
	assert_false(got.as_width_guessed);
	assert_int_equal(got.as_path.width, 4);
	assert_int_equal(bgp_as_path_origin(&got.as_path), 33619971);
}

#define AS_PATH_TRANS	 0x40, 2, 4, 2, 1, 0x5b, 0xa0
#define AS4_PATH_65536	 0xc0, 17, 6, 2, 1, 0, 1, 0, 0
#define AGGREGATOR_OLD	 0xc0, 7, 6, 0, 1, 192, 0, 2, 1
#define AGGREGATOR_TRANS 0xc0, 7, 6, 0x5b, 0xa0, 192, 0, 2, 1
#define AS4_AGGREGATOR	 0xc0, 18, 8, 0, 1, 0, 0, 192, 0, 2, 2

static uint32_t origin_of(const struct bgp_attrs *a)
{
	return bgp_as_path_origin(&a->as_path);
}

static void test_rule_11_as4_twins(void **state)
{
	static const uint8_t merged[] = { AS_PATH_TRANS, AGGREGATOR_TRANS,
					  AS4_PATH_65536, AS4_AGGREGATOR };
	static const uint8_t stale[] = { AS_PATH_TRANS, AGGREGATOR_OLD,
					 AS4_PATH_65536, AS4_AGGREGATOR };
	static const uint8_t path_only[] = { AS_PATH_TRANS, AGGREGATOR_OLD,
					     AS4_PATH_65536 };
	static const uint8_t new[] = { 0x40, 2, 6, 2, 1,
				       0,    0, 0, 9, AS4_PATH_65536 };
	struct bgp_attrs got;

	(void)state;
	decode(merged, sizeof(merged), &two_byte, &got);
	assert_int_equal(origin_of(&got), 65536);
	assert_int_equal(got.aggregator_as, 65536);
	assert_int_equal(got.aggregator_id, 0xc0000202);
	/* Aggregated since by one who knows two bytes only: both ignored. */
	decode(stale, sizeof(stale), &two_byte, &got);
	assert_int_equal(origin_of(&got), BGP_AS_TRANS);
	assert_int_equal(got.aggregator_as, 1);
	/* That rule needs both aggregators. */
	decode(path_only, sizeof(path_only), &two_byte, &got);
	assert_int_equal(origin_of(&got), 65536);
	/* A four-byte path has no use for twins. */
	decode(new, sizeof(new), &plain, &got);
	assert_int_equal(origin_of(&got), 9);
	assert_false(bgp_attrs_has(&got, BGP_AS4_PATH));
}

static void test_mrt_rib_next_hop_stands_alone(void **state)
{
	static const uint8_t short_form[] = { 0x80, 14, 5, 4, 192, 0, 2, 1 };
	static const uint8_t whole_form[] = { 0x80, 14,	 9, 0, 2, 1,
					      4,    192, 0, 2, 1, 0 };
	struct bgp_decode_opts mrt = { .as_width = 4, .mrt_rib = true };
	struct bgp_attrs got;

	(void)state;
	decode(short_form, sizeof(short_form), &mrt, &got);
	assert_int_equal(got.verdict, BGP_ACCEPT);
	assert_int_equal(got.reach.next_hop.len, 4);
	decode(whole_form, sizeof(whole_form), &mrt, &got);
	assert_int_equal(got.verdict, BGP_ACCEPT);
	assert_int_equal(got.reach.next_hop.len, 4);
	/* In a message it is malformed. */
	decode(short_form, sizeof(short_form), &plain, &got);
	assert_int_equal(got.verdict, BGP_RESET);
	/* MRT does not excuse the others. */
	decode((const uint8_t[]){ 0x80, 4, 1, 0 }, 4, &mrt, &got);
	assert_int_equal(got.verdict, BGP_WITHDRAW);
}

static const struct {
	const struct verdict_case *cases;
	size_t n;
} tables[] = {
	{ accepted, COUNT(accepted) },
	{ withdrawn, COUNT(withdrawn) },
	{ discarded, COUNT(discarded) },
	{ flags_and_repeats, COUNT(flags_and_repeats) },
};

/* Cases whose first attribute is of @code, in all tables. */
struct row_cases {
	bool accepted, refused;
	/* A case has this many bytes, and they are not too few or too many. */
	bool min_is_enough, max_is_enough;
	/* One less, one more: the fault is the length. */
	bool less_is_refused, more_is_refused;
};

static void add_case(struct row_cases *found, const struct bgp_attr_row *row,
		     const struct verdict_case *c)
{
	struct wire_cursor block =
		wire_start((struct wire_view){ c->in, c->len });
	struct bgp_attr t;
	bool wrong_length = c->fault == BGP_FAULT_LENGTH;

	if (!bgp_attr_next(&block, &t))
		return;
	found->accepted |= c->want == BGP_ACCEPT;
	found->refused |= c->fault == BGP_FAULT_VALUE || wrong_length;
	if (!wrong_length) {
		found->min_is_enough |= t.value.len == row->min;
		found->max_is_enough |= t.value.len == row->max;
	} else {
		found->less_is_refused |= t.value.len + 1 == row->min;
		found->more_is_refused |= t.value.len == row->max + 1u;
	}
}

static struct row_cases find_cases(uint8_t code)
{
	struct row_cases found = { 0 };

	for (size_t i = 0; i < COUNT(tables); i++)
		for (size_t k = 0; k < tables[i].n; k++) {
			const struct verdict_case *c = &tables[i].cases[k];

			if (c->len >= 2 && c->in[1] == code)
				add_case(&found, &bgp_attr_rows[code], c);
		}
	return found;
}

static unsigned report_lacking(unsigned code, bool there, const char *what)
{
	if (there)
		return 0;
	print_error("%u (%s) has no case with %s\n", code,
		    bgp_attr_rows[code].name, what);
	return 1;
}

/* The limits stand in the cases a second time: a wrong one is noticed. */
static void test_every_judged_row_has_cases(void **state)
{
	unsigned lacking = 0;

	(void)state;
	for (unsigned code = 0; code < 256; code++) {
		const struct bgp_attr_row *row = &bgp_attr_rows[code];
		struct row_cases found = find_cases((uint8_t)code);
		bool any_less = row->min == 0;
		bool any_more = row->max == UINT16_MAX;

		if (row->decode == NULL)
			continue;
		lacking += report_lacking(code, found.accepted,
					  "an accepted value");
		lacking +=
			report_lacking(code, found.refused, "a refused value");
		lacking += report_lacking(code, found.min_is_enough,
					  "the smallest length");
		lacking +=
			report_lacking(code, any_less || found.less_is_refused,
				       "a length that is too small by one");
		lacking += report_lacking(code, any_more || found.max_is_enough,
					  "the largest length");
		lacking +=
			report_lacking(code, any_more || found.more_is_refused,
				       "a length that is too large by one");
	}
	assert_int_equal(lacking, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_ones_are_accepted),
		cmocka_unit_test(test_rule_27_extended_length_and_overrun),
		cmocka_unit_test(test_rule_28_flags_and_repeats),
		cmocka_unit_test(
			test_rule_28_strongest_wins_and_keeps_its_cause),
		cmocka_unit_test(test_rule_28_first_one_stands),
		cmocka_unit_test(
			test_rule_28_mp_with_wrong_flags_is_still_read),
		cmocka_unit_test(test_rule_29_treat_as_withdraw),
		cmocka_unit_test(test_rule_30_attribute_discard),
		cmocka_unit_test(test_refused_unknown_is_not_there),
		cmocka_unit_test(
			test_rule_30_ibgp_attributes_are_reported_as_seen),
		cmocka_unit_test(test_values),
		cmocka_unit_test(
			test_note_04_second_width_only_if_the_first_cannot_be),
		cmocka_unit_test(test_note_04_ambiguous_path_is_read_as_told),
		cmocka_unit_test(test_rule_11_as4_twins),
		cmocka_unit_test(test_mrt_rib_next_hop_stands_alone),
		cmocka_unit_test(test_every_judged_row_has_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
