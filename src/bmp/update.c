#include "bmp/update.h"

#include "bmp/decode_context.h"

/*
 * The accepted lengths of a next hop, for all families: routers send IPv6 next
 * hops without their route distinguisher, distinguishers without an address,
 * and nothing at all (RFC 4760 3, 2545 3, 4659 3.2.1, 8950 3; the unusual
 * lengths were seen in captures).
 */
struct next_hop_form {
	bool valid;
	uint8_t address_at, address_len; /* address_len 0 = no address */
	uint8_t link_local_at;		 /* 0 = none */
	bool has_rd;
};

static const struct next_hop_form next_hop_forms[49] = {
	[0] = { .valid = true },
	[4] = { .valid = true, .address_len = 4 },
	[8] = { .valid = true, .has_rd = true },
	[12] = { .valid = true,
		 .address_at = 8,
		 .address_len = 4,
		 .has_rd = true },
	[16] = { .valid = true, .address_len = 16 },
	[24] = { .valid = true,
		 .address_at = 8,
		 .address_len = 16,
		 .has_rd = true },
	[32] = { .valid = true, .address_len = 16, .link_local_at = 16 },
	[48] = { .valid = true,
		 .address_at = 8,
		 .address_len = 16,
		 .link_local_at = 32,
		 .has_rd = true },
};

static bool next_hop_valid(struct wire_view v)
{
	return v.len < sizeof(next_hop_forms) / sizeof(next_hop_forms[0]) &&
	       next_hop_forms[v.len].valid;
}

static void update_blame(struct bgp_update *u, enum bgp_verdict v,
			 enum bgp_fault fault, uint8_t code)
{
	bgp_attrs_blame(&u->attrs, v, fault, code);
}

static void set_how(struct bgp_nlri_part *s, uint16_t afi, uint8_t safi,
		    enum bgp_family family, const struct bgp_decode_opts *r)
{
	bgp_family_set bit = bgp_family_bit(family);

	s->format.afi = afi;
	s->format.safi = safi;
	s->format.family = (uint8_t)family;
	s->format.add_path = (r->add_path & bit) != 0;
	s->format.multiple_labels = (r->multiple_labels & bit) != 0;
}

static void lose_part(struct bgp_update *u, enum bgp_nlri_part_id id)
{
	u->nlri_parts[id].lost = true;
	u->parts_present |= (uint8_t)(1U << id);
}

/*
 * Set up a part and count its routes; @bad is the verdict if the field cannot
 * be parsed.
 */
static void add_section(struct bgp_update *u, enum bgp_nlri_part_id id,
			struct wire_view field, enum bgp_verdict bad,
			uint8_t code)
{
	struct bgp_nlri_part *s = &u->nlri_parts[id];

	s->field = field;
	s->format.withdrawn = id < BGP_PART_NLRI;
	if (bgp_nlri_count(field, &s->format, &s->count)) {
		u->parts_present |= (uint8_t)((s->count != 0) << id);
		return;
	}
	lose_part(u, id);
	update_blame(u, bad, BGP_FAULT_NLRI, code);
}

static void add_classic(struct bgp_update *u, enum bgp_nlri_part_id id,
			struct wire_view field, const struct bgp_decode_opts *r)
{
	if (field.len == 0)
		return;
	set_how(&u->nlri_parts[id], 1, 1, BGP_IPV4_UNICAST, r);
	/*
	 * RFC 7606 3: routes that cannot be parsed cannot be treated as
	 * withdrawn, so the verdict is a session reset.
	 */
	add_section(u, id, field, BGP_RESET, 0);
}

static void add_mp(struct bgp_update *u, enum bgp_nlri_part_id id, uint8_t code,
		   const struct bgp_mp *mp, const struct bgp_decode_opts *r)
{
	struct bgp_nlri_part *s = &u->nlri_parts[id];

	if (!bgp_attrs_has(&u->attrs, code))
		return;
	set_how(s, mp->afi, mp->safi, mp->family, r);
	if (id == BGP_PART_MP_REACH && !next_hop_valid(mp->next_hop)) {
		/* RFC 7606 7.11, RFC 4760 7 */
		s->field = mp->nlri;
		lose_part(u, id);
		update_blame(u, BGP_DISABLE_FAMILY, BGP_FAULT_NEXT_HOP, code);
		return;
	}
	add_section(u, id, mp->nlri, BGP_DISABLE_FAMILY, code);
}

/*
 * RFC 4724 2. Some routers send the End-of-RIB of IPv4 unicast as an empty
 * MP_UNREACH_NLRI, like that of other families.
 */
static void find_end_of_rib(struct bgp_update *u)
{
	const struct bgp_attrs *a = &u->attrs;
	const uint64_t only_unreach = UINT64_C(1) << BGP_MP_UNREACH;

	if (u->nlri_parts[BGP_PART_WITHDRAWN].field.len != 0 ||
	    u->nlri_parts[BGP_PART_NLRI].field.len != 0)
		return;
	if (a->block.len == 0) {
		u->end_of_rib = true;
		u->eor_afi = 1;
		u->eor_safi = 1;
	} else if (a->seen[0] == only_unreach &&
		   !(a->seen[1] | a->seen[2] | a->seen[3]) &&
		   a->verdict == BGP_ACCEPT && a->unreach.nlri.len == 0) {
		u->end_of_rib = true;
		u->eor_afi = a->unreach.afi;
		u->eor_safi = a->unreach.safi;
	}
}

/*
 * RFC 7606 3d: check that the attributes which RFC 4271 5 makes mandatory are
 * present.
 */
static void check_mandatory(struct bgp_update *u,
			    const struct bgp_decode_opts *r)
{
	const struct bgp_attrs *a = &u->attrs;
	bool classic = u->nlri_parts[BGP_PART_NLRI].count != 0;

	if (!classic && u->nlri_parts[BGP_PART_MP_REACH].count == 0)
		return;
	if (!bgp_attrs_has(a, BGP_ORIGIN))
		update_blame(u, BGP_WITHDRAW, BGP_FAULT_MISSING, BGP_ORIGIN);
	if (bgp_attrs_has(a, BGP_BGPSEC_PATH)) {
		/* RFC 8205 3: an UPDATE has either BGPsec_PATH or AS_PATH. */
		if (bgp_attrs_has(a, BGP_AS_PATH))
			update_blame(u, BGP_WITHDRAW, BGP_FAULT_VALUE,
				     BGP_BGPSEC_PATH);
	} else if (!bgp_attrs_has(a, BGP_AS_PATH)) {
		/*
		 * GoBGP omits AS_PATH in Loc-RIB messages for its own routes,
		 * which it has not received from any peer. docs/decisions/0020
		 */
		update_blame(u, r->loc_rib ? BGP_DISCARD_ATTR : BGP_WITHDRAW,
			     BGP_FAULT_MISSING, BGP_AS_PATH);
	}
	/*
	 * A router cannot use a route without a next hop, but the collector can
	 * publish it. FRR omits NEXT_HOP in what it reports of its own tables;
	 * RFC 7606 would make all these routes withdrawals. docs/decisions/0020
	 */
	if (classic && !bgp_attrs_has(a, BGP_NEXT_HOP))
		update_blame(u, BGP_DISCARD_ATTR, BGP_FAULT_MISSING,
			     BGP_NEXT_HOP);
}

static bool take_field(struct wire_cursor *c, struct wire_view *out)
{
	uint16_t len;

	return wire_u16(c, &len) && wire_take(c, len, out);
}

static void decode_once(struct wire_view body, const struct bgp_decode_opts *r,
			struct bgp_update *out)
{
	struct wire_cursor c = wire_start(body);
	struct wire_view withdrawn, block = { 0 };
	bool whole;

	wire_clear(out->nlri_parts, sizeof(out->nlri_parts));
	out->parts_present = 0;
	out->add_path_guessed = 0;
	out->plain = false;
	out->end_of_rib = false;
	whole = take_field(&c, &withdrawn) && take_field(&c, &block);
	bgp_attrs_decode(block, r, &out->attrs);
	if (whole) {
		const struct bgp_attrs *a = &out->attrs;

		add_classic(out, BGP_PART_WITHDRAWN, withdrawn, r);
		add_mp(out, BGP_PART_MP_UNREACH, BGP_MP_UNREACH, &a->unreach,
		       r);
		add_classic(out, BGP_PART_NLRI, wire_rest(&c), r);
		add_mp(out, BGP_PART_MP_REACH, BGP_MP_REACH, &a->reach, r);
		find_end_of_rib(out);
		check_mandatory(out, r);
	} else {
		/* RFC 7606 3: the fields with routes cannot be located. */
		update_blame(out, BGP_RESET, BGP_FAULT_SECTIONS, 0);
	}
	out->verdict = out->attrs.verdict;
	out->fault = out->attrs.fault;
	out->fault_code = out->attrs.fault_code;
}

/* Decoding in the other add-path form */

static bgp_family_set lost_families(const struct bgp_update *u)
{
	bgp_family_set lost = 0;

	for (int s = 0; s < BGP_PARTS; s++) {
		const struct bgp_nlri_part *part = &u->nlri_parts[s];

		if (part->lost)
			lost |= bgp_family_bit(
				(enum bgp_family)part->format.family);
	}
	return lost;
}

/*
 * True if @field can be parsed to its end in this form, with no bit set beyond
 * a prefix, and at most one default route in the plain form: path identifiers
 * of zero look like default routes there, and no router sends two of them in a
 * field.
 */
static bool reads_cleanly(struct wire_view field,
			  const struct bgp_nlri_format *format)
{
	struct bgp_nlri_iter it;
	uint32_t default_routes = 0;

	bgp_nlri_start(&it, field, format);
	while (bgp_nlri_next(&it))
		default_routes += it.plain && it.nlri.prefix_len == 0;
	return !it.malformed && it.host_bits == 0 &&
	       (it.nlri.has_path_id || default_routes < 2);
}

static bgp_family_set unclean_families(const struct bgp_update *u)
{
	bgp_family_set unclean = 0;

	for (int s = 0; s < BGP_PARTS; s++) {
		const struct bgp_nlri_part *part = &u->nlri_parts[s];

		if (part->lost || (part->count != 0 &&
				   !reads_cleanly(part->field, &part->format)))
			unclean |= bgp_family_bit(
				(enum bgp_family)part->format.family);
	}
	return unclean;
}

/*
 * Called if a family of the message cannot be parsed. If all parts of the
 * family can be parsed completely in the other form, with path identifiers
 * instead of without or the reverse, decode them in that form. Both fields of
 * IPv4 unicast have the same form. docs/decisions/0118
 */
static __attribute__((noinline)) void decode_other_way(
	struct wire_view body, const struct bgp_decode_opts *r,
	struct bgp_update *out)
{
	bgp_family_set tried = lost_families(out) & r->add_path_either;
	struct bgp_decode_opts other = *r;
	struct bgp_update u;

	if (tried == 0)
		return;
	other.add_path = r->add_path ^ tried;
	decode_once(body, &other, &u);
	tried &= ~unclean_families(&u);
	if (tried == 0)
		return;
	other.add_path = r->add_path ^ tried;
	decode_once(body, &other, out);
	out->add_path_guessed = tried;
}

bool bgp_nlri_part_conclusive(const struct bgp_nlri_part *part)
{
	struct bgp_nlri_format other = part->format;

	other.add_path = !other.add_path;
	return part->count != 0 && reads_cleanly(part->field, &part->format) &&
	       !reads_cleanly(part->field, &other);
}

enum bgp_verdict bgp_update_decode_any(struct wire_view body,
				       const struct bgp_decode_opts *r,
				       struct bgp_update *out)
{
	decode_once(body, r, out);
	if (out->verdict >= BGP_DISABLE_FAMILY)
		decode_other_way(body, r, out);
	return out->verdict;
}

/*
 * Hot: once per Route Monitoring. Cost: the attributes are read once, the
 * lengths of the routes twice (here and by the iterator). bench/bmp_decode.c
 */
enum bgp_verdict bgp_update_decode(struct wire_view body,
				   const struct bgp_decode_opts *r,
				   struct bgp_update *out)
{
	if (bgp_plain_decode(body, r, out))
		return BGP_ACCEPT;
	return bgp_update_decode_any(body, r, out);
}

static void set_address(uint8_t out[16], const uint8_t *p, size_t len)
{
	if (len == 16)
		memcpy(out, p, 16);
	else
		wire_put_mapped(out, p);
}

void bgp_update_next_hop(const struct bgp_update *u, enum bgp_nlri_part_id s,
			 struct bgp_next_hop *out)
{
	const struct bgp_attrs *a = &u->attrs;
	struct wire_view v = { a->next_hop, a->next_hop_len };
	const struct next_hop_form *form;

	*out = (struct bgp_next_hop){ 0 };
	if (s == BGP_PART_MP_REACH)
		v = a->reach.next_hop;
	if (s < BGP_PART_NLRI || v.len == 0 || !next_hop_valid(v))
		return;
	form = &next_hop_forms[v.len];
	if (form->has_rd)
		out->rd = wire_get_u64(v.p);
	if (form->address_len != 0) {
		out->has_address = true;
		set_address(out->address, v.p + form->address_at,
			    form->address_len);
	}
	if (form->link_local_at != 0) {
		out->has_link_local = true;
		memcpy(out->link_local, v.p + form->link_local_at, 16);
	}
}
