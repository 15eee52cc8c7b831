/*
 * rib/policy.h - what is kept and told of one router, and how much of it
 *
 *	publish		stored, and consumers are told		(the default)
 *	store		for queries; consumers are told nothing
 *	drop		as if the router had never said it
 *
 * Asked once for each peer and view, and again when the peer's AS is another
 * or the policy changes; for a message it is a bit test. When a table's disposition
 * changes while it has routes, consumers are led there in slices:
 *
 *	publish -> store	withdraws, reason ADMIN; the routes stay
 *	publish -> drop		withdraws, reason ADMIN; the routes go
 *	store   -> publish	the table is published, as in a resync
 *	store   -> drop		the routes go, and nobody is told
 *	drop    -> any		what the router says from now on; a table that
 *				was there before is UNKNOWN until its next dump
 *
 * A route that consumers were not told of is in no snapshot either.
 */
#ifndef RIB_POLICY_H
#define RIB_POLICY_H

#include "rib/types.h"

struct rib_table_info;

/* Of one peer and view, by 1 << enum bgp_family; the unknown one is bit 0. */
struct rib_policy_mask {
	uint64_t stored;
	uint64_t published; /* a subset of stored */
};

struct rib_policy {
	/* Of the table only peer and view are filled in. NULL: publish all. */
	struct rib_policy_mask (*lookup)(const void *arg,
					 const struct rib_table_info *table);
	const void *arg; /* must live until the next policy, or the router */
	/* Zero means no limit. They hold for routes that are still to come. */
	uint64_t max_routes_router;
	uint64_t max_routes_peer;
};

#endif
