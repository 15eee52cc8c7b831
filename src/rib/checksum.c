/*
 * Uses the processor's CRC instruction if there is one, else it processes half
 * a byte at a time. That is fast enough, because the data is compressed to a
 * few bytes per route; and the table of 16 words needs no initialisation and
 * little cache.
 */
#include "rib/checksum.h"

#include <stdbool.h>
#include <string.h>

/* Remainders of each half byte for polynomial 0x1edc6f41, bit-reversed. */
static const uint32_t remainders[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
	0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

static uint32_t sum_slowly(uint32_t sum, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		sum = sum >> 4 ^ remainders[(sum ^ p[i]) & 15];
		sum = sum >> 4 ^ remainders[(sum ^ p[i] >> 4) & 15];
	}
	return sum;
}

#if defined(__x86_64__)
static bool has_instruction(void)
{
	return __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2"))) static uint32_t sum_quickly(uint32_t sum,
							      const uint8_t *p,
							      size_t len)
{
	uint64_t wide = sum;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t word;

		memcpy(&word, p, sizeof(word));
		wide = __builtin_ia32_crc32di(wide, word);
	}
	sum = (uint32_t)wide;
	while (len-- > 0)
		sum = __builtin_ia32_crc32qi(sum, *p++);
	return sum;
}
#else
static bool has_instruction(void)
{
	return false;
}

#define sum_quickly sum_slowly
#endif

uint32_t rib_checksum(uint32_t sum, const void *bytes, size_t len)
{
	return has_instruction() ? ~sum_quickly(~sum, bytes, len)
				 : ~sum_slowly(~sum, bytes, len);
}
