/*
 * rib/restore.h - put back what a snapshot or the stream's tail says
 *
 * For the start of the collector, before any session is open. Nothing here
 * publishes. In any order, as long as a table is made before its routes:
 *
 *	rib_restore_peer()	for each peer of the snapshot
 *	rib_restore_table()	for each table, with its sequence
 *	rib_restore_route()	for each route
 *	rib_restore_seen()	then, for each update in the stream's tail
 *	rib_restore_done()	once: restored peers are stale, the hold begins
 *
 * All of them may be repeated: the last word stands, sequences only rise. All
 * peers made here are stale until their router brings them up again. Limits on
 * routes do not hold here: consumers have these routes already.
 */
#ifndef RIB_RESTORE_H
#define RIB_RESTORE_H

#include "rib/read.h"

/* Find or make the peer and set what is known of it. Takes copies. */
int rib_restore_peer(struct rib_router *router,
		     const struct rib_peer_state *state, struct rib_peer **out);

/* Where the router's session came from, for events before it returns. */
void rib_restore_source(struct rib_router *router, const uint8_t address[16],
			uint16_t port);

/* Find or make the table. Its next change gets a sequence above @sequence. */
int rib_restore_table(struct rib_peer *peer, uint8_t view, uint16_t afi,
		      uint8_t safi, uint64_t sequence, struct rib_table **out);

/*
 * Put a route into the table, or replace it. Of @route, known, has_path_id,
 * path_id, key, extra, attrs and changed_s count. -EINVAL if the key is none
 * of the family, or attributes of a known route cannot be read.
 */
int rib_restore_route(struct rib_table *table, const struct rib_stored *route);

/*
 * The stream has an update of this route: announced, it is there with unknown
 * attributes (which differ from any); withdrawn, it is not there. Of @route,
 * has_path_id, path_id, key and extra count: extra is the whole NLRI of what
 * is not a prefix, else empty. -EINVAL as above.
 */
int rib_restore_seen(struct rib_table *table, const struct rib_stored *route,
		     bool announced, uint64_t sequence);

/*
 * Nobody can say how far the sequences of the router's tables were, nor which
 * tables there were: what is published from now on, also of tables that are
 * yet to come, has a sequence above @sequence.
 */
void rib_restore_sequence_floor(struct rib_router *router, uint64_t sequence);

/*
 * The same of all tables that are yet to come, of any router. Those that are
 * there go on from their own.
 */
void rib_restore_sequence_floor_new(struct rib *rib, uint64_t sequence);

/*
 * Before a rib_resync(): consumers forget all of the router, and routes whose
 * attributes are not known cannot be announced again. So consumers will not
 * have them, and they are removed here without a withdraw. Not where presence
 * is all that is stored, since there all routes are announced again.
 */
void rib_restore_forget_unknown(struct rib_router *router);

/* All is restored. The hold of what is stale begins now. */
void rib_restore_done(struct rib *rib, const struct rib_time *when);

#endif
