/* By IANA's "BGP Well-known Communities" and "BGP Extended Communities". */
#include "bmp/community.h"

#include "bmp/attr_values.h"

#define TWO_TO_64 18446744073709551616.0f

const char *bgp_community_name(uint32_t community)
{
	static const struct {
		uint32_t community;
		const char *name;
	} rows[] = {
		{ 0xffff0000, "graceful-shutdown" }, /* RFC 8326 */
		{ 0xffff0001, "accept-own" },	     /* RFC 7611 */
		/* draft-l3vpn-legacy-rtc */
		{ 0xffff0002, "route-filter-translated-v4" },
		{ 0xffff0003, "route-filter-v4" },
		{ 0xffff0004, "route-filter-translated-v6" },
		{ 0xffff0005, "route-filter-v6" },
		{ 0xffff0006, "llgr-stale" }, /* RFC 9494 */
		{ 0xffff0007, "no-llgr" },    /* RFC 9494 */
		{ 0xffff0008, "accept-own-nexthop" },
		{ 0xffff0009, "standby-pe" }, /* RFC 9026 */
		{ 0xffff029a, "blackhole" },  /* RFC 7999 */
		{ 0xffffff01, "no-export" },  /* RFC 1997 */
		{ 0xffffff02, "no-advertise" },
		{ 0xffffff03, "no-export-subconfed" },
		{ 0xffffff04, "no-peer" }, /* RFC 3765 */
	};

	if (community < 0xffff0000)
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].community == community)
			return rows[i].name;
	return NULL;
}

/* Extended communities: how the six bytes after the type are written. */

enum ext_form {
	FORM_AS2,	/* AS of two bytes, number of four */
	FORM_IPV4,	/* address, number of two */
	FORM_AS4,	/* AS of four, number of two */
	FORM_RATE,	/* AS of two, IEEE 754 */
	FORM_U32,	/* the last four bytes */
	FORM_U8,	/* the last byte */
	FORM_LABEL,	/* flags in the first byte, a label in the last three */
	FORM_MAC,	/* all six */
	FORM_HEX,	/* all six */
	FORM_NONE,	/* nothing: the name is enough */
	FORM_FLAGS,	/* flags in the first two bytes */
	FORM_L2_ATTRS,	/* flags and MTU, of two bytes each */
	FORM_MOBILITY,	/* flags, reserved, number of four */
	FORM_VALIDITY,	/* RFC 8097 2 */
	FORM_TUNNEL,	/* RFC 9012 4.1 */
	FORM_OSPF_TYPE, /* area, route type, options: RFC 4577 4.2.6 */
	FORM_L2_INFO,	/* encapsulation, flags, MTU, preference */
	FORM_DF,	/* algorithm, capabilities */
	FORM_COST,	/* point of insertion, identifier, cost */
	/* AS of four, two bits of direction, a group of fourteen */
	FORM_INTERFACES,
};

/* clang-format off */
static const struct bgp_ext_community_row rows[] = {
	{ 0x00, 0x02, FORM_AS2,  "rt", "RFC 4360 4" },
	{ 0x01, 0x02, FORM_IPV4, "rt", "RFC 4360 4" },
	{ 0x02, 0x02, FORM_AS4,  "rt", "RFC 5668" },
	{ 0x00, 0x03, FORM_AS2,  "soo", "RFC 4360 5" },
	{ 0x01, 0x03, FORM_IPV4, "soo", "RFC 4360 5" },
	{ 0x02, 0x03, FORM_AS4,  "soo", "RFC 5668" },
	/* Types 0x40 to 0x42 are the same, but not transitive. */
	{ 0x40, 0x02, FORM_AS2,  "rt", "RFC 4360 4" },
	{ 0x41, 0x02, FORM_IPV4, "rt", "RFC 4360 4" },
	{ 0x42, 0x02, FORM_AS4,  "rt", "RFC 5668" },
	{ 0x40, 0x03, FORM_AS2,  "soo", "RFC 4360 5" },
	{ 0x41, 0x03, FORM_IPV4, "soo", "RFC 4360 5" },
	{ 0x42, 0x03, FORM_AS4,  "soo", "RFC 5668" },
	{ 0x00, 0x04, FORM_RATE, "link-bandwidth", "draft-ietf-idr-link-bandwidth" },
	{ 0x40, 0x04, FORM_RATE, "link-bandwidth", "draft-ietf-idr-link-bandwidth" },
	{ 0x00, 0x05, FORM_AS2,  "ospf-domain", "RFC 4577 4.2.4" },
	{ 0x01, 0x05, FORM_IPV4, "ospf-domain", "RFC 4577 4.2.4" },
	{ 0x02, 0x05, FORM_AS4,  "ospf-domain", "RFC 4577 4.2.4" },
	{ 0x01, 0x07, FORM_IPV4, "ospf-router", "RFC 4577 4.2.6" },
	{ 0x00, 0x08, FORM_AS2,  "data-collection", "RFC 4384" },
	{ 0x02, 0x08, FORM_AS4,  "data-collection", "RFC 4384" },
	{ 0x00, 0x09, FORM_AS2,  "source-as", "RFC 6514 6" },
	{ 0x02, 0x09, FORM_AS4,  "source-as", "RFC 6514 6" },
	{ 0x00, 0x0a, FORM_AS2,  "l2vpn-id", "RFC 6074" },
	{ 0x01, 0x0a, FORM_IPV4, "l2vpn-id", "RFC 6074" },
	{ 0x01, 0x0b, FORM_IPV4, "vrf-route-import", "RFC 6514 7" },
	{ 0x00, 0x10, FORM_AS2,  "cisco-vpn-distinguisher", "IANA" },
	{ 0x01, 0x10, FORM_IPV4, "cisco-vpn-distinguisher", "IANA" },
	{ 0x01, 0x12, FORM_IPV4, "inter-area-p2mp-next-hop", "RFC 7524" },
	{ 0x01, 0x14, FORM_IPV4, "vrf-recursive-next-hop", "IANA" },
	{ 0x03, 0x06, FORM_OSPF_TYPE, "ospf-route-type", "RFC 4577 4.2.6" },
	{ 0x03, 0x0b, FORM_U32,  "color", "RFC 9012 4.3" },
	{ 0x03, 0x0c, FORM_TUNNEL, "encapsulation", "RFC 9012 4.1" },
	{ 0x03, 0x0d, FORM_NONE, "default-gateway", "RFC 7432 7.8" },
	{ 0x43, 0x00, FORM_VALIDITY, "origin-validation", "RFC 8097 2" },
	{ 0x06, 0x00, FORM_MOBILITY, "mac-mobility", "RFC 7432 7.7" },
	{ 0x06, 0x01, FORM_LABEL, "esi-label", "RFC 7432 7.5" },
	{ 0x06, 0x02, FORM_MAC,  "es-import", "RFC 7432 7.6" },
	{ 0x06, 0x03, FORM_MAC,  "router-mac", "RFC 9135 8.1" },
	{ 0x06, 0x04, FORM_L2_ATTRS, "layer-2-attributes", "RFC 8214 3.1" },
	{ 0x06, 0x05, FORM_LABEL, "e-tree", "RFC 8317 5.1" },
	{ 0x06, 0x06, FORM_DF,   "df-election", "RFC 8584 2.2" },
	{ 0x06, 0x08, FORM_HEX,  "arp-nd", "RFC 9047" },
	{ 0x06, 0x09, FORM_FLAGS, "multicast-flags", "RFC 9251 9.4" },
	{ 0x06, 0x0a, FORM_AS2,  "evi-rt", "RFC 9251 9.5" },
	{ 0x06, 0x0b, FORM_IPV4, "evi-rt", "RFC 9251 9.5" },
	{ 0x06, 0x0c, FORM_AS4,  "evi-rt", "RFC 9251 9.5" },
	{ 0x0a, 0x02, FORM_U32,  "transport-class", "RFC 9832 5" },
	{ 0x4a, 0x02, FORM_U32,  "transport-class", "RFC 9832 5" },
	{ 0x80, 0x06, FORM_RATE, "traffic-rate-bytes", "RFC 8955 7.1" },
	{ 0x80, 0x07, FORM_U8,   "traffic-action", "RFC 8955 7.3" },
	{ 0x80, 0x08, FORM_AS2,  "redirect", "RFC 8955 7.4" },
	{ 0x81, 0x08, FORM_IPV4, "redirect", "RFC 8955 7.4" },
	{ 0x82, 0x08, FORM_AS4,  "redirect", "RFC 8955 7.4" },
	{ 0x80, 0x09, FORM_U8,   "traffic-marking", "RFC 8955 7.5" },
	{ 0x80, 0x0a, FORM_L2_INFO, "layer-2-info", "RFC 4761 3.2.4" },
	{ 0x80, 0x0c, FORM_RATE, "traffic-rate-packets", "RFC 8955 7.2" },
	{ 0x00, 0x13, FORM_AS2,  "rt-record", "draft-ietf-bess-service-chaining" },
	{ 0x01, 0x13, FORM_IPV4, "rt-record", "draft-ietf-bess-service-chaining" },
	{ 0x02, 0x13, FORM_AS4,  "rt-record", "draft-ietf-bess-service-chaining" },
	{ 0x00, 0x15, FORM_AS2,  "rt-derived", "draft-ietf-idr-rt-derived-community" },
	{ 0x01, 0x15, FORM_IPV4, "rt-derived", "draft-ietf-idr-rt-derived-community" },
	{ 0x02, 0x15, FORM_AS4,  "rt-derived", "draft-ietf-idr-rt-derived-community" },
	{ 0x00, 0x80, FORM_AS2,  "virtual-network-id", "draft-drao-bgp-l3vpn-virtual-network-overlays" },
	{ 0x02, 0x04, FORM_AS4,  "generic", "draft-ietf-idr-as4octet-extcomm-generic-subtype" },
	{ 0x42, 0x04, FORM_AS4,  "generic", "draft-ietf-idr-as4octet-extcomm-generic-subtype" },
	{ 0x02, 0x10, FORM_AS4,  "cisco-vpn-identifier", "IANA" },
	{ 0x01, 0x09, FORM_IPV4, "node-target", "draft-ietf-idr-node-target-ext-comm" },
	{ 0x01, 0x0c, FORM_IPV4, "redirect-to-ipv4", "draft-ietf-idr-flowspec-redirect-ip" },
	{ 0x01, 0x20, FORM_IPV4, "mvpn-sa-rp-address", "RFC 9081" },
	{ 0x03, 0x01, FORM_COST, "cost", "draft-ietf-idr-custom-decision" },
	{ 0x43, 0x01, FORM_COST, "cost", "draft-ietf-idr-custom-decision" },
	{ 0x03, 0x03, FORM_NONE, "cp-orf", "RFC 7543" },
	{ 0x03, 0x04, FORM_NONE, "extranet-source", "RFC 7900" },
	{ 0x03, 0x05, FORM_NONE, "extranet-separation", "RFC 7900" },
	{ 0x03, 0x07, FORM_HEX,  "additional-pmsi-flags", "RFC 7902 3" },
	{ 0x03, 0x08, FORM_AS2,  "label-space-id", "RFC 9573 4.1" },
	{ 0x06, 0x0f, FORM_AS4,  "service-carving-time", "RFC 9722" },
	{ 0x08, 0x00, FORM_U8,  "redirect-to-next-hop", "draft-simpson-idr-flowspec-redirect" },
	{ 0x09, 0x00, FORM_HEX,  "redirect-to-indirection-id", "draft-ietf-idr-flowspec-path-redirect" },
	{ 0x0b, 0x01, FORM_HEX,  "sfir-pool", "RFC 9015" },
	{ 0x0b, 0x02, FORM_HEX,  "mpls-mixed-labels", "RFC 9015" },
	{ 0x0c, 0x00, FORM_AS2,  "mup", "draft-ietf-bess-mup-safi" },
	{ 0x80, 0x0d, FORM_HEX,  "sfc-classifier", "RFC 9015" },
	{ 0x00, 0x06, FORM_HEX,  "extended-link-bandwidth", "draft-ietf-idr-link-bandwidth" },
	{ 0x40, 0x06, FORM_HEX,  "extended-link-bandwidth", "draft-ietf-idr-link-bandwidth" },
	{ 0x03, 0x09, FORM_HEX,  "unreachable-prefix-announcement", "IANA" },
	{ 0x03, 0x0e, FORM_HEX,  "ppmp-label", "IANA" },
	{ 0x03, 0x14, FORM_HEX,  "consistent-hash-sort-order", "draft-ietf-bess-service-chaining" },
	{ 0x03, 0xaa, FORM_HEX,  "load-balance", "draft-ietf-bess-service-chaining" },
	{ 0x04, 0x00, FORM_HEX,  "qos-marking", "draft-knoll-idr-qos-attribute" },
	{ 0x44, 0x00, FORM_HEX,  "qos-marking", "draft-knoll-idr-qos-attribute" },
	{ 0x05, 0x00, FORM_HEX,  "cos-capability", "draft-knoll-idr-cos-interconnect" },
	{ 0x06, 0x0d, FORM_HEX,  "evi-rt", "RFC 9251 9.5" },
	{ 0x06, 0x0e, FORM_HEX,  "attachment-circuit", "draft-sajassi-bess-evpn-ac-aware-bundling" },
	{ 0x06, 0x10, FORM_MOBILITY, "evpn-link-bandwidth", "draft-ietf-bess-evpn-unequal-lb" },
	{ 0x06, 0x15, FORM_HEX,  "rt-derived", "draft-ietf-idr-rt-derived-community" },
	{ 0x07, 0x02, FORM_INTERFACES, "interface-set", "draft-ietf-idr-flowspec-interfaceset" },
	{ 0x47, 0x02, FORM_INTERFACES, "interface-set", "draft-ietf-idr-flowspec-interfaceset" },
	{ 0x0c, 0x01, FORM_HEX,  "mup", "draft-ietf-bess-mup-safi" },
	{ 0x0c, 0x02, FORM_HEX,  "mup", "draft-ietf-bess-mup-safi" },
	{ 0x0c, 0x03, FORM_HEX,  "mup", "draft-ietf-bess-mup-safi" },
	{ 0x0c, 0x04, FORM_HEX,  "mup", "draft-ietf-bess-mup-safi" },
	{ 0x0c, 0x05, FORM_HEX,  "mup", "draft-ietf-bess-mup-safi" },
	{ 0x80, 0x0b, FORM_HEX,  "e-tree-info", "RFC 7796" },
};

/*
 * IPv6 extended communities, 20 bytes each: type, an IPv6 address, and a number
 * of two bytes (RFC 5701).
 */
static const struct bgp_ipv6_ext_community_row ipv6_rows[] = {
	{ 0x0002, "rt", "RFC 5701" },
	{ 0x0003, "soo", "RFC 5701" },
	{ 0x000b, "vrf-route-import", "RFC 6515 4.1" },
	{ 0x000c, "redirect-to-ipv6", "draft-ietf-idr-flowspec-redirect-ip" },
	{ 0x000d, "redirect", "RFC 8956 6.1" },
	{ 0x0010, "cisco-vpn-distinguisher", "IANA" },
	{ 0x0011, "uuid-rt", "IANA" },
	{ 0x0012, "inter-area-p2mp-next-hop", "RFC 7524" },
	{ 0x0013, "rt-record", "draft-ietf-bess-service-chaining" },
	{ 0x0014, "vrf-recursive-next-hop", "IANA" },
	{ 0x0015, "rt-derived", "draft-ietf-idr-rt-derived-community" },
	{ 0x4002, "rt", "RFC 5701" },
	{ 0x4003, "soo", "RFC 5701" },
};
/* clang-format on */

bool bgp_ext_community_row(size_t i, struct bgp_ext_community_row *out)
{
	if (i >= sizeof(rows) / sizeof(rows[0]))
		return false;
	*out = rows[i];
	return true;
}

bool bgp_ipv6_ext_community_row(size_t i,
				struct bgp_ipv6_ext_community_row *out)
{
	if (i >= sizeof(ipv6_rows) / sizeof(ipv6_rows[0]))
		return false;
	*out = ipv6_rows[i];
	return true;
}

static void text_pair(struct text *t, uint64_t number)
{
	text_char(t, ':');
	text_u64(t, number);
}

/*
 * Write an IEEE 754 number without its fraction. A number that is negative, not
 * finite or too large is written as bytes.
 */
static void text_rate(struct text *t, const uint8_t *p)
{
	uint32_t bits = wire_get_u32(p);
	float value;

	memcpy(&value, &bits, sizeof(value));
	if (value >= 0 && value < TWO_TO_64)
		text_u64(t, (uint64_t)value);
	else
		text_hex(t, p, 4, 0);
}

static void text_tunnel(struct text *t, uint16_t type)
{
	for (size_t i = 0; i < bgp_tunnel_tlvs.count; i++)
		if (bgp_tunnel_tlvs.rows[i].type == type) {
			text_str(t, bgp_tunnel_tlvs.rows[i].name);
			return;
		}
	text_u64(t, type);
}

static void text_validity(struct text *t, uint8_t state)
{
	static const char *const names[] = { "valid", "not-found", "invalid" };

	if (state < sizeof(names) / sizeof(names[0]))
		text_str(t, names[state]);
	else
		text_u64(t, state);
}

/* Flags and numbers of layer 2 VPNs */
static void text_layer2(struct text *t, enum ext_form form, const uint8_t *p)
{
	switch (form) {
	case FORM_LABEL:
		text_u64(t, p[0]);
		text_pair(t, wire_get_number(p + 3, 3) >> 4);
		break;
	case FORM_L2_ATTRS:
		text_u64(t, wire_get_u16(p));
		text_pair(t, wire_get_u16(p + 2));
		break;
	case FORM_MOBILITY:
		text_u64(t, p[0]);
		text_pair(t, wire_get_u32(p + 2));
		break;
	case FORM_DF:
		text_u64(t, p[0] & 0x1f);
		text_pair(t, wire_get_u16(p + 1));
		break;
	case FORM_L2_INFO:
		text_u64(t, p[0]);
		text_pair(t, p[1]);
		text_pair(t, wire_get_u16(p + 2));
		text_pair(t, wire_get_u16(p + 4));
		break;
	default:
		text_hex(t, p, 6, 0);
	}
}

/* Write the six bytes at @p, which follow the type. */
static void text_form(struct text *t, enum ext_form form, const uint8_t *p)
{
	switch (form) {
	case FORM_AS2:
		text_u64(t, wire_get_u16(p));
		text_pair(t, wire_get_u32(p + 2));
		break;
	case FORM_IPV4:
		text_ipv4(t, p);
		text_pair(t, wire_get_u16(p + 4));
		break;
	case FORM_AS4:
		text_u64(t, wire_get_u32(p));
		text_pair(t, wire_get_u16(p + 4));
		break;
	case FORM_RATE:
		text_u64(t, wire_get_u16(p));
		text_char(t, ':');
		text_rate(t, p + 2);
		break;
	case FORM_U32:
		text_u64(t, wire_get_u32(p + 2));
		break;
	case FORM_U8:
		text_u64(t, p[5]);
		break;
	case FORM_MAC:
		text_hex(t, p, 6, ':');
		break;
	case FORM_NONE:
		break;
	case FORM_FLAGS:
		text_u64(t, wire_get_u16(p));
		break;
	case FORM_COST:
		text_u64(t, p[0]);
		text_pair(t, p[1]);
		text_pair(t, wire_get_u32(p + 2));
		break;
	case FORM_INTERFACES:
		text_u64(t, wire_get_u32(p));
		text_pair(t, wire_get_u16(p + 4) >> 14);
		text_pair(t, wire_get_u16(p + 4) & 0x3fff);
		break;
	case FORM_VALIDITY:
		text_validity(t, p[5]);
		break;
	case FORM_TUNNEL:
		text_tunnel(t, wire_get_u16(p + 4));
		break;
	case FORM_OSPF_TYPE:
		text_ipv4(t, p);
		text_pair(t, p[4]);
		text_pair(t, p[5]);
		break;
	default:
		text_layer2(t, form, p);
	}
}

bool bgp_ext_community_text(struct text *t, const uint8_t community[8])
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].type_high != community[0] ||
		    rows[i].type_low != community[1])
			continue;
		text_str(t, rows[i].name);
		if (rows[i].form != FORM_NONE)
			text_char(t, ':');
		text_form(t, (enum ext_form)rows[i].form, community + 2);
		return true;
	}
	return false;
}

bool bgp_ipv6_ext_community_text(struct text *t, const uint8_t community[20])
{
	uint16_t type = wire_get_u16(community);

	for (size_t i = 0; i < sizeof(ipv6_rows) / sizeof(ipv6_rows[0]); i++) {
		if (ipv6_rows[i].type != type)
			continue;
		text_str(t, ipv6_rows[i].name);
		text_str(t, ":[");
		text_ipv6(t, community + 2);
		text_str(t, "]:");
		text_u64(t, wire_get_u16(community + 18));
		return true;
	}
	return false;
}
