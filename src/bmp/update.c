#include "bmp/update.h"

#include "bmp/decode_context.h"

/*
 * Lengths a next hop may have, whatever the family: routers send IPv6 next
 * hops without their route distinguisher, distinguishers without an address,
 * and nothing at all (RFC 4760 3, 2545 3, 4659 3.2.1, 8950 3; the odd ones are
 * in the captures).
 */
struct next_hop_form {
	bool valid;
	uint8_t address_at, address_len; /* len 0: none */
	uint8_t link_local_at;		 /* 0: none */
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

/*
 * The OPENs of a Loc-RIB are made up, and Huawei's leave families out that it
 * then sends with path identifiers. Such a field is read with them only if it
 * cannot be read without, and can be with them to its last bit.
 */
static bool reads_with_path_ids(struct bgp_nlri_part *s,
				const struct bgp_decode_opts *r)
{
	struct bgp_nlri_format format = s->format;
	struct bgp_nlri_iter it;
	uint32_t count;

	format.add_path = true;
	if (!(r->add_path_unsaid &
	      bgp_family_bit((enum bgp_family)format.family)) ||
	    !bgp_nlri_count(s->field, &format, &count))
		return false;
	bgp_nlri_start(&it, s->field, &format);
	while (bgp_nlri_next(&it))
		;
	if (it.malformed || it.host_bits != 0)
		return false;
	s->format = format;
	s->count = count;
	s->add_path_guessed = true;
	return true;
}

static void lose_part(struct bgp_update *u, enum bgp_nlri_part_id id)
{
	u->nlri_parts[id].lost = true;
	u->parts_present |= (uint8_t)(1U << id);
}

/* Fill a part and walk it once; @bad is the verdict if that fails. */
static void add_section(struct bgp_update *u, enum bgp_nlri_part_id id,
			struct wire_view field, const struct bgp_decode_opts *r,
			enum bgp_verdict bad, uint8_t code)
{
	struct bgp_nlri_part *s = &u->nlri_parts[id];

	s->field = field;
	s->format.withdrawn = id < BGP_PART_NLRI;
	if (bgp_nlri_count(field, &s->format, &s->count) ||
	    reads_with_path_ids(s, r)) {
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
	/* RFC 7606 3: what cannot be parsed cannot be withdrawn either. */
	add_section(u, id, field, r, BGP_RESET, 0);
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
	add_section(u, id, mp->nlri, r, BGP_DISABLE_FAMILY, code);
}

/* RFC 4724 2; some send IPv4 unicast's in the form of the others. */
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

/* RFC 7606 3d, of the attributes that RFC 4271 5 makes mandatory. */
static void check_mandatory(struct bgp_update *u,
			    const struct bgp_decode_opts *r)
{
	const struct bgp_attrs *a = &u->attrs;
	bool classic = u->nlri_parts[BGP_PART_NLRI].count != 0;

	if (!classic && u->nlri_parts[BGP_PART_MP_REACH].count == 0)
		return;
	if (!bgp_attrs_has(a, BGP_ORIGIN))
		update_blame(u, BGP_WITHDRAW, BGP_FAULT_MISSING, BGP_ORIGIN);
	/*
	 * GoBGP leaves AS_PATH out of the routes of its own that it reports
	 * of its Loc-RIB. Nobody sent these. docs/decisions/0022
	 */
	if (!bgp_attrs_has(a, BGP_AS_PATH))
		update_blame(u, r->loc_rib ? BGP_DISCARD_ATTR : BGP_WITHDRAW,
			     BGP_FAULT_MISSING, BGP_AS_PATH);
	/*
	 * A router cannot use a route without a next hop; we can show it. FRR
	 * leaves NEXT_HOP out of what it reports of its own tables, so by the
	 * letter all of them would be withdrawals. docs/decisions/0020
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

/*
 * Hot: once per Route Monitoring. Cost: the attributes are read once, the
 * lengths of the routes twice (here and by the walk). bench/bmp_decode.c
 */
enum bgp_verdict bgp_update_decode(struct wire_view body,
				   const struct bgp_decode_opts *r,
				   struct bgp_update *out)
{
	struct wire_cursor c = wire_start(body);
	struct wire_view withdrawn, block = { 0 };
	bool whole;

	wire_clear(out->nlri_parts, sizeof(out->nlri_parts));
	out->parts_present = 0;
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
		/* RFC 7606 3: no telling where the routes are. */
		update_blame(out, BGP_RESET, BGP_FAULT_SECTIONS, 0);
	}
	out->verdict = out->attrs.verdict;
	out->fault = out->attrs.fault;
	out->fault_code = out->attrs.fault_code;
	return out->verdict;
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
