#include "bmp/text.h"

#include "bmp/wire.h"

static const char digits[] = "0123456789abcdef";

size_t text_end(struct text *t)
{
	if (t->cap != 0)
		t->p[t->len < t->cap ? t->len : t->cap - 1] = '\0';
	return t->len;
}

void text_char(struct text *t, char c)
{
	if (t->len + 1 < t->cap)
		t->p[t->len] = c;
	t->len++;
}

void text_str(struct text *t, const char *s)
{
	while (*s != '\0')
		text_char(t, *s++);
}

void text_u64(struct text *t, uint64_t v)
{
	char reversed[20];
	size_t n = 0;

	do {
		reversed[n++] = digits[v % 10];
		v /= 10;
	} while (v != 0);
	while (n != 0)
		text_char(t, reversed[--n]);
}

void text_hex(struct text *t, const uint8_t *p, size_t n, char between)
{
	for (size_t i = 0; i < n; i++) {
		if (i != 0 && between != 0)
			text_char(t, between);
		text_char(t, digits[p[i] >> 4]);
		text_char(t, digits[p[i] & 15]);
	}
}

void text_ipv4(struct text *t, const uint8_t *p)
{
	for (int i = 0; i < 4; i++) {
		if (i != 0)
			text_char(t, '.');
		text_u64(t, p[i]);
	}
}

/* Write 16 bits in hex, without leading zeros. */
static void text_hex_group(struct text *t, uint16_t v)
{
	int shift = 12;

	while (shift > 0 && v >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		text_char(t, digits[v >> shift & 15]);
}

/* The first longest run of at least two zero groups, RFC 5952 4.2. */
static void find_run(const uint16_t g[8], int *start, int *len)
{
	*start = -1;
	*len = 1;
	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && g[i + n] == 0)
			n++;
		if (n > *len) {
			*start = i;
			*len = n;
		}
	}
}

void text_ipv6(struct text *t, const uint8_t *p)
{
	uint16_t g[8];
	int start, len;

	for (int i = 0; i < 8; i++)
		g[i] = wire_get_u16(p + 2 * i);
	find_run(g, &start, &len);
	for (int i = 0; i < 8; i++) {
		if (i == start) {
			text_str(t, "::");
			i += len - 1;
			continue;
		}
		if (i != 0 && i != start + len)
			text_char(t, ':');
		text_hex_group(t, g[i]);
	}
}

void text_ip(struct text *t, const uint8_t *p)
{
	if (wire_is_mapped(p))
		text_ipv4(t, p + 12);
	else
		text_ipv6(t, p);
}

void text_ip_port(struct text *t, const uint8_t *p, uint16_t port)
{
	bool ipv6 = !wire_is_mapped(p);

	if (ipv6)
		text_char(t, '[');
	text_ip(t, p);
	if (ipv6)
		text_char(t, ']');
	text_char(t, ':');
	text_u64(t, port);
}

void text_rd(struct text *t, uint64_t rd)
{
	uint8_t b[8];

	wire_put_u64(b, rd);
	switch (wire_get_u16(b)) {
	case 0:
		text_u64(t, wire_get_u16(b + 2));
		text_char(t, ':');
		text_u64(t, wire_get_u32(b + 4));
		break;
	case 1:
		text_ipv4(t, b + 2);
		text_char(t, ':');
		text_u64(t, wire_get_u16(b + 6));
		break;
	case 2:
		text_u64(t, wire_get_u32(b + 2));
		text_char(t, ':');
		text_u64(t, wire_get_u16(b + 6));
		break;
	default:
		text_hex(t, b, sizeof(b), ':');
	}
}

size_t text_utf8_len(struct wire_view v)
{
	static const struct {
		uint8_t mask, lead;
		uint32_t least;
	} forms[] = {
		{ 0x80, 0x00, 0 },
		{ 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 },
	};

	for (size_t n = 0; n < sizeof(forms) / sizeof(forms[0]); n++) {
		uint32_t code = v.p[0] & (uint8_t)~forms[n].mask;

		if ((v.p[0] & forms[n].mask) != forms[n].lead)
			continue;
		if (v.len <= n)
			return 0;
		for (size_t i = 1; i <= n; i++) {
			if ((v.p[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (v.p[i] & 0x3f);
		}
		/*
		 * Refuse overlong forms, surrogates, and code points beyond
		 * Unicode.
		 */
		if (code < forms[n].least || code > 0x10ffff ||
		    (code >= 0xd800 && code <= 0xdfff))
			return 0;
		return n + 1;
	}
	return 0;
}

bool text_is_unsafe(const uint8_t *p, size_t len, uint32_t *code)
{
	static const struct {
		uint32_t first, last;
	} unsafe[] = {
		{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0x061c, 0x061c },
		{ 0x200e, 0x200f }, { 0x202a, 0x202e }, { 0x2066, 0x2069 },
	};

	*code = p[0];
	if (len == 2)
		*code = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	else if (len == 3)
		*code = (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 |
			(p[2] & 0x3fu);
	else if (len > 3)
		return false;
	for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++)
		if (*code >= unsafe[i].first && *code <= unsafe[i].last)
			return true;
	return false;
}

struct wire_view text_cut(struct wire_view v, size_t max)
{
	size_t len = max;
	size_t sequence;

	if (v.len <= max)
		return v;
	/*
	 * Find the start of the UTF-8 sequence that the byte at @max belongs
	 * to, if it is in one.
	 */
	while (len > 0 && max - len < 3 && (v.p[len] & 0xc0) == 0x80)
		len--;
	sequence = text_utf8_len((struct wire_view){ v.p + len, v.len - len });
	if (len + sequence <= max)
		len = max;
	return (struct wire_view){ v.p, len };
}
