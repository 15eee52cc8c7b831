#include "capture/format.h"

/* clang-format off */
static const struct magic {
	uint8_t len;
	uint8_t bytes[6];
	enum capture_format format;
} magics[] = {
	{ 2, { 0x1f, 0x8b },				CAPTURE_GZIP },
	{ 3, { 'B', 'Z', 'h' },				CAPTURE_BZIP2 },
	{ 6, { 0xfd, '7', 'z', 'X', 'Z', 0 },		CAPTURE_XZ },
	{ 4, { 0x28, 0xb5, 0x2f, 0xfd },		CAPTURE_ZSTD },
	/*
	 * pcap with microseconds and with nanoseconds, each in both byte orders
	 */
	{ 4, { 0xa1, 0xb2, 0xc3, 0xd4 },		CAPTURE_PCAP },
	{ 4, { 0xd4, 0xc3, 0xb2, 0xa1 },		CAPTURE_PCAP },
	{ 4, { 0xa1, 0xb2, 0x3c, 0x4d },		CAPTURE_PCAP },
	{ 4, { 0x4d, 0x3c, 0xb2, 0xa1 },		CAPTURE_PCAP },
	{ 4, { 0x0a, 0x0d, 0x0d, 0x0a },		CAPTURE_PCAPNG },
};

static const char *const names[CAPTURE_FORMATS] = {
	[CAPTURE_UNKNOWN]	= "unknown",
	[CAPTURE_GZIP]		= "gzip",
	[CAPTURE_BZIP2]		= "bzip2",
	[CAPTURE_XZ]		= "xz",
	[CAPTURE_ZSTD]		= "zstd",
	[CAPTURE_PCAP]		= "pcap",
	[CAPTURE_PCAPNG]	= "pcapng",
	[CAPTURE_BMP]		= "BMP stream",
	[CAPTURE_MRT]		= "MRT",
};
/* clang-format on */

/*
 * True if the file may be MRT, which has no magic number: a known type and
 * subtype must suffice (RFC 6396).
 */
static bool looks_like_mrt(struct wire_view start)
{
	struct wire_cursor c = wire_start(start);
	uint32_t time, length;
	uint16_t type, subtype;

	if (!(wire_u32(&c, &time) && wire_u16(&c, &type) &&
	      wire_u16(&c, &subtype) && wire_u32(&c, &length)))
		return false;
	/*
	 * Type 5 also needs a time after 1995, because the first bytes of a BMP
	 * message may look like a record of type 5 with an earlier time.
	 */
	if (type == 5)
		return subtype <= 7 && time >= 0x30000000;
	return (type == 12 || type == 13 || type == 16 || type == 17) &&
	       subtype <= 15;
}

/*
 * True if the file may be BMP. The version alone would be too weak, so the
 * first byte of the length must be zero, too: real BMP messages are below 16
 * MiB.
 */
static bool looks_like_bmp(struct wire_view start)
{
	return start.len >= 2 && (start.p[0] == 3 || start.p[0] == 4) &&
	       start.p[1] == 0;
}

/* True for a skippable frame of zstd: files made by pzstd begin with one. */
static bool looks_like_skippable_zstd(struct wire_view start)
{
	static const uint8_t rest[3] = { 0x2a, 0x4d, 0x18 };

	return start.len >= 4 && (start.p[0] & 0xf0) == 0x50 &&
	       memcmp(start.p + 1, rest, sizeof(rest)) == 0;
}

enum capture_format capture_format_of(struct wire_view start)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		const struct magic *m = &magics[i];

		if (start.len >= m->len &&
		    memcmp(start.p, m->bytes, m->len) == 0)
			return m->format;
	}
	if (looks_like_skippable_zstd(start))
		return CAPTURE_ZSTD;
	if (looks_like_mrt(start))
		return CAPTURE_MRT;
	if (looks_like_bmp(start))
		return CAPTURE_BMP;
	return CAPTURE_UNKNOWN;
}

const char *capture_format_name(enum capture_format format)
{
	return format < CAPTURE_FORMATS ? names[format]
					: names[CAPTURE_UNKNOWN];
}
