/* Values of path attributes whose fields depend on their content. */
#include "bmp/attr_values.h"

#include "bmp/attr.h"
#include "bmp/attr_row.h"
#include "bmp/text.h"

static void write_number(struct field_writer *w, const char *name,
			 uint64_t value)
{
	w->ops->number(w->arg, name, value);
}

/* RFC 6514 5, RFC 8556 */

#define PMSI_TUNNELS 12

/* clang-format off */
static const struct {
	const char *name;
	/*
	 * Fields of the tunnel identifier, ended by a zero field. No fields =
	 * shown as bytes.
	 */
	struct value_field id[5];
} pmsi_tunnels[PMSI_TUNNELS] = {
	[0] = { .name = "none" },
	[1] = { "rsvp-te-p2mp", {
		VALUE("extendedTunnelId", IPV4), VALUE_RESERVED(2),
		VALUE("rsvpTunnel", NUMBER, .len = 2),
		VALUE("p2mpId", NUMBER, .len = 4) } },
	[2] = { .name = "mldp-p2mp" },
	[3] = { "pim-ssm", { VALUE("sender", IPV4), VALUE("group", IPV4) } },
	[4] = { "pim-sm", { VALUE("sender", IPV4), VALUE("group", IPV4) } },
	[5] = { "bidir-pim", { VALUE("sender", IPV4), VALUE("group", IPV4) } },
	[6] = { "ingress-replication", { VALUE("endpoint", ADDRESS) } },
	[7] = { .name = "mldp-mp2mp" },
	[11] = { "bier", {
		VALUE("subDomain", NUMBER, .len = 1), VALUE("bfrId", NUMBER, .len = 2),
		VALUE("bfrPrefix", ADDRESS) } },
};
/* clang-format on */

bool bgp_describe_pmsi(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view label, id;
	uint8_t flags, type;
	bool known;

	if (!(wire_u8(&c, &flags) && wire_u8(&c, &type) &&
	      wire_take(&c, 3, &label)))
		return false;
	if (w == NULL)
		return true;
	id = wire_rest(&c);
	known = type < PMSI_TUNNELS && pmsi_tunnels[type].name != NULL;
	write_number(w, "flags", flags);
	write_number(w, "tunnelType", type);
	if (known)
		w->ops->string(w->arg, "tunnel", pmsi_tunnels[type].name);
	write_number(w, "label", wire_get_number(label.p, 3) >> 4);
	if (id.len != 0 &&
	    !(known && value_describe(pmsi_tunnels[type].id, id, w)))
		w->ops->bytes(w->arg, "tunnelId", id);
	return true;
}

/*
 * RFC 6368 5: ATTR_SET is an origin AS and a block of attributes. An ATTR_SET
 * inside it is shown as bytes. True if the attributes in @c are complete.
 */

static bool block_is_whole(struct wire_cursor c)
{
	struct bgp_attr t;

	while (bgp_attr_next(&c, &t))
		;
	return c.left == 0;
}

bool bgp_describe_attr_set(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct bgp_attr t;
	uint32_t as;

	if (!wire_u32(&c, &as) || !block_is_whole(c))
		return false;
	if (w == NULL)
		return true;
	write_number(w, "originAs", as);
	w->ops->begin_list(w->arg, "attributes");
	while (bgp_attr_next(&c, &t)) {
		w->ops->begin_object(w->arg, NULL);
		bgp_attr_write(&t, t.code != BGP_ATTR_SET, w);
		w->ops->end_object(w->arg);
	}
	w->ops->end_list(w->arg);
	return true;
}

/*
 * RFC 8205 3: a Secure_Path, whose length counts itself, of six bytes for each
 * AS, then one or two Signature_Blocks, whose lengths count themselves, too.
 */

static bool take_block(struct wire_cursor *c, struct wire_view *out)
{
	uint16_t len;

	return wire_u16(c, &len) && len >= 2 && wire_take(c, len - 2u, out);
}

static void write_secure_path(struct field_writer *w, struct wire_view path)
{
	w->ops->begin_list(w->arg, "securePath");
	for (size_t i = 0; i + 6 <= path.len; i += 6) {
		w->ops->begin_object(w->arg, NULL);
		write_number(w, "pCount", path.p[i]);
		write_number(w, "flags", path.p[i + 1]);
		write_number(w, "asn", wire_get_u32(path.p + i + 2));
		w->ops->end_object(w->arg);
	}
	w->ops->end_list(w->arg);
}

bool bgp_describe_bgpsec_path(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_cursor blocks;
	struct wire_view path, block;

	if (!take_block(&c, &path) || path.len % 6 != 0)
		return false;
	blocks = c;
	while (c.left != 0)
		if (!take_block(&c, &block) || block.len == 0)
			return false;
	if (w == NULL)
		return true;
	write_secure_path(w, path);
	w->ops->begin_list(w->arg, "signatureBlocks");
	while (take_block(&blocks, &block)) {
		w->ops->begin_object(w->arg, NULL);
		write_number(w, "algorithm", block.p[0]);
		w->ops->bytes(w->arg, "signatures",
			      (struct wire_view){ block.p + 1, block.len - 1 });
		w->ops->end_object(w->arg);
	}
	w->ops->end_list(w->arg);
	return true;
}

/*
 * D-PATH, RFC 10039 4: a list of segments. A segment is a count, which is not
 * 0, and so many domains of seven bytes: a global and a local administrator,
 * and the SAFI from which the route came, 0 for a local route.
 */

#define DOMAIN_LEN 7

static bool take_domains(struct wire_cursor *c, struct wire_view *domains)
{
	uint8_t count;

	return wire_u8(c, &count) && count != 0 &&
	       wire_take(c, (size_t)count * DOMAIN_LEN, domains);
}

static void write_domain(struct field_writer *w, const uint8_t *p)
{
	char buf[32];
	struct text t = text_start(buf, sizeof(buf));

	text_u64(&t, wire_get_u32(p));
	text_char(&t, ':');
	text_u64(&t, wire_get_u16(p + 4));
	text_end(&t);
	w->ops->begin_object(w->arg, NULL);
	w->ops->string(w->arg, "domain", buf);
	write_number(w, "safi", p[6]);
	w->ops->end_object(w->arg);
}

bool bgp_describe_domain_path(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view domains;

	while (c.left != 0)
		if (!take_domains(&c, &domains))
			return false;
	if (w == NULL)
		return true;
	c = wire_start(v);
	w->ops->begin_list(w->arg, "segments");
	while (take_domains(&c, &domains)) {
		w->ops->begin_object(w->arg, NULL);
		w->ops->begin_list(w->arg, "domains");
		for (size_t i = 0; i < domains.len; i += DOMAIN_LEN)
			write_domain(w, domains.p + i);
		w->ops->end_list(w->arg);
		w->ops->end_object(w->arg);
	}
	w->ops->end_list(w->arg);
	return true;
}

/*
 * RFC 6514 8: pairs of a PE's address and a label. The length of the addresses
 * follows only from the length of the value; if both 4 and 16 bytes are
 * possible, the addresses are IPv4.
 */
bool bgp_describe_pe_labels(struct field_writer *w, struct wire_view v)
{
	size_t address = v.len % 7 == 0 ? 4 : 16;
	size_t step = address + 3;

	if (v.len == 0 || v.len % step != 0)
		return false;
	if (w == NULL)
		return true;
	w->ops->begin_list(w->arg, "labels");
	for (size_t i = 0; i < v.len; i += step) {
		const uint8_t *p = v.p + i;

		w->ops->begin_object(w->arg, NULL);
		value_write_address(w, "address",
				    (struct wire_view){ p, address });
		write_number(w, "label", wire_get_number(p + address, 3) >> 4);
		w->ops->end_object(w->arg);
	}
	w->ops->end_list(w->arg);
	return true;
}
