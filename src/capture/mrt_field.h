/*
 * capture/mrt_field.h - fields that all kinds of MRT records share
 */
#ifndef CAPTURE_MRT_FIELD_H
#define CAPTURE_MRT_FIELD_H

#include "bmp/peer.h"

/* Take an AS number of @width bytes: 2 or 4. */
static inline bool mrt_take_as(struct wire_cursor *c, uint8_t width,
			       uint32_t *out)
{
	uint16_t as2;

	if (width == 4)
		return wire_u32(c, out);
	if (!wire_u16(c, &as2))
		return false;
	*out = as2;
	return true;
}

/*
 * Take an address of 4 or 16 bytes, and convert it to 16 bytes with IPv4
 * mapped.
 */
static inline bool mrt_take_address(struct wire_cursor *c, bool ipv6,
				    uint8_t out[16])
{
	uint8_t padded[16] = { 0 };
	struct wire_view address;

	if (!wire_take(c, ipv6 ? 16 : 4, &address))
		return false;
	memcpy(padded + 16 - address.len, address.p, address.len);
	bmp_peer_address(padded, ipv6, out);
	return true;
}

#endif
