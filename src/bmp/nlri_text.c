#include "bmp/nlri_text.h"

#include "bmp/nlri_fields.h"
#include "bmp/nlri_ops.h"

/* Four bytes are IPv4, sixteen IPv6; with fewer, zeros follow. */
static void text_address(struct text *t, struct wire_view v, bool ipv6)
{
	uint8_t copy[16] = { 0 };

	memcpy(copy, v.p, v.len < sizeof(copy) ? v.len : sizeof(copy));
	if (ipv6)
		text_ipv6(t, copy);
	else
		text_ipv4(t, copy);
}

static void text_prefix(struct text *t, const struct nlri_field *f, bool ipv6)
{
	uint8_t copy[16] = { 0 };
	struct wire_view masked = { copy, sizeof(copy) };
	size_t bytes = (f->bits + 7u) / 8;

	memcpy(copy, f->value.p, bytes);
	if (f->bits % 8 != 0)
		copy[bytes - 1] &= (uint8_t)(0xff00 >> f->bits % 8);
	text_address(t, masked, ipv6);
	text_char(t, '/');
	text_u64(t, f->bits);
}

static void text_field(struct text *t, const struct bgp_nlri *n,
		       const struct nlri_field *f)
{
	text_char(t, ' ');
	text_str(t, f->def->name);
	text_char(t, ' ');
	switch (f->def->form) {
	case NLRI_FIELD_NUMBER:
		text_u64(t, wire_get_number(f->value.p, f->value.len));
		break;
	case NLRI_FIELD_HEX:
	case NLRI_FIELD_MAC:
		text_hex(t, f->value.p, f->value.len, ':');
		break;
	case NLRI_FIELD_IP:
	case NLRI_FIELD_ADDRESS:
		if (f->value.len == 0)
			text_char(t, '*');
		else
			text_address(t, f->value, f->value.len == 16);
		break;
	case NLRI_FIELD_PREFIX:
		text_prefix(t, f, f->value.len == 16);
		break;
	case NLRI_FIELD_PACKED:
		text_prefix(t, f, n->afi == 2);
		break;
	default:
		text_hex(t, f->value.p, f->value.len, 0);
	}
}

void bgp_nlri_text_typed(struct text *t, const struct bgp_nlri *n)
{
	const char *name = nlri_type_name(n);
	struct nlri_field_iter it;
	struct nlri_field f;

	if (name != NULL) {
		text_str(t, name);
	} else {
		text_str(t, "type ");
		text_u64(t, n->type);
	}
	if (bgp_nlri_has_rd(n)) {
		text_str(t, " rd ");
		text_rd(t, n->rd);
	}
	if (!nlri_field_start(&it, n)) {
		text_char(t, ' ');
		text_hex(t, n->body.p, n->body.len, 0);
		return;
	}
	while (nlri_field_next(&it, &f))
		if (f.def->key)
			text_field(t, n, &f);
	if (it.malformed) {
		text_str(t, " malformed ");
		text_hex(t, n->body.p, n->body.len, 0);
	}
}

void bgp_nlri_text_prefix(struct text *t, const struct bgp_nlri *n)
{
	if (bgp_family_info(n->family)->flags & BGP_FAMILY_RD) {
		text_str(t, "rd ");
		text_rd(t, n->rd);
		text_char(t, ' ');
	}
	/* An IPv6 prefix may look like a mapped address; it stays IPv6. */
	if (n->afi == 1)
		text_ipv4(t, n->address + 12);
	else
		text_ipv6(t, n->address);
	text_char(t, '/');
	text_u64(t, n->prefix_len);
}

/*
 * RFC 4684 4: if the prefix is shorter than origin AS and route target, the
 * missing bits are a wildcard.
 */
void bgp_nlri_text_route_target(struct text *t, const struct bgp_nlri *n)
{
	text_str(t, "route-target ");
	if (n->prefix_len == 0) {
		text_str(t, "default");
		return;
	}
	text_u64(t, wire_get_u32(n->body.p));
	text_char(t, ':');
	text_hex(t, n->body.p + 4, n->body.len - 4, 0);
	text_char(t, '/');
	text_u64(t, n->prefix_len);
}

void bgp_nlri_text_raw(struct text *t, const struct bgp_nlri *n)
{
	text_str(t, "raw ");
	text_hex(t, n->body.p, n->body.len, 0);
}

size_t bgp_nlri_text(const struct bgp_nlri *n, char *out, size_t cap)
{
	struct text t = text_start(out, cap);

	bgp_nlri_ops[n->kind]->text(&t, n);
	return text_end(&t);
}
