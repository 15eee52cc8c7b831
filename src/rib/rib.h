/*
 * rib/rib.h - the routes of a shard's routers, and their curation
 *
 *	session fiber				worker
 *	rib_session_open()			rib_background() when there is time,
 *	rib_apply(), rib_apply_other() -->	  and when due_ns has come
 *	rib_session_close()
 *			\_____ struct rib_sink: changes and events, in order
 *
 * A router has peers (type, distinguisher, address), a peer has tables (view,
 * AFI, SAFI), a table has routes (NLRI key, path id). An announcement that
 * changes nothing is suppressed; a route that its router no longer has and did
 * not withdraw is withdrawn here.
 *
 * Threads	One rib belongs to one shard. There are no locks and no globals.
 * Blocking	No function waits. rib_apply_other() only starts work that grows
 *		with a table (withdraws after a Peer Down, sweeps after an
 *		End-of-RIB, resyncs); rib_background() does it in slices. At any
 *		time a consumer that has applied all changes in order has each
 *		route as its router last sent it.
 * Time		Always an argument. Timers use now_ns; wall_ns is only copied
 *		and stored coarsely. now_ns must not decrease.
 * Ownership	The rib copies what it stores. It owns its routers; a pointer to
 *		one is valid until rib_router_purge() or rib_free().
 * Errors	0 or -ENOMEM: invalid input of a router is counted, not returned
 *		as an error.
 */
#ifndef RIB_RIB_H
#define RIB_RIB_H

#include "rib/apply.h"
#include "rib/background.h"
#include "rib/counters.h"
#include "rib/event.h"
#include "rib/session.h"
#include "rib/types.h"
#include "rib/validate.h"

/* Attributes mode, 30 s, 300 s, 1 h, hold 600 s, 100,000 peers, 256 tables. */
void rib_config_defaults(struct rib_config *config);

/* Life cycle */

/* -ENOMEM; *@out is then unchanged. @sink is copied. */
int rib_new(const struct rib_config *config, const struct rib_sink *sink,
	    struct rib **out);
void rib_free(struct rib *rib);

/* Apply new timers and limits. Seed and mode do not change. */
void rib_configure(struct rib *rib, const struct rib_config *config);

/*
 * Routes that this rib may have: its share of max_routes, if several ribs share
 * it. All of max_routes after rib_new() and rib_configure(). Without max_routes
 * it has no effect.
 */
void rib_allow(struct rib *rib, uint64_t routes);
uint64_t rib_route_count(const struct rib *rib);

/* Routers */

/* NULL if there is none. */
struct rib_router *rib_router_find(struct rib *rib,
				   const struct rib_identity *id);

/* Find or make the router. */
int rib_router_get(struct rib *rib, const struct rib_identity *id,
		   struct rib_router **out);

/*
 * Withdraw everything (reason ADMIN) and remove the router. Not in slices: for
 * an operator who removes a router permanently. A session must not be open.
 */
void rib_router_purge(struct rib_router *router, const struct rib_time *when);

const struct rib_router_info *rib_router_info(const struct rib_router *router);
enum rib_mode rib_router_mode(const struct rib_router *router);

/* True if a peer ever had a route: empty tables are kept. */
bool rib_router_has_tables(const struct rib_router *router);

/*
 * A pointer for the user of the rib, NULL at first, so that the user needs no
 * table of routers.
 */
void **rib_router_slot(struct rib_router *router);

/*
 * True if a peer of the router returned with another AS, and some of its old
 * routes are still to be withdrawn under the old AS. Its announcements have
 * another subject and could overtake the withdraws, so a publisher by subject
 * applies no message of the router until rib_background() is done.
 */
bool rib_router_subject_changing(const struct rib_router *router);

/*
 * Removed routes of the router whose withdraws rib_background() has still to
 * publish. A Peer Up or Peer Down adds to them, and immediately publishes up to
 * twice as many of the earlier ones; a caller that waits until there are few
 * keeps that work bounded.
 */
uint64_t rib_router_pending_withdraw(const struct rib_router *router);

/* Counters */

/* Both copy counters that are always maintained, without a walk. */
void rib_flow(const struct rib *rib, struct rib_flow *out);
void rib_sizes(const struct rib *rib, struct rib_sizes *out);
void rib_router_flow(const struct rib_router *router, struct rib_flow *out);
uint64_t rib_router_routes(const struct rib_router *router);

/*
 * Bytes that the sink has made for updates and events of the router, including
 * withdraws of rib_background(); without those of a resync or a filter change,
 * which the router did not cause.
 */
uint64_t rib_router_output_bytes(const struct rib_router *router);

#endif
