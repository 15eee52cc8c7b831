/*
 * rib/emit.h - hand changes and events to the sink, in order
 *
 *	rib_emit_begin(router, &header);	what the routes share
 *	route = rib_emit_add(rib, table);	as often as need be
 *	rib_emit_flush(rib);			before anything they point to goes
 *
 * A run is handed over when it is full, when another begins, before an event,
 * and when it is flushed. Every function that begins one flushes it before it
 * returns to who called the rib.
 */
#ifndef RIB_EMIT_H
#define RIB_EMIT_H

#include "rib/event.h"
#include "rib/types.h"

void rib_emit_begin(struct rib_router *router, const struct rib_change *header);

/* The next route, all zero but for its sequence. Fill it in at once. */
struct rib_route *rib_emit_add(struct rib *rib, struct rib_table *table);

void rib_emit_flush(struct rib *rib);

/* An event of the session: router and time are filled in. */
void rib_emit_event(struct rib_router *router, const struct rib_time *when,
		    struct rib_event *event);

/* The same of a peer, or of a table; of one that is not published, nothing. */
void rib_emit_event_peer(struct rib_peer *peer, const struct rib_time *when,
			 const struct rib_event *event);
void rib_emit_event_table(struct rib_table *table, const struct rib_time *when,
			  struct rib_event *event);

/* What there is to say of a peer, view and family aside. */
void rib_peer_info(const struct rib_peer *peer, struct rib_table_info *out);

#endif
