/*
 * rib/key.h - the key of a route, in the form of the key tables
 *
 *	prefix family		length, 4 or 16 bytes of address, RD if any
 *	any other		as bmp/nlri_key.h writes it
 *	unknown family		AFI, SAFI, then the whole field
 *
 * Prefix keys have one width per family, so that their key table can store them
 * inline. The family and the path id are not in the key: there is a key table
 * for each family, and path ids are paired with keys.
 */
#ifndef RIB_KEY_H
#define RIB_KEY_H

#include "rib/mem/key_table.h"

#include "bmp/nlri.h"

struct rib_route;

/* The width of a family's keys, or RIB_KEY_VARIABLE. */
uint32_t rib_key_width(enum bgp_family family);

/* The key of a plain family, from bgp_nlri_take(). Returns the length. */
size_t rib_key_of_prefix(enum bgp_family family,
			 const struct bgp_prefix *prefix,
			 uint8_t out[RIB_KEY_FIXED]);

/* The maximum length of an NLRI's key. */
size_t rib_key_bound(const struct bgp_nlri *nlri);

/* The key of any NLRI; @out has rib_key_bound() bytes. Returns the length. */
size_t rib_key_of_nlri(const struct bgp_nlri *nlri, uint8_t *out);

/*
 * Convert from the form of bmp/nlri_key.h; @out has RIB_KEY_FIXED or @from.len
 * + 3 bytes, whichever is more. Returns 0 if it is not a valid key of this
 * family.
 */
size_t rib_key_parse(enum bgp_family family, uint16_t afi, uint8_t safi,
		     struct wire_view from, uint8_t *out);

/*
 * Convert to that form. Returns the length, more than @cap if it did not fit.
 */
size_t rib_key_write(enum bgp_family family, struct wire_view key, uint8_t *out,
		     size_t cap);

/* Fill in the part of a route that its key has: address, length, RD; or key. */
void rib_key_route(enum bgp_family family, struct wire_view key,
		   struct rib_route *out);

#endif
