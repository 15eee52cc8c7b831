/*
 * egress/capnp/packed.h - Cap'n Proto's own compression: leave out bytes that are zero
 *
 *	word	    08 00 00 00 03 00 02 00
 *	packed	51  08          03    02	a bit in the tag for each byte
 *
 * A tag of 00 is followed by the number of further words that are all zero, a
 * tag of ff by that of further words that are sent as they are because hardly
 * a byte of them is zero. Both runs end where a message or its table ends, so
 * that other readers, which read those apart, can follow.
 */
#ifndef EGRESS_CAPNP_PACKED_H
#define EGRESS_CAPNP_PACKED_H

#include "bmp/wire.h"

/* Packing makes @len bytes into no more than these. */
static inline size_t capnp_pack_bound(size_t len)
{
	/* A tag and a count for each word in the worst case. */
	return len + len / 4 + 16;
}

/*
 * Pack whole messages, back to back, into @out, which has room for the bound.
 * Returns the length; 0 if @in is not whole messages.
 */
size_t capnp_pack(struct wire_view in, uint8_t *out);

/* How long @in is unpacked. -EBADMSG if it is cut. */
int64_t capnp_unpack_length(struct wire_view in);

/*
 * Unpack everything. Returns the length or, if @in is cut or needs more than
 * @cap, -EBADMSG or -E2BIG.
 */
int64_t capnp_unpack(struct wire_view in, uint8_t *out, size_t cap);

#endif
