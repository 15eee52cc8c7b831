/*
 * bmp/update.h - a whole BGP UPDATE: first judged, then iterated over
 *
 *	enum bgp_verdict v = bgp_update_decode(pdu.body, &opts, &u);
 *
 *	if (u.end_of_rib)
 *		... for u.eor_afi / u.eor_safi
 *	for (int s = 0; s < BGP_PARTS; s++) {
 *		if (!bgp_update_routes(&u, s, &it))
 *			continue;	the part has no routes, or is lost
 *		while (bgp_nlri_next(&it))
 *			bgp_update_announces(&u, s) ? announce : withdraw
 *	}
 *
 * Routes are in up to four parts, in this order: withdrawals come before
 * announcements (RFC 4271 4.3: a prefix in both is announced), and each part
 * has one family and one next hop. bgp_update_decode() parses all of them
 * before it returns, so a message that is malformed at its end has not changed
 * anything.
 *
 *	verdict			how to apply the message
 *	BGP_ACCEPT		as sent
 *	BGP_DISCARD_ATTR	as sent; some attribute is not in u.attrs
 *	BGP_WITHDRAW		withdraw all routes
 *	BGP_DISABLE_FAMILY	parts marked lost return no routes: their tables
 *				are suspect. For the other parts call
 *				bgp_update_announces()
 *	BGP_RESET		no part returns routes: all tables of the peer
 *				and view are suspect
 */
#ifndef BMP_UPDATE_H
#define BMP_UPDATE_H

#include "bmp/attr.h"
#include "bmp/next_hop.h"
#include "bmp/nlri.h"

enum bgp_nlri_part_id {
	BGP_PART_WITHDRAWN, /* the classic fields: IPv4 unicast */
	BGP_PART_MP_UNREACH,
	BGP_PART_NLRI,
	BGP_PART_MP_REACH,
	BGP_PARTS
};

struct bgp_nlri_part {
	struct wire_view field;
	struct bgp_nlri_format format;
	/* number of routes; the field of an unknown family counts as one */
	uint32_t count;
	bool lost; /* the part could not be parsed */
};

struct bgp_update {
	enum bgp_verdict verdict; /* the strongest of attributes and NLRI */
	enum bgp_fault fault;	  /* first cause of the verdict */
	uint8_t fault_code;	  /* code of the attribute at fault; 0 = none */
	bool plain;		  /* decoded by bgp_plain_decode() */
	bool end_of_rib;
	uint8_t eor_safi;
	uint16_t eor_afi;
	/* Bits of enum bgp_nlri_part_id: those with routes, and those lost. */
	uint8_t parts_present;
	/*
	 * Families that were decoded in the other form, with path identifiers
	 * instead of without or the reverse, because they cannot be parsed as
	 * the options say.
	 */
	bgp_family_set add_path_guessed;
	struct bgp_nlri_part nlri_parts[BGP_PARTS];
	struct bgp_attrs attrs;
};

/*
 * Remove the lowest part from *@set, which is not empty, and return that part.
 */
static inline enum bgp_nlri_part_id bgp_part_take(unsigned *set)
{
	int id = __builtin_ctz(*set);

	*set &= *set - 1;
	return (enum bgp_nlri_part_id)id;
}

/* True if the family of part @s was decoded in the other form. */
static inline bool bgp_update_guessed(const struct bgp_update *u,
				      enum bgp_nlri_part_id s)
{
	return (u->add_path_guessed &
		bgp_family_bit(
			(enum bgp_family)u->nlri_parts[s].format.family)) != 0;
}

/*
 * True if @part can be parsed in its present form only: with path identifiers,
 * or without.
 */
bool bgp_nlri_part_conclusive(const struct bgp_nlri_part *part);

/*
 * Decode @body, the body of an UPDATE, and return the verdict. Always fills
 * *@out.
 */
enum bgp_verdict bgp_update_decode(struct wire_view body,
				   const struct bgp_decode_opts *opts,
				   struct bgp_update *out);

/*
 * The two decoders that bgp_update_decode() uses; declared for its file and for
 * tests. bgp_plain_decode() is for plain UPDATEs (bmp/plain.c); for others it
 * returns false, and *@out is then undefined. bgp_update_decode_any() decodes
 * any UPDATE.
 */
bool bgp_plain_decode(struct wire_view body, const struct bgp_decode_opts *opts,
		      struct bgp_update *out);
enum bgp_verdict bgp_update_decode_any(struct wire_view body,
				       const struct bgp_decode_opts *opts,
				       struct bgp_update *out);

/*
 * Start to iterate over the routes of part @s. False if it has none, like most
 * parts.
 */
static inline bool bgp_update_routes(const struct bgp_update *u,
				     enum bgp_nlri_part_id s,
				     struct bgp_nlri_iter *it)
{
	const struct bgp_nlri_part *part = &u->nlri_parts[s];

	if (part->count == 0 || u->verdict == BGP_RESET)
		return false;
	bgp_nlri_start(it, part->field, &part->format);
	return true;
}

/*
 * True if the routes of part @s are announced; false if they are withdrawn,
 * also if the verdict of RFC 7606 makes them withdrawals.
 */
static inline bool bgp_update_announces(const struct bgp_update *u,
					enum bgp_nlri_part_id s)
{
	return s >= BGP_PART_NLRI && !u->attrs.withdraw;
}

/* The next hop of the routes of @s, from NEXT_HOP or from MP_REACH. */
void bgp_update_next_hop(const struct bgp_update *u, enum bgp_nlri_part_id s,
			 struct bgp_next_hop *out);

#endif
