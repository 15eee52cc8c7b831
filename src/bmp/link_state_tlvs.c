/* TLVs of the BGP-LS attribute (29), by the registry of RFC 9552. */
#include "bmp/link_state_values.h"

/* clang-format off */
/* RFC 9514 8 */
static const struct tlv_row srv6_tlvs[] = {
	{ 1252, "srv6-sid-structure", { VALUE("locatorBlock", NUMBER, .len = 1), VALUE("locatorNode", NUMBER, .len = 1), VALUE("function", NUMBER, .len = 1), VALUE("argument", NUMBER, .len = 1) } },
};
static const struct tlv_layout srv6_layout = TLV_LAYOUT(TLV_HEAD_2_2, srv6_tlvs);

/* RFC 9351 3 */
static const struct tlv_row flex_algo_tlvs[] = {
	{ 1040, "exclude-any", { VALUE("groups", NUMBERS, .len = 4) } },
	{ 1041, "include-any", { VALUE("groups", NUMBERS, .len = 4) } },
	{ 1042, "include-all", { VALUE("groups", NUMBERS, .len = 4) } },
	{ 1043, "flags", { VALUE("flags", REST) } },
	{ 1045, "exclude-srlg", { VALUE("srlgs", NUMBERS, .len = 4) } },
	{ 1046, "unsupported", { VALUE("protocol", NUMBER, .len = 1), VALUE("types", REST) } },
};
static const struct tlv_layout flex_algo_layout = TLV_LAYOUT(TLV_HEAD_2_2, flex_algo_tlvs);

/* RFC 8814 3 */
static const struct value_field msd[] = {
	VALUE("msdType", NUMBER, .len = 1), VALUE("msd", NUMBER, .len = 1), { 0 },
};

/* RFC 9552 5.3.2, RFC 8571, RFC 9085 2.2, RFC 9086, RFC 9514 4 */
#define LINK_ROWS \
	{ 1088, "administrative-group", { VALUE("group", HEX, .len = 4) } }, \
	{ 1089, "max-link-bandwidth", { VALUE("bandwidth", FLOAT) } }, \
	{ 1090, "max-reservable-bandwidth", { VALUE("bandwidth", FLOAT) } }, \
	{ 1091, "unreserved-bandwidth", { VALUE("bandwidths", FLOATS, .len = 32) } }, \
	{ 1092, "te-default-metric", { VALUE("metric", NUMBER, .len = 0) } }, \
	{ 1093, "link-protection", { VALUE("protection", HEX, .len = 2) } }, \
	{ 1094, "mpls-protocols", { VALUE("mask", HEX, .len = 1) } }, \
	{ 1095, "igp-metric", { VALUE("metric", NUMBER, .len = 0) } }, \
	{ 1096, "srlg", { VALUE("groups", NUMBERS, .len = 4) } }, \
	{ 1097, "opaque-link", { VALUE("opaque", REST) } }, \
	{ 1098, "link-name", { VALUE("linkName", TEXT) } }, \
	{ 1099, "adjacency-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } }, \
	{ 1100, "lan-adjacency-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("neighbor, sid", CUSTOM, .custom = bgp_describe_lan_adjacency) } }, \
	{ 1101, "peer-node-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } }, \
	{ 1102, "peer-adjacency-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } }, \
	{ 1103, "peer-set-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } }, \
	{ 1105, "rtm-capability", { VALUE("capability", REST) } }, \
	{ 1106, "srv6-end-x-sid", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("sid", IPV6), VALUE("tlvs", TLVS, .tlvs = &srv6_layout, .optional = true) } }, \
	{ 1107, "is-is-srv6-lan-end-x-sid", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("neighbor", HEX, .len = 6), VALUE("sid", IPV6), VALUE("tlvs", TLVS, .tlvs = &srv6_layout, .optional = true) } }, \
	{ 1108, "ospfv3-srv6-lan-end-x-sid", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("neighbor", IPV4), VALUE("sid", IPV6), VALUE("tlvs", TLVS, .tlvs = &srv6_layout, .optional = true) } }, \
	{ 1114, "link-delay", { VALUE("flags", HEX, .len = 1), VALUE("microseconds", NUMBER, .len = 3) } }, \
	{ 1115, "min-max-link-delay", { VALUE("flags", HEX, .len = 1), VALUE("minMicroseconds", NUMBER, .len = 3), VALUE_RESERVED(1), VALUE("maxMicroseconds", NUMBER, .len = 3) } }, \
	{ 1116, "delay-variation", { VALUE_RESERVED(1), VALUE("microseconds", NUMBER, .len = 3) } }, \
	{ 1117, "link-loss", { VALUE("flags", HEX, .len = 1), VALUE("loss", NUMBER, .len = 3) } }, \
	{ 1118, "residual-bandwidth", { VALUE("bandwidth", FLOAT) } }, \
	{ 1119, "available-bandwidth", { VALUE("bandwidth", FLOAT) } }, \
	{ 1120, "utilized-bandwidth", { VALUE("bandwidth", FLOAT) } }, \
	{ 1121, "graceful-link-shutdown", { { 0 } } }

#define EXTENDED_GROUP \
	{ 1173, "extended-administrative-group", { VALUE("groups", NUMBERS, .len = 4) } }

/* TLVs that describe a link, inside other TLVs. */
static const struct tlv_row link_tlvs[] = {
	LINK_ROWS,
	EXTENDED_GROUP,
};
static const struct tlv_layout link_layout = TLV_LAYOUT(TLV_HEAD_2_2, link_tlvs);

/*
 * RFC 9294 2: two lengths of one byte, two reserved bytes, two masks of these
 * lengths, then TLVs.
 */
static bool write_application_specific(struct field_writer *w, struct wire_view v)
{
	static const struct value_field rest[] = { VALUE("tlvs", TLVS, .tlvs = &link_layout, .optional = true), { 0 } };
	struct wire_cursor c = wire_start(v);
	struct wire_view standard, own;
	uint8_t len, own_len;

	if (!(wire_u8(&c, &len) && wire_u8(&c, &own_len) && wire_skip(&c, 2) &&
	      wire_take(&c, len, &standard) && wire_take(&c, own_len, &own) &&
	      value_fits(rest, wire_rest(&c))))
		return false;
	if (w == NULL)
		return true;
	w->ops->bytes(w->arg, "standard", standard);
	w->ops->bytes(w->arg, "userDefined", own);
	return value_describe(rest, wire_rest(&c), w);
}

/* RFC 9085 2.3.1 and 2.1.1 */
#define SID_ROWS \
	{ 1158, "prefix-sid", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } }

static const struct tlv_row sid_tlvs[] = {
	SID_ROWS,
	{ 1161, "sid-label", { VALUE("sid", NUMBER, .len = 0) } },
};
static const struct tlv_layout sid_layout = TLV_LAYOUT(TLV_HEAD_2_2, sid_tlvs);

/* RFC 9514 7.1 and 8 */
static const struct tlv_row binding_tlvs[] = {
	{ 1250, "srv6-endpoint-behavior", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1) } },
	{ 1252, "srv6-sid-structure", { VALUE("locatorBlock", NUMBER, .len = 1), VALUE("locatorNode", NUMBER, .len = 1), VALUE("function", NUMBER, .len = 1), VALUE("argument", NUMBER, .len = 1) } },
};
static const struct tlv_layout binding_layout = TLV_LAYOUT(TLV_HEAD_2_2, binding_tlvs);

/* RFC 9857 5.7.1: what follows the SID depends on the type of the segment. */
static bool write_segment(struct field_writer *w, struct wire_view v)
{
	static const struct value_field rest[] = { VALUE("tlvs", TLVS, .tlvs = &binding_layout, .optional = true), { 0 } };

	return bgp_describe_sr_segment(w, v, rest);
}

/* RFC 9857 5.7 */
static const struct tlv_row segment_list_tlvs[] = {
	{ 1206, "sr-segment", { VALUE("segmentType, flags, sid, ...", CUSTOM, .custom = write_segment, .tlvs = &binding_layout) } },
	{ 1207, "sr-segment-list-metric", { VALUE("metricType", NUMBER, .len = 1), VALUE("flags", HEX, .len = 1), VALUE_RESERVED(2), VALUE("margin", NUMBER, .len = 4), VALUE("bound", NUMBER, .len = 4), VALUE("metric", NUMBER, .len = 4) } },
	{ 1216, "sr-segment-list-bandwidth", { VALUE("bandwidth", FLOAT) } },
	{ 1217, "sr-segment-list-identifier", { VALUE("identifier", NUMBER, .len = 4) } },
};
static const struct tlv_layout segment_list_layout = TLV_LAYOUT(TLV_HEAD_2_2, segment_list_tlvs);

/* RFC 9857 5.6 */
static const struct tlv_row constraint_tlvs[] = {
	{ 1208, "sr-affinity-constraint", { VALUE("excludeAny, includeAny, includeAll", CUSTOM, .custom = bgp_describe_sr_affinity) } },
	{ 1209, "sr-srlg-constraint", { VALUE("srlgs", NUMBERS, .len = 4) } },
	{ 1210, "sr-bandwidth-constraint", { VALUE("bandwidth", FLOAT) } },
	{ 1211, "sr-disjoint-group-constraint", { VALUE("requestFlags", HEX, .len = 1), VALUE("statusFlags", HEX, .len = 1), VALUE_RESERVED(2), VALUE("group", REST) } },
	{ 1214, "sr-bidirectional-group-constraint", { VALUE("flags", HEX, .len = 2), VALUE_RESERVED(2), VALUE("group", REST) } },
	{ 1215, "sr-metric-constraint", { VALUE("metricType", NUMBER, .len = 1), VALUE("flags", HEX, .len = 1), VALUE_RESERVED(2), VALUE("margin", NUMBER, .len = 4), VALUE("bound", NUMBER, .len = 4) } },
};
static const struct tlv_layout constraint_layout = TLV_LAYOUT(TLV_HEAD_2_2, constraint_tlvs);

/* RFC 9552 5.3, RFC 9085, RFC 9104, RFC 9247, RFC 9351, RFC 9514, RFC 9815, RFC 9857 */
static const struct tlv_row tlvs[] = {
	{ 263, "multi-topology", { VALUE("topologies", NUMBERS, .len = 2) } },
	{ 266, "node-msd", { VALUE("msds", RECORDS, .len = 2, .record = msd) } },
	{ 267, "link-msd", { VALUE("msds", RECORDS, .len = 2, .record = msd) } },
	{ 1024, "node-flags", { VALUE("flags", HEX, .len = 1) } },
	{ 1025, "opaque-node", { VALUE("opaque", REST) } },
	{ 1026, "node-name", { VALUE("nodeName", TEXT) } },
	{ 1027, "is-is-area", { VALUE("area", REST) } },
	{ 1028, "local-ipv4-router-id", { VALUE("routerId", IPV4) } },
	{ 1029, "local-ipv6-router-id", { VALUE("routerId", IPV6) } },
	{ 1030, "remote-ipv4-router-id", { VALUE("routerId", IPV4) } },
	{ 1031, "remote-ipv6-router-id", { VALUE("routerId", IPV6) } },
	{ 1032, "s-bfd-discriminators", { VALUE("discriminators", NUMBERS, .len = 4) } },
	{ 1034, "sr-capabilities", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("ranges", CUSTOM, .custom = bgp_describe_sid_ranges) } },
	{ 1035, "sr-algorithms", { VALUE("algorithms", NUMBERS, .len = 1) } },
	{ 1036, "sr-local-block", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("ranges", CUSTOM, .custom = bgp_describe_sid_ranges) } },
	{ 1037, "srms-preference", { VALUE("preference", NUMBER, .len = 1) } },
	{ 1038, "srv6-capabilities", { VALUE("flags", HEX, .len = 2), VALUE_RESERVED(2) } },
	{ 1039, "flex-algo-definition", { VALUE("algorithm", NUMBER, .len = 1), VALUE("metricType", NUMBER, .len = 1), VALUE("calculation", NUMBER, .len = 1), VALUE("priority", NUMBER, .len = 1), VALUE("tlvs", TLVS, .tlvs = &flex_algo_layout, .optional = true) } },
	{ 1044, "flex-algo-prefix-metric", { VALUE("algorithm", NUMBER, .len = 1), VALUE("flags", HEX, .len = 1), VALUE_RESERVED(2), VALUE("metric", NUMBER, .len = 4) } },
	LINK_ROWS,
	{ 1122, "application-specific-link-attributes", { VALUE("standard, userDefined, tlvs", CUSTOM, .custom = write_application_specific) } },
	{ 1152, "igp-flags", { VALUE("flags", HEX, .len = 1) } },
	{ 1153, "route-tags", { VALUE("tags", NUMBERS, .len = 4) } },
	{ 1154, "extended-route-tags", { VALUE("tags", NUMBERS, .len = 8) } },
	{ 1155, "prefix-metric", { VALUE("metric", NUMBER, .len = 4) } },
	{ 1156, "ospf-forwarding-address", { VALUE("address", ADDRESS) } },
	{ 1157, "opaque-prefix", { VALUE("opaque", REST) } },
	SID_ROWS,
	{ 1159, "range", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("rangeSize", NUMBER, .len = 2), VALUE("tlvs", TLVS, .tlvs = &sid_layout) } },
	{ 1160, "is-is-flood-reflection", { VALUE("reflection", REST) } },
	{ 1161, "sid-label", { VALUE("sid", NUMBER, .len = 0) } },
	{ 1162, "srv6-locator", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("metric", NUMBER, .len = 4), VALUE("tlvs", TLVS, .tlvs = &srv6_layout, .optional = true) } },
	{ 1170, "prefix-attribute-flags", { VALUE("flags", REST) } },
	{ 1171, "source-router-id", { VALUE("routerId", ADDRESS) } },
	{ 1172, "l2-bundle-member", { VALUE("descriptor", NUMBER, .len = 4), VALUE("tlvs", TLVS, .tlvs = &link_layout, .optional = true) } },
	EXTENDED_GROUP,
	{ 1174, "source-ospf-router-id", { VALUE("routerId", IPV4) } },
	/* RFC 9815 5.2 */
	{ 1180, "spf-capability", { VALUE("algorithm", NUMBER, .len = 0) } },
	{ 1181, "sequence-number", { VALUE("sequence", NUMBER, .len = 8) } },
	{ 1182, "ipv4-link-prefix-length", { VALUE("prefixLen", NUMBER, .len = 1) } },
	{ 1183, "ipv6-link-prefix-length", { VALUE("prefixLen", NUMBER, .len = 1) } },
	{ 1184, "spf-status", { VALUE("status", NUMBER, .len = 1) } },
	/* RFC 9857 5; 1200 of draft-ietf-idr-bgp-ls-te-path */
	{ 1200, "mpls-te-policy-state", { VALUE("state", REST) } },
	{ 1201, "sr-binding-sid", { VALUE("flags", HEX, .len = 2), VALUE_RESERVED(2), VALUE("sid, specifiedSid", CUSTOM, .custom = bgp_describe_sr_binding_sid) } },
	{ 1202, "sr-candidate-path-state", { VALUE("priority", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("flags", HEX, .len = 2), VALUE("preference", NUMBER, .len = 4) } },
	{ 1203, "sr-candidate-path-name", { VALUE("pathName", TEXT) } },
	{ 1204, "sr-candidate-path-constraints", { VALUE("flags", HEX, .len = 2), VALUE_RESERVED(2), VALUE("topology", NUMBER, .len = 2), VALUE("algorithm", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("tlvs", TLVS, .tlvs = &constraint_layout, .optional = true) } },
	{ 1205, "sr-segment-list", { VALUE("flags", HEX, .len = 2), VALUE_RESERVED(2), VALUE("topology", NUMBER, .len = 2), VALUE("algorithm", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("weight", NUMBER, .len = 4), VALUE("tlvs", TLVS, .tlvs = &segment_list_layout, .optional = true) } },
	{ 1212, "srv6-binding-sid", { VALUE("flags", HEX, .len = 2), VALUE_RESERVED(2), VALUE("sid", IPV6), VALUE("specifiedSid", IPV6), VALUE("tlvs", TLVS, .tlvs = &binding_layout, .optional = true) } },
	{ 1213, "sr-policy-name", { VALUE("policyName", TEXT) } },
	{ 1250, "srv6-endpoint-behavior", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1) } },
	{ 1251, "srv6-bgp-peer-node-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("peerAs", NUMBER, .len = 4), VALUE("peerBgpId", IPV4) } },
	{ 1252, "srv6-sid-structure", { VALUE("locatorBlock", NUMBER, .len = 1), VALUE("locatorNode", NUMBER, .len = 1), VALUE("function", NUMBER, .len = 1), VALUE("argument", NUMBER, .len = 1) } },
};
/* clang-format on */

const struct tlv_layout bgp_link_state_tlvs = TLV_LAYOUT(TLV_HEAD_2_2, tlvs);
