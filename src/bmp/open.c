#include "bmp/open.h"

#define PARAMETER_CAPABILITIES 2
/* RFC 9072: length or type that marks the long form */
#define PARAMETERS_LONG 255

#define ADD_PATH_RECEIVE 1
#define ADD_PATH_SEND	 2

static bool take_family(struct wire_cursor *c, bgp_family_set *bit)
{
	uint16_t afi;
	uint8_t safi;

	if (!(wire_u16(c, &afi) && wire_u8(c, &safi)))
		return false;
	*bit = bgp_family_bit(bgp_family_find(afi, safi));
	return true;
}

/* RFC 4760 8: AFI, a reserved byte, SAFI. */
static bool cap_multiprotocol(struct wire_view v, struct bgp_open *o)
{
	if (v.len != 4)
		return false;
	o->families |=
		bgp_family_bit(bgp_family_find(wire_get_u16(v.p), v.p[3]));
	return true;
}

/* RFC 8950 4: AFI, SAFI in two bytes, AFI of the next hop; repeated. */
static bool cap_ext_next_hop(struct wire_view v, struct bgp_open *o)
{
	struct wire_cursor c = wire_start(v);
	uint16_t afi, safi, next_hop_afi;

	while (wire_u16(&c, &afi) && wire_u16(&c, &safi) &&
	       wire_u16(&c, &next_hop_afi))
		if (safi <= UINT8_MAX)
			o->ext_next_hop |= bgp_family_bit(
				bgp_family_find(afi, (uint8_t)safi));
	return v.len % 6 == 0;
}

static bool cap_ext_message(struct wire_view v, struct bgp_open *o)
{
	o->ext_message = true;
	return v.len == 0;
}

/*
 * A list of AFI, SAFI and count (RFC 8277 2.1). If a family occurs twice, the
 * last entry is used.
 */
static bool cap_multiple_labels(struct wire_view v, struct bgp_open *o)
{
	struct wire_cursor c = wire_start(v);
	bgp_family_set bit;
	uint8_t count;

	while (take_family(&c, &bit) && wire_u8(&c, &count))
		o->multiple_labels = count > 1 ? o->multiple_labels | bit
					       : o->multiple_labels & ~bit;
	return v.len % 4 == 0;
}

static bool cap_graceful_restart(struct wire_view v, struct bgp_open *o)
{
	o->graceful_restart = true;
	return v.len >= 2 && (v.len - 2) % 4 == 0;
}

static bool cap_four_byte_as(struct wire_view v, struct bgp_open *o)
{
	if (v.len != 4)
		return false;
	o->four_byte_as = true;
	o->as = wire_get_u32(v.p);
	return true;
}

/* RFC 7911 4: AFI, SAFI, 1 receive, 2 send, 3 both; others are ignored. */
static bool cap_add_path(struct wire_view v, struct bgp_open *o)
{
	struct wire_cursor c = wire_start(v);
	bgp_family_set bit;
	uint8_t what;

	while (take_family(&c, &bit) && wire_u8(&c, &what)) {
		if (what == 0 || what > (ADD_PATH_RECEIVE | ADD_PATH_SEND))
			continue;
		if (what & ADD_PATH_RECEIVE)
			o->add_path_receive |= bit;
		if (what & ADD_PATH_SEND)
			o->add_path_send |= bit;
	}
	return v.len % 4 == 0;
}

static bool cap_fqdn(struct wire_view v, struct bgp_open *o)
{
	struct wire_cursor c = wire_start(v);
	uint8_t len;

	return wire_u8(&c, &len) && wire_take(&c, len, &o->hostname);
}

/*
 * Readers of capabilities. If one returns false, the capability is malformed,
 * and its data must not be used.
 */
static bool (*const capabilities[256])(struct wire_view, struct bgp_open *) = {
	[BGP_CAP_MULTIPROTOCOL] = cap_multiprotocol,
	[BGP_CAP_EXT_NEXT_HOP] = cap_ext_next_hop,
	[BGP_CAP_EXT_MESSAGE] = cap_ext_message,
	[BGP_CAP_MULTIPLE_LABELS] = cap_multiple_labels,
	[BGP_CAP_GRACEFUL_RESTART] = cap_graceful_restart,
	[BGP_CAP_FOUR_BYTE_AS] = cap_four_byte_as,
	[BGP_CAP_ADD_PATH] = cap_add_path,
	[BGP_CAP_FQDN] = cap_fqdn,
};

bool bgp_capability_read(const struct tlv *capability, struct bgp_open *out)
{
	return capability->type >= 256 ||
	       capabilities[capability->type] == NULL ||
	       capabilities[capability->type](capability->value, out);
}

struct bgp_capability_iter bgp_open_capabilities(const struct bgp_open *open)
{
	return (struct bgp_capability_iter){
		.parameters = tlv_start(open->parameters,
					open->long_parameters ? TLV_SHORT_LONG
							      : TLV_SHORT),
	};
}

bool bgp_capability_next(struct bgp_capability_iter *it, struct tlv *out)
{
	struct tlv parameter;

	for (;;) {
		if (it->capabilities.c.left != 0) {
			it->capabilities.form = TLV_SHORT;
			if (tlv_next(&it->capabilities, out))
				return true;
			/*
			 * If the capabilities of a parameter are cut, the
			 * parameters count as cut, too.
			 */
			it->parameters.cut = true;
		}
		if (!tlv_next(&it->parameters, &parameter))
			return false;
		if (parameter.type == PARAMETER_CAPABILITIES)
			it->capabilities =
				tlv_start(parameter.value, TLV_SHORT);
	}
}

static bool take_parameters(struct wire_cursor *c, struct bgp_open *o)
{
	struct wire_cursor probe;
	uint8_t short_len, type;
	uint16_t len;

	if (!wire_u8(c, &short_len))
		return false;
	/*
	 * RFC 9072 2: in the long form the short length should be 255, but any
	 * value except 0 is accepted.
	 */
	probe = *c;
	if (short_len != 0 && wire_u8(&probe, &type) &&
	    type == PARAMETERS_LONG && wire_u16(&probe, &len)) {
		o->long_parameters = true;
		return wire_take(&probe, len, &o->parameters);
	}
	return wire_take(c, short_len, &o->parameters);
}

static enum bgp_open_status read_capabilities(struct bgp_open *o)
{
	struct bgp_capability_iter it = bgp_open_capabilities(o);
	enum bgp_open_status status = BGP_OPEN_OK;
	struct tlv cap;

	while (bgp_capability_next(&it, &cap)) {
		struct bgp_open before = *o;

		if (capabilities[cap.type] == NULL ||
		    capabilities[cap.type](cap.value, o))
			continue;
		*o = before;
		status = BGP_OPEN_BAD_CAPABILITY;
	}
	return it.parameters.cut ? BGP_OPEN_CUT_PARAMETERS : status;
}

enum bgp_open_status bgp_open_decode(struct wire_view body,
				     struct bgp_open *out)
{
	struct wire_cursor c = wire_start(body);
	enum bgp_open_status status;

	*out = (struct bgp_open){ 0 };
	if (!(wire_u8(&c, &out->version) && wire_u16(&c, &out->my_as) &&
	      wire_u16(&c, &out->hold_time) && wire_u32(&c, &out->bgp_id)))
		return BGP_OPEN_SHORT;
	if (out->version != 4)
		return BGP_OPEN_BAD_VERSION;
	out->as = out->my_as;
	if (!take_parameters(&c, out))
		return BGP_OPEN_CUT_PARAMETERS;
	status = read_capabilities(out);
	if (out->families == 0)
		out->families = bgp_family_bit(BGP_IPV4_UNICAST);
	return status;
}
