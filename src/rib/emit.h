/*
 * rib/emit.h - pass changes and events to the sink, in order
 *
 *	rib_emit_begin(router, &header);	what the routes share
 *	route = rib_emit_add(rib, table);	as often as need be
 *	rib_emit_flush(rib);			before anything they point to goes
 *
 * A run is passed to the sink when it is full, when another run begins, before
 * an event, and when it is flushed. Every function that begins a run flushes it
 * before it returns to the caller of the rib.
 */
#ifndef RIB_EMIT_H
#define RIB_EMIT_H

#include "rib/event.h"
#include "rib/types.h"

void rib_emit_begin(struct rib_router *router, const struct rib_change *header);

/*
 * Add a route to the run; only its sequence is set. The caller fills in the
 * rest immediately.
 */
struct rib_route *rib_emit_add(struct rib *rib, struct rib_table *table);

void rib_emit_flush(struct rib *rib);

/* An event of the session: router and time are filled in. */
void rib_emit_event(struct rib_router *router, const struct rib_time *when,
		    struct rib_event *event);

/*
 * The same for a peer or a table; nothing is emitted for a table that is not
 * published.
 */
void rib_emit_event_peer(struct rib_peer *peer, const struct rib_time *when,
			 const struct rib_event *event);
void rib_emit_event_table(struct rib_table *table, const struct rib_time *when,
			  struct rib_event *event);

/* Fill in the description of a peer, without view and family. */
void rib_peer_info(const struct rib_peer *peer, struct rib_table_info *out);

#endif
