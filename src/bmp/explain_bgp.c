/* Describes BGP messages: header, OPEN, UPDATE, NOTIFICATION. */
#include "bmp/explain.h"

#include "bmp/attr.h"
#include "bmp/attr_row.h"
#include "bmp/capability.h"
#include "bmp/community.h"
#include "bmp/names.h"
#include "bmp/nlri_text.h"
#include "bmp/open.h"
#include "bmp/update.h"

#include <string.h>

#define VALUE_MAX EXPLAIN_VALUE_MAX

static struct wire_view part_of(struct wire_view v, size_t at, size_t len)
{
	return (struct wire_view){ v.p + at, len };
}

/* OPEN */

/* clang-format off */
static const struct value_field open_head[] = {
	VALUE("version", NUMBER, .len = 1), VALUE("myAs", NUMBER, .len = 2),
	VALUE("holdTime", NUMBER, .len = 2), VALUE("bgpId", IPV4), { 0 },
};
/* clang-format on */

static void say_capability(struct explain *e, const struct tlv *capability)
{
	const struct bgp_capability_row *row =
		bgp_capability_row(capability->type);
	const uint8_t *head = capability->value.p - 2;

	explain_enter(e, row != NULL ? row->name : "capability");
	explain_number(e, "code", (struct wire_view){ head, 1 });
	explain_number(e, "length", (struct wire_view){ head + 1, 1 });
	if (row == NULL || row->layout == NULL ||
	    !explain_layout(e, row->layout, capability->value))
		explain_bytes(e, "value", capability->value, "");
	explain_leave(e);
}

/* The bytes between the capabilities are the headers of optional parameters. */
static void say_open(struct explain *e, struct wire_view body)
{
	struct bgp_open open;
	struct bgp_capability_iter it;
	struct tlv capability;

	if (body.len < 10)
		return;
	(void)explain_layout(e, open_head, part_of(body, 0, 9));
	explain_number(e, "parametersLength", part_of(body, 9, 1));
	if (!bgp_open_status_usable(bgp_open_decode(body, &open)))
		return;
	it = bgp_open_capabilities(&open);
	while (bgp_capability_next(&it, &capability)) {
		const uint8_t *head = capability.value.p - 2;

		if (head > e->at)
			explain_bytes(e, "parameter",
				      (struct wire_view){
					      e->at, (size_t)(head - e->at) },
				      "");
		say_capability(e, &capability);
	}
}

/* Routes */

static void say_route(struct explain *e, const struct bgp_nlri *nlri,
		      struct wire_view bytes)
{
	char buf[VALUE_MAX];

	if (nlri->has_path_id) {
		explain_number(e, "pathId", part_of(bytes, 0, 4));
		bytes = part_of(bytes, 4, bytes.len - 4);
	}
	bgp_nlri_text(nlri, buf, sizeof(buf));
	explain_bytes(e, "nlri", bytes, buf);
}

static void say_routes(struct explain *e, const struct bgp_update *u,
		       enum bgp_nlri_part_id s)
{
	const uint8_t *at = u->nlri_parts[s].field.p;
	struct bgp_nlri_iter it;

	if (!bgp_update_routes(u, s, &it))
		return;
	while (bgp_nlri_next(&it)) {
		say_route(e, &it.nlri,
			  (struct wire_view){ at, (size_t)(it.c.p - at) });
		at = it.c.p;
	}
}

/* Attributes */

static void say_as_path(struct explain *e, struct wire_view v, uint8_t width)
{
	static const char *const types[] = { "unknown", "asSet", "asSequence",
					     "confedSequence", "confedSet" };
	struct wire_cursor c = wire_start(v);
	struct wire_view head, asns;

	while (wire_take(&c, 2, &head) &&
	       wire_take(&c, head.p[1] * (size_t)width, &asns)) {
		explain_enter(e, "segment");
		explain_code(e, "type", part_of(head, 0, 1),
			     types[head.p[0] < 5 ? head.p[0] : 0]);
		explain_number(e, "count", part_of(head, 1, 1));
		for (size_t i = 0; i < asns.len; i += width)
			explain_number(e, "asn", part_of(asns, i, width));
		explain_leave(e);
	}
}

static void say_community(struct explain *e, uint8_t code, struct wire_view v)
{
	char buf[VALUE_MAX];
	struct text t = text_start(buf, sizeof(buf));
	const char *name;

	if (code == BGP_EXT_COMMUNITIES) {
		(void)bgp_ext_community_text(&t, v.p);
	} else if (code == BGP_IPV6_EXT_COMMUNITIES) {
		(void)bgp_ipv6_ext_community_text(&t, v.p);
	} else if (code == BGP_COMMUNITIES) {
		text_u64(&t, wire_get_u16(v.p));
		text_char(&t, ':');
		text_u64(&t, wire_get_u16(v.p + 2));
		name = bgp_community_name(wire_get_u32(v.p));
		if (name != NULL) {
			text_char(&t, ' ');
			text_str(&t, name);
		}
	} else {
		for (size_t i = 0; i < v.len; i += 4) {
			if (i > 0)
				text_char(&t, ':');
			text_u64(&t, wire_get_u32(v.p + i));
		}
	}
	text_end(&t);
	explain_bytes(e, "community", v, buf);
}

static void say_communities(struct explain *e, uint8_t code, struct wire_view v)
{
	size_t len = bgp_attr_rows[code].element;

	for (size_t i = 0; i + len <= v.len; i += len)
		say_community(e, code, part_of(v, i, len));
}

static void say_address(struct explain *e, const char *name, struct wire_view v)
{
	char buf[VALUE_MAX];
	struct text t = text_start(buf, sizeof(buf));

	if (v.len == 4)
		text_ipv4(&t, v.p);
	else if (v.len == 16 || v.len == 32)
		text_ipv6(&t, v.p);
	text_end(&t);
	explain_bytes(e, name, v, buf);
}

/*
 * Describe MP_REACH or MP_UNREACH. Both begin with AFI and SAFI; the short form
 * of MRT files does not occur here.
 */
static void say_mp(struct explain *e, const struct bgp_attr *attr,
		   const struct bgp_update *u)
{
	bool reach = attr->code == BGP_MP_REACH;
	struct wire_view v = attr->value;

	if (v.len < 3)
		return;
	explain_number(e, "afi", part_of(v, 0, 2));
	explain_number(e, "safi", part_of(v, 2, 1));
	if (reach && v.len > 4 && v.len >= (size_t)v.p[3] + 5) {
		explain_number(e, "nextHopLength", part_of(v, 3, 1));
		say_address(e, "nextHop", part_of(v, 4, v.p[3]));
		explain_bytes(e, "reserved", part_of(v, 4u + v.p[3], 1), "");
	}
	say_routes(e, u, reach ? BGP_PART_MP_REACH : BGP_PART_MP_UNREACH);
}

/*
 * Describe an attribute that has a member of struct bgp_attrs; other attributes
 * have layouts.
 */
static void say_member(struct explain *e, const struct bgp_attr *attr,
		       const struct bgp_update *u)
{
	static const char *const origins[] = { "IGP", "EGP", "INCOMPLETE" };
	struct wire_view v = attr->value;

	switch (attr->code) {
	case BGP_ORIGIN:
		explain_code(e, "origin", v,
			     v.len == 1 && v.p[0] < 3 ? origins[v.p[0]]
						      : "unknown");
		break;
	case BGP_AS_PATH:
		say_as_path(e, v, u->attrs.as_path.width);
		break;
	case BGP_AS4_PATH:
		say_as_path(e, v, 4);
		break;
	case BGP_MP_REACH:
	case BGP_MP_UNREACH:
		say_mp(e, attr, u);
		break;
	case BGP_AGGREGATOR:
	case BGP_AS4_AGGREGATOR:
		if (v.len != 6 && v.len != 8)
			break;
		explain_number(e, "asn", part_of(v, 0, v.len - 4));
		say_address(e, "bgpId", part_of(v, v.len - 4, 4));
		break;
	case BGP_CLUSTER_LIST:
		for (size_t i = 0; i + 4 <= v.len; i += 4)
			say_address(e, "cluster", part_of(v, i, 4));
		break;
	case BGP_NEXT_HOP:
	case BGP_ORIGINATOR_ID:
		say_address(e, "address", v);
		break;
	default:
		if (bgp_attr_rows[attr->code].element != 0)
			say_communities(e, attr->code, v);
		else if (v.len == 4)
			explain_number(e, "value", v);
	}
}

static void say_attribute(struct explain *e, const struct bgp_attr *attr,
			  const struct bgp_update *u)
{
	const struct bgp_attr_row *row = &bgp_attr_rows[attr->code];
	const uint8_t *head = e->at;
	size_t len = (size_t)(attr->value.p - head);

	explain_enter(e, row->name != NULL ? row->name : "attribute");
	explain_bytes(e, "flags", (struct wire_view){ head, 1 }, "");
	explain_number(e, "type", (struct wire_view){ head + 1, 1 });
	explain_number(e, "length", (struct wire_view){ head + 2, len - 2 });
	if (bgp_attr_has_member(attr->code))
		say_member(e, attr, u);
	else if (row->layout == NULL ||
		 !explain_layout(e, row->layout, attr->value))
		explain_bytes(e, "value", attr->value, "");
	explain_end(e, attr->value.p + attr->value.len);
	explain_leave(e);
}

/* UPDATE */

static void say_update(struct explain *e, struct wire_view body,
		       const struct bgp_decode_opts *opts)
{
	struct wire_cursor c = wire_start(body);
	struct wire_view lengths[2], withdrawn, block;
	struct bgp_update u;
	struct bgp_attr attr;

	bgp_update_decode(body, opts, &u);
	if (!wire_take(&c, 2, &lengths[0]))
		return;
	explain_number(e, "withdrawnLength", lengths[0]);
	if (!wire_take(&c, wire_get_u16(lengths[0].p), &withdrawn))
		return;
	explain_enter(e, "withdrawnRoutes");
	say_routes(e, &u, BGP_PART_WITHDRAWN);
	explain_end(e, c.p);
	explain_leave(e);
	if (!wire_take(&c, 2, &lengths[1]))
		return;
	explain_number(e, "attributesLength", lengths[1]);
	if (!wire_take(&c, wire_get_u16(lengths[1].p), &block))
		return;
	explain_enter(e, "attributes");
	for (struct wire_cursor a = wire_start(block);
	     bgp_attr_next(&a, &attr);)
		say_attribute(e, &attr, &u);
	explain_end(e, c.p);
	explain_leave(e);
	explain_enter(e, "routes");
	say_routes(e, &u, BGP_PART_NLRI);
	explain_end(e, body.p + body.len);
	explain_leave(e);
}

static void say_notification(struct explain *e, struct wire_view body)
{
	if (body.len < 2)
		return;
	explain_code(e, "errorCode", part_of(body, 0, 1),
		     bgp_error_name(body.p[0]));
	explain_code(e, "errorSubcode", part_of(body, 1, 1),
		     bgp_error_subcode_name(body.p[0], body.p[1]));
	explain_bytes(e, "errorData", part_of(body, 2, body.len - 2), "");
}

void explain_pdu_inside(struct explain *e, struct wire_view pdu,
			const struct bgp_decode_opts *opts)
{
	struct wire_view body;

	if (pdu.len < BGP_HEADER_LEN)
		return;
	body = part_of(pdu, BGP_HEADER_LEN, pdu.len - BGP_HEADER_LEN);
	explain_enter(e, bgp_pdu_type_name(pdu.p[18]));
	explain_bytes(e, "marker", part_of(pdu, 0, 16), "");
	explain_number(e, "length", part_of(pdu, 16, 2));
	explain_code(e, "type", part_of(pdu, 18, 1),
		     bgp_pdu_type_name(pdu.p[18]));
	if (pdu.p[18] == BGP_PDU_OPEN)
		say_open(e, body);
	else if (pdu.p[18] == BGP_PDU_UPDATE)
		say_update(e, body, opts);
	else if (pdu.p[18] == BGP_PDU_NOTIFICATION)
		say_notification(e, body);
	explain_end(e, pdu.p + pdu.len);
	explain_leave(e);
}

void explain_pdu(struct explain *e, struct wire_view pdu,
		 const struct bgp_decode_opts *opts)
{
	explain_begin(e, pdu);
	explain_pdu_inside(e, pdu, opts);
	explain_end(e, pdu.p + pdu.len);
}
