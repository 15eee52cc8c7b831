/* BGP-LS NLRI as text: RFC 9552 5.2. */
#include "bmp/nlri_fields.h"
#include "bmp/nlri_ops.h"
#include "bmp/text.h"
#include "bmp/tlv.h"

#define TLV_LOCAL_NODE	256
#define TLV_REMOTE_NODE 257

enum tlv_text {
	AS_HEX,
	AS_NUMBER,
	AS_ADDRESS,
};

static const struct tlv_name {
	uint16_t type;
	uint8_t form; /* enum tlv_text */
	const char *name;
} names[] = {
	{ 258, AS_HEX, "link-id" },	    { 259, AS_ADDRESS, "local-ip" },
	{ 260, AS_ADDRESS, "remote-ip" },   { 261, AS_ADDRESS, "local-ip" },
	{ 262, AS_ADDRESS, "remote-ip" },   { 263, AS_HEX, "topology" },
	{ 264, AS_NUMBER, "route-type" },   { 265, AS_HEX, "prefix" },
	{ 512, AS_NUMBER, "as" },	    { 513, AS_NUMBER, "bgp-ls-id" },
	{ 514, AS_ADDRESS, "area" },	    { 515, AS_HEX, "router-id" },
	{ 516, AS_ADDRESS, "bgp-id" },	    { 517, AS_NUMBER, "member-as" },
	{ 518, AS_HEX, "srv6-sid" },	    { 270, AS_NUMBER, "remote-as" },
	{ 271, AS_ADDRESS, "remote-asbr" }, { 272, AS_ADDRESS, "remote-asbr" },
	{ 550, AS_NUMBER, "tunnel-id" },    { 551, AS_NUMBER, "lsp-id" },
	{ 552, AS_ADDRESS, "head-end" },    { 553, AS_ADDRESS, "tail-end" },
	{ 554, AS_HEX, "candidate-path" },  { 555, AS_HEX, "cross-connect" },
	{ 556, AS_HEX, "interface" },	    { 557, AS_HEX, "fec" },
	{ 1185, AS_NUMBER, "family" },
};

static void text_value(struct text *t, struct wire_view v, uint8_t form)
{
	if (form == AS_NUMBER && v.len <= 8)
		text_u64(t, wire_get_number(v.p, v.len));
	else if (form == AS_ADDRESS && v.len == 4)
		text_ipv4(t, v.p);
	else if (form == AS_ADDRESS && v.len == 16)
		text_ipv6(t, v.p);
	else
		text_hex(t, v.p, v.len, 0);
}

static void text_tlv(struct text *t, const struct tlv *tlv)
{
	const struct tlv_name *row = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].type == tlv->type)
			row = &names[i];
	if (row != NULL) {
		text_str(t, row->name);
	} else {
		text_str(t, "tlv-");
		text_u64(t, tlv->type);
	}
	text_char(t, ' ');
	text_value(t, tlv->value, row != NULL ? row->form : AS_HEX);
}

/* Write a node descriptor, whose value is a list of TLVs. */
static void text_node(struct text *t, const struct tlv *node)
{
	struct tlv_iter it = tlv_start(node->value, TLV_BMP);
	bool first = true;
	struct tlv tlv;

	text_str(t,
		 node->type == TLV_LOCAL_NODE ? "local-node(" : "remote-node(");
	while (tlv_next(&it, &tlv)) {
		if (!first)
			text_char(t, ' ');
		first = false;
		text_tlv(t, &tlv);
	}
	text_char(t, ')');
}

static void text_descriptors(struct text *t, struct wire_view list)
{
	struct tlv_iter it = tlv_start(list, TLV_BMP);
	struct tlv tlv;

	while (tlv_next(&it, &tlv)) {
		text_char(t, ' ');
		if (tlv.type == TLV_LOCAL_NODE || tlv.type == TLV_REMOTE_NODE)
			text_node(t, &tlv);
		else
			text_tlv(t, &tlv);
	}
	if (it.cut)
		text_str(t, " malformed");
}

void bgp_nlri_text_link_state(struct text *t, const struct bgp_nlri *n)
{
	struct wire_cursor c = wire_start(n->body);
	const char *name = nlri_type_name(n);
	uint8_t protocol;
	uint64_t id;

	text_str(t, "link-state ");
	if (name != NULL) {
		text_str(t, name);
	} else {
		text_str(t, "type-");
		text_u64(t, n->type);
	}
	if (bgp_family_info(n->family)->flags & BGP_FAMILY_RD) {
		text_str(t, " rd ");
		text_rd(t, n->rd);
	}
	if (name == NULL || !(wire_u8(&c, &protocol) && wire_u64(&c, &id))) {
		text_char(t, ' ');
		text_hex(t, n->body.p, n->body.len, 0);
		return;
	}
	text_str(t, " protocol ");
	text_u64(t, protocol);
	text_str(t, " id ");
	text_u64(t, id);
	text_descriptors(t, wire_rest(&c));
}
