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
 * takes the array that applies to the new peer or AS; NULL stores and publishes
 * all routes. When the user changes its rules, it sets the policy of each peer
 * again. For each message one bit of a mask is tested. When the disposition of
 * a table with routes changes, the change is applied in slices:
 *
 *	publish -> store	withdraws, reason ADMIN; the routes are kept
 *	publish -> drop		withdraws, reason ADMIN; the routes are removed
 *	store   -> publish	the table is published, as in a resync
 *	store   -> drop		the routes are removed without withdraws
 *	drop    -> any		affects only routes received later; an older
 *				table is UNKNOWN until its next dump
 *
 * Routes that were not published are not written to a snapshot.
 */
#ifndef RIB_POLICY_H
#define RIB_POLICY_H

#include "rib/types.h"

/*
 * Use a copy of @policy, an array of BMP_VIEWS masks, for @peer from now on.
 * rib_background() then withdraws or announces the tables whose disposition
 * changes.
 */
void rib_peer_policy(struct rib_peer *peer, const struct rib_time *when,
		     const struct rib_policy_mask *policy);

/*
 * Set the limits of one router, instead of those of struct rib_config. Zero
 * means no limit. They apply to routes received from now on.
 */
void rib_router_limits(struct rib_router *router, uint64_t max_routes_router,
		       uint64_t max_routes_peer);

#endif
