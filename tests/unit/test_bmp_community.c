/* Communities in words, against bytes as the references draw them. */
#include "check.h"

#include "bmp/community.h"

#include <stdio.h>
#include <string.h>

static const struct {
	uint8_t in[8];
	const char *want; /* NULL: no text */
} cases[] = {
	/* clang-format off */
	{ { 0x00, 0x02, 0xfd, 0xe8, 0, 0, 0, 1 }, "rt:65000:1" },
	{ { 0x01, 0x02, 192, 0, 2, 1, 0, 5 }, "rt:192.0.2.1:5" },
	{ { 0x02, 0x02, 0, 1, 0, 0, 0, 5 }, "rt:65536:5" },
	{ { 0x00, 0x03, 0xfd, 0xe8, 0, 0, 0, 1 }, "soo:65000:1" },
	{ { 0x01, 0x03, 192, 0, 2, 1, 0, 5 }, "soo:192.0.2.1:5" },
	{ { 0x02, 0x03, 0, 1, 0, 0, 0, 5 }, "soo:65536:5" },
	{ { 0x40, 0x02, 0xfd, 0xe8, 0, 0, 0, 1 }, "rt:65000:1" },
	{ { 0x41, 0x02, 192, 0, 2, 1, 0, 5 }, "rt:192.0.2.1:5" },
	{ { 0x42, 0x02, 0, 1, 0, 0, 0, 5 }, "rt:65536:5" },
	{ { 0x40, 0x03, 0xfd, 0xe8, 0, 0, 0, 1 }, "soo:65000:1" },
	{ { 0x41, 0x03, 192, 0, 2, 1, 0, 5 }, "soo:192.0.2.1:5" },
	{ { 0x42, 0x03, 0, 1, 0, 0, 0, 5 }, "soo:65536:5" },
	{ { 0x00, 0x04, 0xfd, 0xe8, 0x4c, 0xee, 0x6b, 0x28 }, "link-bandwidth:65000:125000000" },
	{ { 0x40, 0x04, 0xfd, 0xe8, 0x4c, 0xee, 0x6b, 0x28 }, "link-bandwidth:65000:125000000" },
	/* -1, infinity and what is not a number */
	{ { 0x40, 0x04, 0xfd, 0xe8, 0xbf, 0x80, 0, 0 }, "link-bandwidth:65000:bf800000" },
	{ { 0x40, 0x04, 0xfd, 0xe8, 0x7f, 0x80, 0, 0 }, "link-bandwidth:65000:7f800000" },
	{ { 0x40, 0x04, 0xfd, 0xe8, 0x7f, 0xc0, 0, 0 }, "link-bandwidth:65000:7fc00000" },
	{ { 0x00, 0x05, 0xfd, 0xe8, 0, 0, 0, 1 }, "ospf-domain:65000:1" },
	{ { 0x01, 0x05, 192, 0, 2, 1, 2, 0 }, "ospf-domain:192.0.2.1:512" },
	{ { 0x02, 0x05, 0, 1, 0, 0, 2, 0 }, "ospf-domain:65536:512" },
	{ { 0x01, 0x07, 192, 0, 2, 1, 0, 0 }, "ospf-router:192.0.2.1:0" },
	{ { 0x00, 0x08, 0xfd, 0xe8, 0, 0, 0, 1 }, "data-collection:65000:1" },
	{ { 0x02, 0x08, 0, 1, 0, 0, 0, 1 }, "data-collection:65536:1" },
	{ { 0x00, 0x09, 0xfd, 0xe8, 0, 0, 0, 0 }, "source-as:65000:0" },
	{ { 0x02, 0x09, 0, 1, 0, 0, 0, 0 }, "source-as:65536:0" },
	{ { 0x00, 0x0a, 0xfd, 0xe8, 0, 0, 0, 7 }, "l2vpn-id:65000:7" },
	{ { 0x01, 0x0a, 192, 0, 2, 1, 0, 7 }, "l2vpn-id:192.0.2.1:7" },
	{ { 0x01, 0x0b, 192, 0, 2, 1, 0, 7 }, "vrf-route-import:192.0.2.1:7" },
	{ { 0x00, 0x10, 0xfd, 0xe8, 0, 0, 0, 7 }, "cisco-vpn-distinguisher:65000:7" },
	{ { 0x01, 0x10, 192, 0, 2, 1, 0, 7 }, "cisco-vpn-distinguisher:192.0.2.1:7" },
	{ { 0x01, 0x12, 192, 0, 2, 1, 0, 0 }, "inter-area-p2mp-next-hop:192.0.2.1:0" },
	{ { 0x01, 0x14, 192, 0, 2, 1, 0, 0 }, "vrf-recursive-next-hop:192.0.2.1:0" },
	{ { 0x03, 0x06, 0, 0, 0, 0, 5, 1 }, "ospf-route-type:0.0.0.0:5:1" },
	{ { 0x03, 0x0b, 0, 0, 0, 0, 0, 100 }, "color:100" },
	{ { 0x03, 0x0c, 0, 0, 0, 0, 0, 8 }, "encapsulation:vxlan" },
	{ { 0x03, 0x0c, 0, 0, 0, 0, 0xff, 0 }, "encapsulation:65280" },
	{ { 0x03, 0x0d, 0, 0, 0, 0, 0, 0 }, "default-gateway" },
	{ { 0x43, 0x00, 0, 0, 0, 0, 0, 0 }, "origin-validation:valid" },
	{ { 0x43, 0x00, 0, 0, 0, 0, 0, 2 }, "origin-validation:invalid" },
	{ { 0x43, 0x00, 0, 0, 0, 0, 0, 9 }, "origin-validation:9" },
	{ { 0x06, 0x00, 1, 0, 0, 0, 0, 7 }, "mac-mobility:1:7" },
	{ { 0x06, 0x01, 1, 0, 0, 0, 1, 0x01 }, "esi-label:1:16" },
	{ { 0x06, 0x02, 0, 0, 0x5e, 0, 0x53, 1 }, "es-import:00:00:5e:00:53:01" },
	{ { 0x06, 0x03, 0, 0, 0x5e, 0, 0x53, 1 }, "router-mac:00:00:5e:00:53:01" },
	{ { 0x06, 0x04, 0, 2, 5, 0xdc, 0, 0 }, "layer-2-attributes:2:1500" },
	{ { 0x06, 0x05, 1, 0, 0, 0, 1, 0 }, "e-tree:1:16" },
	{ { 0x06, 0x06, 0x22, 0x40, 0, 0, 0, 0 }, "df-election:2:16384" },
	{ { 0x06, 0x08, 2, 0, 0, 0, 0, 0 }, "arp-nd:020000000000" },
	{ { 0x06, 0x09, 0, 3, 0, 0, 0, 0 }, "multicast-flags:3" },
	{ { 0x06, 0x0a, 0xfd, 0xe8, 0, 0, 0, 1 }, "evi-rt:65000:1" },
	{ { 0x06, 0x0b, 192, 0, 2, 1, 0, 1 }, "evi-rt:192.0.2.1:1" },
	{ { 0x06, 0x0c, 0, 1, 0, 0, 0, 1 }, "evi-rt:65536:1" },
	{ { 0x0a, 0x02, 0, 0, 0, 0, 0, 128 }, "transport-class:128" },
	{ { 0x4a, 0x02, 0, 0, 0, 0, 0, 128 }, "transport-class:128" },
	{ { 0x80, 0x06, 0, 0, 0, 0, 0, 0 }, "traffic-rate-bytes:0:0" },
	{ { 0x80, 0x07, 0, 0, 0, 0, 0, 3 }, "traffic-action:3" },
	{ { 0x80, 0x08, 0xfd, 0xe8, 0, 0, 0, 1 }, "redirect:65000:1" },
	{ { 0x81, 0x08, 192, 0, 2, 1, 0, 1 }, "redirect:192.0.2.1:1" },
	{ { 0x82, 0x08, 0, 1, 0, 0, 0, 1 }, "redirect:65536:1" },
	{ { 0x80, 0x09, 0, 0, 0, 0, 0, 46 }, "traffic-marking:46" },
	{ { 0x80, 0x0a, 19, 0, 5, 0xdc, 0, 100 }, "layer-2-info:19:0:1500:100" },
	{ { 0x80, 0x0c, 0, 0, 0x42, 0xc8, 0, 0 }, "traffic-rate-packets:0:100" },
	{ { 0x00, 0x13, 0xfd, 0xe8, 0, 0, 0, 1 }, "rt-record:65000:1" },
	{ { 0x01, 0x13, 192, 0, 2, 1, 0, 5 }, "rt-record:192.0.2.1:5" },
	{ { 0x02, 0x13, 0, 1, 0, 0, 0, 5 }, "rt-record:65536:5" },
	{ { 0x00, 0x15, 0xfd, 0xe8, 0, 0, 0, 1 }, "rt-derived:65000:1" },
	{ { 0x01, 0x15, 192, 0, 2, 1, 0, 5 }, "rt-derived:192.0.2.1:5" },
	{ { 0x02, 0x15, 0, 1, 0, 0, 0, 5 }, "rt-derived:65536:5" },
	{ { 0x00, 0x80, 0xfd, 0xe8, 0, 0, 0x13, 0x88 }, "virtual-network-id:65000:5000" },
	{ { 0x02, 0x04, 0, 1, 0, 0, 0, 5 }, "generic:65536:5" },
	{ { 0x42, 0x04, 0, 1, 0, 0, 0, 5 }, "generic:65536:5" },
	{ { 0x02, 0x10, 0, 1, 0, 0, 0, 5 }, "cisco-vpn-identifier:65536:5" },
	{ { 0x01, 0x09, 192, 0, 2, 1, 0, 0 }, "node-target:192.0.2.1:0" },
	{ { 0x01, 0x0c, 192, 0, 2, 1, 0, 1 }, "redirect-to-ipv4:192.0.2.1:1" },
	{ { 0x01, 0x20, 192, 0, 2, 1, 0, 0 }, "mvpn-sa-rp-address:192.0.2.1:0" },
	{ { 0x03, 0x01, 129, 5, 0, 0, 0, 100 }, "cost:129:5:100" },
	{ { 0x43, 0x01, 128, 0, 0, 0, 1, 0 }, "cost:128:0:256" },
	{ { 0x03, 0x03, 0, 0, 0, 0, 0, 0 }, "cp-orf" },
	{ { 0x03, 0x04, 0, 0, 0, 0, 0, 0 }, "extranet-source" },
	{ { 0x03, 0x05, 0, 0, 0, 0, 0, 0 }, "extranet-separation" },
	{ { 0x03, 0x07, 0, 0, 0, 0, 0, 1 }, "additional-pmsi-flags:000000000001" },
	{ { 0x03, 0x08, 0, 0, 0, 1, 0, 0 }, "label-space-id:0:65536" },
	{ { 0x06, 0x0f, 0, 1, 0, 0, 0x80, 0 }, "service-carving-time:65536:32768" },
	{ { 0x08, 0x00, 0, 0, 0, 0, 0, 1 }, "redirect-to-next-hop:1" },
	{ { 0x09, 0x00, 0, 0, 0, 0, 0, 7 }, "redirect-to-indirection-id:000000000007" },
	{ { 0x0b, 0x01, 0, 0, 0, 0, 0, 7 }, "sfir-pool:000000000007" },
	{ { 0x0b, 0x02, 0, 0, 0, 0, 0, 7 }, "mpls-mixed-labels:000000000007" },
	{ { 0x0c, 0x00, 0, 10, 0, 0, 0, 10 }, "mup:10:10" },
	{ { 0x80, 0x0d, 0, 0, 1, 255, 0, 41 }, "sfc-classifier:000001ff0029" },
	{ { 0x00, 0x06, 0xfd, 0xe8, 0, 0, 0, 1 }, "extended-link-bandwidth:fde800000001" },
	{ { 0x40, 0x06, 0xfd, 0xe8, 0, 0, 0, 1 }, "extended-link-bandwidth:fde800000001" },
	{ { 0x03, 0x09, 0, 0, 0, 0, 0, 1 }, "unreachable-prefix-announcement:000000000001" },
	{ { 0x03, 0x0e, 0, 0, 0, 0, 1, 0 }, "ppmp-label:000000000100" },
	{ { 0x03, 0x14, 0, 0, 0, 0, 0, 7 }, "consistent-hash-sort-order:000000000007" },
	{ { 0x03, 0xaa, 2, 0, 0, 0, 0, 0 }, "load-balance:020000000000" },
	{ { 0x04, 0x00, 0, 1, 2, 0, 0, 0 }, "qos-marking:000102000000" },
	{ { 0x44, 0x00, 0, 1, 2, 0, 0, 0 }, "qos-marking:000102000000" },
	{ { 0x05, 0x00, 0, 0, 0, 0, 0, 3 }, "cos-capability:000000000003" },
	{ { 0x06, 0x0d, 0, 0, 0, 0, 0, 1 }, "evi-rt:000000000001" },
	{ { 0x06, 0x0e, 0, 0, 0, 0, 0, 9 }, "attachment-circuit:000000000009" },
	/* draft-ietf-bess-evpn-unequal-lb 4.1: units, reserved, weight */
	{ { 0x06, 0x10, 1, 0, 0, 0, 0, 40 }, "evpn-link-bandwidth:1:40" },
	{ { 0x06, 0x15, 0, 0, 0, 0, 0, 1 }, "rt-derived:000000000001" },
	/* draft-ietf-idr-flowspec-interfaceset 3: O and I, then the group */
	{ { 0x07, 0x02, 0, 0, 0xfd, 0xe8, 0x40, 5 }, "interface-set:65000:1:5" },
	{ { 0x47, 0x02, 0, 0, 0xfd, 0xe8, 0xc0, 5 }, "interface-set:65000:3:5" },
	{ { 0x0c, 0x01, 0, 0, 0, 10, 0, 1 }, "mup:0000000a0001" },
	{ { 0x0c, 0x02, 0, 0, 0, 10, 0, 1 }, "mup:0000000a0001" },
	{ { 0x0c, 0x03, 0, 0, 0, 10, 0, 1 }, "mup:0000000a0001" },
	{ { 0x0c, 0x04, 0, 0, 0, 10, 0, 1 }, "mup:0000000a0001" },
	{ { 0x0c, 0x05, 0, 0, 0, 10, 0, 1 }, "mup:0000000a0001" },
	{ { 0x80, 0x0b, 0, 1, 0, 0, 0, 0 }, "e-tree-info:000100000000" },
	{ { 0x3f, 0x02, 0, 0, 0, 0, 0, 0 }, NULL },
	{ { 0x03, 0x02, 0, 0, 0, 0, 0, 0 }, NULL },
	/* clang-format on */
};

static void test_extended_communities_have_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char got[64];
		struct text t = text_start(got, sizeof(got));
		const char *want = cases[i].want;
		bool known = bgp_ext_community_text(&t, cases[i].in);

		text_end(&t);
		CHECK(known == (want != NULL), "case %zu", i);
		CHECK(strcmp(got, want != NULL ? want : "") == 0,
		      "case %zu: %s", i, got);
	}
}

static void test_every_row_has_a_case(void **state)
{
	struct bgp_ext_community_row row;

	(void)state;
	for (size_t i = 0; bgp_ext_community_row(i, &row); i++) {
		bool any = false;

		for (size_t k = 0; k < COUNT(cases); k++)
			any |= cases[k].in[0] == row.type_high &&
			       cases[k].in[1] == row.type_low;
		CHECK(any, "%02x/%02x", row.type_high, row.type_low);
		CHECK(row.name != NULL && row.reference != NULL, "row %zu", i);
	}
}

/* RFC 5701 2: type, address, local administrator */
static void test_ipv6_extended_communities_have_text(void **state)
{
	uint8_t in[20] = { 0,	 0,	   0x20,	0x01,	    0x0d,
			   0xb8, [17] = 1, [18] = 0xfd, [19] = 0xe8 };
	struct bgp_ipv6_ext_community_row row;
	char got[96], want[96];
	struct text t;

	(void)state;
	for (size_t i = 0; bgp_ipv6_ext_community_row(i, &row); i++) {
		in[0] = (uint8_t)(row.type >> 8);
		in[1] = (uint8_t)row.type;
		t = text_start(got, sizeof(got));
		assert_true(bgp_ipv6_ext_community_text(&t, in));
		text_end(&t);
		snprintf(want, sizeof(want), "%s:[2001:db8::1]:65000",
			 row.name);
		assert_string_equal(got, want);
		assert_non_null(row.reference);
	}
	in[0] = 0x3f;
	t = text_start(got, sizeof(got));
	assert_false(bgp_ipv6_ext_community_text(&t, in));
	assert_int_equal(text_end(&t), 0);
}

/* IANA, "BGP Well-known Communities" */
static void test_well_known_communities_have_names(void **state)
{
	static const struct {
		uint32_t community;
		const char *want;
	} known[] = {
		{ 0xffff0000, "graceful-shutdown" },
		{ 0xffff0001, "accept-own" },
		{ 0xffff0002, "route-filter-translated-v4" },
		{ 0xffff0003, "route-filter-v4" },
		{ 0xffff0004, "route-filter-translated-v6" },
		{ 0xffff0005, "route-filter-v6" },
		{ 0xffff0006, "llgr-stale" },
		{ 0xffff0007, "no-llgr" },
		{ 0xffff0008, "accept-own-nexthop" },
		{ 0xffff0009, "standby-pe" },
		{ 0xffff029a, "blackhole" },
		{ 0xffffff01, "no-export" },
		{ 0xffffff02, "no-advertise" },
		{ 0xffffff03, "no-export-subconfed" },
		{ 0xffffff04, "no-peer" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++)
		assert_string_equal(bgp_community_name(known[i].community),
				    known[i].want);
	assert_null(bgp_community_name(0xffffff05));
	assert_null(bgp_community_name(0x0000029a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extended_communities_have_text),
		cmocka_unit_test(test_every_row_has_a_case),
		cmocka_unit_test(test_ipv6_extended_communities_have_text),
		cmocka_unit_test(test_well_known_communities_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
