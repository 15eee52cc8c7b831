#include "egress/capnp/builder.h"

/* The length of the UTF-8 character at @p; 0 if it is not valid (RFC 3629). */
static size_t utf8_length(const uint8_t *p, size_t left)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	static const uint32_t least[5] = { 0, 1, 0x80, 0x800, 0x10000 };
	uint32_t c;

	if (len == 1)
		/* some readers would end the text at a NUL */
		return p[0] != '\0';
	if (p[0] < 0xc2 || p[0] > 0xf4 || len > left)
		return 0;
	c = p[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return len;
}

void capnp_build_text(struct capnp_builder *b, unsigned n, struct wire_view v)
{
	uint8_t *out = (uint8_t *)b->next;

	if (v.len == 0)
		return;
	capnp_build_list(b, n, EGRESS_LIST_BYTES, v.len + 1);
	b->next[egress_words(v.len + 1) - 1] = 0;
	memcpy(out, v.p, v.len);
	out[v.len] = '\0';
	for (size_t i = 0; i < v.len;) {
		size_t len = utf8_length(out + i, v.len - i);

		if (len == 0)
			out[i] = '?';
		i += len == 0 ? 1 : len;
	}
	b->next += egress_words(v.len + 1);
}
