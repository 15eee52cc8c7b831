/*
 * The table of the kinds of NLRI: functions to read, key, show and write each
 * kind.
 */
#include "bmp/bgp_writer.h"
#include "bmp/nlri_fields.h"
#include "bmp/nlri_ops.h"

#define FLOWSPEC_SHORT_MAX 240

/*
 * A flow specification's length has two bytes if the first byte is 0xf0 or
 * more.
 */
#define FLOWSPEC_LONG 0xf0

bool bgp_nlri_has_rd(const struct bgp_nlri *n)
{
	return bgp_family_info(n->family)->flags & BGP_FAMILY_RD &&
	       (n->type == 0 ||
		n->type != bgp_nlri_ops[n->kind]->type_without_rd);
}

bool bgp_nlri_wire_has_rd(enum bgp_family family, struct wire_view wire)
{
	const struct bgp_family_info *info = bgp_family_info(family);
	uint8_t without = bgp_nlri_ops[info->kind]->type_without_rd;

	return info->flags & BGP_FAMILY_RD &&
	       (without == 0 || wire.len == 0 || wire.p[0] != without);
}

/* Reading one NLRI from a field */

/*
 * The format of the NLRI is not known, so they cannot be separated: take the
 * whole field.
 */
static bool read_raw(struct bgp_nlri_iter *it)
{
	return wire_take(&it->c, it->c.left, &it->nlri.body);
}

/* One byte of type, one of length: EVPN (RFC 7432 7), MVPN (RFC 6514 4). */
static bool read_typed(struct bgp_nlri_iter *it)
{
	uint8_t type, len;

	if (!(wire_u8(&it->c, &type) && wire_u8(&it->c, &len) &&
	      wire_take(&it->c, len, &it->nlri.body)))
		return false;
	it->nlri.type = type;
	return true;
}

/* draft-ietf-bess-mup-safi: architecture, then a type of two bytes. */
static bool read_mup(struct bgp_nlri_iter *it)
{
	uint8_t architecture, len;

	return wire_u8(&it->c, &architecture) &&
	       wire_u16(&it->c, &it->nlri.type) && wire_u8(&it->c, &len) &&
	       wire_take(&it->c, len, &it->nlri.body);
}

/* RFC 9552 5.2 */
static bool read_link_state(struct bgp_nlri_iter *it)
{
	uint16_t len;

	return wire_u16(&it->c, &it->nlri.type) && wire_u16(&it->c, &len) &&
	       wire_take(&it->c, len, &it->nlri.body);
}

/* RFC 8955 4.1 */
static bool read_flowspec(struct bgp_nlri_iter *it)
{
	uint8_t high, low;
	unsigned len;

	if (!wire_u8(&it->c, &high))
		return false;
	len = high;
	if (high >= FLOWSPEC_LONG) {
		if (!wire_u8(&it->c, &low))
			return false;
		len = (high & 0x0fu) << 8 | low;
	}
	return wire_take(&it->c, len, &it->nlri.body);
}

/* RFC 4684 4: a prefix of at most origin AS and route target. */
static bool read_route_target(struct bgp_nlri_iter *it)
{
	uint8_t bits;

	if (!wire_u8(&it->c, &bits) || bits > 96 || (bits != 0 && bits < 32) ||
	    !wire_take(&it->c, (bits + 7u) / 8, &it->nlri.body))
		return false;
	it->nlri.prefix_len = bits;
	return true;
}

/* RFC 9830 2.1: distinguisher, color, endpoint. */
static bool read_sr_policy(struct bgp_nlri_iter *it)
{
	uint8_t bits;

	return wire_u8(&it->c, &bits) && bits == 64 + it->addr_bits &&
	       wire_take(&it->c, bits / 8, &it->nlri.body);
}

/* RFC 4761 3.2.2, RFC 6074 3.2.2.1 */
static bool read_vpls(struct bgp_nlri_iter *it)
{
	uint16_t len;

	return wire_u16(&it->c, &len) && wire_take(&it->c, len, &it->nlri.body);
}

/* RFC 6037 4.2.3 */
static bool read_mdt(struct bgp_nlri_iter *it)
{
	uint8_t bits;

	return wire_u8(&it->c, &bits) && bits == 128 &&
	       wire_take(&it->c, bits / 8, &it->nlri.body);
}

/* RFC 9871 2.9: lengths of all and of the key, a type; then key and TLVs. */
static bool read_car(struct bgp_nlri_iter *it)
{
	uint8_t len, key_len, type;

	if (!(wire_u8(&it->c, &len) && len >= 2 && wire_u8(&it->c, &key_len) &&
	      wire_u8(&it->c, &type) && key_len <= len - 2 &&
	      wire_take(&it->c, len - 2u, &it->nlri.body)))
		return false;
	it->nlri.type = type;
	return true;
}

/* Keys and values */

static void put_bytes(struct nlri_sink *s, const uint8_t *p, size_t n)
{
	if (n != 0 && s->len <= s->cap && n <= s->cap - s->len)
		memcpy(s->p + s->len, p, n);
	s->len += n;
}

static void put_view(struct nlri_sink *s, struct wire_view v)
{
	put_bytes(s, v.p, v.len);
}

static void put_rd(struct nlri_sink *s, const struct bgp_nlri *n)
{
	uint8_t rd[8];

	wire_put_u64(rd, n->rd);
	put_bytes(s, rd, sizeof(rd));
}

static void put_type(struct nlri_sink *s, const struct bgp_nlri *n)
{
	uint8_t type[2];

	wire_put_u16(type, n->type);
	put_bytes(s, type, sizeof(type));
}

static void key_prefix(struct nlri_sink *s, const struct bgp_nlri *n)
{
	const struct bgp_family_info *info = bgp_family_info(n->family);
	const uint8_t *address = n->address + (info->addr_bits == 32 ? 12 : 0);

	if (info->flags & BGP_FAMILY_RD)
		put_rd(s, n);
	put_bytes(s, &n->prefix_len, 1);
	put_bytes(s, address, (n->prefix_len + 7u) / 8);
}

/* Clear the bits beyond the prefix length: they must not change the key. */
static void put_masked(struct nlri_sink *s, const struct nlri_field *f)
{
	uint8_t copy[16] = { 0 };
	size_t bytes = (f->bits + 7u) / 8;

	memcpy(copy, f->value.p, bytes);
	if (f->bits % 8 != 0)
		copy[bytes - 1] &= (uint8_t)(0xff00 >> f->bits % 8);
	put_bytes(s, &f->bits, 1);
	put_bytes(s, copy, f->value.len);
}

static void put_fields(struct nlri_sink *s, const struct bgp_nlri *n, bool key)
{
	struct nlri_field_iter it;
	struct nlri_field f;

	(void)nlri_field_start(&it, n); /* nlri_fields_valid() has tried */
	while (nlri_field_next(&it, &f)) {
		if (f.def->key != key)
			continue;
		if (f.def->form == NLRI_FIELD_PREFIX ||
		    f.def->form == NLRI_FIELD_PACKED)
			put_masked(s, &f);
		else
			put_view(s, f.wire);
	}
}

static void key_typed(struct nlri_sink *s, const struct bgp_nlri *n)
{
	put_type(s, n);
	put_rd(s, n);
	/*
	 * If the type is unknown or the body is malformed, the whole body is
	 * key.
	 */
	if (nlri_fields_valid(n))
		put_fields(s, n, true);
	else
		put_view(s, n->body);
}

static void key_route_target(struct nlri_sink *s, const struct bgp_nlri *n)
{
	struct nlri_field f = { .bits = n->prefix_len, .value = n->body };

	put_masked(s, &f);
}

static void key_body(struct nlri_sink *s, const struct bgp_nlri *n)
{
	if (bgp_family_info(n->family)->flags & BGP_FAMILY_RD)
		put_rd(s, n);
	put_view(s, n->body);
}

static void key_link_state(struct nlri_sink *s, const struct bgp_nlri *n)
{
	put_type(s, n);
	key_body(s, n);
}

/*
 * The key begins with the architecture, because the meaning of a MUP type
 * depends on it.
 */
static void key_mup(struct nlri_sink *s, const struct bgp_nlri *n)
{
	put_bytes(s, n->wire.p, 1);
	key_typed(s, n);
}

/* Values: the fields that are not key */

static void value_none(struct nlri_sink *s, const struct bgp_nlri *n)
{
	(void)s;
	(void)n;
}

static void value_labels(struct nlri_sink *s, const struct bgp_nlri *n)
{
	put_view(s, n->labels);
}

static void value_fields(struct nlri_sink *s, const struct bgp_nlri *n)
{
	if (nlri_fields_valid(n))
		put_fields(s, n, false);
}

/* Writing NLRI in wire format */

/* The three bytes that a withdrawal has in place of labels, RFC 8277 2.4. */
static const uint8_t no_label[3] = { 0x80, 0, 0 };

static void write_prefix(struct bmp_writer *w, const struct bgp_nlri *n)
{
	const struct bgp_family_info *info = bgp_family_info(n->family);
	struct wire_view labels = n->labels;
	size_t bits = n->prefix_len + (bgp_nlri_has_rd(n) ? 64u : 0);

	if (!(info->flags & BGP_FAMILY_LABELS))
		labels.len = 0;
	else if (labels.len == 0)
		labels = (struct wire_view){ no_label, sizeof(no_label) };
	bmp_put_u8(w, (uint8_t)(bits + labels.len * 8));
	bmp_put(w, labels.p, labels.len);
	if (bgp_nlri_has_rd(n))
		bmp_put_u64(w, n->rd);
	bmp_put(w, n->address + (info->addr_bits == 32 ? 12 : 0),
		(n->prefix_len + 7u) / 8);
}

/* The distinguisher and the body, after @head. */
static void write_body(struct bmp_writer *w, const struct bgp_nlri *n)
{
	if (bgp_nlri_has_rd(n))
		bmp_put_u64(w, n->rd);
	bmp_put(w, n->body.p, n->body.len);
}

static size_t body_len(const struct bgp_nlri *n)
{
	return n->body.len + (bgp_nlri_has_rd(n) ? 8 : 0);
}

static void write_typed(struct bmp_writer *w, const struct bgp_nlri *n)
{
	bmp_put_u8(w, (uint8_t)n->type);
	bmp_put_u8(w, (uint8_t)body_len(n));
	write_body(w, n);
}

static void write_mup(struct bmp_writer *w, const struct bgp_nlri *n)
{
	bmp_put_u8(w, n->wire.len != 0 ? n->wire.p[0] : 1);
	bmp_put_u16(w, n->type);
	bmp_put_u8(w, (uint8_t)body_len(n));
	write_body(w, n);
}

static void write_link_state(struct bmp_writer *w, const struct bgp_nlri *n)
{
	bmp_put_u16(w, n->type);
	bmp_put_u16(w, (uint16_t)body_len(n));
	write_body(w, n);
}

static void write_flowspec(struct bmp_writer *w, const struct bgp_nlri *n)
{
	size_t len = body_len(n);

	if (len < FLOWSPEC_SHORT_MAX)
		bmp_put_u8(w, (uint8_t)len);
	else
		bmp_put_u16(w, (uint16_t)(0xf000 | len));
	write_body(w, n);
}

static void write_sr_policy(struct bmp_writer *w, const struct bgp_nlri *n)
{
	bmp_put_u8(w, (uint8_t)(body_len(n) * 8));
	write_body(w, n);
}

static void write_route_target(struct bmp_writer *w, const struct bgp_nlri *n)
{
	bmp_put_u8(w, n->prefix_len);
	write_body(w, n);
}

static void write_vpls(struct bmp_writer *w, const struct bgp_nlri *n)
{
	bmp_put_u16(w, (uint16_t)body_len(n));
	write_body(w, n);
}

static void write_mdt(struct bmp_writer *w, const struct bgp_nlri *n)
{
	bmp_put_u8(w, (uint8_t)(body_len(n) * 8));
	write_body(w, n);
}

static void write_car(struct bmp_writer *w, const struct bgp_nlri *n)
{
	size_t len = body_len(n);

	bmp_put_u8(w, (uint8_t)(len + 2));
	bmp_put_u8(w, n->wire.len != 0 ? n->wire.p[1] : (uint8_t)len);
	bmp_put_u8(w, (uint8_t)n->type);
	write_body(w, n);
}

static const struct bgp_nlri_ops raw_ops = {
	.name = "raw",
	.read = read_raw,
	.key = key_body,
	.value = value_none,
	.text = bgp_nlri_text_raw,
	.write = write_body,
};

static const struct bgp_nlri_ops prefix_ops = {
	.name = "prefix",
	.read = bgp_nlri_read_prefix,
	.key = key_prefix,
	.value = value_labels,
	.text = bgp_nlri_text_prefix,
	.write = write_prefix,
};

static const struct bgp_nlri_ops evpn_ops = {
	.name = "evpn",
	.read = read_typed,
	.key = key_typed,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_typed,
	.layouts = &bgp_nlri_evpn_layouts,
	/*
	 * RFC 9572 3.3: as in MVPN, a Leaf A-D route begins with the key of
	 * another route.
	 */
	.type_without_rd = 11,
};

static const struct bgp_nlri_ops flowspec_ops = {
	.name = "flowspec",
	.read = read_flowspec,
	.key = key_body,
	.value = value_none,
	.text = bgp_nlri_text_flowspec,
	.write = write_flowspec,
};

static const struct bgp_nlri_ops link_state_ops = {
	.name = "link-state",
	.read = read_link_state,
	.key = key_link_state,
	.value = value_none,
	.text = bgp_nlri_text_link_state,
	.write = write_link_state,
	.layouts = &bgp_nlri_link_state_layouts,
};

static const struct bgp_nlri_ops sr_policy_ops = {
	.name = "sr-policy",
	.read = read_sr_policy,
	.key = key_typed,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_sr_policy,
	.layouts = &bgp_nlri_sr_policy_layouts,
};

static const struct bgp_nlri_ops route_target_ops = {
	.name = "route-target",
	.read = read_route_target,
	.key = key_route_target,
	.value = value_none,
	.text = bgp_nlri_text_route_target,
	.write = write_route_target,
};

static const struct bgp_nlri_ops mvpn_ops = {
	.name = "mvpn",
	.read = read_typed,
	.key = key_typed,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_typed,
	.layouts = &bgp_nlri_mvpn_layouts,
	/* A Leaf A-D route begins with another route's key. */
	.type_without_rd = 4,
};

static const struct bgp_nlri_ops vpls_ops = {
	.name = "vpls",
	.read = read_vpls,
	.key = key_typed,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_vpls,
	.layouts = &bgp_nlri_vpls_layouts,
};

static const struct bgp_nlri_ops mup_ops = {
	.name = "mup",
	.read = read_mup,
	.key = key_mup,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_mup,
	.layouts = &bgp_nlri_mup_layouts,
};

static const struct bgp_nlri_ops mdt_ops = {
	.name = "mdt",
	.read = read_mdt,
	.key = key_typed,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_mdt,
	.layouts = &bgp_nlri_mdt_layouts,
};

/* NLRI with a length field of two bytes, as VPLS. */
static const struct bgp_nlri_ops unreachability_ops = {
	.name = "unreachability",
	.read = read_vpls,
	.key = key_typed,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_vpls,
	.layouts = &bgp_nlri_unreachability_layouts,
};

static const struct bgp_nlri_ops car_ops = {
	.name = "car",
	.read = read_car,
	.key = key_typed,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_car,
	.layouts = &bgp_nlri_car_layouts,
};

/* NLRI with a type and a length of two bytes each, as BGP-LS. */
static const struct bgp_nlri_ops sfc_ops = {
	.name = "sfc",
	.read = read_link_state,
	.key = key_typed,
	.value = value_fields,
	.text = bgp_nlri_text_typed,
	.write = write_link_state,
	.layouts = &bgp_nlri_sfc_layouts,
};

const struct bgp_nlri_ops *const bgp_nlri_ops[BGP_NLRI_KINDS] = {
#define X(suffix, kind) [BGP_NLRI_##suffix] = &kind##_ops,
	BGP_NLRI_KIND_LIST(X)
#undef X
};
