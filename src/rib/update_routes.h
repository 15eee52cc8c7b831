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

struct bmp_peer;
struct rib_nlri;

/* What a part is applied with. */
struct rib_update_routes {
	struct rib *rib;
	struct rib_router *router;
	struct rib_peer *peer;
	struct rib_table *table;
	const struct rib_time *when;
	const struct bmp_peer *header;
	const struct bgp_decode_opts *opts;
	const struct bgp_update *u;
	struct rib_lookahead
		*lookahead; /* what was read of it before, or NULL */
	enum bgp_nlri_part_id id;
	enum bgp_family family;
	bool announce;
	bool paths;	  /* routes have path ids */
	bool prefixes;	  /* they are prefixes */
	bool begun;	  /* the run of its routes */
	bool ids_invalid; /* numbers that were looked up may be others' now */
	/* Of announcements; RIB_VALUE_NONE: to be found out */
	uint32_t set;
	uint32_t stamp;
	struct rib_update_attrs attrs;
	uint64_t published; /* routes */
	size_t most;	    /* routes in a batch */
};

/* RFC 7606: what was announced is a withdrawal, which nobody sent. */
static inline bool rib_update_routes_treat_as_withdraw(
	const struct rib_update_routes *s)
{
	return s->id >= BGP_PART_NLRI && !s->announce;
}

/* An item of a plain prefix, its number and hash still to be found out. */
void rib_nlri_set_prefix(struct rib_nlri *nlri, enum bgp_family family,
			 const struct bgp_prefix *prefix);

/*
 * Apply its routes to its table from @progress on, and publish what changed.
 * False: the budget was spent before its end, and @progress says where.
 */
bool rib_update_routes_apply(struct rib_update_routes *s,
			     struct rib_progress *progress);

#endif
