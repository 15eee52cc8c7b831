/*
 * bmp/wire.h - read big-endian fields from borrowed bytes
 *
 * A cursor walks bytes it does not own. Each getter either takes its whole
 * field and returns true, or takes nothing, writes nothing and returns false,
 * so a decoder chains them with && and checks once:
 *
 *	if (!(wire_u16(&c, &type) && wire_u16(&c, &len) &&
 *	      wire_take(&c, len, &body)))
 *		return BMP_SHORT;
 *
 * No other file of the layer advances through input by a length from the input:
 * the others take views by these functions and read inside a view at offsets
 * that are in its bounds.
 */
#ifndef BMP_WIRE_H
#define BMP_WIRE_H

#include "bmp/bytes.h"

#include <stdbool.h>

/*
 * Bytes that somebody else owns. A view is valid as long as the buffer that it
 * refers to.
 */
struct wire_view {
	const uint8_t *p;
	size_t len;
};

struct wire_cursor {
	const uint8_t *p;
	size_t left;
};

static inline struct wire_cursor wire_start(struct wire_view v)
{
	return (struct wire_cursor){ .p = v.p, .left = v.len };
}

static inline bool wire_take(struct wire_cursor *c, size_t n,
			     struct wire_view *out)
{
	if (c->left < n)
		return false;
	*out = (struct wire_view){ .p = c->p, .len = n };
	if (n != 0)
		c->p += n;
	c->left -= n;
	return true;
}

/* Skip @n bytes; false if fewer are left. */
static inline bool wire_skip(struct wire_cursor *c, size_t n)
{
	struct wire_view skipped;

	return wire_take(c, n, &skipped);
}

/* All bytes that are left. */
static inline struct wire_view wire_rest(const struct wire_cursor *c)
{
	return (struct wire_view){ .p = c->p, .len = c->left };
}

static inline bool wire_u8(struct wire_cursor *c, uint8_t *out)
{
	struct wire_view v;

	if (!wire_take(c, 1, &v))
		return false;
	*out = v.p[0];
	return true;
}

static inline bool wire_u16(struct wire_cursor *c, uint16_t *out)
{
	struct wire_view v;

	if (!wire_take(c, 2, &v))
		return false;
	*out = wire_get_u16(v.p);
	return true;
}

static inline bool wire_u32(struct wire_cursor *c, uint32_t *out)
{
	struct wire_view v;

	if (!wire_take(c, 4, &v))
		return false;
	*out = wire_get_u32(v.p);
	return true;
}

static inline bool wire_u64(struct wire_cursor *c, uint64_t *out)
{
	struct wire_view v;

	if (!wire_take(c, 8, &v))
		return false;
	*out = wire_get_u64(v.p);
	return true;
}

#endif
