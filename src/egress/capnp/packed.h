/*
 * egress/capnp/packed.h - Cap'n Proto's packing: omit zero bytes
 *
 *	word	    08 00 00 00 03 00 02 00
 *	packed	51  08          03    02	one tag bit for each byte
 *
 * A tag of 00 is followed by the number of further all-zero words, a tag of ff
 * by the number of further words that are copied unpacked because they have few
 * zero bytes. Both runs end where a message or its table ends, so that other
 * readers, which read those separately, can follow.
 */
#ifndef EGRESS_CAPNP_PACKED_H
#define EGRESS_CAPNP_PACKED_H

#include "bmp/wire.h"

/* The maximum packed length of @len unpacked bytes. */
static inline size_t capnp_pack_bound(size_t len)
{
	/* The worst case is a tag and a count for each word. */
	return len + len / 4 + 16;
}

/*
 * Pack the whole messages of @in, back to back, into @out, which has space for
 * capnp_pack_bound() bytes. Returns the packed length; 0 if @in does not
 * consist of whole messages.
 */
size_t capnp_pack(struct wire_view in, uint8_t *out);

/* The length of @in after unpacking. -EBADMSG if @in is truncated. */
int64_t capnp_unpack_length(struct wire_view in);

/*
 * Unpack all of @in. Returns the unpacked length, -EBADMSG if @in is truncated,
 * or -E2BIG if @cap is less than the unpacked length.
 */
int64_t capnp_unpack(struct wire_view in, uint8_t *out, size_t cap);

#endif
