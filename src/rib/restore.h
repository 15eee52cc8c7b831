/*
 * rib/restore.h - restore the state from a snapshot and the end of the log
 *
 * These functions are used at the start of the collector, before any session is
 * open. They publish nothing. They may be called in any order, but a table must
 * be made before its routes:
 *
 *	rib_restore_peer()	for each peer of the snapshot
 *	rib_restore_table()	for each table, with its last sequence
 *	rib_restore_route()	for each route
 *	rib_restore_seen()	then, for each update of the log after it
 *	rib_restore_done()	once: the hold time of stale peers begins
 *
 * All calls may be repeated: the values of the last call are used, but a
 * sequence is never lowered. All peers made here are stale until their router
 * brings them up again. Route limits are not applied, because consumers have
 * these routes already.
 */
#ifndef RIB_RESTORE_H
#define RIB_RESTORE_H

#include "rib/read.h"

/*
 * Find or make the peer and set its properties, which are copied from @state.
 */
int rib_restore_peer(struct rib_router *router,
		     const struct rib_peer_state *state, struct rib_peer **out);

/*
 * Set the source address of the router's last session, for events before it
 * reconnects.
 */
void rib_restore_source(struct rib_router *router, const uint8_t address[16],
			uint16_t port);

/*
 * Find or make the table. Its next change will get a sequence above @sequence.
 */
int rib_restore_table(struct rib_peer *peer, uint8_t view, uint16_t afi,
		      uint8_t safi, uint64_t sequence, struct rib_table **out);

/*
 * Add or replace a route of the table. Only known, has_path_id, path_id, key,
 * extra, attrs and changed_s of @route are used. -EINVAL if the key is not
 * valid for the family, or the attributes of a known route cannot be parsed.
 */
int rib_restore_route(struct rib_table *table, const struct rib_stored *route);

/*
 * Apply an update of this route that was read from the log. If it is an
 * announcement, the route is present afterwards with unknown attributes (which
 * differ from all others). If it is a withdraw, the route is removed. Only
 * has_path_id, path_id, key and extra of @route are used: extra is the whole
 * NLRI of a route that is not a prefix, else empty. -EINVAL as above.
 */
int rib_restore_seen(struct rib_table *table, const struct rib_stored *route,
		     bool announced, uint64_t sequence);

/*
 * Call it if the tables of the router and their sequences are not known:
 * changes that its tables, also future ones, publish from now on get a sequence
 * above @sequence.
 */
void rib_restore_sequence_floor(struct rib_router *router, uint64_t sequence);

/*
 * As rib_restore_sequence_floor(), for all future tables of all routers.
 * Existing tables continue from their own sequence.
 */
void rib_restore_sequence_floor_new(struct rib *rib, uint64_t sequence);

/*
 * Remove the routes with unknown attributes without a withdraw. Call it before
 * rib_resync(): after the resync consumers have no routes of the router, and
 * routes with unknown attributes cannot be announced again. Does nothing in
 * presence mode, where all routes are announced again.
 */
void rib_restore_forget_unknown(struct rib_router *router);

/* End the restore. The hold time of stale peers begins now. */
void rib_restore_done(struct rib *rib, const struct rib_time *when);

#endif
