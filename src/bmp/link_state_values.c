#include "bmp/link_state_values.h"

#define TLV_SID_LABEL 1161

/* Ranges of SIDs */

static bool take_range(struct wire_cursor *c, struct wire_view *size,
		       struct wire_view *sid)
{
	uint16_t type, len;

	return wire_take(c, 3, size) && wire_u16(c, &type) &&
	       wire_u16(c, &len) && type == TLV_SID_LABEL &&
	       (len == 3 || len == 4) && wire_take(c, len, sid);
}

bool bgp_describe_sid_ranges(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view size, sid;

	while (c.left != 0)
		if (!take_range(&c, &size, &sid))
			return false;
	if (w == NULL)
		return true;
	c = wire_start(v);
	w->ops->begin_list(w->arg, "ranges");
	while (take_range(&c, &size, &sid)) {
		w->ops->begin_object(w->arg, NULL);
		w->ops->number(w->arg, "rangeSize",
			       wire_get_number(size.p, size.len));
		w->ops->number(w->arg, "sid", wire_get_number(sid.p, sid.len));
		w->ops->end_object(w->arg);
	}
	w->ops->end_list(w->arg);
	return true;
}

bool bgp_describe_lan_adjacency(struct field_writer *w, struct wire_view v)
{
	size_t neighbor = v.len <= 8 ? 4 : 6;
	struct wire_view sid;

	if (v.len < 7 || v.len > 10)
		return false;
	if (w == NULL)
		return true;
	sid = (struct wire_view){ v.p + neighbor, v.len - neighbor };
	v.len = neighbor;
	if (neighbor == 4)
		value_write_address(w, "neighbor", v);
	else
		w->ops->bytes(w->arg, "neighbor", v);
	w->ops->number(w->arg, "sid", wire_get_number(sid.p, sid.len));
	return true;
}

/* SR policies */

/*
 * Write a SID: a label in the upper 20 bits of 4 bytes, or an SRv6 SID of 16
 * bytes.
 */
static void write_sid(struct field_writer *w, const char *name,
		      struct wire_view v)
{
	if (v.len == 4)
		w->ops->number(w->arg, name, wire_get_u32(v.p) >> 12);
	else
		value_write_address(w, name, v);
}

bool bgp_describe_sr_binding_sid(struct field_writer *w, struct wire_view v)
{
	if (v.len != 8 && v.len != 32)
		return false;
	if (w == NULL)
		return true;
	v.len /= 2;
	write_sid(w, "sid", v);
	write_sid(w, "specifiedSid", (struct wire_view){ v.p + v.len, v.len });
	return true;
}

bool bgp_describe_sr_affinity(struct field_writer *w, struct wire_view v)
{
	static const char *const names[] = { "excludeAny", "includeAny",
					     "includeAll" };
	struct wire_cursor c = wire_start(v);
	struct wire_view sizes, groups;

	if (!wire_take(&c, 4, &sizes) ||
	    c.left != 4 * ((size_t)sizes.p[0] + sizes.p[1] + sizes.p[2]))
		return false;
	for (size_t i = 0; w != NULL && i < 3; i++) {
		if (!wire_take(&c, 4 * (size_t)sizes.p[i], &groups))
			return false;
		w->ops->begin_list(w->arg, names[i]);
		for (size_t k = 0; k < groups.len; k += 4)
			w->ops->number(w->arg, NULL,
				       wire_get_u32(groups.p + k));
		w->ops->end_list(w->arg);
	}
	return true;
}

/* RFC 9857 5.7.1: descriptors of the segments A to K, 1 to 11 */
/* clang-format off */
#define ALGORITHM VALUE("algorithm", NUMBER, .len = 1)
#define INTERFACE(which) VALUE(which, NUMBER, .len = 4)
#define LOCAL_AND_REMOTE(form) VALUE("local", form), VALUE("remote", form)
#define INTERFACES VALUE("local", IPV6), INTERFACE("localInterface"), \
	VALUE("remote", IPV6), INTERFACE("remoteInterface")

static const struct {
	bool srv6;
	uint8_t len; /* bytes of the descriptor */
	struct value_field fields[5]; /* ended by a zero field */
} segments[] = {
	[1] = { false, 1, { ALGORITHM } },
	[2] = { true, 1, { ALGORITHM } },
	[3] = { false, 5, { ALGORITHM, VALUE("node", IPV4) } },
	[4] = { false, 17, { ALGORITHM, VALUE("node", IPV6) } },
	[5] = { false, 8, { VALUE("node", IPV4), INTERFACE("localInterface") } },
	[6] = { false, 8, { LOCAL_AND_REMOTE(IPV4) } },
	[7] = { false, 40, { INTERFACES } },
	[8] = { false, 32, { LOCAL_AND_REMOTE(IPV6) } },
	[9] = { true, 17, { ALGORITHM, VALUE("node", IPV6) } },
	[10] = { true, 40, { INTERFACES } },
	[11] = { true, 32, { LOCAL_AND_REMOTE(IPV6) } },
};
/* clang-format on */

bool bgp_describe_sr_segment(struct field_writer *w, struct wire_view v,
			     const struct value_field *tlvs)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view head, sid, descriptor;
	uint8_t type;

	if (!wire_take(&c, 4, &head))
		return false;
	type = head.p[0];
	if (type == 0 || type >= sizeof(segments) / sizeof(segments[0]) ||
	    !wire_take(&c, segments[type].srv6 ? 16 : 4, &sid) ||
	    !wire_take(&c, segments[type].len, &descriptor) ||
	    !value_fits(tlvs, wire_rest(&c)))
		return false;
	if (w == NULL)
		return true;
	w->ops->number(w->arg, "segmentType", type);
	w->ops->bytes(w->arg, "flags", (struct wire_view){ head.p + 2, 2 });
	write_sid(w, "sid", sid);
	(void)value_describe(segments[type].fields, descriptor, w);
	return value_describe(tlvs, wire_rest(&c), w);
}
