/* TLVs of the BGP-LS attribute (29), by the registry of RFC 9552. */
#include "bmp/attr_values.h"

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
};
static const struct tlv_layout flex_algo_layout = TLV_LAYOUT(TLV_HEAD_2_2, flex_algo_tlvs);

/* RFC 9552 5.3, RFC 8571, RFC 9085, RFC 9086, RFC 9294, RFC 9351, RFC 9514 */
static const struct tlv_row tlvs[] = {
	{ 263, "multi-topology", { VALUE("topologies", NUMBERS, .len = 2) } },
	{ 266, "node-msd", { VALUE("msds", REST) } },
	{ 267, "link-msd", { VALUE("msds", REST) } },
	{ 1024, "node-flags", { VALUE("flags", HEX, .len = 1) } },
	{ 1025, "opaque-node", { VALUE("opaque", REST) } },
	{ 1026, "node-name", { VALUE("nodeName", TEXT) } },
	{ 1027, "is-is-area", { VALUE("area", REST) } },
	{ 1028, "local-ipv4-router-id", { VALUE("routerId", IPV4) } },
	{ 1029, "local-ipv6-router-id", { VALUE("routerId", IPV6) } },
	{ 1030, "remote-ipv4-router-id", { VALUE("routerId", IPV4) } },
	{ 1031, "remote-ipv6-router-id", { VALUE("routerId", IPV6) } },
	{ 1034, "sr-capabilities", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("ranges", REST) } },
	{ 1035, "sr-algorithms", { VALUE("algorithms", NUMBERS, .len = 1) } },
	{ 1036, "sr-local-block", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("ranges", REST) } },
	{ 1037, "srms-preference", { VALUE("preference", NUMBER, .len = 1) } },
	{ 1038, "srv6-capabilities", { VALUE("flags", HEX, .len = 2), VALUE_RESERVED(2) } },
	{ 1039, "flex-algo-definition", { VALUE("algorithm", NUMBER, .len = 1), VALUE("metricType", NUMBER, .len = 1), VALUE("calculation", NUMBER, .len = 1), VALUE("priority", NUMBER, .len = 1), VALUE("tlvs", TLVS, .tlvs = &flex_algo_layout, .optional = true) } },
	{ 1088, "administrative-group", { VALUE("group", HEX, .len = 4) } },
	{ 1089, "max-link-bandwidth", { VALUE("bandwidth", FLOAT) } },
	{ 1090, "max-reservable-bandwidth", { VALUE("bandwidth", FLOAT) } },
	{ 1091, "unreserved-bandwidth", { VALUE("bandwidths", FLOATS, .len = 32) } },
	{ 1092, "te-default-metric", { VALUE("metric", NUMBER, .len = 0) } },
	{ 1093, "link-protection", { VALUE("protection", HEX, .len = 2) } },
	{ 1094, "mpls-protocols", { VALUE("mask", HEX, .len = 1) } },
	{ 1095, "igp-metric", { VALUE("metric", NUMBER, .len = 0) } },
	{ 1096, "srlg", { VALUE("groups", NUMBERS, .len = 4) } },
	{ 1097, "opaque-link", { VALUE("opaque", REST) } },
	{ 1098, "link-name", { VALUE("linkName", TEXT) } },
	{ 1099, "adjacency-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } },
	{ 1100, "lan-adjacency-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("neighborAndSid", REST) } },
	{ 1101, "peer-node-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } },
	{ 1102, "peer-adjacency-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } },
	{ 1103, "peer-set-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } },
	{ 1106, "srv6-end-x-sid", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("sid", IPV6), VALUE("tlvs", TLVS, .tlvs = &srv6_layout, .optional = true) } },
	{ 1107, "is-is-srv6-lan-end-x-sid", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("neighbor", HEX, .len = 6), VALUE("sid", IPV6), VALUE("tlvs", TLVS, .tlvs = &srv6_layout, .optional = true) } },
	{ 1108, "ospfv3-srv6-lan-end-x-sid", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(1), VALUE("neighbor", IPV4), VALUE("sid", IPV6), VALUE("tlvs", TLVS, .tlvs = &srv6_layout, .optional = true) } },
	{ 1114, "link-delay", { VALUE("flags", HEX, .len = 1), VALUE("microseconds", NUMBER, .len = 3) } },
	{ 1115, "min-max-link-delay", { VALUE("flags", HEX, .len = 1), VALUE("minMicroseconds", NUMBER, .len = 3), VALUE_RESERVED(1), VALUE("maxMicroseconds", NUMBER, .len = 3) } },
	{ 1116, "delay-variation", { VALUE_RESERVED(1), VALUE("microseconds", NUMBER, .len = 3) } },
	{ 1117, "link-loss", { VALUE("flags", HEX, .len = 1), VALUE("loss", NUMBER, .len = 3) } },
	{ 1118, "residual-bandwidth", { VALUE("bandwidth", FLOAT) } },
	{ 1119, "available-bandwidth", { VALUE("bandwidth", FLOAT) } },
	{ 1120, "utilized-bandwidth", { VALUE("bandwidth", FLOAT) } },
	{ 1122, "application-specific-link-attributes", { VALUE("attributes", REST) } },
	{ 1152, "igp-flags", { VALUE("flags", HEX, .len = 1) } },
	{ 1153, "route-tags", { VALUE("tags", NUMBERS, .len = 4) } },
	{ 1154, "extended-route-tags", { VALUE("tags", NUMBERS, .len = 8) } },
	{ 1155, "prefix-metric", { VALUE("metric", NUMBER, .len = 4) } },
	{ 1156, "ospf-forwarding-address", { VALUE("address", ADDRESS) } },
	{ 1157, "opaque-prefix", { VALUE("opaque", REST) } },
	{ 1158, "prefix-sid", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("sid", NUMBER, .len = 0) } },
	{ 1159, "range", { VALUE("flags", HEX, .len = 1), VALUE_RESERVED(1), VALUE("rangeSize", NUMBER, .len = 2), VALUE("tlvs", REST) } },
	{ 1161, "sid-label", { VALUE("sid", NUMBER, .len = 0) } },
	{ 1162, "srv6-locator", { VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("metric", NUMBER, .len = 4), VALUE("tlvs", REST, .optional = true) } },
	{ 1170, "prefix-attribute-flags", { VALUE("flags", REST) } },
	{ 1171, "source-router-id", { VALUE("routerId", ADDRESS) } },
	{ 1172, "l2-bundle-member", { VALUE("descriptor", NUMBER, .len = 4), VALUE("tlvs", REST, .optional = true) } },
	{ 1173, "extended-administrative-group", { VALUE("groups", NUMBERS, .len = 4) } },
	{ 1174, "source-ospf-router-id", { VALUE("routerId", IPV4) } },
	{ 1250, "srv6-endpoint-behavior", { VALUE("behavior", NUMBER, .len = 2), VALUE("flags", HEX, .len = 1), VALUE("algorithm", NUMBER, .len = 1) } },
	{ 1251, "srv6-bgp-peer-node-sid", { VALUE("flags", HEX, .len = 1), VALUE("weight", NUMBER, .len = 1), VALUE_RESERVED(2), VALUE("peerAs", NUMBER, .len = 4), VALUE("peerBgpId", IPV4) } },
	{ 1252, "srv6-sid-structure", { VALUE("locatorBlock", NUMBER, .len = 1), VALUE("locatorNode", NUMBER, .len = 1), VALUE("function", NUMBER, .len = 1), VALUE("argument", NUMBER, .len = 1) } },
};
/* clang-format on */

const struct tlv_layout bgp_link_state_tlvs = TLV_LAYOUT(TLV_HEAD_2_2, tlvs);
