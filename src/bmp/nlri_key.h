/*
 * bmp/nlri_key.h - the key of a route, which identifies it, and its value
 *
 * Two NLRI of one family are the same route if and only if their keys have the
 * same bytes and, with add-path, their path ids are equal; the path id and the
 * family are not in the key. A key is canonical: stray bits are zero, fields
 * that are not key are omitted.
 *
 *	prefix		RD (if the family has one), length, address bytes
 *	EVPN and such	type, RD, then key fields with their lengths
 *	flow spec	RD (if any), the rules
 *	BGP-LS		type, RD (if any), descriptors
 *	unknown family	all of the field
 *
 * The value is all other fields, as sent: labels, or fields of the type that
 * are not key. If the value changes, the route has changed.
 *
 * For prefix families these functions are not needed: struct bgp_nlri has all
 * fields.
 */
#ifndef BMP_NLRI_KEY_H
#define BMP_NLRI_KEY_H

#include "bmp/nlri.h"

/* A key is longer than wire.len of its NLRI by at most this number of bytes. */
#define BGP_NLRI_KEY_SLACK 16

/* Enough for every prefix, EVPN, MVPN, MUP, VPLS and SR policy route. */
#define BGP_NLRI_KEY_SMALL 280

/*
 * Write the key to @out. Returns its length, which is more than @cap if it did
 * not fit; then @out holds nothing of use.
 */
size_t bgp_nlri_key(const struct bgp_nlri *n, uint8_t *out, size_t cap);

/*
 * As bgp_nlri_key(), for the value. The value of a withdrawn NLRI is empty:
 * only the key of a withdraw has a meaning.
 */
size_t bgp_nlri_value(const struct bgp_nlri *n, uint8_t *out, size_t cap);

#endif
