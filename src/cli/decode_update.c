#include "cli/decode.h"

#include "bmp/names.h"
#include "bmp/nlri_text.h"

/* The text of a longer NLRI is cut; its bytes are there, too. */
#define NLRI_TEXT_MAX 4096

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

static void put_attributes(struct json *j, const struct bgp_attrs *a)
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

static void put_next_hop(struct json *j, const struct bgp_update *u,
			 enum bgp_section_id s)
{
	struct bgp_next_hop hop = bgp_update_next_hop(u, s);
	size_t len = u->attrs.reach.next_hop.len;

	if (hop.has_address) {
		json_key(j, "nextHop");
		/* An IPv6 next hop may well be an IPv4-mapped one (6PE). */
		if (s == BGP_SECTION_MP_REACH && len != 4 && len != 12)
			json_ipv6(j, hop.address);
		else
			json_address(j, hop.address);
	}
	if (hop.has_link_local) {
		json_key(j, "nextHopLinkLocal");
		json_ipv6(j, hop.link_local);
	}
}

/* Why an UPDATE is not taken as it stands (RFC 7606). */
static void put_fault(struct json *j, const struct bgp_update *u)
{
	if (u->verdict == BGP_ACCEPT)
		return;
	if (u->attrs.withdraw)
		json_string_at(j, "reason", "treatAsWithdraw");
	json_string_at(j, "fault", bgp_fault_name(u->fault));
	if (u->fault_code != 0)
		json_uint_at(j, "faultAttribute", u->fault_code);
}

static void put_labels(struct json *j, const struct bgp_nlri *nlri)
{
	if (nlri->labels.len < 3)
		return;
	json_key(j, "labels");
	json_array(j);
	for (size_t i = 0; i + 3 <= nlri->labels.len; i += 3)
		json_uint(j, bgp_label_value(nlri->labels.p + i));
	json_end_array(j);
}

static void put_rd(struct json *j, uint64_t rd)
{
	char buf[32];
	struct text t = text_start(buf, sizeof(buf));

	text_rd(&t, rd);
	text_end(&t);
	json_string_at(j, "routeDistinguisher", buf);
}

static void put_prefix(struct json *j, const struct bgp_nlri *nlri)
{
	json_key(j, "prefixAddr");
	if (bgp_family_info(nlri->family)->addr_bits == 32)
		json_ipv4(j, wire_get_u32(nlri->address + 12));
	else
		json_ipv6(j, nlri->address);
	json_uint_at(j, "prefixLen", nlri->prefix_len);
	put_labels(j, nlri);
}

/* A route that is no prefix: its bytes, and what they mean. */
static void put_typed(struct json *j, const struct bgp_nlri *nlri)
{
	char text[NLRI_TEXT_MAX];

	json_key(j, "nlri");
	json_hex(j, nlri->wire);
	bgp_nlri_text(nlri, text, sizeof(text));
	json_string_at(j, "nlriText", text);
}

static void put_nlri(struct json *j, const struct bgp_nlri *nlri,
		     const uint32_t *path_id)
{
	if (nlri->kind == BGP_NLRI_PREFIX) {
		put_prefix(j, nlri);
	} else {
		put_typed(j, nlri);
	}
	if (bgp_family_info(nlri->family)->flags & BGP_FAMILY_RD)
		put_rd(j, nlri->rd);
	if (nlri->has_path_id)
		json_uint_at(j, "pathId", nlri->path_id);
	else if (path_id != NULL)
		json_uint_at(j, "pathId", *path_id);
	decode_family(j, nlri->afi, nlri->safi);
}

/* Which attribute brought a route, in the names of the schema. */
static void put_section(struct json *j, const struct bgp_update *u,
			enum bgp_section_id s)
{
	const struct bgp_nlri_how *how = &u->sections[s].how;

	if (s == BGP_SECTION_MP_REACH) {
		json_uint_at(j, "mpReachAfi", how->afi);
		json_uint_at(j, "mpReachSafi", how->safi);
	} else if (s == BGP_SECTION_MP_UNREACH) {
		json_uint_at(j, "mpUnreachAfi", how->afi);
		json_uint_at(j, "mpUnreachSafi", how->safi);
	}
}

static void put_section_lines(struct decode *d, const struct bgp_update *u,
			      enum bgp_section_id s, const uint32_t *path_id)
{
	bool announced = bgp_update_announces(u, s);
	struct bgp_nlri_iter it;
	uint32_t host_bits = 0;

	if (!bgp_update_routes(u, s, &it))
		return;
	json_reset(&d->attributes);
	put_section(&d->attributes, u, s);
	json_true_at(&d->attributes, "addPathGuessed",
		     u->sections[s].add_path_guessed);
	put_fault(&d->attributes, u);
	if (announced) {
		put_next_hop(&d->attributes, u, s);
		put_attributes(&d->attributes, &u->attrs);
	}
	while (bgp_nlri_next(&it)) {
		decode_begin(d, "update");
		json_key(&d->out, "announced");
		json_bool(&d->out, announced);
		put_nlri(&d->out, &it.nlri, path_id);
		/* Many of these are a wrong idea of add-path. */
		json_true_at(&d->out, "hostBits", it.host_bits != host_bits);
		host_bits = it.host_bits;
		json_splice(&d->out, &d->shared);
		json_splice(&d->out, &d->attributes);
		decode_end(d);
	}
}

/* Something of the UPDATE is lost: say which part, and why. */
static void put_lost(struct decode *d, const struct bgp_update *u)
{
	decode_begin(d, "error");
	json_string_at(&d->out, "error",
		       u->verdict == BGP_RESET
			       ? "the UPDATE cannot be read"
			       : "a family of the UPDATE cannot be read");
	put_fault(&d->out, u);
	for (int s = 0; s < BGP_SECTIONS; s++) {
		if (!u->sections[s].lost)
			continue;
		decode_family(&d->out, u->sections[s].how.afi,
			      u->sections[s].how.safi);
		break;
	}
	json_splice(&d->out, &d->shared);
	decode_end(d);
}

static void count_sections(struct summary *summary, struct summary_peer *peer,
			   const struct bgp_update *u)
{
	for (int s = 0; s < BGP_SECTIONS; s++) {
		const struct bgp_section *section = &u->sections[s];

		if (section->count == 0 || section->lost ||
		    u->verdict == BGP_RESET)
			continue;
		summary_routes(summary, peer,
			       bgp_update_announces(u, s) ? SUMMARY_ANNOUNCED
							  : SUMMARY_WITHDRAWN,
			       section->how.afi, section->how.safi,
			       section->count);
	}
	if (u->end_of_rib)
		summary_routes(summary, peer, SUMMARY_END_OF_RIB, u->eor_afi,
			       u->eor_safi, 1);
	if (u->verdict >= BGP_DISABLE_FAMILY)
		summary->errors++;
}

void decode_rib_entry(struct decode *d, struct summary_peer *peer,
		      const struct bgp_update *update, const uint32_t *path_id)
{
	if (d->summary != NULL) {
		count_sections(d->summary, peer, update);
		return;
	}
	for (int s = 0; s < BGP_SECTIONS; s++)
		put_section_lines(d, update, s, path_id);
}

void decode_update(struct decode *d, struct summary_peer *peer,
		   const struct bgp_update *update)
{
	uint32_t routes = 0;

	decode_rib_entry(d, peer, update, NULL);
	if (d->summary != NULL)
		return;
	for (int s = 0; s < BGP_SECTIONS; s++)
		routes += update->sections[s].count;
	if (update->end_of_rib) {
		decode_begin(d, "endOfRib");
		decode_family(&d->out, update->eor_afi, update->eor_safi);
		json_splice(&d->out, &d->shared);
		decode_end(d);
	} else if (update->verdict >= BGP_DISABLE_FAMILY) {
		put_lost(d, update);
	} else if (routes == 0) {
		decode_error(d, "an UPDATE without routes");
	}
}
