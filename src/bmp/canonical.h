/*
 * bmp/canonical.h - one encoding for each set of attributes
 *
 * Routers encode the same attributes in many ways: in any order, with short or
 * long lengths, ASNs of two bytes with an AS4_PATH beside them, communities in
 * any order, the next hop in NEXT_HOP or in MP_REACH. The canonical form has
 * one encoding for one meaning, so that comparing bytes compares routes:
 *
 *	- attributes by ascending code, lengths in two bytes where one is not
 *	  enough, flags as the specification has them (those of unknown
 *	  attributes as sent, without the reserved ones)
 *	- AS_PATH of four-byte ASNs, AS4_PATH merged in; members of sets sorted
 *	- communities of all four kinds sorted, each once
 *	- the next hop of the part in NEXT_HOP: 4 bytes if IPv4, else 16, or
 *	  32 with a link-local one; nothing if there is none
 *	- no MP_REACH, MP_UNREACH, AS4_PATH, AS4_AGGREGATOR, and nothing that
 *	  RFC 7606 discarded
 *
 * Many routers send IPv4 routes in this form; then nothing has to be written.
 *
 * The canonical form is a block of attributes itself: bgp_attrs_decode()
 * decodes it with { .as_width = 4, .canonical = true }, and the result has the
 * same canonical form.
 */
#ifndef BMP_CANONICAL_H
#define BMP_CANONICAL_H

#include "bmp/update.h"

/* Options to decode a canonical block. */
#define BGP_DECODE_CANONICAL \
	((struct bgp_decode_opts){ .as_width = 4, .canonical = true })

/* Room that is always enough for the attributes of @u. */
static inline size_t bgp_canonical_bound(const struct bgp_update *u)
{
	/*
	 * ASNs may become four bytes long, each header may grow by one byte,
	 * and a next hop may be added.
	 */
	return 2 * u->attrs.block.len + 64;
}

/*
 * The attributes of the routes in part @s, which is NLRI or MP_REACH: the block
 * itself if it is canonical, else a canonical block that is written to @room,
 * which has bgp_canonical_bound() bytes.
 */
struct wire_view bgp_canonical(const struct bgp_update *u,
			       enum bgp_nlri_part_id s, uint8_t *room);

/*
 * As bgp_canonical(), but the attributes are always written, to @out. Returns
 * the length, or 0 if @cap is less than bgp_canonical_bound().
 */
size_t bgp_canonical_write(const struct bgp_update *u, enum bgp_nlri_part_id s,
			   uint8_t *out, size_t cap);

#endif
