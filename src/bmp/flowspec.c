/* Flow specifications as text: RFC 8955 4.2, RFC 8956 3, l2vpn drafts. */
#include "bmp/nlri.h"
#include "bmp/nlri_ops.h"
#include "bmp/text.h"

#define OP_END	   0x80
#define OP_AND	   0x40
#define OP_LEN(op) (1u << ((op) >> 4 & 3))
/* Bits of an operator for numbers */
#define OP_LT 0x04
#define OP_GT 0x02
#define OP_EQ 0x01
/* Bits of an operator for bit masks */
#define OP_NOT	 0x02
#define OP_MATCH 0x01

enum component_form {
	NUMERIC,
	BITMASK,
	PREFIX,
};

static const struct component {
	const char *name; /* NULL = a type without a name here */
	uint8_t form;
} components[] = {
	[1] = { "dst", PREFIX },	  [2] = { "src", PREFIX },
	[3] = { "proto", NUMERIC },	  [4] = { "port", NUMERIC },
	[5] = { "dport", NUMERIC },	  [6] = { "sport", NUMERIC },
	[7] = { "icmp-type", NUMERIC },	  [8] = { "icmp-code", NUMERIC },
	[9] = { "tcp-flags", BITMASK },	  [10] = { "length", NUMERIC },
	[11] = { "dscp", NUMERIC },	  [12] = { "fragment", BITMASK },
	[13] = { "flow-label", NUMERIC },
};

static void text_numeric_op(struct text *t, uint8_t op)
{
	static const char *const names[8] = {
		"false", "=", ">", ">=", "<", "<=", "!=", "true",
	};

	text_str(t, names[op & (OP_LT | OP_GT | OP_EQ)]);
}

static void text_bitmask_op(struct text *t, uint8_t op)
{
	if (op & OP_NOT)
		text_char(t, '!');
	text_char(t, op & OP_MATCH ? '=' : '~');
}

/*
 * Write a list of pairs of operator and value, which ends with the pair whose
 * operator has the end bit.
 */
static bool text_operations(struct text *t, struct wire_cursor *c,
			    enum component_form form)
{
	struct wire_view value;
	bool first = true;
	uint8_t op;

	do {
		if (!wire_u8(c, &op) || !wire_take(c, OP_LEN(op), &value))
			return false;
		if (!first)
			text_char(t, op & OP_AND ? '&' : '|');
		first = false;
		if (form == NUMERIC) {
			text_numeric_op(t, op);
			text_u64(t, wire_get_number(value.p, value.len));
		} else {
			text_bitmask_op(t, op);
			text_str(t, "0x");
			text_hex(t, value.p, value.len, 0);
		}
	} while (!(op & OP_END));
	return true;
}

/*
 * Write the pattern of an IPv6 prefix to @address. The pattern begins with the
 * bit after the offset, and its padding is ignored (RFC 8956 3.1).
 */
static void put_pattern(uint8_t address[16], struct wire_view pattern,
			unsigned offset, unsigned bits)
{
	for (size_t i = 0; i < pattern.len; i++) {
		size_t at = offset / 8 + i;

		address[at] |= (uint8_t)(pattern.p[i] >> offset % 8);
		if (at + 1 < 16)
			address[at + 1] |=
				(uint8_t)(pattern.p[i] << (8 - offset % 8));
	}
	for (size_t bit = bits; bit < 128; bit++)
		address[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
}

/*
 * Write a prefix. An IPv6 prefix has an offset: the number of leading bits that
 * are not compared (RFC 8956 3.1).
 */
static bool text_prefix(struct text *t, struct wire_cursor *c, bool ipv6)
{
	uint8_t copy[16] = { 0 };
	uint8_t bits, offset = 0;
	struct wire_view v;

	if (!wire_u8(c, &bits) || (ipv6 && !wire_u8(c, &offset)) ||
	    bits > (ipv6 ? 128 : 32) || (offset >= bits && offset != 0) ||
	    !wire_take(c, (bits - offset + 7u) / 8, &v))
		return false;
	if (ipv6) {
		put_pattern(copy, v, offset, bits);
		text_ipv6(t, copy);
	} else {
		memcpy(copy, v.p, v.len);
		text_ipv4(t, copy);
	}
	text_char(t, '/');
	text_u64(t, bits);
	if (offset != 0) {
		text_str(t, " offset ");
		text_u64(t, offset);
	}
	return true;
}

static bool text_component(struct text *t, struct wire_cursor *c, bool ipv6)
{
	const struct component *row = NULL;
	uint8_t type;

	if (!wire_u8(c, &type))
		return false;
	text_char(t, ' ');
	if (type < sizeof(components) / sizeof(components[0]))
		row = &components[type];
	if (row == NULL || row->name == NULL) {
		/*
		 * An unknown component is taken to be a list of operators, like
		 * all that were defined since RFC 8956.
		 */
		text_str(t, "component-");
		text_u64(t, type);
		text_char(t, ' ');
		return text_operations(t, c, NUMERIC);
	}
	text_str(t, row->name);
	text_char(t, ' ');
	return row->form == PREFIX ? text_prefix(t, c, ipv6)
				   : text_operations(t, c, row->form);
}

void bgp_nlri_text_flowspec(struct text *t, const struct bgp_nlri *n)
{
	struct wire_cursor c = wire_start(n->body);

	text_str(t, "flow");
	if (bgp_family_info(n->family)->flags & BGP_FAMILY_RD) {
		text_str(t, " rd ");
		text_rd(t, n->rd);
	}
	while (c.left != 0) {
		if (!text_component(t, &c, n->afi == 2)) {
			text_str(t, " malformed ");
			text_hex(t, n->body.p, n->body.len, 0);
			return;
		}
	}
}
