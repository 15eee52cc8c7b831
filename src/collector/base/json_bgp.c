#include "collector/base/json_bgp.h"

#include "bmp/names.h"
#include "bmp/nlri.h"
#include "bmp/text.h"

/* Attributes that have fields of their own; all others are shown raw. */
static bool has_field(uint8_t code)
{
	switch (code) {
	case BGP_ORIGIN:
	case BGP_AS_PATH:
	case BGP_NEXT_HOP:
	case BGP_MED:
	case BGP_LOCAL_PREF:
	case BGP_ATOMIC_AGGREGATE:
	case BGP_AGGREGATOR:
	case BGP_COMMUNITIES:
	case BGP_ORIGINATOR_ID:
	case BGP_CLUSTER_LIST:
	case BGP_MP_REACH:
	case BGP_MP_UNREACH:
	case BGP_EXT_COMMUNITIES:
	case BGP_AS4_PATH: /* merged into the path */
	case BGP_AS4_AGGREGATOR:
	case BGP_IPV6_EXT_COMMUNITIES:
	case BGP_LARGE_COMMUNITIES:
	case BGP_OTC:
		return true;
	default:
		return false;
	}
}

static void put_segment(struct json *j, const struct bgp_as_segment *segment)
{
	json_object(j);
	json_string_at(j, "type", bgp_as_segment_name(segment->type));
	json_key(j, "asns");
	json_array(j);
	for (unsigned i = 0; i < segment->count; i++)
		json_uint(j, bgp_as_segment_at(segment, i));
	json_end_array(j);
	json_end_object(j);
}

/* The flat path always, its segments where it is not one plain sequence. */
static void put_as_path(struct json *j, const struct bgp_as_path *path)
{
	struct bgp_as_path_iter it = bgp_as_path_start(path);
	struct bgp_as_segment segment;
	bool plain = true;

	json_key(j, "asPath");
	json_array(j);
	while (bgp_as_path_next(&it, &segment)) {
		plain &= segment.type == BGP_AS_SEQUENCE;
		for (unsigned i = 0; i < segment.count; i++)
			json_uint(j, bgp_as_segment_at(&segment, i));
	}
	json_end_array(j);
	if (plain)
		return;
	json_key(j, "asPathSegments");
	json_array(j);
	it = bgp_as_path_start(path);
	while (bgp_as_path_next(&it, &segment))
		put_segment(j, &segment);
	json_end_array(j);
}

static void put_communities(struct json *j, struct wire_view list)
{
	json_key(j, "communities");
	json_array(j);
	for (; list.len >= 4; list.p += 4, list.len -= 4) {
		uint32_t parts[2] = { wire_get_u16(list.p),
				      wire_get_u16(list.p + 2) };

		json_colons(j, parts, 2);
	}
	json_end_array(j);
}

static void put_large_communities(struct json *j, struct wire_view list)
{
	json_key(j, "largeCommunities");
	json_array(j);
	for (; list.len >= 12; list.p += 12, list.len -= 12) {
		uint32_t parts[3] = { wire_get_u32(list.p),
				      wire_get_u32(list.p + 4),
				      wire_get_u32(list.p + 8) };

		json_colons(j, parts, 3);
	}
	json_end_array(j);
}

/* "rt:65000:1" and "soo:192.0.2.1:1" (RFC 4360); false for all others. */
static bool ext_community_text(const uint8_t *p, char *buf, size_t size)
{
	struct text t = text_start(buf, size);

	if (p[1] != 2 && p[1] != 3)
		return false;
	text_str(&t, p[1] == 2 ? "rt:" : "soo:");
	switch (p[0] & 0xbf) {
	case 0: /* two-byte AS, four-byte number */
		text_u64(&t, wire_get_u16(p + 2));
		text_char(&t, ':');
		text_u64(&t, wire_get_u32(p + 4));
		break;
	case 1: /* IPv4 address, two-byte number */
		text_ipv4(&t, p + 2);
		text_char(&t, ':');
		text_u64(&t, wire_get_u16(p + 6));
		break;
	case 2: /* four-byte AS, two-byte number */
		text_u64(&t, wire_get_u32(p + 2));
		text_char(&t, ':');
		text_u64(&t, wire_get_u16(p + 6));
		break;
	default:
		return false;
	}
	text_end(&t);
	return true;
}

static void put_ext_communities(struct json *j, struct wire_view list)
{
	char text[64];

	json_key(j, "extendedCommunities");
	json_array(j);
	for (; list.len >= 8; list.p += 8, list.len -= 8) {
		json_object(j);
		json_uint_at(j, "typeHigh", list.p[0]);
		json_uint_at(j, "typeLow", list.p[1]);
		json_key(j, "value");
		json_hex(j, (struct wire_view){ list.p + 2, 6 });
		if (ext_community_text(list.p, text, sizeof(text)))
			json_string_at(j, "text", text);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_ipv6_ext_communities(struct json *j, struct wire_view list)
{
	json_key(j, "ipv6ExtendedCommunities");
	json_array(j);
	for (; list.len >= 20; list.p += 20, list.len -= 20)
		json_hex(j, (struct wire_view){ list.p, 20 });
	json_end_array(j);
}

static void put_cluster_list(struct json *j, struct wire_view list)
{
	json_key(j, "clusterList");
	json_array(j);
	for (; list.len >= 4; list.p += 4, list.len -= 4)
		json_ipv4(j, wire_get_u32(list.p));
	json_end_array(j);
}

/* What has no field of its own, as it stands in the block. */
static void put_unknown(struct json *j, const struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(a->block);
	struct bgp_attr attr;
	bool any = false;

	while (bgp_attr_next(&c, &attr)) {
		if (has_field(attr.code))
			continue;
		if (!any) {
			json_key(j, "unknownAttributes");
			json_array(j);
			any = true;
		}
		json_object(j);
		json_uint_at(j, "flags", attr.flags);
		json_uint_at(j, "type", attr.code);
		json_key(j, "value");
		json_hex(j, attr.value);
		json_end_object(j);
	}
	if (any)
		json_end_array(j);
}

/* Attributes that are one number each. */
static void put_numbers(struct json *j, const struct bgp_attrs *a)
{
	if (bgp_attrs_has(a, BGP_ORIGIN))
		json_string_at(j, "origin", bgp_origin_name(a->origin));
	if (bgp_attrs_has(a, BGP_AS_PATH))
		put_as_path(j, &a->as_path);
	if (bgp_attrs_has(a, BGP_MED))
		json_uint_at(j, "multiExitDisc", a->med);
	if (bgp_attrs_has(a, BGP_LOCAL_PREF))
		json_uint_at(j, "localPreference", a->local_pref);
	if (bgp_attrs_has(a, BGP_OTC))
		json_uint_at(j, "onlyToCustomer", a->otc);
	json_true_at(j, "atomicAggregate",
		     bgp_attrs_has(a, BGP_ATOMIC_AGGREGATE));
	if (bgp_attrs_has(a, BGP_AGGREGATOR)) {
		json_uint_at(j, "aggregatorAsn", a->aggregator_as);
		json_key(j, "aggregatorBgpId");
		json_ipv4(j, a->aggregator_id);
	}
	if (bgp_attrs_has(a, BGP_ORIGINATOR_ID)) {
		json_key(j, "originatorId");
		json_ipv4(j, a->originator_id);
	}
}

void json_bgp_attributes(struct json *j, const struct bgp_attrs *a)
{
	put_numbers(j, a);
	if (bgp_attrs_has(a, BGP_COMMUNITIES))
		put_communities(j, a->communities);
	if (bgp_attrs_has(a, BGP_EXT_COMMUNITIES))
		put_ext_communities(j, a->ext_communities);
	if (bgp_attrs_has(a, BGP_LARGE_COMMUNITIES))
		put_large_communities(j, a->large_communities);
	if (bgp_attrs_has(a, BGP_CLUSTER_LIST))
		put_cluster_list(j, a->cluster_list);
	if (bgp_attrs_has(a, BGP_IPV6_EXT_COMMUNITIES))
		put_ipv6_ext_communities(j, a->ipv6_ext_communities);
	put_unknown(j, a);
	json_true_at(j, "asWidthGuessed", a->as_width_guessed);
}

void json_bgp_labels(struct json *j, struct wire_view labels)
{
	if (labels.len < 3)
		return;
	json_key(j, "labels");
	json_array(j);
	for (size_t i = 0; i + 3 <= labels.len; i += 3)
		json_uint(j, bgp_label_value(labels.p + i));
	json_end_array(j);
}

void json_bgp_rd(struct json *j, uint64_t rd)
{
	char buf[32];
	struct text t = text_start(buf, sizeof(buf));

	text_rd(&t, rd);
	text_end(&t);
	json_string_at(j, "routeDistinguisher", buf);
}
