/*
 * bmp/bytes.h - big-endian numbers at an address, unaligned
 *
 * These functions check no bounds; bmp/wire.h does.
 */
#ifndef BMP_BYTES_H
#define BMP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/*
 * The number in the eight bytes at @p, of which only the first @readable are
 * read; the others count as zero.
 */
static inline uint64_t wire_get_u64_padded(const uint8_t *p, size_t readable)
{
	uint64_t v = 0;

	if (readable >= 8)
		return wire_get_u64(p);
	for (size_t i = 0; i < readable; i++)
		v |= (uint64_t)p[i] << (56 - 8 * i);
	return v;
}

/* A big-endian number of @n bytes, at most eight; 0 if @n is 0. */
static inline uint64_t wire_get_number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[i];
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

/* True if the 16 bytes at @p are an IPv4 address mapped to IPv6. */
static inline bool wire_is_mapped(const uint8_t *p)
{
	return wire_get_u64(p) == 0 && wire_get_u32(p + 8) == 0xffff;
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

/* Write the IPv4 address at @v4 to @out, mapped to IPv6. */
static inline void wire_put_mapped(uint8_t out[16], const uint8_t v4[4])
{
	wire_put_u64(out, 0);
	wire_put_u32(out + 8, 0xffff);
	memcpy(out + 12, v4, 4);
}

/*
 * Copy @n bytes, which are usually few: a call of memcpy() would take longer.
 */
static inline void wire_copy(uint8_t *to, const uint8_t *from, size_t n)
{
	uint64_t word;

	if (n < 8) {
		if (n & 4)
			memcpy(to, from, 4);
		if (n & 2)
			memcpy(to + (n & 4), from + (n & 4), 2);
		if (n & 1)
			to[n - 1] = from[n - 1];
		return;
	}
	for (size_t at = 0; at < n - 8; at += 8) {
		memcpy(&word, from + at, 8);
		/*
		 * Without this gcc would replace the loop by a call of
		 * memmove().
		 */
		__asm__("" : "+r"(word));
		memcpy(to + at, &word, 8);
	}
	/* Copy the last eight bytes, some of which may be copied twice. */
	memcpy(to + n - 8, from + n - 8, 8);
}

/*
 * Set the @n bytes of a struct to zero. For a memset() of known size gcc emits
 * "rep stos" at -O2, which for a few hundred bytes takes longer than this loop.
 */
static inline void wire_clear(void *p, size_t n)
{
	__asm__("" : "+r"(n));
	memset(p, 0, n);
}

#endif
