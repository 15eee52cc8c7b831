/*
 * The table implements the RFCs. A decoder is called with a value of allowed
 * length. A wrong value can only make the verdict stronger, never weaker, and a
 * refused value changes nothing in the struct.
 */
#include "bmp/attr_row.h"

#include "bmp/attr.h"
#include "bmp/attr_values.h"
#include "bmp/decode_context.h"
#include "bmp/family.h"
#include "bmp/tlv.h"

static bool decode_opaque(struct wire_view v, const struct bgp_decode_opts *r,
			  struct bgp_attrs *a)
{
	(void)v;
	(void)r;
	(void)a;
	return true;
}

static bool decode_origin(struct wire_view v, const struct bgp_decode_opts *r,
			  struct bgp_attrs *a)
{
	(void)r;
	if (v.p[0] > 2)
		return false;
	a->origin = v.p[0];
	return true;
}

/* Try the other ASN width only if the path is invalid with as_width. */
static bool decode_as_path(struct wire_view v, const struct bgp_decode_opts *r,
			   struct bgp_attrs *a)
{
	uint8_t other = r->as_width == 4 ? 2 : 4;

	if (!bgp_as_path_valid(v, r->as_width)) {
		if (r->as_width_certain || !bgp_as_path_valid(v, other))
			return false;
		a->as_path.width = other;
		a->as_width_guessed = true;
	}
	if (bgp_as_path_has_zero(v, a->as_path.width))
		return false;
	a->as_path.path = v;
	return true;
}

static bool decode_next_hop(struct wire_view v, const struct bgp_decode_opts *r,
			    struct bgp_attrs *a)
{
	if (v.len != 4 && !(r->canonical && (v.len == 16 || v.len == 32)))
		return false;
	a->next_hop = v.p;
	a->next_hop_len = (uint8_t)v.len;
	return true;
}

static bool decode_med(struct wire_view v, const struct bgp_decode_opts *r,
		       struct bgp_attrs *a)
{
	(void)r;
	a->med = wire_get_u32(v.p);
	return true;
}

static bool decode_local_pref(struct wire_view v,
			      const struct bgp_decode_opts *r,
			      struct bgp_attrs *a)
{
	(void)r;
	a->local_pref = wire_get_u32(v.p);
	return true;
}

/*
 * The length of the value determines the ASN width, not the OPENs: a router
 * that sends AS_PATH with an unexpected width sends AGGREGATOR with the same
 * width.
 */
static bool decode_aggregator(struct wire_view v,
			      const struct bgp_decode_opts *r,
			      struct bgp_attrs *a)
{
	uint32_t as;

	(void)r;
	if (v.len == 7)
		return false;
	as = v.len == 8 ? wire_get_u32(v.p) : wire_get_u16(v.p);
	if (as == 0)
		return false;
	if (v.len != 8)
		a->headers_canonical = false;
	a->aggregator_as = as;
	a->aggregator_id = wire_get_u32(v.p + v.len - 4);
	return true;
}

static bool decode_communities(struct wire_view v,
			       const struct bgp_decode_opts *r,
			       struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 4 != 0)
		return false;
	a->communities = v;
	return true;
}

static bool decode_originator_id(struct wire_view v,
				 const struct bgp_decode_opts *r,
				 struct bgp_attrs *a)
{
	(void)r;
	a->originator_id = wire_get_u32(v.p);
	return true;
}

static bool decode_cluster_list(struct wire_view v,
				const struct bgp_decode_opts *r,
				struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 4 != 0)
		return false;
	a->cluster_list = v;
	return true;
}

static bool decode_ext_communities(struct wire_view v,
				   const struct bgp_decode_opts *r,
				   struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 8 != 0)
		return false;
	a->ext_communities = v;
	return true;
}

static bool decode_ipv6_ext_communities(struct wire_view v,
					const struct bgp_decode_opts *r,
					struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 20 != 0)
		return false;
	a->ipv6_ext_communities = v;
	return true;
}

static bool decode_large_communities(struct wire_view v,
				     const struct bgp_decode_opts *r,
				     struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 12 != 0)
		return false;
	a->large_communities = v;
	return true;
}

static bool decode_otc(struct wire_view v, const struct bgp_decode_opts *r,
		       struct bgp_attrs *a)
{
	(void)r;
	a->otc = wire_get_u32(v.p);
	return true;
}

static bool decode_as4_path(struct wire_view v, const struct bgp_decode_opts *r,
			    struct bgp_attrs *a)
{
	(void)r;
	if (!bgp_as_path_valid(v, 4) || bgp_as_path_has_zero(v, 4))
		return false;
	a->as_path.as4_path = v;
	return true;
}

static bool decode_as4_aggregator(struct wire_view v,
				  const struct bgp_decode_opts *r,
				  struct bgp_attrs *a)
{
	(void)r;
	(void)a;
	return wire_get_u32(v.p) != 0;
}

static bool take_family(struct wire_cursor *c, struct bgp_mp *mp)
{
	if (!(wire_u16(c, &mp->afi) && wire_u8(c, &mp->safi)))
		return false;
	mp->family = (uint8_t)bgp_family_find(mp->afi, mp->safi);
	return true;
}

static bool take_next_hop(struct wire_cursor *c, struct bgp_mp *mp)
{
	uint8_t len;

	return wire_u8(c, &len) && wire_take(c, len, &mp->next_hop);
}

static bool decode_mp_reach(struct wire_view v, const struct bgp_decode_opts *r,
			    struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);
	struct bgp_mp mp = { 0 };

	/*
	 * Some MRT writers store the whole attribute, which begins with an AFI,
	 * so with a byte of 0.
	 */
	if (r->mrt_rib && v.p[0] != 0) {
		if (!take_next_hop(&c, &mp) || c.left != 0)
			return false;
	} else {
		/* One byte after the next hop is reserved. */
		if (!(take_family(&c, &mp) && take_next_hop(&c, &mp) &&
		      wire_skip(&c, 1)))
			return false;
		mp.nlri = wire_rest(&c);
	}
	a->reach = mp;
	return true;
}

static bool decode_mp_unreach(struct wire_view v,
			      const struct bgp_decode_opts *r,
			      struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);

	(void)r;
	/* cannot fail: the row requires three bytes */
	(void)take_family(&c, &a->unreach);
	a->unreach.nlri = wire_rest(&c);
	return true;
}

/*
 * RFC 8205 3: a Secure_Path with six bytes for each AS, then one or two
 * Signature_Blocks. Each length includes the two bytes of the length field.
 */
static bool decode_bgpsec_path(struct wire_view v,
			       const struct bgp_decode_opts *r,
			       struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);
	unsigned blocks = 0;
	uint16_t len;

	(void)r;
	(void)a;
	if (!wire_u16(&c, &len) || len < 8 || (len - 2) % 6 != 0 ||
	    !wire_skip(&c, len - 2u))
		return false;
	for (; c.left != 0; blocks++)
		if (!wire_u16(&c, &len) || len < 3 || !wire_skip(&c, len - 2u))
			return false;
	return blocks == 1 || blocks == 2;
}

static bool decode_domain_path(struct wire_view v,
			       const struct bgp_decode_opts *r,
			       struct bgp_attrs *a)
{
	(void)r;
	(void)a;
	return bgp_describe_domain_path(NULL, v);
}

/*
 * Check a list of TLVs with types and lengths of two bytes, as in BGP-LS and
 * BIER.
 */
static bool decode_tlvs(struct wire_view v, const struct bgp_decode_opts *r,
			struct bgp_attrs *a)
{
	(void)r;
	(void)a;
	return tlv_valid(v, TLV_BMP);
}

#define WELL_KNOWN BGP_ATTR_TRANSITIVE
#define OPT_TRANS  (BGP_ATTR_OPTIONAL | BGP_ATTR_TRANSITIVE)
#define OPT_LOCAL  BGP_ATTR_OPTIONAL
#define ANY	   UINT16_MAX

#define DISCARD	 BGP_DISCARD_ATTR
#define WITHDRAW BGP_WITHDRAW
#define RESET	 BGP_RESET

#define MEMBER(form, path)           \
	.member = BGP_MEMBER_##form, \
	.member_at = offsetof(struct bgp_attrs, path)

#define LAYOUT(...)                  \
	(const struct value_field[]) \
	{                            \
		__VA_ARGS__,         \
		{                    \
			0            \
		}                    \
	}
#define LAYOUT_TLVS(list)   LAYOUT(VALUE("tlvs", TLVS, .tlvs = &(list)))
#define LAYOUT_BY(function) LAYOUT(VALUE(NULL, CUSTOM, .custom = (function)))

/* clang-format off */
const struct bgp_attr_row bgp_attr_rows[256] = {
	[BGP_ORIGIN] = {
		.name = "origin",
		.reference = "RFC 4271 5.1.1",
		.decode = decode_origin,
		.min = 1, .max = 1, .flags = WELL_KNOWN,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(U8, origin),
	},
	[BGP_AS_PATH] = {
		.name = "as-path",
		.reference = "RFC 4271 5.1.2, RFC 6793",
		.decode = decode_as_path,
		.min = 0, .max = ANY, .flags = WELL_KNOWN,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(VIEW, as_path.path),
		.spelling = BGP_SPELL_PATH,
	},
	[BGP_NEXT_HOP] = {
		.name = "next-hop",
		.reference = "RFC 4271 5.1.3",
		.decode = decode_next_hop,
		.min = 4, .max = 32, .flags = WELL_KNOWN,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.member = BGP_MEMBER_OTHER,
		.spelling = BGP_SPELL_NOWHERE,
	},
	[BGP_MED] = {
		.name = "multi-exit-disc",
		.reference = "RFC 4271 5.1.4",
		.decode = decode_med,
		.min = 4, .max = 4, .flags = OPT_LOCAL,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(U32, med),
	},
	[BGP_LOCAL_PREF] = {
		.name = "local-pref",
		.reference = "RFC 4271 5.1.5",
		.decode = decode_local_pref,
		.min = 4, .max = 4, .flags = WELL_KNOWN,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(U32, local_pref),
	},
	[BGP_ATOMIC_AGGREGATE] = {
		.name = "atomic-aggregate",
		.reference = "RFC 4271 5.1.6",
		.decode = decode_opaque,
		.min = 0, .max = 0, .flags = WELL_KNOWN,
		.bad_value = DISCARD, .bad_flags = WITHDRAW, .twice = DISCARD,
		.member = BGP_MEMBER_OTHER,
	},
	[BGP_AGGREGATOR] = {
		.name = "aggregator",
		.reference = "RFC 4271 5.1.7, RFC 6793",
		.decode = decode_aggregator,
		.min = 6, .max = 8, .flags = OPT_TRANS,
		.bad_value = DISCARD, .bad_flags = WITHDRAW, .twice = DISCARD,
		.member = BGP_MEMBER_OTHER,
		.spelling = BGP_SPELL_AGGREGATOR,
	},
	[BGP_COMMUNITIES] = {
		.name = "communities",
		.reference = "RFC 1997",
		.decode = decode_communities,
		.min = 4, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(VIEW, communities),
		.spelling = BGP_SPELL_SET, .element = 4,
	},
	[BGP_ORIGINATOR_ID] = {
		.name = "originator-id",
		.reference = "RFC 4456 8",
		.decode = decode_originator_id,
		.min = 4, .max = 4, .flags = OPT_LOCAL,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(U32, originator_id),
	},
	[BGP_CLUSTER_LIST] = {
		.name = "cluster-list",
		.reference = "RFC 4456 8",
		.decode = decode_cluster_list,
		.min = 4, .max = ANY, .flags = OPT_LOCAL,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(VIEW, cluster_list),
	},
	/*
	 * If only the flags are wrong, the attribute is decoded nevertheless,
	 * because its NLRI must be withdrawn: see judge_attr().
	 */
	[BGP_MP_REACH] = {
		.name = "mp-reach-nlri",
		.reference = "RFC 4760 3",
		.decode = decode_mp_reach,
		.min = 1, .max = ANY, .flags = OPT_LOCAL,
		.bad_value = RESET, .bad_flags = WITHDRAW, .twice = RESET,
		.member = BGP_MEMBER_OTHER,
		.spelling = BGP_SPELL_NOWHERE,
	},
	[BGP_MP_UNREACH] = {
		.name = "mp-unreach-nlri",
		.reference = "RFC 4760 4",
		.decode = decode_mp_unreach,
		.min = 3, .max = ANY, .flags = OPT_LOCAL,
		.bad_value = RESET, .bad_flags = WITHDRAW, .twice = RESET,
		.member = BGP_MEMBER_OTHER,
		.spelling = BGP_SPELL_NOWHERE,
	},
	[BGP_EXT_COMMUNITIES] = {
		.name = "extended-communities",
		.reference = "RFC 4360",
		.decode = decode_ext_communities,
		.min = 8, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(VIEW, ext_communities),
		.spelling = BGP_SPELL_SET, .element = 8,
	},
	/* RFC 6793 6 */
	[BGP_AS4_PATH] = {
		.name = "as4-path",
		.reference = "RFC 6793",
		.decode = decode_as4_path,
		.min = 6, .max = ANY, .flags = OPT_TRANS,
		.bad_value = DISCARD, .bad_flags = DISCARD, .twice = DISCARD,
		MEMBER(VIEW, as_path.as4_path),
		.spelling = BGP_SPELL_NOWHERE,
	},
	[BGP_AS4_AGGREGATOR] = {
		.name = "as4-aggregator",
		.reference = "RFC 6793",
		.decode = decode_as4_aggregator,
		.min = 8, .max = 8, .flags = OPT_TRANS,
		.bad_value = DISCARD, .bad_flags = DISCARD, .twice = DISCARD,
		.member = BGP_MEMBER_OTHER,
		.spelling = BGP_SPELL_NOWHERE,
	},
	[BGP_PMSI_TUNNEL] = {
		.name = "pmsi-tunnel",
		.reference = "RFC 6514 5",
		.decode = decode_opaque,
		.min = 5, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT_BY(bgp_describe_pmsi),
	},
	[BGP_TUNNEL_ENCAP] = {
		.name = "tunnel-encapsulation",
		.reference = "RFC 9012, RFC 9830",
		.decode = bgp_check_tunnel_encap,
		.min = 4, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT(VALUE("tunnels", TLVS, .tlvs = &bgp_tunnel_tlvs)),
	},
	[BGP_IPV6_EXT_COMMUNITIES] = {
		.name = "ipv6-extended-communities",
		.reference = "RFC 5701",
		.decode = decode_ipv6_ext_communities,
		.min = 20, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(VIEW, ipv6_ext_communities),
		.spelling = BGP_SPELL_SET, .element = 20,
	},
	/*
	 * RFC 7311 3.2, RFC 9552 8.2.2: discard the attribute, whatever is
	 * wrong.
	 */
	[BGP_AIGP] = {
		.name = "aigp",
		.reference = "RFC 7311",
		.decode = bgp_check_aigp,
		.min = 3, .max = ANY, .flags = OPT_LOCAL,
		.bad_value = DISCARD, .bad_flags = DISCARD, .twice = DISCARD,
		.layout = LAYOUT_TLVS(bgp_aigp_tlvs),
	},
	[BGP_LS_ATTRIBUTE] = {
		.name = "bgp-ls",
		.reference = "RFC 9552 5.3",
		.decode = decode_tlvs,
		.min = 0, .max = ANY, .flags = OPT_LOCAL,
		.bad_value = DISCARD, .bad_flags = DISCARD, .twice = DISCARD,
		.layout = LAYOUT_TLVS(bgp_link_state_tlvs),
	},
	[BGP_LARGE_COMMUNITIES] = {
		.name = "large-communities",
		.reference = "RFC 8092",
		.decode = decode_large_communities,
		.min = 12, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(VIEW, large_communities),
		.spelling = BGP_SPELL_SET, .element = 12,
	},
	/* RFC 8205 5.2 */
	[BGP_BGPSEC_PATH] = {
		.name = "bgpsec-path",
		.reference = "RFC 8205",
		.decode = decode_bgpsec_path,
		.min = 11, .max = ANY, .flags = OPT_LOCAL,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = WITHDRAW,
		.layout = LAYOUT_BY(bgp_describe_bgpsec_path),
	},
	[BGP_OTC] = {
		.name = "only-to-customer",
		.reference = "RFC 9234 5",
		.decode = decode_otc,
		.min = 4, .max = 4, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		MEMBER(U32, otc),
	},
	[BGP_PREFIX_SID] = {
		.name = "prefix-sid",
		.reference = "RFC 8669, RFC 9252",
		.decode = bgp_check_prefix_sid,
		.min = 3, .max = ANY, .flags = OPT_TRANS,
		.bad_value = DISCARD, .bad_flags = DISCARD, .twice = DISCARD,
		.layout = LAYOUT_TLVS(bgp_prefix_sid_tlvs),
	},
	[BGP_ATTR_SET] = {
		.name = "attr-set",
		.reference = "RFC 6368",
		.decode = decode_opaque,
		.min = 4, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT_BY(bgp_describe_attr_set),
	},
	[BGP_TRAFFIC_ENGINEERING] = {
		.name = "traffic-engineering",
		.reference = "RFC 5543",
		.decode = decode_opaque,
		.min = 36, .max = ANY, .flags = OPT_LOCAL,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT(VALUE("switching", NUMBER, .len = 1), VALUE("encoding", NUMBER, .len = 1),
			VALUE_RESERVED(2), VALUE("bandwidths", FLOATS, .len = 32),
			VALUE("rest", REST)),
	},
	[BGP_PE_LABELS] = {
		.name = "pe-distinguisher-labels",
		.reference = "RFC 6514 8",
		.decode = decode_opaque,
		.min = 7, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT_BY(bgp_describe_pe_labels),
	},
	[BGP_COMMUNITY_CONTAINER] = {
		.name = "community-container",
		.reference = "draft-ietf-idr-wide-bgp-communities",
		.decode = decode_opaque,
		.min = 6, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT(VALUE("containers", CUSTOM, .custom = bgp_describe_containers, .tlvs = &bgp_wide_tlvs)),
	},
	[BGP_DOMAIN_PATH] = {
		.name = "d-path",
		.reference = "RFC 10039 4",
		.decode = decode_domain_path,
		.min = 8, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT_BY(bgp_describe_domain_path),
	},
	[BGP_SFP] = {
		.name = "sfp",
		.reference = "RFC 9015 3.2.1",
		.decode = bgp_check_sfp,
		.min = 3, .max = ANY, .flags = OPT_TRANS,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT_TLVS(bgp_sfp_tlvs),
	},
	[BGP_BFD_DISCRIMINATOR] = {
		.name = "bfd-discriminator",
		.reference = "RFC 9026 3.1.6",
		.decode = bgp_check_bfd_discriminator,
		.min = 11, .max = ANY, .flags = OPT_TRANS,
		.bad_value = DISCARD, .bad_flags = DISCARD, .twice = DISCARD,
		.layout = LAYOUT(VALUE("mode", NUMBER, .len = 1),
			VALUE("discriminator", NUMBER, .len = 4),
			VALUE("tlvs", TLVS, .optional = true, .tlvs = &bgp_bfd_tlvs)),
	},
	[BGP_NEXT_HOP_CHARACTERISTICS] = {
		.name = "next-hop-characteristics",
		.reference = "draft-ietf-idr-nhc",
		.decode = bgp_check_characteristics,
		.min = 8, .max = ANY, .flags = OPT_TRANS,
		.bad_value = DISCARD, .bad_flags = DISCARD, .twice = DISCARD,
		.layout = LAYOUT(VALUE("afi", NUMBER, .len = 2), VALUE("safi", NUMBER, .len = 1),
			VALUE("nextHop, characteristics", CUSTOM, .custom = bgp_describe_characteristics, .tlvs = &bgp_characteristic_tlvs)),
	},
	[BGP_BIER] = {
		.name = "bier",
		.reference = "RFC 9793 3",
		.decode = decode_tlvs,
		.min = 4, .max = ANY, .flags = OPT_TRANS,
		.bad_value = DISCARD, .bad_flags = DISCARD, .twice = DISCARD,
		.layout = LAYOUT_TLVS(bgp_bier_tlvs),
	},
	[BGP_EDGE_METADATA] = {
		.name = "edge-metadata",
		.reference = "draft-ietf-idr-5g-edge-service-metadata",
		.decode = decode_opaque,
		.min = 1, .max = ANY, .flags = OPT_LOCAL,
		.bad_value = WITHDRAW, .bad_flags = WITHDRAW, .twice = DISCARD,
		.layout = LAYOUT(VALUE("metadata", REST)),
	},
	/* Deprecated attributes, and the one for development */
	[11] = { .name = "dpa" },
	[12] = { .name = "advertiser" },
	[13] = { .name = "rcid-path" },
	[19] = { .name = "safi-specific" },
	[20] = { .name = "connector" },
	[21] = { .name = "as-pathlimit" },
	[28] = { .name = "entropy-label-capability" },
	/* RFC 8093 */
	[30] = { .name = "deprecated-30" },
	[31] = { .name = "deprecated-31" },
	[129] = { .name = "deprecated-129" },
	[241] = { .name = "deprecated-241" },
	[242] = { .name = "deprecated-242" },
	[243] = { .name = "deprecated-243" },
	[255] = { .name = "development", .reference = "RFC 2042" },
};
/* clang-format on */

void bgp_attr_write(const struct bgp_attr *t, bool fields,
		    struct field_writer *w)
{
	const struct bgp_attr_row *row = &bgp_attr_rows[t->code];

	w->ops->number(w->arg, "flags",
		       t->flags & (OPT_TRANS | BGP_ATTR_PARTIAL));
	w->ops->number(w->arg, "type", t->code);
	if (row->name != NULL)
		w->ops->string(w->arg, "name", row->name);
	w->ops->bytes(w->arg, "value", t->value);
	if (!fields || row->layout == NULL ||
	    !value_fits(row->layout, t->value))
		return;
	w->ops->begin_object(w->arg, "fields");
	(void)value_describe(row->layout, t->value, w);
	w->ops->end_object(w->arg);
}
