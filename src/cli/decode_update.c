#include "cli/decode.h"

#include "collector/base/json_bgp.h"
#include "bmp/names.h"
#include "bmp/nlri_text.h"

/* The text of a longer NLRI is cut; its bytes are there, too. */
#define NLRI_TEXT_MAX 4096

static void put_next_hop(struct json *j, const struct bgp_update *u,
			 enum bgp_nlri_part_id s)
{
	size_t len = u->attrs.reach.next_hop.len;
	struct bgp_next_hop hop;

	bgp_update_next_hop(u, s, &hop);
	if (hop.has_address) {
		json_key(j, "nextHop");
		/* An IPv6 next hop may well be an IPv4-mapped one (6PE). */
		if (s == BGP_PART_MP_REACH && len != 4 && len != 12)
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

static void put_prefix(struct json *j, const struct bgp_nlri *nlri)
{
	json_key(j, "prefixAddr");
	if (bgp_family_info(nlri->family)->addr_bits == 32)
		json_ipv4(j, wire_get_u32(nlri->address + 12));
	else
		json_ipv6(j, nlri->address);
	json_uint_at(j, "prefixLen", nlri->prefix_len);
	json_bgp_labels(j, nlri->labels);
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
		json_bgp_rd(j, nlri->rd);
	if (nlri->has_path_id)
		json_uint_at(j, "pathId", nlri->path_id);
	else if (path_id != NULL)
		json_uint_at(j, "pathId", *path_id);
	decode_family(j, nlri->afi, nlri->safi);
}

/* Which attribute brought a route, in the names of the schema. */
static void put_section(struct json *j, const struct bgp_update *u,
			enum bgp_nlri_part_id s)
{
	const struct bgp_nlri_format *format = &u->nlri_parts[s].format;

	if (s == BGP_PART_MP_REACH) {
		json_uint_at(j, "mpReachAfi", format->afi);
		json_uint_at(j, "mpReachSafi", format->safi);
	} else if (s == BGP_PART_MP_UNREACH) {
		json_uint_at(j, "mpUnreachAfi", format->afi);
		json_uint_at(j, "mpUnreachSafi", format->safi);
	}
}

static void put_section_lines(struct decode *d, const struct bgp_update *u,
			      enum bgp_nlri_part_id s, const uint32_t *path_id)
{
	bool announced = bgp_update_announces(u, s);
	struct bgp_nlri_iter it;
	uint32_t host_bits = 0;

	if (!bgp_update_routes(u, s, &it))
		return;
	json_reset(&d->attributes);
	put_section(&d->attributes, u, s);
	json_true_at(&d->attributes, "addPathGuessed",
		     u->nlri_parts[s].add_path_guessed);
	put_fault(&d->attributes, u);
	if (announced) {
		put_next_hop(&d->attributes, u, s);
		json_bgp_attributes(&d->attributes, &u->attrs);
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
	for (int s = 0; s < BGP_PARTS; s++) {
		if (!u->nlri_parts[s].lost)
			continue;
		decode_family(&d->out, u->nlri_parts[s].format.afi,
			      u->nlri_parts[s].format.safi);
		break;
	}
	json_splice(&d->out, &d->shared);
	decode_end(d);
}

static void count_sections(struct summary *summary, struct summary_peer *peer,
			   const struct bgp_update *u)
{
	for (int s = 0; s < BGP_PARTS; s++) {
		const struct bgp_nlri_part *part = &u->nlri_parts[s];

		if (part->count == 0 || part->lost || u->verdict == BGP_RESET)
			continue;
		summary_routes(summary, peer,
			       bgp_update_announces(u, s) ? SUMMARY_ANNOUNCED
							  : SUMMARY_WITHDRAWN,
			       part->format.afi, part->format.safi,
			       part->count);
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
	for (int s = 0; s < BGP_PARTS; s++)
		put_section_lines(d, update, s, path_id);
}

void decode_update(struct decode *d, struct summary_peer *peer,
		   const struct bgp_update *update)
{
	uint32_t routes = 0;

	decode_rib_entry(d, peer, update, NULL);
	if (d->summary != NULL)
		return;
	for (int s = 0; s < BGP_PARTS; s++)
		routes += update->nlri_parts[s].count;
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
