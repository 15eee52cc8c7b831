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
 * One NLRI is one route. Some of its fields identify the route (the key:
 * family, prefix, route distinguisher, path id, or the key fields of its type),
 * the others are its value (labels, EVPN's segment and gateway). For prefix
 * families the struct has all fields; for others bmp/nlri_key.h writes the key
 * and the value, and bmp/nlri_text.h writes them as text.
 *
 * A prefix longer than its address is malformed and never returned. Bits that
 * are set beyond the length are cleared, and the NLRI with such bits are
 * counted: many of them in a message show that it was decoded with the wrong
 * setting of add-path.
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
	/* labels is empty, as they have no meaning: RFC 8277 2.4 */
	bool withdrawn;

	uint8_t prefix_len; /* BGP_NLRI_PREFIX: bits of the address */
	uint16_t type;	    /* EVPN, MVPN, BGP-LS, MUP: route type */
	uint32_t path_id;
	uint8_t address[16];	 /* BGP_NLRI_PREFIX; IPv4 mapped to IPv6 */
	uint64_t rd;		 /* families with BGP_FAMILY_RD */
	struct wire_view labels; /* labels of 3 bytes each, as sent */
	/*
	 * The whole NLRI without the path id. Empty for prefixes, whose fields
	 * are above.
	 */
	struct wire_view wire;
	/*
	 * The bytes after the outer type and length and, if the NLRI begins
	 * with a route distinguisher, after that.
	 */
	struct wire_view body;
};

/* How to parse a field. */
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

/*
 * Go to the next route, it->nlri. False at the end of the field, or if the rest
 * cannot be parsed.
 */
bool bgp_nlri_next(struct bgp_nlri_iter *it);

/* All fields of a route of a plain family. */
struct bgp_prefix {
	uint8_t address[16]; /* IPv4 mapped to IPv6 */
	uint32_t path_id;
	uint8_t len;
};

/*
 * Get up to @max next routes of a field for which it->plain is set. That takes
 * half the time of as many calls of bgp_nlri_next(), and the caller can
 * prefetch for all of them. Returns the number of routes; fewer than @max at
 * the end of the field, or if the rest cannot be parsed.
 */
size_t bgp_nlri_take(struct bgp_nlri_iter *it, struct bgp_prefix *out,
		     size_t max);

/*
 * Get the first route of @field without an iterator. Only for plain families
 * without path ids: false for other fields, and if the route cannot be parsed.
 */
bool bgp_nlri_first(struct wire_view field,
		    const struct bgp_nlri_format *format,
		    struct bgp_prefix *out, bool *host_bits);

/*
 * Count the routes of @field by their lengths. False, with *@count unchanged,
 * if the field cannot be parsed to its end.
 */
bool bgp_nlri_count(struct wire_view field,
		    const struct bgp_nlri_format *format, uint32_t *count);

/*
 * True if an NLRI of @family has a route distinguisher; a Leaf A-D route has
 * none of its own. @wire is as in struct bgp_nlri, so it is empty for prefixes.
 */
bool bgp_nlri_wire_has_rd(enum bgp_family family, struct wire_view wire);

/*
 * The value of an MPLS label in three bytes, as in RFC 3032: the upper 20 bits.
 */
static inline uint32_t bgp_label_value(const uint8_t *p)
{
	return (uint32_t)p[0] << 12 | (uint32_t)p[1] << 4 | p[2] >> 4;
}

#endif
