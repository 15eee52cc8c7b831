/*
 * Values of path attributes in words, against bytes as the references draw
 * them.
 */
#include "check.h"
#include "field_text.h"

#include "bmp/attr.h"
#include "bmp/attr_row.h"

#include <string.h>

struct value_case {
	uint8_t code;
	const uint8_t *in;
	size_t len;
	const char *want; /* the fields; "": the value does not fit */
};

/* clang-format off */
static const struct value_case cases[] = {
	/* RFC 6514 5: flags, tunnel type, label, tunnel identifier */
	{ 22, BYTES(0, 6, 0, 1, 0x01, 192, 0, 2, 1),
	  "flags=0 tunnelType=6 tunnel=ingress-replication label=16 endpoint=192.0.2.1" },
	{ 22, BYTES(1, 0, 0, 0, 0), "flags=1 tunnelType=0 tunnel=none label=0" },
	{ 22, BYTES(0, 3, 0, 0, 0, 192, 0, 2, 1, 232, 0, 0, 1),
	  "flags=0 tunnelType=3 tunnel=pim-ssm label=0 sender=192.0.2.1 group=232.0.0.1" },
	{ 22, BYTES(0, 1, 0, 0, 0, 192, 0, 2, 1, 0, 0, 0, 7, 0, 0, 0, 9),
	  "flags=0 tunnelType=1 tunnel=rsvp-te-p2mp label=0 extendedTunnelId=192.0.2.1 rsvpTunnel=7 p2mpId=9" },
	{ 22, BYTES(0, 2, 0, 0, 0, 6, 0, 1), "flags=0 tunnelType=2 tunnel=mldp-p2mp label=0 tunnelId=0x060001" },
	/* RFC 8556 2 */
	{ 22, BYTES(0, 11, 0, 0, 0, 1, 0, 2, 192, 0, 2, 1),
	  "flags=0 tunnelType=11 tunnel=bier label=0 subDomain=1 bfrId=2 bfrPrefix=192.0.2.1" },
	{ 22, BYTES(0, 6, 0, 0, 0, 192, 0), "flags=0 tunnelType=6 tunnel=ingress-replication label=0 tunnelId=0xc000" },
	{ 22, BYTES(0, 99, 0, 0, 0, 1), "flags=0 tunnelType=99 label=0 tunnelId=0x01" },
	/* RFC 9012 3: a VXLAN tunnel with endpoint, color and UDP port */
	{ 23, BYTES(0, 8, 0, 26, 6, 10, 0, 0, 0, 0, 0, 1, 192, 0, 2, 1,
		    4, 8, 3, 11, 0x40, 0, 0, 0, 0, 100, 8, 2, 0x12, 0xb5),
	  "tunnels=[{type=8 name=vxlan tlvs=[{type=6 name=tunnel-egress-endpoint family=1 address=192.0.2.1}"
	  " {type=4 name=color community=0x030b flags=0x4000 color=100} {type=8 name=udp-destination-port port=4789}]}]" },
	/* RFC 9830 2.4: preference, binding SID, a segment list of A and B, names */
	{ 23, BYTES(0, 15, 0, 73, 12, 6, 0, 0, 0, 0, 0, 100, 13, 6, 0, 0, 0, 0xfa, 0, 0,
		    128, 0, 37, 0, 9, 6, 0, 0, 0, 0, 0, 5, 1, 6, 0, 0, 0, 1, 0, 0,
		    13, 18, 0, 0, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		    129, 0, 3, 0, 'c', 'p', 130, 0, 4, 0, 'p', 'o', 'l', 15, 2, 7, 0),
	  "tunnels=[{type=15 name=sr-policy tlvs=[{type=12 name=preference flags=0x00 preference=100}"
	  " {type=13 name=binding-sid flags=0x00 labelEntry=16384000}"
	  " {type=128 name=segment-list segments=[{type=9 name=weight flags=0x00 weight=5}"
	  " {type=1 name=segment-a flags=0x00 labelEntry=65536} {type=13 name=segment-b flags=0x00 sid=2001:db8::1}]}"
	  " {type=129 name=candidate-path-name pathName='cp'} {type=130 name=policy-name policyName='pol'}"
	  " {type=15 name=priority priority=7}]}]" },
	/* an unknown tunnel, an unknown sub-TLV, a known one that does not fit */
	{ 23, BYTES(0x7f, 0xff, 0, 1, 9), "tunnels=[{type=32767 value=0x09}]" },
	{ 23, BYTES(0, 2, 0, 7, 99, 1, 5, 2, 2, 8, 0), "tunnels=[{type=2 name=gre tlvs=[{type=99 value=0x05} {type=2 name=protocol-type protocol=2048}]}]" },
	{ 23, BYTES(0, 2, 0, 3, 2, 1, 8), "tunnels=[{type=2 name=gre tlvs=[{type=2 name=protocol-type value=0x08}]}]" },
	{ 23, BYTES(0, 2, 0, 3, 2, 9, 8), "tunnels=[{type=2 name=gre value=0x020908}]" },
	/* RFC 5543 3 */
	{ 24, BYTES(1, 2, 0, 0, 0x4b, 0x18, 0x96, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 0xbf, 0x80, 0, 0),
	  "switching=1 encoding=2 bandwidths=[10000000 0 0 0 0 0 0 0xbf800000]" },
	/* RFC 7311 3: the length counts type and length */
	{ 26, BYTES(1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 10), "tlvs=[{type=1 name=aigp metric=10}]" },
	{ 26, BYTES(2, 0, 4, 7), "tlvs=[{type=2 value=0x07}]" },
	/* RFC 6514 8 */
	{ 27, BYTES(192, 0, 2, 1, 0, 1, 0, 192, 0, 2, 2, 0, 2, 0),
	  "labels=[{address=192.0.2.1 label=16} {address=192.0.2.2 label=32}]" },
	/* RFC 9552 5.3, RFC 8571, RFC 9085, RFC 9086, RFC 9514 */
	{ 29, BYTES(4, 2, 0, 2, 'r', '1', 4, 4, 0, 4, 192, 0, 2, 1, 4, 71, 0, 3, 0, 0, 10,
		    4, 131, 0, 4, 0, 0, 0, 5),
	  "tlvs=[{type=1026 name=node-name nodeName='r1'} {type=1028 name=local-ipv4-router-id routerId=192.0.2.1}"
	  " {type=1095 name=igp-metric metric=10} {type=1155 name=prefix-metric metric=5}]" },
	{ 29, BYTES(4, 65, 0, 4, 0x4c, 0xee, 0x6b, 0x28, 4, 90, 0, 4, 0, 0, 0, 100, 4, 75, 0, 7, 0x30, 10, 0, 0, 0, 0x5d, 0xc0,
		    4, 77, 0, 8, 0xd0, 0, 0, 0, 0, 0, 0x5d, 0xc1),
	  "tlvs=[{type=1089 name=max-link-bandwidth bandwidth=125000000} {type=1114 name=link-delay flags=0x00 microseconds=100}"
	  " {type=1099 name=adjacency-sid flags=0x30 weight=10 sid=24000}"
	  " {type=1101 name=peer-node-sid flags=0xd0 weight=0 sid=24001}]" },
	{ 29, BYTES(4, 82, 0, 30, 0, 5, 0, 0, 0, 0, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		    4, 228, 0, 4, 32, 16, 16, 0),
	  "tlvs=[{type=1106 name=srv6-end-x-sid behavior=5 flags=0x00 algorithm=0 weight=0 sid=2001:db8::1"
	  " tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]}]" },
	{ 29, BYTES(4, 15, 0, 12, 128, 1, 0, 100, 4, 16, 0, 4, 0, 0, 0, 1),
	  "tlvs=[{type=1039 name=flex-algo-definition algorithm=128 metricType=1 calculation=0 priority=100"
	  " tlvs=[{type=1040 name=exclude-any groups=[1]}]}]" },
	{ 29, BYTES(0xff, 0, 0, 1, 1), "tlvs=[{type=65280 value=0x01}]" },
	/* RFC 8205 3 */
	{ 33, BYTES(0, 8, 1, 0, 0, 0, 0xfd, 0xe8, 0, 4, 1, 0xaa),
	  "securePath=[{pCount=1 flags=0 asn=65000}] signatureBlocks=[{algorithm=1 signatures=0xaa}]" },
	{ 34, BYTES(0, 1, 0, 0, 0, 0), "containers=[{type=1 name=wide-community flags=0x00 value=0x}]" },
	{ 34, BYTES(0, 1, 0, 0, 0), "" },
	/* RFC 10039 4: a segment of an EVPN and an IP-VPN domain, one of a local one */
	{ 36, BYTES(2, 0, 0, 0xfd, 0xe8, 0, 1, 70, 0, 0, 0xfd, 0xe9, 0, 2, 128, 1, 0, 0, 0xfd, 0xea, 0, 3, 0),
	  "segments=[{domains=[{domain=65000:1 safi=70} {domain=65001:2 safi=128}]} {domains=[{domain=65002:3 safi=0}]}]" },
	{ 36, BYTES(2, 0, 0, 0xfd, 0xe8, 0, 1, 70), "" },
	{ 36, BYTES(0, 0, 0, 0xfd, 0xe8, 0, 1, 70), "" },
	{ 37, BYTES(1, 0, 2, 1, 2), "tlvs=[{type=1 name=association value=0x0102}]" },
	/* RFC 9026 3.1.6 */
	{ 38, BYTES(1, 0, 0, 0, 7), "mode=1 discriminator=7" },
	{ 38, BYTES(1, 0, 0, 0, 7, 1, 4, 192, 0, 2, 1),
	  "mode=1 discriminator=7 tlvs=[{type=1 name=source-address address=192.0.2.1}]" },
	{ 39, BYTES(0, 1, 1, 4, 192, 0, 2, 1), "afi=1 safi=1 nextHop=192.0.2.1 characteristics=[]" },
	{ 41, BYTES(0, 1, 0, 1, 9), "tlvs=[{type=1 name=bier value=0x09}]" },
	{ 42, BYTES(1, 2), "metadata=0x0102" },
	/* RFC 8669 3.1, RFC 9252 2 with 3.2.1 */
	{ 40, BYTES(1, 0, 7, 0, 0, 0, 0, 0, 0, 1), "tlvs=[{type=1 name=label-index flags=0x0000 labelIndex=1}]" },
	{ 40, BYTES(5, 0, 34, 0, 1, 0, 30, 0, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0,
		    1, 0, 6, 40, 24, 16, 0, 16, 64),
	  "tlvs=[{type=5 name=srv6-l3-service tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19"
	  " tlvs=[{type=1 name=sid-structure locatorBlock=40 locatorNode=24 function=16 argument=0"
	  " transpositionLength=16 transpositionOffset=64}]}]}]" },
	/* RFC 6368 5; an ATTR_SET inside is not looked into */
	{ 128, BYTES(0, 0, 0xfd, 0xe8, 0x40, 5, 4, 0, 0, 0, 100, 0x80, 26, 11, 1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 1,
		     0xc0, 128, 4, 0, 0, 0, 1),
	  "originAs=65000 attributes=[{flags=64 type=5 name=local-pref value=0x00000064}"
	  " {flags=128 type=26 name=aigp value=0x01000b0000000000000001 fields={tlvs=[{type=1 name=aigp metric=1}]}}"
	  " {flags=192 type=128 name=attr-set value=0x00000001}]" },
	{ 128, BYTES(0, 0, 0xfd, 0xe8, 0x40, 5, 4, 0), "" },
};
/* clang-format on */

/* What bgp_attr_write() writes as the fields of a value. */
static void describe(uint8_t code, struct wire_view v, struct field_text *out)
{
	struct bgp_attr attr = { .flags = 0xd0, .code = code, .value = v };
	struct field_writer w = field_text_writer(out);
	char *fields;

	bgp_attr_write(&attr, true, &w);
	fields = strstr(out->line, " fields={");
	if (fields == NULL) {
		out->line[0] = '\0';
		return;
	}
	memmove(out->line, fields + 9, strlen(fields + 9) + 1);
	out->line[strlen(out->line) - 1] = '\0';
}

static void test_values_are_described(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct field_text got;

		describe(cases[i].code,
			 (struct wire_view){ cases[i].in, cases[i].len }, &got);
		CHECK(strcmp(got.line, cases[i].want) == 0,
		      "case %zu, attribute %u:\n%s\n%s", i, cases[i].code,
		      got.line, cases[i].want);
	}
}

/* Rows are tested: each attribute with a layout has a case. */
static void test_every_layout_has_a_case(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 256; code++) {
		bool any = bgp_attr_rows[code].layout == NULL;

		for (size_t i = 0; i < COUNT(cases); i++)
			any |= cases[i].code == code &&
			       cases[i].want[0] != '\0';
		CHECK(any, "%u has no case in cases[]", code);
	}
}

static void test_an_attribute_without_a_row_is_bytes(void **state)
{
	const uint8_t value[] = { 1, 2 };
	struct bgp_attr attr = { 0xf0, 99, { value, sizeof(value) } };
	struct field_text got;
	struct field_writer w = field_text_writer(&got);

	(void)state;
	bgp_attr_write(&attr, true, &w);
	assert_string_equal(got.line, "flags=224 type=99 value=0x0102");
}

/* Whatever is cut off a good value, or changed in it, nothing breaks. */
static void test_cut_values_do_no_harm(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t len = 0; len < cases[i].len; len++) {
			uint8_t *copy = malloc(len + 1);
			struct field_text got;

			assert_non_null(copy);
			memcpy(copy, cases[i].in, len);
			describe(cases[i].code, (struct wire_view){ copy, len },
				 &got);
			free(copy);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_described),
		cmocka_unit_test(test_every_layout_has_a_case),
		cmocka_unit_test(test_an_attribute_without_a_row_is_bytes),
		cmocka_unit_test(test_cut_values_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
