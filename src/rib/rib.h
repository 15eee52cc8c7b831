/*
 * rib/rib.h - what a shard remembers of its routers, and curation with it
 *
 *	session fiber				worker
 *	rib_session_open()			rib_background() when there is time,
 *	rib_apply()  per BMP message  ---->	  and when due_ns has come
 *	rib_session_close()
 *			\_____ struct rib_sink: changes and events, in order
 *
 * A router has peers (type, distinguisher, address), a peer has tables (view,
 * AFI, SAFI), a table has routes (NLRI key, path id). A route that is announced
 * as it already is goes no further; a route that its router forgets to
 * withdraw is withdrawn here.
 *
 * Threads	One rib belongs to one shard. Nothing here locks or is global.
 * Blocking	Nothing waits. Work that grows with a table (withdrawals after a
 *		Peer Down, sweeps after an End-of-RIB, publishing again) is
 *		only started by rib_apply() and done by rib_background() in slices.
 *		Whatever comes between two slices, a consumer that applies the
 *		changes in order has each route as its router last said.
 * Time		An argument, always. Timers run on now_ns; wall_ns is only
 *		copied and kept coarsely. now_ns must not go backwards.
 * Ownership	The rib copies what it keeps. Routers are owned by the rib; a
 *		pointer to one is good until rib_router_purge() or rib_free().
 * Errors	0 or -errno, and that is only ever -ENOMEM: what a router sends
 *		is counted, not refused with an error.
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

struct rib_policy;

/* Attributes, 30 s, 300 s, 1 h, hold 600 s, 100,000 peers, 256 tables. */
void rib_config_defaults(struct rib_config *config);

/* Life cycle */

/* -ENOMEM; then *@out is untouched. @sink is copied. */
int rib_new(const struct rib_config *config, const struct rib_sink *sink,
	    struct rib **out);
void rib_free(struct rib *rib);

/* Take new timers and limits. Seed and mode stay as they were. */
void rib_configure(struct rib *rib, const struct rib_config *config);

/* It may have so many routes before it asks config->allow again. */
void rib_allow(struct rib *rib, uint64_t routes);
uint64_t rib_route_count(const struct rib *rib);

/* Routers */

/* NULL if there is none. */
struct rib_router *rib_router_find(struct rib *rib,
				   const struct rib_identity *id);

/* Find it or make it. */
int rib_router_get(struct rib *rib, const struct rib_identity *id,
		   struct rib_router **out);

/*
 * Withdraw all of it (reason ADMIN) and forget it. Not in slices: for an
 * operator who removes a router for ever. A session must not be open.
 */
void rib_router_purge(struct rib_router *router, const struct rib_time *when);

/*
 * From now on @policy (rib/policy.h) applies to @router. Copied. Tables whose
 * disposition changes are withdrawn or announced by rib_background().
 */
void rib_router_policy(struct rib_router *router, const struct rib_time *when,
		       const struct rib_policy *policy);

const struct rib_router_info *rib_router_info(const struct rib_router *router);
enum rib_mode rib_router_mode(const struct rib_router *router);

/* Whether a peer of it ever had a route: tables are kept when they are empty. */
bool rib_router_has_tables(const struct rib_router *router);

/*
 * Room for one pointer of whoever uses the rib, NULL at first: so that what
 * belongs to a router needs no table of its own.
 */
void **rib_router_slot(struct rib_router *router);

/*
 * A peer of the router came back with another AS, and some of what it had is
 * still to be withdrawn, under its old one. What it announces has another
 * subject and would overtake that, so whoever publishes by subject applies no
 * message of the router until rib_background() has done it.
 */
bool rib_router_subject_changing(const struct rib_router *router);

/*
 * Routes of the router that are gone and whose withdraws are still to be
 * published by rib_background(). A Peer Up or Peer Down adds to them, and has as many
 * of those before withdrawn at once as it adds twice; who waits before it until
 * they are few has that bounded.
 */
uint64_t rib_router_pending_withdraw(const struct rib_router *router);

/* Counters */

/* Both copy what is counted all the time: no walk, whatever there is. */
void rib_flow(const struct rib *rib, struct rib_flow *out);
void rib_sizes(const struct rib *rib, struct rib_sizes *out);
void rib_router_flow(const struct rib_router *router, struct rib_flow *out);
uint64_t rib_router_routes(const struct rib_router *router);

/*
 * Bytes that the sink has made of updates and events of the router, with
 * withdraws that rib_background() published; without what was published again
 * because of a resync or a filter, for which the router can do nothing.
 */
uint64_t rib_router_output_bytes(const struct rib_router *router);

#endif
