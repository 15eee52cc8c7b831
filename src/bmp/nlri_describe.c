#include "bmp/nlri_describe.h"

#include "bmp/community.h"
#include "bmp/nlri_fields.h"
#include "bmp/nlri_ops.h"
#include "bmp/text.h"

#define TEXT_MAX 96

static void write_text(struct field_writer *w, const char *name, struct text *t,
		       const char *buf)
{
	text_end(t);
	w->ops->string(w->arg, name, buf);
}

/* Mobile user plane */

/* Take an address that follows a byte with its length in bits. */
static bool take_address(struct wire_cursor *c, struct wire_view *out)
{
	uint8_t bits;

	return wire_u8(c, &bits) && (bits == 32 || bits == 128) &&
	       wire_take(c, bits / 8, out);
}

bool bgp_describe_mup_addresses(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view endpoint, source = { 0 };

	if (!take_address(&c, &endpoint) ||
	    (c.left != 0 && !take_address(&c, &source)) || c.left != 0)
		return false;
	if (w == NULL)
		return true;
	value_write_address(w, "endpoint", endpoint);
	if (source.len != 0)
		value_write_address(w, "source", source);
	return true;
}

/*
 * One length field counts the bits of the address and of the TEID, which may
 * have fewer than 32 bits. A TEID is not longer than an IPv4 address, so the
 * length shows whether the address is IPv4 or IPv6.
 */
bool bgp_describe_mup_endpoint(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view address, teid;
	uint8_t bits;

	if (!wire_u8(&c, &bits) || c.left != (bits + 7u) / 8 ||
	    !wire_take(&c, bits <= 64 ? 4 : 16, &address) || c.left > 4)
		return false;
	if (w == NULL)
		return true;
	teid = wire_rest(&c);
	value_write_address(w, "endpoint", address);
	w->ops->number(w->arg, "teidBits", bits - 8 * address.len);
	w->ops->bytes(w->arg, "teid", teid);
	return true;
}

/* BGP-LS, RFC 9552 5.2, RFC 9086 4, RFC 9514 6, RFC 9857 4.1 */

/*
 * RFC 9857 4.1: flags give the lengths of the endpoint (E) and the originator
 * (O).
 */
static bool write_candidate_path(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view head, endpoint, originator;
	uint32_t color, as, discriminator;

	if (!(wire_take(&c, 4, &head) &&
	      wire_take(&c, head.p[1] & 0x80 ? 16 : 4, &endpoint) &&
	      wire_u32(&c, &color) && wire_u32(&c, &as) &&
	      wire_take(&c, head.p[1] & 0x40 ? 16 : 4, &originator) &&
	      wire_u32(&c, &discriminator)) ||
	    c.left != 0)
		return false;
	if (w == NULL)
		return true;
	w->ops->number(w->arg, "protocolOrigin", head.p[0]);
	w->ops->bytes(w->arg, "flags", (struct wire_view){ head.p + 1, 1 });
	value_write_address(w, "endpoint", endpoint);
	w->ops->number(w->arg, "color", color);
	w->ops->number(w->arg, "originatorAs", as);
	value_write_address(w, "originator", originator);
	w->ops->number(w->arg, "discriminator", discriminator);
	return true;
}

/* clang-format off */
static const struct tlv_row node_tlvs[] = {
	{ 512, "autonomous-system", { VALUE("asn", NUMBER, .len = 4) } },
	{ 513, "bgp-ls-identifier", { VALUE("identifier", NUMBER, .len = 4) } },
	{ 514, "ospf-area-id", { VALUE("area", IPV4) } },
	{ 515, "igp-router-id", { VALUE("routerId", REST) } },
	{ 516, "bgp-router-id", { VALUE("bgpId", IPV4) } },
	{ 517, "bgp-confederation-member", { VALUE("asn", NUMBER, .len = 4) } },
};
static const struct tlv_layout node_layout = { TLV_HEAD_2_2, sizeof(node_tlvs) / sizeof(node_tlvs[0]), node_tlvs };

static const struct tlv_row descriptor_tlvs[] = {
	{ 256, "local-node", { VALUE("tlvs", TLVS, .tlvs = &node_layout) } },
	{ 257, "remote-node", { VALUE("tlvs", TLVS, .tlvs = &node_layout) } },
	{ 258, "link-identifiers", { VALUE("local", NUMBER, .len = 4), VALUE("remote", NUMBER, .len = 4) } },
	{ 259, "ipv4-interface", { VALUE("address", IPV4) } },
	{ 260, "ipv4-neighbor", { VALUE("address", IPV4) } },
	{ 261, "ipv6-interface", { VALUE("address", IPV6) } },
	{ 262, "ipv6-neighbor", { VALUE("address", IPV6) } },
	{ 263, "multi-topology", { VALUE("topologies", NUMBERS, .len = 2) } },
	{ 264, "ospf-route-type", { VALUE("routeType", NUMBER, .len = 1) } },
	{ 265, "ip-reachability", { VALUE("prefixLen", NUMBER, .len = 1), VALUE("prefix", REST) } },
	/* RFC 9346, draft-ietf-idr-bgpls-inter-as-topology-ext */
	{ 270, "remote-as", { VALUE("asn", NUMBER, .len = 4) } },
	{ 271, "ipv4-remote-asbr", { VALUE("address", IPV4) } },
	{ 272, "ipv6-remote-asbr", { VALUE("address", IPV6) } },
	{ 518, "srv6-sid", { VALUE("sid", IPV6) } },
	/* draft-ietf-idr-bgp-ls-te-path */
	{ 550, "tunnel-id", { VALUE("tunnelId", NUMBER, .len = 2) } },
	{ 551, "lsp-id", { VALUE("lspId", NUMBER, .len = 2) } },
	{ 552, "tunnel-head-end", { VALUE("address", ADDRESS) } },
	{ 553, "tunnel-tail-end", { VALUE("address", ADDRESS) } },
	{ 554, "sr-policy-candidate-path", { VALUE("protocolOrigin, endpoint, color, ...", CUSTOM, .custom = write_candidate_path) } },
	{ 555, "mpls-local-cross-connect", { VALUE("crossConnect", REST) } },
	{ 556, "mpls-cross-connect-interface", { VALUE("interface", REST) } },
	{ 557, "mpls-cross-connect-fec", { VALUE("fec", REST) } },
	/* RFC 9815 5.2.2 */
	{ 1185, "address-family-link", { VALUE("family", NUMBER, .len = 1) } },
};
static const struct tlv_layout descriptor_layout = { TLV_HEAD_2_2, sizeof(descriptor_tlvs) / sizeof(descriptor_tlvs[0]), descriptor_tlvs };

const struct value_field bgp_link_state_nlri[] = {
	VALUE("protocol", NUMBER, .len = 1),
	VALUE("identifier", NUMBER, .len = 8),
	VALUE("descriptors", TLVS, .tlvs = &descriptor_layout),
	{ 0 },
};
/* clang-format on */

/*
 * Route targets, RFC 4684 4: the NLRI may have only the first bits of a target.
 */

static void describe_route_target(const struct bgp_nlri *n,
				  struct field_writer *w)
{
	char buf[TEXT_MAX];
	struct text t = text_start(buf, sizeof(buf));

	w->ops->number(w->arg, "prefixLen", n->prefix_len);
	if (n->body.len < 4)
		return;
	w->ops->number(w->arg, "originAs", wire_get_u32(n->body.p));
	if (n->body.len == 12 && bgp_ext_community_text(&t, n->body.p + 4))
		write_text(w, "routeTarget", &t, buf);
	else if (n->body.len > 4)
		w->ops->bytes(w->arg, "routeTarget",
			      (struct wire_view){ n->body.p + 4,
						  n->body.len - 4 });
}

/* Tables of fields */

/* Write a prefix, with the bits beyond its length cleared. */
static void write_prefix(const struct nlri_field *f, bool ipv6,
			 struct field_writer *w)
{
	uint8_t copy[16] = { 0 };
	size_t bytes = (f->bits + 7u) / 8;
	char buf[TEXT_MAX];
	struct text t = text_start(buf, sizeof(buf));

	memcpy(copy, f->value.p, bytes);
	if (f->bits % 8 != 0)
		copy[bytes - 1] &= (uint8_t)(0xff00 >> f->bits % 8);
	if (ipv6)
		text_ipv6(&t, copy);
	else
		text_ipv4(&t, copy);
	text_char(&t, '/');
	text_u64(&t, f->bits);
	write_text(w, f->def->name, &t, buf);
}

static void write_mac(const struct nlri_field *f, struct field_writer *w)
{
	char buf[TEXT_MAX];
	struct text t = text_start(buf, sizeof(buf));

	text_hex(&t, f->value.p, f->value.len, ':');
	write_text(w, f->def->name, &t, buf);
}

static void write_field(const struct bgp_nlri *n, const struct nlri_field *f,
			struct field_writer *w)
{
	const char *name = f->def->name;

	switch (f->def->form) {
	case NLRI_FIELD_NUMBER:
		w->ops->number(w->arg, name,
			       wire_get_number(f->value.p, f->value.len));
		break;
	case NLRI_FIELD_LABEL:
		if (f->value.len != 0)
			w->ops->number(w->arg, name,
				       bgp_label_value(f->value.p));
		break;
	case NLRI_FIELD_MAC:
		write_mac(f, w);
		break;
	case NLRI_FIELD_IP:
	case NLRI_FIELD_ADDRESS:
		if (f->value.len != 0)
			value_write_address(w, name, f->value);
		break;
	case NLRI_FIELD_PREFIX:
		write_prefix(f, f->value.len == 16, w);
		break;
	case NLRI_FIELD_PACKED:
		write_prefix(f, n->afi == 2, w);
		break;
	default:
		if (f->value.len != 0 &&
		    (f->def->inside == NULL ||
		     !value_describe(f->def->inside, f->value, w)))
			w->ops->bytes(w->arg, name, f->value);
	}
}

bool bgp_nlri_has_fields(const struct bgp_nlri *n)
{
	if (n->kind == BGP_NLRI_ROUTE_TARGET)
		return true;
	if (n->kind == BGP_NLRI_LINK_STATE)
		return value_fits(bgp_link_state_nlri, n->body);
	return nlri_fields_valid(n);
}

void bgp_nlri_describe(const struct bgp_nlri *n, struct field_writer *w)
{
	const char *name = nlri_type_name(n);
	struct nlri_field_iter it;
	struct nlri_field f;

	if (!bgp_nlri_has_fields(n))
		return;
	if (n->type != 0)
		w->ops->number(w->arg, "type", n->type);
	if (name != NULL)
		w->ops->string(w->arg, "name", name);
	if (n->kind == BGP_NLRI_ROUTE_TARGET) {
		describe_route_target(n, w);
	} else if (n->kind == BGP_NLRI_LINK_STATE) {
		(void)value_describe(bgp_link_state_nlri, n->body, w);
	} else if (nlri_field_start(&it, n)) {
		while (nlri_field_next(&it, &f))
			write_field(n, &f, w);
	}
}
