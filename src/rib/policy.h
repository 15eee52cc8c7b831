/*
 * rib/policy.h - per-router policy: which tables are stored, which are
 * published, and route limits
 *
 *	publish		stored and published			(the default)
 *	store		stored for queries, not published
 *	drop		neither stored nor published
 *
 * The policy is data that the user of the rib computes: an array with a mask
 * for each view of a peer. A function that may create a peer, or change its AS,
 * takes the array for the peer as it is then; NULL stores and publishes all.
 * When the user changes its rules, it sets the policy of each peer anew. Per
 * message the test is one bit. When the disposition of a table with routes
 * changes, the change is applied in slices:
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

/*
 * From now on @policy, an array of BMP_VIEWS, applies to @peer. Copied. Tables
 * whose disposition changes are withdrawn or announced by rib_background().
 */
void rib_peer_policy(struct rib_peer *peer, const struct rib_time *when,
		     const struct rib_policy_mask *policy);

/*
 * Set the limits of one router, which replace those of struct rib_config. Zero
 * means no limit. They apply to routes received from now on.
 */
void rib_router_limits(struct rib_router *router, uint64_t max_routes_router,
		       uint64_t max_routes_peer);

#endif
