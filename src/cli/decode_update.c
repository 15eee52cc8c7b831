#include "cli/decode.h"

#include "collector/base/json_bgp.h"
#include "bmp/names.h"
#include "bmp/nlri_text.h"
#include "cli/decode_bgpdump.h"

/*
 * Maximum bytes of a text for an NLRI. As in the schema, a longer text is
 * truncated; the bytes in "nlri" are complete.
 */
#define NLRI_TEXT_MAX 2048

static void put_next_hop(struct json *j, const struct bgp_update *u,
			 enum bgp_nlri_part_id s)
{
	struct bgp_next_hop hop;

	bgp_update_next_hop(u, s, &hop);
	json_bgp_next_hop(j, hop.has_address ? hop.address : NULL,
			  hop.has_link_local ? hop.link_local : NULL);
}

/* Write why the router's UPDATE is not used as it was sent (RFC 7606). */
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

/* Write a route that is not a prefix: its bytes and their text. */
static void put_typed(struct json *j, const struct bgp_nlri *nlri)
{
	char text[NLRI_TEXT_MAX];

	json_key(j, "nlri");
	json_hex(j, nlri->wire);
	bgp_nlri_text(nlri, text, sizeof(text));
	json_string_at(j, "nlriText", text);
	json_bgp_nlri_fields(j, nlri);
}

static void put_nlri(struct json *j, const struct bgp_nlri *nlri,
		     const uint32_t *path_id)
{
	if (nlri->kind == BGP_NLRI_PREFIX) {
		json_bgp_prefix(j, nlri->family, nlri->address,
				nlri->prefix_len);
		json_bgp_labels(j, nlri->labels);
	} else {
		put_typed(j, nlri);
	}
	json_bgp_rd(j, nlri->family, nlri->wire, nlri->rd);
	if (nlri->has_path_id)
		json_uint_at(j, "pathId", nlri->path_id);
	else if (path_id != NULL)
		json_uint_at(j, "pathId", *path_id);
	json_bgp_family(j, nlri->afi, nlri->safi);
}

/*
 * Write the families of MP_REACH and MP_UNREACH. As in the schema, each line
 * has the families of its UPDATE.
 */
static void put_mp_families(struct json *j, const struct bgp_update *u)
{
	const struct bgp_attrs *a = &u->attrs;

	if (bgp_attrs_has(a, BGP_MP_REACH)) {
		json_uint_at(j, "mpReachAfi", a->reach.afi);
		json_uint_at(j, "mpReachSafi", a->reach.safi);
	}
	if (bgp_attrs_has(a, BGP_MP_UNREACH)) {
		json_uint_at(j, "mpUnreachAfi", a->unreach.afi);
		json_uint_at(j, "mpUnreachSafi", a->unreach.safi);
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
	put_mp_families(&d->attributes, u);
	json_true_at(&d->attributes, "addPathGuessed",
		     bgp_update_guessed(u, s));
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
		/*
		 * If many routes have host bits, the add-path setting is
		 * probably wrong.
		 */
		json_true_at(&d->out, "hostBits", it.host_bits != host_bits);
		host_bits = it.host_bits;
		json_splice(&d->out, &d->shared);
		json_splice(&d->out, &d->attributes);
		decode_end(d);
	}
}

/*
 * Write an array of the routes that the UPDATE announces, or of those that it
 * withdraws.
 */
static void put_routes(struct json *j, const struct bgp_update *u,
		       bool announced, const char *name)
{
	struct bgp_nlri_iter it;
	bool any = false;

	for (int s = 0; s < BGP_PARTS; s++) {
		if (bgp_update_announces(u, s) != announced ||
		    !bgp_update_routes(u, s, &it))
			continue;
		if (!any) {
			json_key(j, name);
			json_array(j);
			any = true;
		}
		while (bgp_nlri_next(&it)) {
			json_object(j);
			put_nlri(j, &it.nlri, NULL);
			if (announced)
				put_next_hop(j, u, s);
			json_end_object(j);
		}
	}
	if (any)
		json_end_array(j);
}

void decode_update_object(struct json *j, const struct bgp_update *u)
{
	json_object(j);
	put_fault(j, u);
	put_routes(j, u, false, "withdrawn");
	put_routes(j, u, true, "announced");
	if (u->end_of_rib) {
		json_key(j, "endOfRib");
		json_object(j);
		json_bgp_family(j, u->eor_afi, u->eor_safi);
		json_end_object(j);
	}
	put_mp_families(j, u);
	json_bgp_attributes(j, &u->attrs);
	json_end_object(j);
}

/*
 * Write an error line for the parts of the UPDATE that could not be read, with
 * the reason.
 */
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
		json_bgp_family(&d->out, u->nlri_parts[s].format.afi,
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
		if (d->form == DECODE_BGPDUMP)
			decode_bgpdump_routes(d, update, s, path_id);
		else
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
		json_bgp_family(&d->out, update->eor_afi, update->eor_safi);
		json_splice(&d->out, &d->shared);
		decode_end(d);
	} else if (update->verdict >= BGP_DISABLE_FAMILY) {
		put_lost(d, update);
	} else if (routes == 0) {
		decode_error(d, "an UPDATE without routes");
	}
}
