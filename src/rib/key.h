/*
 * rib/key.h - the key of a route, in the form of the key tables
 *
 *	prefix family		length, 4 or 16 bytes of address, RD if any
 *	any other		the key of bmp/nlri_key.h
 *	unknown family		AFI, SAFI, then the whole NLRI field
 *
 * Prefix keys have one width per family, so that their key table can store them
 * inline. The family and the path id are not in the key: each family has a key
 * table of its own, and another one that numbers the pairs of a key and a path
 * id.
 */
#ifndef RIB_KEY_H
#define RIB_KEY_H

#include "rib/mem/key_table.h"

#include "bmp/nlri.h"

struct rib_route;

/* The length of the keys of a family, or RIB_KEY_VARIABLE. */
uint32_t rib_key_width(enum bgp_family family);

/*
 * Write the key of a plain prefix, which bgp_nlri_take() has parsed. Returns
 * the length of the key.
 */
size_t rib_key_of_prefix(enum bgp_family family,
			 const struct bgp_prefix *prefix,
			 uint8_t out[RIB_KEY_FIXED]);

/* The maximum length of the key of @nlri. */
size_t rib_key_bound(const struct bgp_nlri *nlri);

/*
 * Write the key of any NLRI; @out has rib_key_bound() bytes. Returns the length
 * of the key.
 */
size_t rib_key_of_nlri(const struct bgp_nlri *nlri, uint8_t *out);

/*
 * Convert a key from the form of bmp/nlri_key.h. @out has RIB_KEY_FIXED or
 * @from.len + 3 bytes, whichever is more. Returns the length, or 0 if @from is
 * not a valid key of this family.
 */
size_t rib_key_parse(enum bgp_family family, uint16_t afi, uint8_t safi,
		     struct wire_view from, uint8_t *out);

/*
 * Convert a key to the form of bmp/nlri_key.h. Returns the length, which is
 * more than @cap if the key did not fit.
 */
size_t rib_key_write(enum bgp_family family, struct wire_view key, uint8_t *out,
		     size_t cap);

/*
 * Set the members of @out that the key contains: address, length and RD of a
 * prefix, or key of other routes.
 */
void rib_key_route(enum bgp_family family, struct wire_view key,
		   struct rib_route *out);

#endif
