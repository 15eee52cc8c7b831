/*
 * rib/update_routes.h - apply the NLRI of one part of an UPDATE to their table
 *
 * NLRI are processed in batches: build the keys, look them up in passes that
 * prefetch for each other, then announce or withdraw each route. All changes
 * of one part that are published are one run (rib/emit.h).
 */
#ifndef RIB_UPDATE_ROUTES_H
#define RIB_UPDATE_ROUTES_H

#include "rib/update_attrs.h"

struct rib_nlri;

/* The state while a part is applied. */
struct rib_update_routes {
	struct rib *rib;
	struct rib_router *router;
	struct rib_peer *peer;
	struct rib_table *table;
	const struct rib_time *when;
	const struct rib_input *in;
	const struct bgp_update *u;	 /* the decoded UPDATE of in */
	struct rib_lookahead *lookahead; /* results of lookahead, or NULL */
	enum bgp_nlri_part_id id;
	enum bgp_family family;
	bool announce;
	bool paths;    /* the routes have path identifiers */
	uint8_t kind;  /* enum bgp_nlri_kind */
	bool prefixes; /* the routes are prefixes */
	bool begun;    /* a run of changes was begun for this part */
	/* ids looked up before may now be those of other keys */
	bool ids_invalid;
	/* Attribute set of the announcements; RIB_VALUE_NONE = not known yet */
	uint32_t set;
	uint32_t stamp;
	uint64_t published; /* number of routes published */
	size_t most;	    /* maximum routes in a batch */
};

/*
 * True if an announcement is treated as a withdraw (RFC 7606), which is
 * synthetic.
 */
static inline bool rib_update_routes_treat_as_withdraw(
	const struct rib_update_routes *s)
{
	return s->id >= BGP_PART_NLRI && !s->announce;
}

/*
 * Set the members for a plain prefix, except id and hash, which are determined
 * later.
 */
void rib_nlri_set_prefix(struct rib_nlri *nlri, enum bgp_family family,
			 const struct bgp_prefix *prefix);

/*
 * Apply the routes of a part to its table from @progress on, and publish the
 * changes. False if the budget was spent before the end; @progress is then the
 * position to continue from.
 */
bool rib_update_routes_apply(struct rib_update_routes *s,
			     struct rib_progress *progress);

#endif
