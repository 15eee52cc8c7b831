/*
 * The table implements the RFCs. A wrong value can only make the verdict
 * stronger, never weaker, and a refused value changes nothing in the struct
 * except the verdict.
 */
#include "bmp/attr.h"

#include "bmp/decode_context.h"
#include "bmp/family.h"

struct attr_rule {
	bool (*body)(struct wire_view v, const struct bgp_decode_opts *r,
		     struct bgp_attrs *a);
	uint16_t min, max; /* length of the value */
	uint8_t flags;	   /* required optional and transitive flags */
	uint8_t bad;	   /* verdict if length or value is wrong */
	uint8_t bad_flags; /* verdict if the flags are wrong; RFC 7606 3c */
	/* verdict if it is repeated; the first one is used */
	uint8_t twice;
};

static bool body_opaque(struct wire_view v, const struct bgp_decode_opts *r,
			struct bgp_attrs *a)
{
	(void)v;
	(void)r;
	(void)a;
	return true;
}

static bool body_origin(struct wire_view v, const struct bgp_decode_opts *r,
			struct bgp_attrs *a)
{
	(void)r;
	if (v.p[0] > 2)
		return false;
	a->origin = v.p[0];
	return true;
}

/* The second width is tried only if the first is impossible. */
static bool body_as_path(struct wire_view v, const struct bgp_decode_opts *r,
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

static bool body_next_hop(struct wire_view v, const struct bgp_decode_opts *r,
			  struct bgp_attrs *a)
{
	if (v.len != 4 && !(r->canonical && (v.len == 16 || v.len == 32)))
		return false;
	a->next_hop = v.p;
	a->next_hop_len = (uint8_t)v.len;
	return true;
}

static bool body_med(struct wire_view v, const struct bgp_decode_opts *r,
		     struct bgp_attrs *a)
{
	(void)r;
	a->med = wire_get_u32(v.p);
	return true;
}

static bool body_local_pref(struct wire_view v, const struct bgp_decode_opts *r,
			    struct bgp_attrs *a)
{
	(void)r;
	a->local_pref = wire_get_u32(v.p);
	return true;
}

/*
 * The length determines the width, not the session: a router that sends the
 * wrong path width does the same here.
 */
static bool body_aggregator(struct wire_view v, const struct bgp_decode_opts *r,
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

static bool body_communities(struct wire_view v,
			     const struct bgp_decode_opts *r,
			     struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 4 != 0)
		return false;
	a->communities = v;
	return true;
}

static bool body_originator_id(struct wire_view v,
			       const struct bgp_decode_opts *r,
			       struct bgp_attrs *a)
{
	(void)r;
	a->originator_id = wire_get_u32(v.p);
	return true;
}

static bool body_cluster_list(struct wire_view v,
			      const struct bgp_decode_opts *r,
			      struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 4 != 0)
		return false;
	a->cluster_list = v;
	return true;
}

static bool body_ext_communities(struct wire_view v,
				 const struct bgp_decode_opts *r,
				 struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 8 != 0)
		return false;
	a->ext_communities = v;
	return true;
}

static bool body_ipv6_ext_communities(struct wire_view v,
				      const struct bgp_decode_opts *r,
				      struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 20 != 0)
		return false;
	a->ipv6_ext_communities = v;
	return true;
}

static bool body_large_communities(struct wire_view v,
				   const struct bgp_decode_opts *r,
				   struct bgp_attrs *a)
{
	(void)r;
	if (v.len % 12 != 0)
		return false;
	a->large_communities = v;
	return true;
}

static bool body_otc(struct wire_view v, const struct bgp_decode_opts *r,
		     struct bgp_attrs *a)
{
	(void)r;
	a->otc = wire_get_u32(v.p);
	return true;
}

static bool body_as4_path(struct wire_view v, const struct bgp_decode_opts *r,
			  struct bgp_attrs *a)
{
	(void)r;
	if (!bgp_as_path_valid(v, 4) || bgp_as_path_has_zero(v, 4))
		return false;
	a->as_path.as4_path = v;
	return true;
}

static bool body_as4_aggregator(struct wire_view v,
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

static bool body_mp_reach(struct wire_view v, const struct bgp_decode_opts *r,
			  struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);
	struct bgp_mp mp = { 0 };

	/* Some writers of MRT put the whole attribute: its AFI begins with 0. */
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

static bool body_mp_unreach(struct wire_view v, const struct bgp_decode_opts *r,
			    struct bgp_attrs *a)
{
	struct wire_cursor c = wire_start(v);

	(void)r;
	(void)take_family(&c, &a->unreach); /* the row wants three bytes */
	a->unreach.nlri = wire_rest(&c);
	return true;
}

/* AIGP and Prefix-SID: type 1, length 2; AIGP's length counts these three. */
static bool valid_tlvs(struct wire_view v, size_t counted)
{
	struct wire_cursor c = wire_start(v);
	uint8_t type;
	uint16_t len;

	while (c.left != 0)
		if (!(wire_u8(&c, &type) && wire_u16(&c, &len) &&
		      len >= counted && wire_skip(&c, len - counted)))
			return false;
	return true;
}

static bool body_aigp(struct wire_view v, const struct bgp_decode_opts *r,
		      struct bgp_attrs *a)
{
	(void)r;
	(void)a;
	return valid_tlvs(v, 3);
}

static bool body_prefix_sid(struct wire_view v, const struct bgp_decode_opts *r,
			    struct bgp_attrs *a)
{
	(void)r;
	(void)a;
	return valid_tlvs(v, 0);
}

/*
 * RFC 8205 3: a Secure_Path, whose length counts itself, of six bytes for each
 * AS, then one or two Signature_Blocks, whose lengths count themselves, too.
 */
static bool body_bgpsec_path(struct wire_view v,
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

static bool body_link_state(struct wire_view v, const struct bgp_decode_opts *r,
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

/* Flags of attributes without a row; the others are reserved. */
#define UNKNOWN_FLAGS (OPT_TRANS | BGP_ATTR_PARTIAL)

/* In seen[0], where all codes below 64 are. */
#define BIT(code) (UINT64_C(1) << (code))

#define DISCARD	 BGP_DISCARD_ATTR
#define WITHDRAW BGP_WITHDRAW
#define RESET	 BGP_RESET

/* clang-format off */
static const struct attr_rule rules[256] = {
	/*				body                     min max  flags       bad       bad_flags twice */
	[BGP_ORIGIN]		    = { body_origin,               1,   1, WELL_KNOWN, WITHDRAW, WITHDRAW, DISCARD },
	[BGP_AS_PATH]		    = { body_as_path,              0, ANY, WELL_KNOWN, WITHDRAW, WITHDRAW, DISCARD },
	[BGP_NEXT_HOP]		    = { body_next_hop,             4,  32, WELL_KNOWN, WITHDRAW, WITHDRAW, DISCARD },
	[BGP_MED]		    = { body_med,                  4,   4, OPT_LOCAL,  WITHDRAW, WITHDRAW, DISCARD },
	[BGP_LOCAL_PREF]	    = { body_local_pref,           4,   4, WELL_KNOWN, WITHDRAW, WITHDRAW, DISCARD },
	[BGP_ATOMIC_AGGREGATE]	    = { body_opaque,               0,   0, WELL_KNOWN, DISCARD,  WITHDRAW, DISCARD },
	[BGP_AGGREGATOR]	    = { body_aggregator,           6,   8, OPT_TRANS,  DISCARD,  WITHDRAW, DISCARD },
	[BGP_COMMUNITIES]	    = { body_communities,          4, ANY, OPT_TRANS,  WITHDRAW, WITHDRAW, DISCARD },
	[BGP_ORIGINATOR_ID]	    = { body_originator_id,        4,   4, OPT_LOCAL,  WITHDRAW, WITHDRAW, DISCARD },
	[BGP_CLUSTER_LIST]	    = { body_cluster_list,         4, ANY, OPT_LOCAL,  WITHDRAW, WITHDRAW, DISCARD },
	/*
	 * If only the flags are wrong, their NLRI are needed to withdraw: see
	 * judge_attr().
	 */
	[BGP_MP_REACH]		    = { body_mp_reach,             1, ANY, OPT_LOCAL,  RESET,    WITHDRAW, RESET },
	[BGP_MP_UNREACH]	    = { body_mp_unreach,           3, ANY, OPT_LOCAL,  RESET,    WITHDRAW, RESET },
	[BGP_EXT_COMMUNITIES]	    = { body_ext_communities,      8, ANY, OPT_TRANS,  WITHDRAW, WITHDRAW, DISCARD },
	/* RFC 6793 6 */
	[BGP_AS4_PATH]		    = { body_as4_path,             6, ANY, OPT_TRANS,  DISCARD,  DISCARD,  DISCARD },
	[BGP_AS4_AGGREGATOR]	    = { body_as4_aggregator,       8,   8, OPT_TRANS,  DISCARD,  DISCARD,  DISCARD },
	[BGP_PMSI_TUNNEL]	    = { body_opaque,               5, ANY, OPT_TRANS,  WITHDRAW, WITHDRAW, DISCARD },
	[BGP_TUNNEL_ENCAP]	    = { body_opaque,               0, ANY, OPT_TRANS,  WITHDRAW, WITHDRAW, DISCARD },
	[BGP_IPV6_EXT_COMMUNITIES]  = { body_ipv6_ext_communities,20, ANY, OPT_TRANS,  WITHDRAW, WITHDRAW, DISCARD },
	/* RFC 7311 3.2, RFC 9552 8.2.2, RFC 8669 6: discard in all cases. */
	[BGP_AIGP]		    = { body_aigp,                 3, ANY, OPT_LOCAL,  DISCARD,  DISCARD,  DISCARD },
	[BGP_LS_ATTRIBUTE]	    = { body_link_state,           0, ANY, OPT_LOCAL,  DISCARD,  DISCARD,  DISCARD },
	[BGP_LARGE_COMMUNITIES]	    = { body_large_communities,   12, ANY, OPT_TRANS,  WITHDRAW, WITHDRAW, DISCARD },
	/* RFC 8205 5.2 */
	[BGP_BGPSEC_PATH]	    = { body_bgpsec_path,         11, ANY, OPT_LOCAL,  WITHDRAW, WITHDRAW, WITHDRAW },
	[BGP_OTC]		    = { body_otc,                  4,   4, OPT_TRANS,  WITHDRAW, WITHDRAW, DISCARD },
	[BGP_PREFIX_SID]	    = { body_prefix_sid,           3, ANY, OPT_TRANS,  DISCARD,  DISCARD,  DISCARD },
	[BGP_ATTR_SET]		    = { body_opaque,               4, ANY, OPT_TRANS,  WITHDRAW, WITHDRAW, DISCARD },
};
/* clang-format on */

bool bgp_attr_known(uint8_t code)
{
	return rules[code].body != NULL;
}

uint8_t bgp_attr_flags(uint8_t code)
{
	return rules[code].flags;
}

void bgp_attrs_blame(struct bgp_attrs *a, enum bgp_verdict v,
		     enum bgp_fault fault, uint8_t code)
{
	/* A stronger verdict on another part does not repair the attributes. */
	a->withdraw |= v == BGP_WITHDRAW;
	if (v <= a->verdict)
		return;
	a->verdict = v;
	a->fault = fault;
	a->fault_code = code;
}

/* True if the attribute may be used. */
static bool judge_attr(const struct bgp_attr *t, const struct attr_rule *rule,
		       const struct bgp_decode_opts *r, struct bgp_attrs *a)
{
	if ((t->flags & OPT_TRANS) != rule->flags) {
		bgp_attrs_blame(a, rule->bad_flags, BGP_FAULT_FLAGS, t->code);
		/* To withdraw the announced routes they must be known. */
		if (t->code != BGP_MP_REACH && t->code != BGP_MP_UNREACH)
			return false;
	}
	if (t->value.len < rule->min || t->value.len > rule->max) {
		bgp_attrs_blame(a, rule->bad, BGP_FAULT_LENGTH, t->code);
		return false;
	}
	if (!rule->body(t->value, r, a)) {
		bgp_attrs_blame(a, rule->bad, BGP_FAULT_VALUE, t->code);
		return false;
	}
	return true;
}

/* Decide about AS4_PATH and AS4_AGGREGATOR, RFC 6793 4.2.3. */
static void settle_as4(struct bgp_attrs *a)
{
	const uint64_t twins = BIT(BGP_AS4_PATH) | BIT(BGP_AS4_AGGREGATOR);
	struct wire_view as4;

	if (!(a->seen[0] & twins))
		return;
	if (a->as_path.width == 4) {
		/* 4.1: a four-byte speaker ignores them. */
		a->seen[0] &= ~twins;
	} else if (bgp_attrs_find(a, BGP_AS4_AGGREGATOR, &as4) &&
		   bgp_attrs_has(a, BGP_AGGREGATOR)) {
		if (a->aggregator_as == BGP_AS_TRANS) {
			a->aggregator_as = wire_get_u32(as4.p);
			a->aggregator_id = wire_get_u32(as4.p + 4);
		} else {
			/* Aggregated by an old speaker since: both are stale. */
			a->seen[0] &= ~twins;
		}
	}
	if (!bgp_attrs_has(a, BGP_AS4_PATH))
		a->as_path.as4_path = (struct wire_view){ 0 };
}

/* A repeated code: the first is used, even if it was refused. */
static void blame_twice(struct bgp_attrs *a, uint8_t code)
{
	bgp_attrs_blame(a,
			rules[code].body != NULL ? rules[code].twice
						 : BGP_DISCARD_ATTR,
			BGP_FAULT_TWICE, code);
}

/* True if the flags and the width of the length are canonical. */
static inline bool head_is_canonical(const struct bgp_attr *t,
				     const struct attr_rule *rule)
{
	unsigned flags =
		rule->body != NULL ? rule->flags : t->flags & UNKNOWN_FLAGS;

	if (t->value.len > UINT8_MAX)
		flags |= BGP_ATTR_EXT_LEN;
	return t->flags == flags;
}

/*
 * Iterate over the block. Every attribute sets its bit in seen, so that a
 * repetition is noticed; refused ones also in @refused. Returns true if any was
 * refused.
 */
static inline bool walk_attrs(struct wire_view block,
			      const struct bgp_decode_opts *r,
			      struct bgp_attrs *a, uint64_t refused[4])
{
	struct wire_cursor c = wire_start(block);
	bool in_form = true;
	bool any = false;
	struct bgp_attr t;
	int last = -1;

	while (c.left != 0) {
		const struct attr_rule *rule;
		uint64_t *seen, bit;

		if (!bgp_attr_next(&c, &t)) {
			/* RFC 7606 4: the rest of the block is unreadable. */
			bgp_attrs_blame(a, BGP_WITHDRAW, BGP_FAULT_OVERRUN, 0);
			in_form = false;
			break;
		}
		rule = &rules[t.code];
		in_form &= t.code > last && head_is_canonical(&t, rule);
		last = t.code;
		seen = &a->seen[t.code / 64];
		bit = UINT64_C(1) << (t.code % 64);
		if (*seen & bit) {
			blame_twice(a, t.code);
			continue;
		}
		*seen |= bit;
		if (rule->body == NULL && (t.flags & BGP_ATTR_OPTIONAL)) {
			a->has_unknown = true;
		} else if (rule->body == NULL) {
			/*
			 * RFC 4271 6.3: an unknown well-known attribute is an
			 * error; RFC 7606 3c makes it a withdrawal.
			 */
			bgp_attrs_blame(a, BGP_WITHDRAW, BGP_FAULT_FLAGS,
					t.code);
			refused[t.code / 64] |= bit;
			any = true;
		} else if (!judge_attr(&t, rule, r, a)) {
			refused[t.code / 64] |= bit;
			any = true;
		}
	}
	a->headers_canonical &= in_form && !any;
	return any;
}

/*
 * Hot: once per UPDATE. Cost: one indirect call per attribute; the block is
 * read once, values are not copied. bench/bmp_decode.c
 */
enum bgp_verdict bgp_attrs_decode(struct wire_view block,
				  const struct bgp_decode_opts *opts,
				  struct bgp_attrs *out)
{
	/* Attributes that the canonical form has elsewhere or not at all. */
	const uint64_t elsewhere = BIT(BGP_MP_REACH) | BIT(BGP_MP_UNREACH) |
				   BIT(BGP_AS4_PATH) | BIT(BGP_AS4_AGGREGATOR);
	uint64_t refused[4] = { 0 };

	wire_clear(out, sizeof(*out));
	out->block = block;
	out->as_path.width = opts->as_width;
	out->headers_canonical = true;
	if (walk_attrs(block, opts, out, refused))
		for (int i = 0; i < 4; i++)
			out->seen[i] &= ~refused[i];
	if (out->seen[0] & elsewhere)
		out->headers_canonical = false;
	settle_as4(out);
	return out->verdict;
}

bool bgp_attrs_find(const struct bgp_attrs *a, uint8_t code,
		    struct wire_view *out)
{
	struct wire_cursor c = wire_start(a->block);
	struct bgp_attr t;

	if (!bgp_attrs_has(a, code))
		return false;
	while (bgp_attr_next(&c, &t)) {
		if (t.code == code) {
			*out = t.value;
			return true;
		}
	}
	return false;
}
