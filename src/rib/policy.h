/*
 * rib/policy.h - per-router policy: which tables are stored, which are
 * published, and route limits
 *
 *	publish		stored and published			(the default)
 *	store		stored for queries, not published
 *	drop		neither stored nor published
 *
 * The policy is looked up once per peer and view, and again when the AS of the
 * peer or the policy changes; per message the test is one bit. When the
 * disposition of a table with routes changes, the change is applied in slices:
 *
 *	publish -> store	withdraws, reason ADMIN; the routes are kept
 *	publish -> drop		withdraws, reason ADMIN; the routes are removed
 *	store   -> publish	the table is published, as in a resync
 *	store   -> drop		the routes are removed without withdraws
 *	drop    -> any		routes received from now on; a table that existed
 *				before is UNKNOWN until its next dump
 *
 * Routes that were not published are not written to a snapshot.
 */
#ifndef RIB_POLICY_H
#define RIB_POLICY_H

#include "rib/types.h"

struct rib_table_info;

/*
 * The policy for one peer and view, by 1 << enum bgp_family; unknown families
 * are bit 0.
 */
struct rib_policy_mask {
	uint64_t stored;
	uint64_t published; /* a subset of stored */
};

struct rib_policy {
	/* Only peer and view of the table are filled in. NULL: publish all. */
	struct rib_policy_mask (*lookup)(const void *arg,
					 const struct rib_table_info *table);
	/*
	 * must stay valid until the next policy, or until the router is removed
	 */
	const void *arg;
	/* Zero means no limit. They apply to routes received from now on. */
	uint64_t max_routes_router;
	uint64_t max_routes_peer;
};

#endif
