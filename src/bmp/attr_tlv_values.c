/*
 * Describes values inside TLVs of path attributes, and lists whose elements
 * have headers of other forms than those of enum tlv_head.
 */
#include "bmp/attr_values.h"

#include "bmp/text.h"
#include "bmp/tlv.h"

bool bgp_describe_rd(struct field_writer *w, struct wire_view v)
{
	char buf[32];
	struct text t = text_start(buf, sizeof(buf));

	if (v.len != 8)
		return false;
	if (w == NULL)
		return true;
	text_rd(&t, wire_get_u64(v.p));
	text_end(&t);
	w->ops->string(w->arg, "rd", buf);
	return true;
}

/* Segments and binding SIDs of SR policies */

/*
 * RFC 9830 2.4.2: the value is empty, an entry of a label stack, or an SRv6
 * SID.
 */
bool bgp_describe_binding_sid(struct field_writer *w, struct wire_view v)
{
	if (v.len != 0 && v.len != 4 && v.len != 16)
		return false;
	if (w == NULL || v.len == 0)
		return true;
	if (v.len == 4)
		w->ops->number(w->arg, "labelEntry", wire_get_u32(v.p));
	else
		value_write_address(w, "sid", v);
	return true;
}

/* RFC 9830 2.4.4.2.4: behavior and the lengths of the parts of the SID */
bool bgp_describe_srv6_structure(struct field_writer *w, struct wire_view v)
{
	static const struct value_field layout[] = {
		VALUE("behavior", NUMBER, .len = 2),
		VALUE_RESERVED(2),
		VALUE("locatorBlock", NUMBER, .len = 1),
		VALUE("locatorNode", NUMBER, .len = 1),
		VALUE("function", NUMBER, .len = 1),
		VALUE("argument", NUMBER, .len = 1),
		{ 0 },
	};

	return w == NULL ? value_fits(layout, v) : value_describe(layout, v, w);
}

/* RFC 9831 2.7 to 2.9: an SRv6 SID, and its structure if it is known */
bool bgp_describe_srv6_segment(struct field_writer *w, struct wire_view v)
{
	static const struct value_field layout[] = {
		VALUE("sid", IPV6),
		VALUE("structure", CUSTOM, .optional = true,
		      .custom = bgp_describe_srv6_structure),
		{ 0 },
	};

	return w == NULL ? value_fits(layout, v) : value_describe(layout, v, w);
}

/* Wide communities: draft-ietf-idr-wide-bgp-communities-11 3 */

#define CONTAINER_WIDE 1

static bool take_container(struct wire_cursor *c, struct wire_view *head,
			   struct wire_view *value)
{
	return wire_take(c, 6, head) &&
	       wire_take(c, wire_get_u16(head->p + 4), value);
}

static void write_container(struct field_writer *w, struct wire_view head,
			    struct wire_view value)
{
	static const struct value_field wide[] = {
		VALUE("community", HEX, .len = 4),
		VALUE("sourceAs", NUMBER, .len = 4),
		VALUE("contextAs", NUMBER, .len = 4),
		VALUE("tlvs", TLVS, .tlvs = &bgp_wide_tlvs, .optional = true),
		{ 0 },
	};
	uint16_t type = wire_get_u16(head.p);

	w->ops->begin_object(w->arg, NULL);
	w->ops->number(w->arg, "type", type);
	if (type == CONTAINER_WIDE)
		w->ops->string(w->arg, "name", "wide-community");
	w->ops->bytes(w->arg, "flags", (struct wire_view){ head.p + 2, 1 });
	if (type != CONTAINER_WIDE || !value_describe(wide, value, w))
		w->ops->bytes(w->arg, "value", value);
	w->ops->end_object(w->arg);
}

bool bgp_describe_containers(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view head, value;

	while (c.left != 0)
		if (!take_container(&c, &head, &value))
			return false;
	if (w == NULL)
		return true;
	c = wire_start(v);
	w->ops->begin_list(w->arg, "containers");
	while (take_container(&c, &head, &value))
		write_container(w, head, value);
	w->ops->end_list(w->arg);
	return true;
}

/* draft-ietf-idr-nhc 2: a next hop with its length, then characteristics */
bool bgp_describe_characteristics(struct field_writer *w, struct wire_view v)
{
	static const struct value_field list[] = {
		VALUE("characteristics", TLVS,
		      .tlvs = &bgp_characteristic_tlvs),
		{ 0 },
	};
	struct wire_cursor c = wire_start(v);
	struct wire_view hop;
	uint8_t len;

	if (!(wire_u8(&c, &len) && wire_take(&c, len, &hop) &&
	      value_fits(list, wire_rest(&c))))
		return false;
	if (w == NULL)
		return true;
	if (len == 4 || len == 16)
		value_write_address(w, "nextHop", hop);
	else
		w->ops->bytes(w->arg, "nextHop", hop);
	return value_describe(list, wire_rest(&c), w);
}
