/*
 * bmp/update.h - a whole BGP UPDATE: judged first, then walked
 *
 *	enum bgp_verdict v = bgp_update_decode(pdu.body, &opts, &u);
 *
 *	if (u.end_of_rib)
 *		... for u.eor_afi / u.eor_safi
 *	for (int s = 0; s < BGP_PARTS; s++) {
 *		if (!bgp_update_routes(&u, s, &it))
 *			continue;	nothing there, or lost
 *		while (bgp_nlri_next(&it))
 *			bgp_update_announces(&u, s) ? announce : withdraw
 *	}
 *
 * Routes are in up to four parts, in this order: withdrawals come before
 * announcements (RFC 4271 4.3: a prefix in both is announced), and each part
 * has one family and one next hop. All of them have been walked once before
 * bgp_update_decode() returns, so a message that turns out to be broken at its
 * end has not changed anything by then.
 *
 *	verdict			what to do
 *	BGP_ACCEPT		as it stands
 *	BGP_DISCARD_ATTR	the same; some attribute is not in u.attrs
 *	BGP_WITHDRAW		all routes are withdrawals
 *	BGP_DISABLE_FAMILY	parts marked lost have no routes: suspect;
 *				of the others, bgp_update_announces() knows
 *	BGP_RESET		no part has: the peer's view is suspect
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
	bool lost; /* could not be read */
};

struct bgp_update {
	enum bgp_verdict verdict; /* attributes and all */
	enum bgp_fault fault;	  /* its first cause */
	uint8_t fault_code;	  /* attribute to blame, 0: none */
	bool plain; /* read by bgp_plain_decode() */
	bool end_of_rib;
	uint8_t eor_safi;
	uint16_t eor_afi;
	/* Bits of enum bgp_nlri_part_id: those with routes, and those lost. */
	uint8_t parts_present;
	/*
	 * Families that were read the other way, with path identifiers or
	 * without, because they cannot be read as the options say.
	 */
	bgp_family_set add_path_guessed;
	struct bgp_nlri_part nlri_parts[BGP_PARTS];
	struct bgp_attrs attrs;
};

/* Take the lowest bit off a set of parts, which is not empty. */
static inline enum bgp_nlri_part_id bgp_part_take(unsigned *set)
{
	int id = __builtin_ctz(*set);

	*set &= *set - 1;
	return (enum bgp_nlri_part_id)id;
}

/* Whether @u was read the other way in the family of @s. */
static inline bool bgp_update_guessed(const struct bgp_update *u,
				      enum bgp_nlri_part_id s)
{
	return (u->add_path_guessed &
		bgp_family_bit(
			(enum bgp_family)u->nlri_parts[s].format.family)) != 0;
}

/* Whether the routes of @part can be read in this form only. */
bool bgp_nlri_part_conclusive(const struct bgp_nlri_part *part);

/* @body is that of an UPDATE message. Always fills *@out. */
enum bgp_verdict bgp_update_decode(struct wire_view body,
				   const struct bgp_decode_opts *opts,
				   struct bgp_update *out);

/*
 * The two ways of bgp_update_decode(), for itself and for tests. The first one
 * is for plain UPDATEs (bmp/plain.c); it returns false for others, and *@out is
 * then undefined. The second one reads any UPDATE.
 */
bool bgp_plain_decode(struct wire_view body, const struct bgp_decode_opts *opts,
		      struct bgp_update *out);
enum bgp_verdict bgp_update_decode_any(struct wire_view body,
				       const struct bgp_decode_opts *opts,
				       struct bgp_update *out);

/* Start walking a part. False if it has no routes; most have none. */
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

/* Whether routes of @s are announced, RFC 7606 considered. */
static inline bool bgp_update_announces(const struct bgp_update *u,
					enum bgp_nlri_part_id s)
{
	return s >= BGP_PART_NLRI && !u->attrs.withdraw;
}

/* The next hop of the routes of @s, from NEXT_HOP or from MP_REACH. */
void bgp_update_next_hop(const struct bgp_update *u, enum bgp_nlri_part_id s,
			 struct bgp_next_hop *out);

#endif
