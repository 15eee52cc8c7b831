/*
 * Decodes plain UPDATEs. Nearly every UPDATE announces routes of one unicast
 * family and has no fault. Its verdict is BGP_ACCEPT if each attribute has the
 * flags and the length that its row requires; nothing has to be decided between
 * attributes or parts. An UPDATE is plain if
 *
 *	- it withdraws no routes, and those that it announces are either all
 *	  in the classic field, or all of IPv4 or IPv6 unicast in MP_REACH;
 *	  they have no path identifiers
 *	- ASNs have four bytes, and the path is one sequence or empty
 *	- it has only attributes that struct bgp_attrs has members for, each
 *	  once, and those that are mandatory
 *
 * bgp_update_decode() tries this decoder first. All other UPDATEs, and all that
 * have a fault, are decoded with the table of attr_rows.c. Both decoders fill
 * the struct with the same values: tests/unit/test_bmp_plain.c and
 * tests/fuzz/fuzz_bmp_update.c compare them.
 *
 * There is one function for each level: an attribute, the block of attributes,
 * the fields of the message. The flags and lengths of the table are repeated
 * here as cases of a switch, so that no function pointer is called and no row
 * is loaded.
 */
#include "bmp/decode_context.h"
#include "bmp/update.h"

#define WELL_KNOWN BGP_ATTR_TRANSITIVE
#define OPT_LOCAL  BGP_ATTR_OPTIONAL
#define OPT_TRANS  (BGP_ATTR_OPTIONAL | BGP_ATTR_TRANSITIVE)

/* The mandatory attributes, by the field that has the routes. */
#define MANDATORY_MP	  (BGP_ATTR_BIT(BGP_ORIGIN) | BGP_ATTR_BIT(BGP_AS_PATH))
#define MANDATORY_CLASSIC (MANDATORY_MP | BGP_ATTR_BIT(BGP_NEXT_HOP))

/* AFI, SAFI, the length of the next hop and the reserved byte. */
#define MP_REACH_FIXED 5

/* True if one of the four-byte ASNs at @p is 0. Tests two at a time. */
static inline bool has_zero(const uint8_t *p, size_t count)
{
	const uint64_t ones = UINT64_C(0x0000000100000001);
	const uint64_t tops = UINT64_C(0x8000000080000000);
	uint64_t zero = 0;

	for (; count >= 2; count -= 2, p += 8) {
		uint64_t two = wire_get_u64(p);

		zero |= (two - ones) & ~two & tops;
	}
	return zero != 0 || (count != 0 && wire_get_u32(p) == 0);
}

/* Take AS_PATH if it is empty or one sequence of ASNs that are not 0. */
static inline bool take_path(struct wire_view v, struct bgp_attrs *a)
{
	a->as_path.path = v;
	if (v.len == 0)
		return true;
	return v.len >= 6 && v.p[0] == BGP_AS_SEQUENCE &&
	       v.len == 2 + 4 * (size_t)v.p[1] && !has_zero(v.p + 2, v.p[1]);
}

static inline bool take_next_hop(struct wire_view v, struct bgp_attrs *a)
{
	a->next_hop = v.p;
	a->next_hop_len = 4;
	return v.len == 4;
}

static inline bool take_u32(struct wire_view v, uint32_t *out)
{
	if (v.len != 4)
		return false;
	*out = wire_get_u32(v.p);
	return true;
}

static inline bool take_aggregator(struct wire_view v, struct bgp_attrs *a)
{
	if (v.len != 8)
		return false;
	a->aggregator_as = wire_get_u32(v.p);
	a->aggregator_id = wire_get_u32(v.p + 4);
	return a->aggregator_as != 0;
}

static inline bool take_list(struct wire_view v, size_t width,
			     struct wire_view *out)
{
	*out = v;
	return v.len != 0 && v.len % width == 0;
}

/*
 * Take MP_REACH of IPv4 or IPv6 unicast, with a next hop of one or two
 * addresses.
 */
static inline bool take_reach(struct wire_view v, struct bgp_mp *mp)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view head;

	if (!wire_take(&c, MP_REACH_FIXED - 1, &head))
		return false;
	mp->afi = wire_get_u16(head.p);
	mp->safi = head.p[2];
	mp->family = mp->afi == 1 ? BGP_IPV4_UNICAST : BGP_IPV6_UNICAST;
	if (mp->safi != 1 || (mp->afi != 1 && mp->afi != 2) ||
	    (head.p[3] != 4 && head.p[3] != 16 && head.p[3] != 32) ||
	    !wire_take(&c, head.p[3], &mp->next_hop) || !wire_skip(&c, 1))
		return false;
	mp->nlri = wire_rest(&c);
	return mp->nlri.len != 0;
}

/*
 * Take one attribute; *@flags are the optional and transitive flags that it
 * must have. False if the UPDATE is not plain.
 */
static inline bool take_value(const struct bgp_attr *t, struct bgp_attrs *a,
			      unsigned *flags)
{
	struct wire_view v = t->value;

	*flags = OPT_TRANS;
	switch (t->code) {
	case BGP_ORIGIN:
		*flags = WELL_KNOWN;
		if (v.len != 1 || v.p[0] > 2)
			return false;
		a->origin = v.p[0];
		return true;
	case BGP_AS_PATH:
		*flags = WELL_KNOWN;
		return take_path(v, a);
	case BGP_NEXT_HOP:
		*flags = WELL_KNOWN;
		return take_next_hop(v, a);
	case BGP_MED:
		*flags = OPT_LOCAL;
		return take_u32(v, &a->med);
	case BGP_LOCAL_PREF:
		*flags = WELL_KNOWN;
		return take_u32(v, &a->local_pref);
	case BGP_ATOMIC_AGGREGATE:
		*flags = WELL_KNOWN;
		return v.len == 0;
	case BGP_AGGREGATOR:
		return take_aggregator(v, a);
	case BGP_COMMUNITIES:
		return take_list(v, 4, &a->communities);
	case BGP_ORIGINATOR_ID:
		*flags = OPT_LOCAL;
		return take_u32(v, &a->originator_id);
	case BGP_CLUSTER_LIST:
		*flags = OPT_LOCAL;
		return take_list(v, 4, &a->cluster_list);
	case BGP_MP_REACH:
		*flags = OPT_LOCAL;
		return take_reach(v, &a->reach);
	case BGP_EXT_COMMUNITIES:
		return take_list(v, 8, &a->ext_communities);
	case BGP_LARGE_COMMUNITIES:
		return take_list(v, 12, &a->large_communities);
	case BGP_OTC:
		return take_u32(v, &a->otc);
	default:
		return false;
	}
}

/*
 * Take the block of attributes; false if the UPDATE is not plain. Cost: the
 * header of each attribute, a jump by its code and one or two stores; each ASN
 * is read once.
 */
static inline bool take_block(struct wire_view block, struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(block);
	bool in_form = true;
	uint64_t seen = 0;
	struct bgp_attr t;
	int last = -1;

	while (c.left != 0) {
		uint64_t bit;
		unsigned flags;

		if (!bgp_attr_next(&c, &t))
			return false;
		bit = BGP_ATTR_BIT(t.code % 64);
		if (!take_value(&t, a, &flags) || (seen & bit) != 0 ||
		    (t.flags & OPT_TRANS) != flags)
			return false;
		seen |= bit;
		/*
		 * The canonical form does not contain MP_REACH, so its position
		 * and length flag do not affect in_form.
		 */
		if (t.code == BGP_MP_REACH)
			continue;
		if (t.value.len > UINT8_MAX)
			flags |= BGP_ATTR_EXT_LEN;
		in_form &= t.code > last && t.flags == flags;
		last = t.code;
	}
	a->block = block;
	a->seen[0] = seen;
	a->as_path.width = 4;
	a->others_canonical = in_form;
	a->headers_canonical =
		in_form && (seen & BGP_ATTR_BIT(BGP_MP_REACH)) == 0;
	return true;
}

/*
 * Set up the part that has the routes, and read the lengths of the routes once.
 */
static inline bool take_routes(struct wire_view field,
			       const struct bgp_decode_opts *r, uint16_t afi,
			       enum bgp_family family,
			       struct bgp_nlri_part *out)
{
	bgp_family_set bit = bgp_family_bit(family);
	unsigned max_bits = afi == 1 ? 32 : 128;
	struct wire_cursor c = wire_start(field);
	uint8_t bits;

	out->field = field;
	out->format.afi = afi;
	out->format.safi = 1;
	out->format.family = (uint8_t)family;
	out->format.multiple_labels = (r->multiple_labels & bit) != 0;
	do {
		if (!wire_u8(&c, &bits) || bits > max_bits ||
		    !wire_skip(&c, (bits + 7u) / 8))
			return false;
		out->count++;
	} while (c.left != 0);
	return (r->add_path & bit) == 0;
}

static bool take_fields(struct wire_view body, struct wire_view *block,
			struct wire_view *nlri)
{
	struct wire_cursor c = wire_start(body);
	uint16_t withdrawn, len;

	if (!wire_u16(&c, &withdrawn) || withdrawn != 0 ||
	    !wire_u16(&c, &len) || !wire_take(&c, len, block))
		return false;
	*nlri = wire_rest(&c);
	return true;
}

static bool opts_are_plain(const struct bgp_decode_opts *r)
{
	return r->as_width == 4 && !r->mrt_rib && !r->canonical;
}

/*
 * Hot: once per UPDATE. Cost: some 250 instructions for one prefix with eight
 * attributes; the struct is cleared by a few stores. bench/bmp_decode.c
 */
bool bgp_plain_decode(struct wire_view body, const struct bgp_decode_opts *r,
		      struct bgp_update *out)
{
	struct bgp_attrs *a = &out->attrs;
	struct wire_view block, nlri;
	enum bgp_nlri_part_id id = BGP_PART_NLRI;
	uint64_t mandatory = MANDATORY_CLASSIC;
	bool done;

	if (!opts_are_plain(r) || !take_fields(body, &block, &nlri))
		return false;
	wire_clear(out->nlri_parts, sizeof(out->nlri_parts));
	wire_clear(a, sizeof(*a));
	if (!take_block(block, a))
		return false;
	if (a->seen[0] & BGP_ATTR_BIT(BGP_MP_REACH)) {
		if (nlri.len != 0)
			return false;
		id = BGP_PART_MP_REACH;
		mandatory = MANDATORY_MP;
		done = take_routes(a->reach.nlri, r, a->reach.afi,
				   (enum bgp_family)a->reach.family,
				   &out->nlri_parts[id]);
	} else {
		done = take_routes(nlri, r, 1, BGP_IPV4_UNICAST,
				   &out->nlri_parts[id]);
	}
	if (!done || (a->seen[0] & mandatory) != mandatory)
		return false;
	out->verdict = BGP_ACCEPT;
	out->fault = BGP_FAULT_NONE;
	out->fault_code = 0;
	out->plain = true;
	out->end_of_rib = false;
	out->parts_present = (uint8_t)(1U << id);
	out->add_path_guessed = 0;
	return true;
}
