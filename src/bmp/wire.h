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
 * This is the only file in the room that does pointer arithmetic on input.
 */
#ifndef BMP_WIRE_H
#define BMP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes somebody else owns. Valid as long as the buffer it was cut from. */
struct wire_view {
	const uint8_t *p;
	size_t len;
};

struct wire_cursor {
	const uint8_t *p;
	size_t left;
};

/*
 * Zero a struct of a few hundred bytes. At -O2 gcc makes "rep stos" of a
 * memset() of known size, which takes longer to start than this to finish.
 */
static inline void wire_clear(void *p, size_t n)
{
	__asm__("" : "+r"(n));
	memset(p, 0, n);
}

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

/* Step over @n bytes, if they are there. */
static inline bool wire_skip(struct wire_cursor *c, size_t n)
{
	struct wire_view skipped;

	return wire_take(c, n, &skipped);
}

/* What is left, all of it. */
static inline struct wire_view wire_rest(const struct wire_cursor *c)
{
	return (struct wire_view){ .p = c->p, .len = c->left };
}

static inline uint16_t wire_get_u16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap16(v);
}

static inline uint32_t wire_get_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline uint64_t wire_get_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap64(v);
}

/* The first eight bytes, or as many as are @readable, then zeros. */
static inline uint64_t wire_get_u64_padded(const uint8_t *p, size_t readable)
{
	uint64_t v = 0;

	if (readable >= 8)
		return wire_get_u64(p);
	for (size_t i = 0; i < readable; i++)
		v |= (uint64_t)p[i] << (56 - 8 * i);
	return v;
}

static inline uint32_t wire_get_u32_padded(const uint8_t *p, size_t readable)
{
	uint32_t v = 0;

	if (readable >= 4)
		return wire_get_u32(p);
	if (readable > 0)
		v = (uint32_t)p[0] << 24;
	if (readable > 1)
		v |= (uint32_t)p[1] << 16;
	if (readable > 2)
		v |= (uint32_t)p[2] << 8;
	return v;
}

static inline void wire_put_u16(uint8_t *p, uint16_t v)
{
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void wire_put_u32(uint8_t *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void wire_put_u64(uint8_t *p, uint64_t v)
{
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
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
