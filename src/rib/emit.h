/*
 * rib/emit.h - pass changes and events to the sink, in order
 *
 *	rib_emit_begin(router, &header);	the data that the routes share
 *	route = rib_emit_add(rib, table);	for each route
 *	rib_emit_flush(rib);			before their data is freed
 *
 * The routes added are a run. It is passed to the sink when it is full, when
 * another run begins, before an event, and by rib_emit_flush(). Every function
 * that begins a run flushes it before it returns to the caller of the rib.
 */
#ifndef RIB_EMIT_H
#define RIB_EMIT_H

#include "rib/event.h"
#include "rib/types.h"

void rib_emit_begin(struct rib_router *router, const struct rib_change *header);

/*
 * Add a route to the run, with only its sequence set. The caller sets the other
 * members immediately.
 */
struct rib_route *rib_emit_add(struct rib *rib, struct rib_table *table);

void rib_emit_flush(struct rib *rib);

/*
 * Pass an event of the session to the sink. This function sets router and time.
 */
void rib_emit_event(struct rib_router *router, const struct rib_time *when,
		    struct rib_event *event);

/*
 * Pass an event of a peer or a table to the sink; nothing is passed for a table
 * that is not published.
 */
void rib_emit_event_peer(struct rib_peer *peer, const struct rib_time *when,
			 const struct rib_event *event);
void rib_emit_event_table(struct rib_table *table, const struct rib_time *when,
			  struct rib_event *event);

/*
 * Set the members of @out that describe the peer, all except view and family.
 */
void rib_peer_info(const struct rib_peer *peer, struct rib_table_info *out);

#endif
