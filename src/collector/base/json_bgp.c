#include "collector/base/json_bgp.h"

#include "collector/base/json_fields.h"
#include "bmp/attr_row.h"
#include "bmp/community.h"
#include "bmp/names.h"
#include "bmp/nlri_describe.h"
#include "bmp/text.h"

#include <string.h>

/* Peers */

void json_bgp_code(struct json *j, const char *key,
		   const char *(*name)(unsigned code), unsigned code)
{
	const char *word = name(code);

	if (strcmp(word, "unknown") == 0)
		json_uint_at(j, key, code);
	else
		json_string_at(j, key, word);
}

static void address_at(struct json *j, const char *key, const uint8_t *address)
{
	if (address == NULL)
		return;
	json_key(j, key);
	json_address(j, address);
}

static void rd_at(struct json *j, const char *key, uint64_t rd)
{
	char buf[32];
	struct text t = text_start(buf, sizeof(buf));

	text_rd(&t, rd);
	text_end(&t);
	json_string_at(j, key, buf);
}

void json_bgp_peer(struct json *j, const struct json_bgp_peer *peer)
{
	address_at(j, "peerAddr", peer->address);
	json_uint_at(j, "peerAsn", peer->as);
	json_key(j, "peerBgpId");
	json_ipv4(j, peer->bgp_id);
	json_bgp_code(j, "peerType", bmp_peer_type_name, peer->type);
	if (peer->distinguisher != 0)
		rd_at(j, "peerDistinguisher", peer->distinguisher);
}

void json_bgp_view(struct json *j, enum bmp_view view)
{
	json_true_at(j, "isPostPolicy",
		     view == BMP_VIEW_IN_POST || view == BMP_VIEW_OUT_POST);
	json_true_at(j, "isAdjRibOut",
		     view == BMP_VIEW_OUT_PRE || view == BMP_VIEW_OUT_POST);
	json_true_at(j, "isLocRib", view == BMP_VIEW_LOC_RIB);
}

/* Routes */

void json_bgp_family(struct json *j, uint16_t afi, uint8_t safi)
{
	json_uint_at(j, "afi", afi);
	json_uint_at(j, "safi", safi);
}

/*
 * The text of the address depends on the family and not on the bytes:
 * ::ffff:0:0/96 is an IPv6 prefix, and its length counts the bits of an IPv6
 * address.
 */
void json_bgp_prefix(struct json *j, enum bgp_family family,
		     const uint8_t address[16], uint8_t len)
{
	json_key(j, "prefixAddr");
	if (bgp_family_info(family)->addr_bits == 32)
		json_ipv4(j, wire_get_u32(address + 12));
	else
		json_ipv6(j, address);
	json_uint_at(j, "prefixLen", len);
}

void json_bgp_rd(struct json *j, enum bgp_family family, struct wire_view nlri,
		 uint64_t rd)
{
	if (bgp_nlri_wire_has_rd(family, nlri))
		rd_at(j, "routeDistinguisher", rd);
}

void json_bgp_nlri_fields(struct json *j, const struct bgp_nlri *nlri)
{
	struct field_writer w = json_fields(j);

	if (!bgp_nlri_has_fields(nlri))
		return;
	json_key(j, "nlriFields");
	json_object(j);
	bgp_nlri_describe(nlri, &w);
	json_end_object(j);
}

void json_bgp_nlri_bytes(struct json *j, uint16_t afi, uint8_t safi,
			 struct wire_view nlri)
{
	struct bgp_nlri_format format = {
		.afi = afi,
		.safi = safi,
		.family = (uint8_t)bgp_family_find(afi, safi),
	};
	struct bgp_nlri_iter it;

	bgp_nlri_start(&it, nlri, &format);
	if (bgp_nlri_next(&it))
		json_bgp_nlri_fields(j, &it.nlri);
}

/*
 * An IPv6 next hop may be an IPv4-mapped one (6PE). The schema has the same 16
 * bytes for it as for an IPv4 next hop, so it has the same text.
 */
void json_bgp_next_hop(struct json *j, const uint8_t *address,
		       const uint8_t *link_local)
{
	address_at(j, "nextHop", address);
	address_at(j, "nextHopLinkLocal", link_local);
}

/* Attributes */

/* The name of an origin, as in the schema (Update.origin). */
static const char *origin_name(unsigned origin)
{
	static const char *const names[] = { "IGP", "EGP", "INCOMPLETE" };

	return origin < 3 ? names[origin] : "unknown";
}

/*
 * The name of a segment type of an AS path, as in the schema (enum
 * SegmentType).
 */
static const char *segment_name(unsigned type)
{
	static const char *const names[] = {
		[BGP_AS_SET] = "asSet",
		[BGP_AS_SEQUENCE] = "asSequence",
		[BGP_AS_CONFED_SEQUENCE] = "confedSequence",
		[BGP_AS_CONFED_SET] = "confedSet",
	};

	return type >= BGP_AS_SET && type <= BGP_AS_CONFED_SET ? names[type]
							       : "unknown";
}

void json_bgp_segment_type(struct json *j, unsigned type)
{
	json_bgp_code(j, "type", segment_name, type);
}

static void put_segment(struct json *j, uint8_t type, const uint32_t *asns,
			unsigned count)
{
	json_object(j);
	json_bgp_segment_type(j, type);
	json_key(j, "asns");
	json_array(j);
	for (unsigned i = 0; i < count; i++)
		json_uint(j, asns[i]);
	json_end_array(j);
	json_end_object(j);
}

static void put_segments(struct json *j, const struct bgp_as_path *path)
{
	struct bgp_as_runs runs = bgp_as_runs_start(path);
	uint32_t asns[BGP_AS_RUN_MAX];
	unsigned n;
	uint8_t type;

	json_key(j, "asPathSegments");
	json_array(j);
	while ((n = bgp_as_runs_next(&runs, &type, asns)) > 0)
		put_segment(j, type, asns, n);
	json_end_array(j);
}

/*
 * Write the AS numbers of the path as one list, and its segments if some are
 * not AS_SEQUENCE. An empty path is left out, like all empty lists, because the
 * schema cannot distinguish it from a missing one.
 */
static void put_as_path(struct json *j, const struct bgp_as_path *path)
{
	struct bgp_as_path_iter it = bgp_as_path_start(path);
	struct bgp_as_segment segment;
	bool plain = true, any = false, has_set = false;

	while (bgp_as_path_next(&it, &segment)) {
		plain &= segment.type == BGP_AS_SEQUENCE;
		has_set |= !bgp_as_type_is_sequence(segment.type);
		for (unsigned i = 0; i < segment.count; i++) {
			if (!any) {
				json_key(j, "asPath");
				json_array(j);
				any = true;
			}
			json_uint(j, bgp_as_segment_at(&segment, i));
		}
	}
	if (any)
		json_end_array(j);
	if (!plain)
		put_segments(j, path);
	json_true_at(j, "hasAsSet", has_set);
}

void json_bgp_community_name(struct json *j, uint32_t community, bool *any)
{
	const char *name = bgp_community_name(community);

	if (name == NULL)
		return;
	if (!*any) {
		json_key(j, "communityNames");
		json_array(j);
		*any = true;
	}
	json_string(j, name);
}

static void put_community_names(struct json *j, struct wire_view list)
{
	bool any = false;

	for (; list.len >= 4; list.p += 4, list.len -= 4)
		json_bgp_community_name(j, wire_get_u32(list.p), &any);
	if (any)
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

/*
 * Write the text of an extended community, "rt:65000:1"; false if its type has
 * no text.
 */
static bool ext_community_text(uint8_t high, uint8_t low, const uint8_t *p,
			       char *buf, size_t size)
{
	uint8_t community[8] = { high, low };
	struct text t = text_start(buf, size);
	bool known;

	memcpy(community + 2, p, 6);
	known = bgp_ext_community_text(&t, community);
	text_end(&t);
	return known;
}

void json_bgp_ext_community(struct json *j, uint8_t type_high, uint8_t type_low,
			    struct wire_view value)
{
	char text[64];

	json_object(j);
	json_uint_at(j, "typeHigh", type_high);
	json_uint_at(j, "typeLow", type_low);
	json_key(j, "value");
	json_hex(j, value);
	if (value.len == 6 && ext_community_text(type_high, type_low, value.p,
						 text, sizeof(text)))
		json_string_at(j, "text", text);
	json_end_object(j);
}

static void put_ext_communities(struct json *j, struct wire_view list)
{
	json_key(j, "extendedCommunities");
	json_array(j);
	for (; list.len >= 8; list.p += 8, list.len -= 8)
		json_bgp_ext_community(j, list.p[0], list.p[1],
				       (struct wire_view){ list.p + 2, 6 });
	json_end_array(j);
}

void json_bgp_ipv6_community_text(struct json *j, struct wire_view community,
				  bool *any)
{
	char buf[96];
	struct text t = text_start(buf, sizeof(buf));

	if (community.len != 20 ||
	    !bgp_ipv6_ext_community_text(&t, community.p))
		return;
	text_end(&t);
	if (!*any) {
		json_key(j, "ipv6ExtendedCommunityTexts");
		json_array(j);
		*any = true;
	}
	json_string(j, buf);
}

static void put_ipv6_ext_communities(struct json *j, struct wire_view list)
{
	bool any = false;

	json_key(j, "ipv6ExtendedCommunities");
	json_array(j);
	for (size_t i = 0; i + 20 <= list.len; i += 20)
		json_hex(j, (struct wire_view){ list.p + i, 20 });
	json_end_array(j);
	for (size_t i = 0; i + 20 <= list.len; i += 20)
		json_bgp_ipv6_community_text(
			j, (struct wire_view){ list.p + i, 20 }, &any);
	if (any)
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

static void put_attribute(struct json *j, const struct bgp_attr *attr,
			  bool discarded)
{
	struct field_writer w = json_fields(j);

	json_object(j);
	bgp_attr_write(attr, !discarded, &w);
	json_true_at(j, "discarded", discarded);
	json_end_object(j);
}

void json_bgp_attribute(struct json *j, uint8_t flags, uint8_t type,
			struct wire_view value)
{
	struct bgp_attr attr = { .flags = flags, .code = type, .value = value };

	put_attribute(j, &attr, false);
}

/*
 * Write the received attributes for which the schema has no member. An
 * attribute that was discarded, and any but the first of its type, are marked:
 * the routes do not have them.
 */
static void put_unknown(struct json *j, const struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(a->block);
	uint64_t shown[4] = { 0 };
	struct bgp_attr attr;
	bool any = false;

	while (bgp_attr_next(&c, &attr)) {
		uint64_t bit = UINT64_C(1) << attr.code % 64;
		bool second = shown[attr.code / 64] & bit;

		shown[attr.code / 64] |= bit;
		if (bgp_attr_has_member(attr.code))
			continue;
		if (!any) {
			json_key(j, "unknownAttributes");
			json_array(j);
			any = true;
		}
		put_attribute(j, &attr, second || !bgp_attrs_has(a, attr.code));
	}
	if (any)
		json_end_array(j);
}

/*
 * Write the AS path and the attributes that are not lists, except the next hop.
 */
static void put_numbers(struct json *j, const struct bgp_attrs *a)
{
	if (bgp_attrs_has(a, BGP_ORIGIN))
		json_bgp_code(j, "origin", origin_name, a->origin);
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
	if (a->communities.len > 0)
		put_communities(j, a->communities);
	put_community_names(j, a->communities);
	if (a->ext_communities.len > 0)
		put_ext_communities(j, a->ext_communities);
	if (a->large_communities.len > 0)
		put_large_communities(j, a->large_communities);
	if (a->cluster_list.len > 0)
		put_cluster_list(j, a->cluster_list);
	if (a->ipv6_ext_communities.len > 0)
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
