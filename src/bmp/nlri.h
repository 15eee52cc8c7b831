/*
 * bmp/nlri.h - walk the routes in an NLRI field, whatever their family
 *
 *	struct bgp_nlri_iter it;
 *
 *	bgp_nlri_start(&it, field, &how);
 *	while (bgp_nlri_next(&it))
 *		use(&it.nlri);
 *	if (it.malformed)	the rest of the field cannot be read
 *
 * One NLRI is one route: what identifies it (the key: family, prefix, route
 * distinguisher, path id, or the key fields of its type) and what merely comes
 * with it (labels, EVPN's segment and gateway). For prefix families the struct
 * holds all of it; for the others bmp/nlri_key.h writes the two apart and
 * bmp/nlri_text.h makes them readable.
 *
 * A prefix longer than its address is malformed and never shown. Stray bits
 * beyond the length are cleared and counted: many of them in a message are the
 * mark of one read with the wrong idea of add-path.
 */
#ifndef BMP_NLRI_H
#define BMP_NLRI_H

#include "bmp/family.h"
#include "bmp/wire.h"

struct bgp_nlri {
	/* Set once per field. */
	uint16_t afi;
	uint8_t safi;
	uint8_t family;	  /* enum bgp_family */
	uint8_t kind;	  /* enum bgp_nlri_kind */
	bool has_path_id; /* add-path, RFC 7911 */
	bool withdrawn;	  /* has no labels: they mean nothing, RFC 8277 2.4 */

	uint8_t prefix_len; /* BGP_NLRI_PREFIX: bits of the address */
	uint16_t type;	    /* EVPN, MVPN, BGP-LS, MUP: route type */
	uint32_t path_id;
	uint8_t address[16];	 /* BGP_NLRI_PREFIX; IPv4 mapped to IPv6 */
	uint64_t rd;		 /* families with BGP_FAMILY_RD */
	struct wire_view labels; /* of 3 bytes each, as sent */
	/* All of it without the path id. Not of prefixes: they are above. */
	struct wire_view wire;
	/*
	 * What follows the outer type, length and, where it stands first,
	 * the route distinguisher.
	 */
	struct wire_view body;
};

/* How to read a field. */
struct bgp_nlri_format {
	uint16_t afi;
	uint8_t safi;
	uint8_t family; /* enum bgp_family */
	bool add_path;
	bool multiple_labels;
	bool withdrawn;
};

struct bgp_nlri_iter {
	struct wire_cursor c;
	uint8_t flags;	   /* of the family */
	uint8_t addr_bits; /* of the family */
	bool plain;	   /* prefixes without labels and distinguishers */
	bool multiple_labels;
	bool malformed;
	uint32_t host_bits; /* NLRI with stray bits so far */
	struct bgp_nlri nlri;
};

void bgp_nlri_start(struct bgp_nlri_iter *it, struct wire_view field,
		    const struct bgp_nlri_format *format);

/* Step to the next route. False at the end and where the field is bad. */
bool bgp_nlri_next(struct bgp_nlri_iter *it);

/* Of a plain family, all there is to a route. */
struct bgp_prefix {
	uint8_t address[16]; /* IPv4 mapped to IPv6 */
	uint32_t path_id;
	uint8_t len;
};

/*
 * The next routes of a field whose it->plain is set, up to @max of them: half
 * the time of as many bgp_nlri_next(), and a table can be told what is coming.
 * Returns how many; fewer than @max at the end and where the field is bad.
 */
size_t bgp_nlri_take(struct bgp_nlri_iter *it, struct bgp_prefix *out,
		     size_t max);

/*
 * The first route of @field, without an iterator: of plain families without
 * path ids. False if it is none of these, or bad.
 */
bool bgp_nlri_first(struct wire_view field,
		    const struct bgp_nlri_format *format,
		    struct bgp_prefix *out, bool *host_bits);

/*
 * How many routes @field has, looking at lengths only. False if it cannot be
 * read to its end; then *@count is untouched.
 */
bool bgp_nlri_count(struct wire_view field,
		    const struct bgp_nlri_format *format, uint32_t *count);

/*
 * Whether an NLRI of @family has a route distinguisher: a Leaf A-D route has
 * none of its own. @wire is as in struct bgp_nlri, so empty for prefixes.
 */
bool bgp_nlri_wire_has_rd(enum bgp_family family, struct wire_view wire);

/* The MPLS label in three bytes, RFC 3032: value << 4, bottom bit. */
static inline uint32_t bgp_label_value(const uint8_t *p)
{
	return (uint32_t)p[0] << 12 | (uint32_t)p[1] << 4 | p[2] >> 4;
}

#endif
