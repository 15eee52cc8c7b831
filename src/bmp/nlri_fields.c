#include "bmp/nlri_fields.h"

#include "bmp/nlri_ops.h"

#define NUMBER	NLRI_FIELD_NUMBER
#define HEX	NLRI_FIELD_HEX
#define MAC	NLRI_FIELD_MAC
#define IP	NLRI_FIELD_IP
#define PREFIX	NLRI_FIELD_PREFIX
#define PACKED	NLRI_FIELD_PACKED
#define ADDRESS NLRI_FIELD_ADDRESS
#define LABEL	NLRI_FIELD_LABEL
#define REST	NLRI_FIELD_REST

/* VALUE() of bmp/value_layout.h; in this file VALUE has another meaning. */
#define VALUE_OF(field, kind, ...)                                 \
	{                                                          \
		.name = (field), .form = VALUE_##kind, __VA_ARGS__ \
	}
#undef VALUE

#define KEY   true
#define VALUE false

/* clang-format off */

/* RFC 7432 7, RFC 9136 3, RFC 9251 9, RFC 9572 3 */
static const struct nlri_layout evpn[] = {
	[1] = { "ethernet-ad", {
		{ "esi", HEX, 10, KEY, NULL }, { "tag", NUMBER, 4, KEY, NULL },
		{ "label", LABEL, 3, VALUE, NULL } } },
	[2] = { "mac-ip", {
		{ "esi", HEX, 10, VALUE, NULL }, { "tag", NUMBER, 4, KEY, NULL },
		{ "mac", MAC, 0, KEY, NULL }, { "ip", IP, 0, KEY, NULL },
		{ "label", LABEL, 3, VALUE, NULL }, { "label2", LABEL, 3, VALUE, NULL } } },
	[3] = { "inclusive-multicast", {
		{ "tag", NUMBER, 4, KEY, NULL }, { "originator", IP, 0, KEY, NULL } } },
	[4] = { "ethernet-segment", {
		{ "esi", HEX, 10, KEY, NULL }, { "originator", IP, 0, KEY, NULL } } },
	[5] = { "ip-prefix", {
		{ "esi", HEX, 10, VALUE, NULL }, { "tag", NUMBER, 4, KEY, NULL },
		{ "prefix", PREFIX, 0, KEY, NULL }, { "gateway", ADDRESS, 0, VALUE, NULL },
		{ "label", LABEL, 3, VALUE, NULL } } },
	[6] = { "selective-multicast", {
		{ "tag", NUMBER, 4, KEY, NULL }, { "source", IP, 0, KEY, NULL },
		{ "group", IP, 0, KEY, NULL }, { "originator", IP, 0, KEY, NULL },
		{ "flags", HEX, 1, VALUE, NULL } } },
	[7] = { "membership-report-synch", {
		{ "esi", HEX, 10, KEY, NULL }, { "tag", NUMBER, 4, KEY, NULL },
		{ "source", IP, 0, KEY, NULL }, { "group", IP, 0, KEY, NULL },
		{ "originator", IP, 0, KEY, NULL }, { "flags", HEX, 1, VALUE, NULL } } },
	[8] = { "leave-synch", {
		{ "esi", HEX, 10, KEY, NULL }, { "tag", NUMBER, 4, KEY, NULL },
		{ "source", IP, 0, KEY, NULL }, { "group", IP, 0, KEY, NULL },
		{ "originator", IP, 0, KEY, NULL }, { "reserved", HEX, 4, VALUE, NULL },
		/*
		 * Maximum response time and flags; some routers send one of
		 * the two.
		 */
		{ "flags", REST, 0, VALUE, NULL } } },
	[9] = { "per-region-i-pmsi", {
		{ "tag", NUMBER, 4, KEY, NULL }, { "region", HEX, 8, KEY, NULL } } },
	[10] = { "s-pmsi", {
		{ "tag", NUMBER, 4, KEY, NULL }, { "source", IP, 0, KEY, NULL },
		{ "group", IP, 0, KEY, NULL }, { "originator", IP, 0, KEY, NULL } } },
	[11] = { "leaf", { { "route", REST, 0, KEY, NULL } } },
};

/* RFC 6514 4 */
static const struct nlri_layout mvpn[] = {
	[1] = { "intra-as-i-pmsi", { { "originator", ADDRESS, 0, KEY, NULL } } },
	[2] = { "inter-as-i-pmsi", { { "as", NUMBER, 4, KEY, NULL } } },
	[3] = { "s-pmsi", {
		{ "source", IP, 0, KEY, NULL }, { "group", IP, 0, KEY, NULL },
		{ "originator", ADDRESS, 0, KEY, NULL } } },
	[4] = { "leaf", { { "route", REST, 0, KEY, NULL } } },
	[5] = { "source-active", {
		{ "source", IP, 0, KEY, NULL }, { "group", IP, 0, KEY, NULL } } },
	[6] = { "shared-tree-join", {
		{ "as", NUMBER, 4, KEY, NULL }, { "source", IP, 0, KEY, NULL },
		{ "group", IP, 0, KEY, NULL } } },
	[7] = { "source-tree-join", {
		{ "as", NUMBER, 4, KEY, NULL }, { "source", IP, 0, KEY, NULL },
		{ "group", IP, 0, KEY, NULL } } },
};

/* draft-ietf-bess-mup-safi 3.1.3.1 and 3.1.4.1: of the architecture 3GPP 5G */
static const struct value_field mup_session[] = {
	VALUE_OF("teid", NUMBER, .len = 4), VALUE_OF("qfi", NUMBER, .len = 1),
	VALUE_OF("endpoint, source", CUSTOM, .custom = bgp_describe_mup_addresses),
	{ 0 },
};
static const struct value_field mup_endpoint[] = {
	VALUE_OF("endpoint, teid", CUSTOM, .custom = bgp_describe_mup_endpoint),
	{ 0 },
};

/* draft-ietf-bess-mup-safi 3 */
static const struct nlri_layout mup[] = {
	[1] = { "interwork-segment", { { "prefix", PACKED, 0, KEY, NULL } } },
	[2] = { "direct-segment", { { "address", ADDRESS, 0, KEY, NULL } } },
	[3] = { "type-1-session", {
		{ "prefix", PACKED, 0, KEY, NULL },
		{ "session", REST, 0, VALUE, mup_session } } },
	[4] = { "type-2-session", {
		{ "endpoint", REST, 0, KEY, mup_endpoint } } },
};

static const struct nlri_layout link_state[] = {
	[1] = { .name = "node" },
	[2] = { .name = "link" },
	[3] = { .name = "ipv4-prefix" },
	[4] = { .name = "ipv6-prefix" },
	[5] = { .name = "sr-policy-candidate-path" }, /* RFC 9857 4 */
	[6] = { .name = "srv6-sid" },
	/* draft-ietf-idr-bgpls-inter-as-topology-ext */
	[7] = { .name = "stub-link" },
};

/* RFC 9830 2.1 */
static const struct nlri_layout sr_policy[] = { { "sr-policy", {
	{ "distinguisher", NUMBER, 4, KEY, NULL }, { "color", NUMBER, 4, KEY, NULL },
	{ "endpoint", ADDRESS, 0, KEY, NULL } } } };

/* RFC 4761 3.2.2; with RFC 6074, only the address of a PE. */
static const struct nlri_layout vpls[] = { { "vpls", {
	{ "ve", NUMBER, 2, KEY, NULL }, { "offset", NUMBER, 2, KEY, NULL },
	{ "size", NUMBER, 2, VALUE, NULL }, { "label", LABEL, 3, VALUE, NULL } } } };
static const struct nlri_layout vpls_discovery = { "vpls-discovery", {
	{ "pe", ADDRESS, 0, KEY, NULL } } };

/* RFC 6037 4.2.3: of a PE, and the group of its default MDT */
static const struct nlri_layout mdt[] = { { "mdt", {
	{ "source", ADDRESS, 0, KEY, NULL }, { "group", ADDRESS, 0, KEY, NULL } } } };

/* draft-tantsura-idr-unreachability-safi-06 3 */
static const struct nlri_layout unreachability[] = { { "unreachable", {
	{ "prefix", PACKED, 0, KEY, NULL }, { "reporters", REST, 0, VALUE, NULL } } } };

/* RFC 9871 2.9 */
static const struct nlri_layout car[] = {
	[1] = { "color-aware", {
		{ "prefix", PACKED, 0, KEY, NULL }, { "color", NUMBER, 4, KEY, NULL },
		{ "tlvs", REST, 0, VALUE, NULL } } },
	[2] = { "ip-prefix", {
		{ "prefix", PACKED, 0, KEY, NULL }, { "tlvs", REST, 0, VALUE, NULL } } },
};

/* RFC 9015 3.1 */
static const struct nlri_layout sfc[] = {
	[1] = { "sfir", { { "sf-type", NUMBER, 2, KEY, NULL } } },
	[2] = { "sfpr", { { "spi", NUMBER, 3, KEY, NULL } } },
};

/* clang-format on */

#define LAYOUTS(table)                                                        \
	{                                                                     \
		.rows = (table), .count = sizeof(table) / sizeof((table)[0]), \
	}

const struct nlri_layouts bgp_nlri_evpn_layouts = LAYOUTS(evpn);
const struct nlri_layouts bgp_nlri_mvpn_layouts = LAYOUTS(mvpn);
const struct nlri_layouts bgp_nlri_mup_layouts = LAYOUTS(mup);
const struct nlri_layouts bgp_nlri_link_state_layouts = LAYOUTS(link_state);
const struct nlri_layouts bgp_nlri_mdt_layouts = LAYOUTS(mdt);
const struct nlri_layouts bgp_nlri_unreachability_layouts =
	LAYOUTS(unreachability);
const struct nlri_layouts bgp_nlri_car_layouts = LAYOUTS(car);
const struct nlri_layouts bgp_nlri_sfc_layouts = LAYOUTS(sfc);
const struct nlri_layouts bgp_nlri_sr_policy_layouts = LAYOUTS(sr_policy);
const struct nlri_layouts bgp_nlri_vpls_layouts = {
	.rows = vpls,
	.count = 1,
	.four_bytes = &vpls_discovery,
};

static const struct nlri_layout *find_layout(const struct bgp_nlri *n)
{
	const struct nlri_layouts *layouts = bgp_nlri_ops[n->kind]->layouts;

	if (layouts == NULL)
		return NULL;
	if (layouts->four_bytes != NULL && n->body.len == 4)
		return layouts->four_bytes;
	if (n->type >= layouts->count || layouts->rows[n->type].name == NULL)
		return NULL;
	return &layouts->rows[n->type];
}

const char *nlri_type_name(const struct bgp_nlri *n)
{
	const struct nlri_layout *layout = find_layout(n);

	return layout != NULL ? layout->name : NULL;
}

/*
 * The length of addresses that have no length field, from the length of the
 * body. In EVPN, the prefix and the gateway have 4 bytes each or 16 bytes each
 * (RFC 9136 3.1); other NLRI have one address, at their end.
 */
static uint8_t address_len(const struct bgp_nlri *n)
{
	if (n->kind == BGP_NLRI_EVPN)
		return n->body.len == 26 ? 4 : 16;
	return n->kind == BGP_NLRI_MDT ? 4 : 0;
}

bool nlri_field_start(struct nlri_field_iter *it, const struct bgp_nlri *n)
{
	const struct nlri_layout *layout = find_layout(n);

	if (layout == NULL || layout->fields[0].form == NLRI_FIELD_END)
		return false;
	*it = (struct nlri_field_iter){
		.c = wire_start(n->body),
		.def = layout->fields,
		.address_len = address_len(n),
	};
	return true;
}

/*
 * The number of bytes after the length byte; SIZE_MAX if that byte is invalid.
 */
static size_t len_after(const struct nlri_field_iter *it, uint8_t form,
			uint8_t bits)
{
	switch (form) {
	case MAC:
		return bits == 48 ? 6 : SIZE_MAX;
	case IP:
		return bits == 0 || bits == 32 || bits == 128 ? bits / 8u
							      : SIZE_MAX;
	case PREFIX:
		return bits <= it->address_len * 8u ? it->address_len
						    : SIZE_MAX;
	default:
		return bits <= 128 ? (bits + 7u) / 8 : SIZE_MAX;
	}
}

static bool take_field(struct nlri_field_iter *it, struct nlri_field *f)
{
	struct wire_cursor start = it->c;
	size_t len = f->def->len;

	switch (f->def->form) {
	case MAC:
	case IP:
	case PREFIX:
	case PACKED:
		if (!wire_u8(&it->c, &f->bits))
			return false;
		len = len_after(it, f->def->form, f->bits);
		break;
	case ADDRESS:
		len = it->address_len != 0 ? it->address_len : it->c.left;
		if (len != 4 && len != 16)
			return false;
		break;
	case LABEL:
		if (it->c.left == 0)
			len = 0;
		break;
	case REST:
		len = it->c.left;
		break;
	}
	if (!wire_take(&it->c, len, &f->value))
		return false;
	return wire_take(&start, start.left - it->c.left, &f->wire);
}

bool nlri_field_next(struct nlri_field_iter *it, struct nlri_field *out)
{
	struct nlri_field f = { .def = it->def };

	if (it->malformed)
		return false;
	if (it->def->form == NLRI_FIELD_END) {
		it->malformed = it->c.left != 0;
		return false;
	}
	if (!take_field(it, &f)) {
		it->malformed = true;
		return false;
	}
	it->def++;
	*out = f;
	return true;
}

bool nlri_fields_valid(const struct bgp_nlri *n)
{
	struct nlri_field_iter it;
	struct nlri_field f;

	if (!nlri_field_start(&it, n))
		return false;
	while (nlri_field_next(&it, &f))
		;
	return !it.malformed;
}
