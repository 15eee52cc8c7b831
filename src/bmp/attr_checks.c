/*
 * Check whether the lists inside path attributes are well-formed, for the
 * verdicts of RFC 7606. The content of a TLV is checked only if an RFC requires
 * that; other TLVs are passed on as they are.
 */
#include "bmp/attr_values.h"

#include "bmp/attr.h"
#include "bmp/tlv.h"

/* Take a TLV with one byte of type and two of length, as in most lists here. */
static bool take_tlv(struct wire_cursor *c, uint8_t *type,
		     struct wire_view *value)
{
	uint16_t len;

	return wire_u8(c, type) && wire_u16(c, &len) &&
	       wire_take(c, len, value);
}

static bool valid_tlvs(struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view value;
	uint8_t type;

	while (c.left != 0)
		if (!take_tlv(&c, &type, &value))
			return false;
	return true;
}

/* RFC 7311 3: the length of a TLV includes its type and length fields. */
bool bgp_check_aigp(struct wire_view v, const struct bgp_decode_opts *r,
		    struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);
	uint8_t type;
	uint16_t len;

	(void)r;
	(void)a;
	while (c.left != 0)
		if (!(wire_u8(&c, &type) && wire_u16(&c, &len) && len >= 3 &&
		      wire_skip(&c, len - 3u)))
			return false;
	return true;
}

/* RFC 9252 3.1: 21 bytes, then Sub-Sub-TLVs. */
static bool valid_srv6_sid(struct wire_view v)
{
	return v.len >= 21 &&
	       valid_tlvs((struct wire_view){ v.p + 21, v.len - 21 });
}

/* RFC 9252 2 and 7: a reserved byte, then Sub-TLVs; 1 is SID Information. */
static bool valid_srv6_service(struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view value;
	uint8_t type;

	if (!wire_skip(&c, 1))
		return false;
	while (c.left != 0)
		if (!take_tlv(&c, &type, &value) ||
		    (type == 1 && !valid_srv6_sid(value)))
			return false;
	return true;
}

/*
 * RFC 8669 6: a malformed attribute is discarded. But if an SRv6 Service TLV
 * (5, 6) is malformed, the routes are withdrawn (RFC 9252 7).
 */
bool bgp_check_prefix_sid(struct wire_view v, const struct bgp_decode_opts *r,
			  struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);

	(void)r;
	while (c.left != 0) {
		bool service = c.p[0] == 5 || c.p[0] == 6;
		struct wire_view value;
		uint8_t type;

		if (take_tlv(&c, &type, &value) &&
		    (!service || valid_srv6_service(value)))
			continue;
		if (service)
			bgp_attrs_blame(a, BGP_WITHDRAW, BGP_FAULT_VALUE,
					BGP_PREFIX_SID);
		return false;
	}
	return true;
}

/* RFC 9012 13: true if the sub-TLVs end exactly where their tunnel TLV ends. */
static bool valid_sub_tlvs(struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	uint8_t type, narrow;
	uint16_t len;

	while (c.left != 0) {
		if (!wire_u8(&c, &type))
			return false;
		if (type > 127) {
			if (!wire_u16(&c, &len))
				return false;
		} else {
			if (!wire_u8(&c, &narrow))
				return false;
			len = narrow;
		}
		if (!wire_skip(&c, len))
			return false;
	}
	return true;
}

/* RFC 9012 2 and 13 */
bool bgp_check_tunnel_encap(struct wire_view v, const struct bgp_decode_opts *r,
			    struct bgp_attrs *a)
{
	struct tlv_iter it = tlv_start(v, TLV_BMP);
	struct tlv tunnel;

	(void)r;
	(void)a;
	while (tlv_next(&it, &tunnel))
		if (!valid_sub_tlvs(tunnel.value))
			return false;
	return !it.cut;
}

/*
 * RFC 9015 3.2.1: a list of TLVs, at least one of which is a Hop TLV (2). A Hop
 * TLV has a service index, then TLVs.
 */
bool bgp_check_sfp(struct wire_view v, const struct bgp_decode_opts *r,
		   struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view value;
	bool has_hop = false;
	uint8_t type;

	(void)r;
	(void)a;
	while (c.left != 0) {
		if (!take_tlv(&c, &type, &value))
			return false;
		if (type != 2)
			continue;
		has_hop = true;
		if (value.len < 1 || !valid_tlvs((struct wire_view){
					     value.p + 1, value.len - 1 }))
			return false;
	}
	return has_hop;
}

/* RFC 9026 3.1.6: mode and discriminator, then TLVs. */
bool bgp_check_bfd_discriminator(struct wire_view v,
				 const struct bgp_decode_opts *r,
				 struct bgp_attrs *a)
{
	(void)r;
	(void)a;
	return tlv_valid((struct wire_view){ v.p + 5, v.len - 5 }, TLV_SHORT);
}

/*
 * draft-ietf-idr-nhc 2: AFI, SAFI, and a next hop with its length, then at
 * least one characteristic.
 */
bool bgp_check_characteristics(struct wire_view v,
			       const struct bgp_decode_opts *r,
			       struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);
	uint8_t len;

	(void)r;
	(void)a;
	return wire_skip(&c, 3) && wire_u8(&c, &len) && wire_skip(&c, len) &&
	       c.left != 0 && tlv_valid(wire_rest(&c), TLV_BMP);
}
