/*
 * Iterates over a block of attributes, judges each by its row in attr_rows.c,
 * and decides what to do if an attribute is repeated or if AS4_PATH and
 * AS4_AGGREGATOR are present.
 */
#include "bmp/attr.h"

#include "bmp/attr_row.h"
#include "bmp/decode_context.h"

#define OPT_TRANS (BGP_ATTR_OPTIONAL | BGP_ATTR_TRANSITIVE)

/*
 * The flags that the canonical form of an unknown attribute keeps. The flag of
 * the extended length follows from the length; the other flags are reserved.
 */
#define UNKNOWN_FLAGS (OPT_TRANS | BGP_ATTR_PARTIAL)

/* The bit of @code in seen[0], which has the codes below 64. */
#define BIT(code) (UINT64_C(1) << (code))

bool bgp_attr_known(uint8_t code)
{
	return bgp_attr_rows[code].decode != NULL;
}

uint8_t bgp_attr_flags(uint8_t code)
{
	return bgp_attr_rows[code].flags;
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

/*
 * Check the flags, the length and the value of an attribute, and fill its
 * member. True if the attribute may be used; else the verdict is set.
 */
static bool judge_attr(const struct bgp_attr *t, const struct bgp_attr_row *row,
		       const struct bgp_decode_opts *r, struct bgp_attrs *a)
{
	if ((t->flags & OPT_TRANS) != row->flags) {
		bgp_attrs_blame(a, row->bad_flags, BGP_FAULT_FLAGS, t->code);
		/*
		 * Decode MP_REACH and MP_UNREACH in spite of wrong flags:
		 * otherwise the routes to withdraw would not be known.
		 */
		if (t->code != BGP_MP_REACH && t->code != BGP_MP_UNREACH)
			return false;
	}
	if (t->value.len < row->min || t->value.len > row->max) {
		bgp_attrs_blame(a, row->bad_value, BGP_FAULT_LENGTH, t->code);
		return false;
	}
	if (!row->decode(t->value, r, a)) {
		bgp_attrs_blame(a, row->bad_value, BGP_FAULT_VALUE, t->code);
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
		/* RFC 6793 4.1: if ASNs have four bytes, both are ignored. */
		a->seen[0] &= ~twins;
	} else if (bgp_attrs_find(a, BGP_AS4_AGGREGATOR, &as4) &&
		   bgp_attrs_has(a, BGP_AGGREGATOR)) {
		if (a->aggregator_as == BGP_AS_TRANS) {
			a->aggregator_as = wire_get_u32(as4.p);
			a->aggregator_id = wire_get_u32(as4.p + 4);
		} else {
			/*
			 * A speaker with two-byte ASNs has aggregated the route
			 * later, so AS4_PATH and AS4_AGGREGATOR are out of
			 * date.
			 */
			a->seen[0] &= ~twins;
		}
	}
	if (!bgp_attrs_has(a, BGP_AS4_PATH))
		a->as_path.as4_path = (struct wire_view){ 0 };
}

/*
 * Set the verdict for a repeated attribute. The first one is used, or none if
 * the first one was refused.
 */
static void blame_twice(struct bgp_attrs *a, uint8_t code)
{
	bgp_attrs_blame(a,
			bgp_attr_rows[code].decode != NULL
				? bgp_attr_rows[code].twice
				: BGP_DISCARD_ATTR,
			BGP_FAULT_TWICE, code);
}

/* True if the flags and the width of the length are canonical. */
static inline bool head_is_canonical(const struct bgp_attr *t,
				     const struct bgp_attr_row *row)
{
	unsigned flags =
		row->decode != NULL ? row->flags : t->flags & UNKNOWN_FLAGS;

	if (t->value.len > UINT8_MAX)
		flags |= BGP_ATTR_EXT_LEN;
	return t->flags == flags;
}

/*
 * Iterate over the block. Each attribute sets its bit in seen, so that a
 * repetition is noticed; a refused one also sets its bit in @refused. Returns
 * true if an attribute was refused.
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
		const struct bgp_attr_row *row;
		uint64_t *seen, bit;

		if (!bgp_attr_next(&c, &t)) {
			/* RFC 7606 4: the rest of the block is unreadable. */
			bgp_attrs_blame(a, BGP_WITHDRAW, BGP_FAULT_OVERRUN, 0);
			in_form = false;
			break;
		}
		row = &bgp_attr_rows[t.code];
		in_form &= t.code > last && head_is_canonical(&t, row);
		last = t.code;
		seen = &a->seen[t.code / 64];
		bit = UINT64_C(1) << (t.code % 64);
		if (*seen & bit) {
			blame_twice(a, t.code);
			continue;
		}
		*seen |= bit;
		if (row->decode == NULL && (t.flags & BGP_ATTR_OPTIONAL)) {
			a->has_unknown = true;
		} else if (row->decode == NULL) {
			/*
			 * RFC 4271 6.3: an unknown well-known attribute is an
			 * error; RFC 7606 3c makes it a withdrawal.
			 */
			bgp_attrs_blame(a, BGP_WITHDRAW, BGP_FAULT_FLAGS,
					t.code);
			refused[t.code / 64] |= bit;
			any = true;
		} else if (!judge_attr(&t, row, r, a)) {
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
