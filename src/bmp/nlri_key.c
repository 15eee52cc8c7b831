#include "bmp/nlri_key.h"

#include "bmp/nlri_fields.h"

/* A buffer that counts beyond its end. */
struct sink {
	uint8_t *p;
	size_t cap;
	size_t len;
};

static void put_bytes(struct sink *s, const uint8_t *p, size_t n)
{
	if (n != 0 && s->len <= s->cap && n <= s->cap - s->len)
		memcpy(s->p + s->len, p, n);
	s->len += n;
}

static void put_view(struct sink *s, struct wire_view v)
{
	put_bytes(s, v.p, v.len);
}

static void put_rd(struct sink *s, const struct bgp_nlri *n)
{
	uint8_t rd[8];

	wire_put_u64(rd, n->rd);
	put_bytes(s, rd, sizeof(rd));
}

static void put_type(struct sink *s, const struct bgp_nlri *n)
{
	uint8_t type[2];

	wire_put_u16(type, n->type);
	put_bytes(s, type, sizeof(type));
}

static void put_prefix(struct sink *s, const struct bgp_nlri *n)
{
	const struct bgp_family_info *info = bgp_family_info(n->family);
	const uint8_t *address = n->address + (info->addr_bits == 32 ? 12 : 0);

	if (info->flags & BGP_FAMILY_RD)
		put_rd(s, n);
	put_bytes(s, &n->prefix_len, 1);
	put_bytes(s, address, (n->prefix_len + 7u) / 8);
}

/* The bits of an address beyond its length must not make another route. */
static void put_masked(struct sink *s, const struct nlri_field *f)
{
	uint8_t copy[16] = { 0 };
	size_t bytes = (f->bits + 7u) / 8;

	memcpy(copy, f->value.p, bytes);
	if (f->bits % 8 != 0)
		copy[bytes - 1] &= (uint8_t)(0xff00 >> f->bits % 8);
	put_bytes(s, &f->bits, 1);
	put_bytes(s, copy, f->value.len);
}

/* Whether every field of a typed body can be read. */
static bool fields_valid(const struct bgp_nlri *n)
{
	struct nlri_field_iter it;
	struct nlri_field f;

	if (!nlri_field_start(&it, n))
		return false;
	while (nlri_field_next(&it, &f))
		;
	return !it.malformed;
}

static void put_fields(struct sink *s, const struct bgp_nlri *n, bool key)
{
	struct nlri_field_iter it;
	struct nlri_field f;

	(void)nlri_field_start(&it, n); /* fields_valid() has tried */
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

static void put_typed(struct sink *s, const struct bgp_nlri *n)
{
	/* MUP's architecture has a say in what the type means. */
	if (n->kind == BGP_NLRI_MUP)
		put_bytes(s, n->wire.p, 1);
	put_type(s, n);
	put_rd(s, n);
	/* A type we do not know, or a broken one: all of it is key. */
	if (fields_valid(n))
		put_fields(s, n, true);
	else
		put_view(s, n->body);
}

static void put_route_target(struct sink *s, const struct bgp_nlri *n)
{
	struct nlri_field f = { .bits = n->prefix_len, .value = n->body };

	put_masked(s, &f);
}

static void put_body(struct sink *s, const struct bgp_nlri *n)
{
	if (bgp_family_info(n->family)->flags & BGP_FAMILY_RD)
		put_rd(s, n);
	put_view(s, n->body);
}

static void put_link_state(struct sink *s, const struct bgp_nlri *n)
{
	put_type(s, n);
	put_body(s, n);
}

static void (*const writers[BGP_NLRI_KINDS])(struct sink *,
					     const struct bgp_nlri *) = {
	[BGP_NLRI_RAW] = put_body,
	[BGP_NLRI_PREFIX] = put_prefix,
	[BGP_NLRI_EVPN] = put_typed,
	[BGP_NLRI_FLOWSPEC] = put_body,
	[BGP_NLRI_LINK_STATE] = put_link_state,
	[BGP_NLRI_SR_POLICY] = put_typed,
	[BGP_NLRI_ROUTE_TARGET] = put_route_target,
	[BGP_NLRI_MVPN] = put_typed,
	[BGP_NLRI_VPLS] = put_typed,
	[BGP_NLRI_MUP] = put_typed,
};

size_t bgp_nlri_key(const struct bgp_nlri *n, uint8_t *out, size_t cap)
{
	struct sink s = { .p = out, .cap = cap };

	writers[n->kind](&s, n);
	return s.len;
}

size_t bgp_nlri_value(const struct bgp_nlri *n, uint8_t *out, size_t cap)
{
	struct sink s = { .p = out, .cap = cap };

	if (n->withdrawn)
		return 0;
	if (n->kind == BGP_NLRI_PREFIX)
		put_view(&s, n->labels);
	else if (fields_valid(n))
		put_fields(&s, n, false);
	return s.len;
}
