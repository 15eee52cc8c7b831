/*
 * rib/rib.h - the routes of a shard's routers, and their curation
 *
 *	session fiber				worker
 *	rib_session_open()			rib_background() when there
 *	rib_apply(), rib_apply_other()		is time, and at due_ns
 *	rib_session_close()
 *			\_____ struct rib_sink: changes and events, in order
 *
 * A router has peers, which are identified by type, distinguisher and address.
 * A peer has tables, identified by view, AFI and SAFI. A table has routes,
 * identified by NLRI key and path id. An announcement that changes nothing is
 * suppressed; if a router no longer has a route and did not withdraw it, the
 * rib withdraws it.
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

/*
 * Set the defaults: attributes mode; sweep_quiet 30 s, sweep_max 300 s,
 * sweep_idle 1 h; stale_hold 600 s; 65,536 peers; 256 tables
 * of a peer, 131,072 of a router.
 */
void rib_config_defaults(struct rib_config *config);

/* Life cycle */

/* Make a rib. -ENOMEM; *@out is then unchanged. @sink is copied. */
int rib_new(const struct rib_config *config, const struct rib_sink *sink,
	    struct rib **out);
void rib_free(struct rib *rib);

/* Apply the timers and limits of @config. Its seed and mode are ignored. */
void rib_configure(struct rib *rib, const struct rib_config *config);

/*
 * Set the number of routes that this rib may have: its share of max_routes, if
 * several ribs share it. rib_new() and rib_configure() set it to max_routes.
 * The number has no effect if max_routes is 0.
 */
void rib_allow(struct rib *rib, uint64_t routes);
uint64_t rib_route_count(const struct rib *rib);

/* Routers */

/* Find the router of @id; NULL if there is none. */
struct rib_router *rib_router_find(struct rib *rib,
				   const struct rib_identity *id);

/* Find or make the router of @id. */
int rib_router_get(struct rib *rib, const struct rib_identity *id,
		   struct rib_router **out);

/*
 * Withdraw all routes of the router (reason ADMIN) and remove the router. Not
 * in slices. For an operator who removes a router permanently. No session may
 * be open.
 */
void rib_router_purge(struct rib_router *router, const struct rib_time *when);

const struct rib_router_info *rib_router_info(const struct rib_router *router);
enum rib_mode rib_router_mode(const struct rib_router *router);

/*
 * True if a peer of the router ever had a route, because empty tables are kept.
 */
bool rib_router_has_tables(const struct rib_router *router);

/*
 * A pointer for the user of the rib, NULL at first, so that the user needs no
 * table of routers.
 */
void **rib_router_slot(struct rib_router *router);

/*
 * True if a peer of the router came up with another AS, and some of its old
 * routes must still be withdrawn under the old AS. Its announcements have
 * another subject and could overtake these withdraws. Also true while routes
 * are withdrawn because the router began or ceased to send path identifiers in
 * a table. So if output is published by subject, apply no message of the router
 * until rib_background() has made it false.
 */
bool rib_router_subject_changing(const struct rib_router *router);

/*
 * The number of removed routes of the router whose withdraws rib_background()
 * still has to publish. A Peer Up or Peer Down adds routes to them, and
 * immediately publishes up to twice as many of the earlier ones. To bound that
 * work, a caller can wait until the number is low.
 */
uint64_t rib_router_pending_withdraw(const struct rib_router *router);

/* Counters */

/*
 * These functions copy counters that are always up to date; they do not iterate
 * over routes.
 */
void rib_flow(const struct rib *rib, struct rib_flow *out);
void rib_sizes(const struct rib *rib, struct rib_sizes *out);
void rib_router_flow(const struct rib_router *router, struct rib_flow *out);
uint64_t rib_router_routes(const struct rib_router *router);

/*
 * The bytes that the sink has written for updates and events of the router,
 * including withdraws by rib_background(), but without a resync or a filter
 * change, because the router did not cause those.
 */
uint64_t rib_router_output_bytes(const struct rib_router *router);

#endif
