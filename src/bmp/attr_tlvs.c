/* TLVs of path attributes, except of BGP-LS. */
#include "bmp/attr_values.h"

/* clang-format off */
/* RFC 7311 3 */
static const struct tlv_row aigp[] = {
	{ 1, "aigp", { VALUE("metric", NUMBER, .len = 8) } },
};
const struct tlv_layout bgp_aigp_tlvs = TLV_LAYOUT(TLV_HEAD_1_2_WHOLE, aigp);

/* RFC 9252 3.2.1 */
static const struct tlv_row sid_structure[] = {
	{ 1, "sid-structure", { VALUE("locatorBlock", NUMBER, .len = 1), VALUE("locatorNode", NUMBER, .len = 1), VALUE("function", NUMBER, .len = 1), VALUE("argument", NUMBER, .len = 1), VALUE("transpositionLength", NUMBER, .len = 1), VALUE("transpositionOffset", NUMBER, .len = 1) } },
};
static const struct tlv_layout sid_structure_tlvs = TLV_LAYOUT(TLV_HEAD_1_2, sid_structure);

/* RFC 9252 3.1 */
static const struct tlv_row srv6_service[] = {
	{ 1, "sid-information", { VALUE_RESERVED(1), VALUE("sid", IPV6), VALUE("flags", HEX, .len = 1), VALUE("behavior", NUMBER, .len = 2), VALUE_RESERVED(1), VALUE("tlvs", TLVS, .tlvs = &sid_structure_tlvs, .optional = true) } },
};
static const struct tlv_layout srv6_service_tlvs = TLV_LAYOUT(TLV_HEAD_1_2, srv6_service);

static const struct value_field srgb[] = {
	VALUE("first", NUMBER, .len = 3), VALUE("count", NUMBER, .len = 3), { 0 },
};

/* RFC 8669 3, RFC 9252 2 */
static const struct tlv_row prefix_sid[] = {
	{ 1, "label-index", { VALUE_RESERVED(1), VALUE("flags", HEX, .len = 2), VALUE("labelIndex", NUMBER, .len = 4) } },
	/* Types 2 and 4 are from drafts. */
	{ 2, "ipv6-sid", { VALUE_RESERVED(1), VALUE("flags", HEX, .len = 2), VALUE("sid", IPV6) } },
	{ 3, "originator-srgb", { VALUE("flags", HEX, .len = 2), VALUE("ranges", RECORDS, .len = 6, .record = srgb) } },
	{ 4, "srv6-vpn-sid", { VALUE("sid", REST) } },
	{ 5, "srv6-l3-service", { VALUE_RESERVED(1), VALUE("tlvs", TLVS, .tlvs = &srv6_service_tlvs) } },
	{ 6, "srv6-l2-service", { VALUE_RESERVED(1), VALUE("tlvs", TLVS, .tlvs = &srv6_service_tlvs) } },
};
const struct tlv_layout bgp_prefix_sid_tlvs = TLV_LAYOUT(TLV_HEAD_1_2, prefix_sid);

/* RFC 9026 3.1.6 */
static const struct tlv_row bfd[] = {
	{ 1, "source-address", { VALUE("address", ADDRESS) } },
};
const struct tlv_layout bgp_bfd_tlvs = TLV_LAYOUT(TLV_HEAD_1_1, bfd);

/* RFC 9015 3.2.1.3 to 3.2.1.5 */
static const struct value_field sfir_rd[] = {
	VALUE("rd", CUSTOM, .custom = bgp_describe_rd), { 0 },
};
static const struct tlv_row sfp_hop[] = {
	{ 3, "sft", { VALUE("sft", NUMBER, .len = 2), VALUE("sfirs", RECORDS, .len = 8, .record = sfir_rd) } },
	{ 4, "mpls-swapping-stacking", { VALUE("stacking", REST) } },
	{ 5, "sfp-traversal-with-mpls", { VALUE("traversal", REST) } },
};
static const struct tlv_layout sfp_hop_tlvs = TLV_LAYOUT(TLV_HEAD_1_2, sfp_hop);

/* RFC 9015 3.2.1.1 and 3.2.1.2 */
static const struct tlv_row sfp[] = {
	{ 1, "association", { VALUE("associationType", NUMBER, .len = 1), VALUE("rd", CUSTOM_PART, .len = 8, .custom = bgp_describe_rd), VALUE("servicePathId", NUMBER, .len = 3) } },
	{ 2, "hop", { VALUE("serviceIndex", NUMBER, .len = 1), VALUE("tlvs", TLVS, .tlvs = &sfp_hop_tlvs, .optional = true) } },
};
const struct tlv_layout bgp_sfp_tlvs = TLV_LAYOUT(TLV_HEAD_1_2, sfp);

/* RFC 9793 3 */
static const struct tlv_row bier_sub[] = {
	{ 1, "mpls-encapsulation", { VALUE("maxSetId", NUMBER, .len = 1), VALUE("bitStringLengthAndLabel", HEX, .len = 3) } },
	{ 2, "non-mpls-encapsulation", { VALUE("maxSetId", NUMBER, .len = 1), VALUE("bitStringLengthAndBiftId", HEX, .len = 3) } },
	{ 3, "next-hop", { VALUE("nextHop", ADDRESS) } },
};
static const struct tlv_layout bier_sub_tlvs = TLV_LAYOUT(TLV_HEAD_2_2, bier_sub);
static const struct tlv_row bier[] = {
	{ 1, "bier", { VALUE("subDomain", NUMBER, .len = 1), VALUE("bfrId", NUMBER, .len = 2), VALUE_RESERVED(1), VALUE("tlvs", TLVS, .tlvs = &bier_sub_tlvs, .optional = true) } },
};
const struct tlv_layout bgp_bier_tlvs = TLV_LAYOUT(TLV_HEAD_2_2, bier);

/* draft-ietf-idr-wide-bgp-communities-11 4: atoms of the three lists */
static const struct tlv_row atom[] = {
	{ 1, "as-numbers", { VALUE("asns", NUMBERS, .len = 4) } },
	{ 2, "ipv4-prefixes", { VALUE("prefixes", REST) } },
	{ 3, "ipv6-prefixes", { VALUE("prefixes", REST) } },
	{ 4, "integers", { VALUE("integers", NUMBERS, .len = 4) } },
	{ 5, "floats", { VALUE("floats", FLOATS) } },
	{ 6, "neighbor-classes", { VALUE("classes", NUMBERS, .len = 4) } },
	{ 7, "user-defined-classes", { VALUE("classes", REST) } },
	{ 8, "text", { VALUE("text", TEXT) } },
};
static const struct tlv_layout atom_tlvs = TLV_LAYOUT(TLV_HEAD_1_2, atom);
static const struct tlv_row wide[] = {
	{ 1, "target", { VALUE("atoms", TLVS, .tlvs = &atom_tlvs) } },
	{ 2, "exclude-target", { VALUE("atoms", TLVS, .tlvs = &atom_tlvs) } },
	{ 3, "parameters", { VALUE("atoms", TLVS, .tlvs = &atom_tlvs) } },
};
const struct tlv_layout bgp_wide_tlvs = TLV_LAYOUT(TLV_HEAD_1_2, wide);

/* draft-ietf-idr-nhc 2, draft-ietf-idr-entropy-label */
static const struct tlv_row characteristic[] = {
	{ 1, "elcv3", { { 0 } } },
	{ 2, "next-next-hop-nodes", { VALUE("nodes", REST) } },
	{ 3, "bgp-id", { VALUE("bgpId", IPV4), VALUE("asn", NUMBER, .len = 4) } },
	{ 4, "ifit", { VALUE("ifit", REST) } },
	{ 5, "accumulated-metric", { VALUE("metric", REST) } },
};
const struct tlv_layout bgp_characteristic_tlvs = TLV_LAYOUT(TLV_HEAD_2_2, characteristic);

/* RFC 9830 2.4.4, RFC 9831 */
static const struct tlv_row segment[] = {
	{ 1, "segment-a", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("labelEntry", NUMBER, .len = 4) } },
	{ 3, "segment-c", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("node", IPV4), VALUE("labelEntry", NUMBER, .len = 4, .optional = true) } },
	{ 4, "segment-d", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("node", IPV6), VALUE("labelEntry", NUMBER, .len = 4, .optional = true) } },
	{ 5, "segment-e", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("interface", NUMBER, .len = 4), VALUE("node", IPV4), VALUE("labelEntry", NUMBER, .len = 4, .optional = true) } },
	{ 6, "segment-f", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("local", IPV4), VALUE("remote", IPV4), VALUE("labelEntry", NUMBER, .len = 4, .optional = true) } },
	{ 7, "segment-g", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("localInterface", NUMBER, .len = 4), VALUE("local", IPV6), VALUE("remoteInterface", NUMBER, .len = 4), VALUE("remote", IPV6), VALUE("labelEntry", NUMBER, .len = 4, .optional = true) } },
	{ 8, "segment-h", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("local", IPV6), VALUE("remote", IPV6), VALUE("labelEntry", NUMBER, .len = 4, .optional = true) } },
	{ 9, "weight", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("weight", NUMBER, .len = 4) } },
	{ 13, "segment-b", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("sid", IPV6), VALUE("structure", CUSTOM, .custom = bgp_describe_srv6_structure, .optional = true) } },
	{ 14, "segment-i", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("node", IPV6), VALUE("sid", CUSTOM, .custom = bgp_describe_srv6_segment, .optional = true) } },
	{ 15, "segment-j", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("localInterface", NUMBER, .len = 4), VALUE("local", IPV6), VALUE("remoteInterface", NUMBER, .len = 4), VALUE("remote", IPV6), VALUE("sid", CUSTOM, .custom = bgp_describe_srv6_segment, .optional = true) } },
	{ 16, "segment-k", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("local", IPV6), VALUE("remote", IPV6), VALUE("sid", CUSTOM, .custom = bgp_describe_srv6_segment, .optional = true) } },
};
static const struct tlv_layout segment_tlvs = TLV_LAYOUT(TLV_HEAD_1_1, segment);

/* RFC 9012 3, RFC 9830 2.4 */
#define SUB_ROWS \
	{ 2, "protocol-type", { VALUE("protocol", NUMBER, .len = 2) } }, \
	{ 4, "color", { VALUE("community", HEX, .len = 2), VALUE("flags", HEX, .len = 2), VALUE("color", NUMBER, .len = 4) } }, \
	{ 6, "tunnel-egress-endpoint", { VALUE_RESERVED(4), VALUE("family", NUMBER, .len = 2), VALUE("address", ADDRESS) } }, \
	{ 7, "ds-field", { VALUE("ds", HEX, .len = 1) } }, \
	{ 8, "udp-destination-port", { VALUE("port", NUMBER, .len = 2) } }, \
	{ 9, "embedded-label-handling", { VALUE("handling", NUMBER, .len = 1) } }, \
	{ 10, "mpls-label-stack", { VALUE("labelEntries", NUMBERS, .len = 4) } }, \
	{ 11, "prefix-sid", { VALUE("tlvs", TLVS, .tlvs = &bgp_prefix_sid_tlvs) } }, \
	{ 12, "preference", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("preference", NUMBER, .len = 4) } }, \
	{ 13, "binding-sid", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("sid", CUSTOM, .custom = bgp_describe_binding_sid) } }, \
	{ 14, "explicit-null-policy", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("policy", NUMBER, .len = 1) } }, \
	{ 15, "priority", { VALUE("priority", NUMBER, .len = 1), VALUE_RESERVED(1) } }, \
	{ 20, "srv6-binding-sid", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("sid", IPV6), VALUE("structure", CUSTOM, .custom = bgp_describe_srv6_structure, .optional = true) } }, \
	{ 128, "segment-list", { VALUE_RESERVED(1), VALUE("segments", TLVS, .tlvs = &segment_tlvs) } }, \
	{ 129, "candidate-path-name", { VALUE_RESERVED(1), VALUE("pathName", TEXT) } }, \
	{ 130, "policy-name", { VALUE_RESERVED(1), VALUE("policyName", TEXT) } }

static const struct tlv_row tunnel_sub[] = {
	{ 1, "encapsulation", { VALUE("encapsulation", REST) } },
	SUB_ROWS,
};
static const struct tlv_layout tunnel_sub_tlvs = TLV_LAYOUT(TLV_HEAD_SUB_TLV, tunnel_sub);

/* RFC 9012 3.2: encapsulations of four tunnels */
static const struct tlv_row l2tpv3_sub[] = {
	{ 1, "encapsulation", { VALUE("sessionId", NUMBER, .len = 4), VALUE("cookie", REST, .optional = true) } },
	SUB_ROWS,
};
static const struct tlv_layout l2tpv3_tlvs = TLV_LAYOUT(TLV_HEAD_SUB_TLV, l2tpv3_sub);
static const struct tlv_row gre_sub[] = {
	{ 1, "encapsulation", { VALUE("key", NUMBER, .len = 4) } },
	SUB_ROWS,
};
static const struct tlv_layout gre_tlvs = TLV_LAYOUT(TLV_HEAD_SUB_TLV, gre_sub);
static const struct tlv_row vxlan_sub[] = {
	{ 1, "encapsulation", { VALUE("flags", HEX, .len = 1), VALUE("networkId", NUMBER, .len = 3), VALUE("mac", HEX, .len = 6), VALUE_RESERVED(2) } },
	SUB_ROWS,
};
static const struct tlv_layout vxlan_tlvs = TLV_LAYOUT(TLV_HEAD_SUB_TLV, vxlan_sub);

/* IANA, BGP Tunnel Encapsulation Attribute Tunnel Types */
static const struct tlv_row tunnel[] = {
	{ 1, "l2tpv3-over-ip", { VALUE("tlvs", TLVS, .tlvs = &l2tpv3_tlvs) } },
	{ 2, "gre", { VALUE("tlvs", TLVS, .tlvs = &gre_tlvs) } },
	{ 3, "transmit-tunnel-endpoint", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 4, "ipsec-in-tunnel-mode", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 5, "ip-in-ip-tunnel-with-ipsec", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 6, "mpls-in-ip-tunnel-with-ipsec", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 7, "ip-in-ip", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 8, "vxlan", { VALUE("tlvs", TLVS, .tlvs = &vxlan_tlvs) } },
	{ 9, "nvgre", { VALUE("tlvs", TLVS, .tlvs = &vxlan_tlvs) } },
	{ 10, "mpls", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 11, "mpls-in-gre", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 12, "vxlan-gpe", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 13, "mpls-in-udp", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 14, "ipv6-tunnel", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 15, "sr-policy", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 16, "bare", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 17, "sr-tunnel", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 18, "cloud-security", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 19, "geneve", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 20, "any-encapsulation", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 21, "gtp", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 22, "dps", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 23, "originating-pe", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 24, "dps-policy", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 25, "sdwan-hybrid", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 26, "x-over-udp", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
	{ 27, "des", { VALUE("tlvs", TLVS, .tlvs = &tunnel_sub_tlvs) } },
};
/* clang-format on */

const struct tlv_layout bgp_tunnel_tlvs = TLV_LAYOUT(TLV_HEAD_2_2, tunnel);
