/*
 * rib/rib.h - what a shard remembers of its routers, and curation with it
 *
 *	session fiber				worker
 *	rib_session_open()			rib_work() when there is time,
 *	rib_apply()  per BMP message  ---->	  and when due_ns has come
 *	rib_session_close()
 *			\_____ struct rib_sink: changes and events, in order
 *
 * A router has peers (type, distinguisher, address), a peer has tables (view,
 * AFI, SAFI), a table has routes (NLRI key, path id). A route that is announced
 * as it already is goes no further; a route that its router forgets to
 * withdraw is withdrawn here. docs/design of it: COLLECTOR.md section 4.
 *
 * Threads	One rib belongs to one shard. Nothing here locks or is global.
 * Blocking	Nothing waits. Work that grows with a table (floods after a
 *		Peer Down, sweeps after an End-of-RIB, publishing again) is
 *		only started by rib_apply() and done by rib_work() in slices.
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

#include "rib/counters.h"
#include "rib/event.h"
#include "rib/identity.h"

struct rib;
struct rib_router;

#define RIB_NEVER UINT64_MAX

enum rib_mode {
	RIB_MODE_ATTRIBUTES, /* publish what differs */
	RIB_MODE_PRESENCE,   /* publish what comes and goes */
	RIB_MODE_OFF,	     /* publish everything, keep no route */
	RIB_MODES
};

struct rib_config {
	uint64_t seed;		 /* of all hashes: random, told to nobody */
	uint8_t mode;		 /* enum rib_mode; cannot change later */
	uint64_t sweep_quiet_ns; /* no Route Monitoring of the router at all */
	uint64_t sweep_max_ns;	 /* since the first one of a table */
	uint64_t sweep_idle_ns;	 /* for a table that saw none */
	uint64_t stale_hold_ns;	 /* 0: at once; RIB_NEVER */
	/*
	 * Routes; zero means no limit. Those of a router and a peer hold for
	 * routers without a policy of their own (rib/policy.h).
	 */
	uint64_t max_routes;
	/*
	 * Of those in all, how many this rib may have if others share them:
	 * asked when it has @routes and wants one more. NULL: all.
	 */
	uint64_t (*allow)(void *arg, uint64_t routes);
	void *allow_arg;
	uint64_t max_routes_router;
	uint64_t max_routes_peer;
	uint32_t max_peers;  /* of a router */
	uint32_t max_tables; /* of a peer */
};

/* Attributes, 30 s, 300 s, 1 h, hold 600 s, 100,000 peers, 256 tables. */
void rib_config_defaults(struct rib_config *config);

/* The moment of a call. */
struct rib_when {
	uint64_t now_ns;  /* monotonic */
	uint64_t wall_ns; /* since 1970 */
};

/* Life cycle */

/* -ENOMEM; then *@out is untouched. @sink is copied. */
int rib_new(const struct rib_config *config, const struct rib_sink *sink,
	    struct rib **out);
void rib_free(struct rib *rib);

/* Take new timers and limits. Seed and mode stay as they were. */
void rib_configure(struct rib *rib, const struct rib_config *config);

/* It may have so many routes before it asks config->allow again. */
void rib_allow(struct rib *rib, uint64_t routes);
uint64_t rib_routes_count(const struct rib *rib);

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
void rib_router_purge(struct rib_router *router, const struct rib_when *when);

const struct rib_router_info *rib_router_info(const struct rib_router *router);

/* Whether a peer of it ever had a route: tables are kept when they are empty. */
bool rib_router_has_tables(const struct rib_router *router);

/*
 * Room for one pointer of whoever uses the rib, NULL at first: so that what
 * belongs to a router needs no table of its own.
 */
void **rib_router_slot(struct rib_router *router);

/* Sessions of BMP */

/*
 * A session begins; publishes SESSION_OPEN. Call it before the first message
 * of the session, once its Initiation is known if there is one.
 * @address and @port are where it comes from, @sys_name may be NULL.
 */
void rib_session_open(struct rib_router *router, const struct rib_when *when,
		      const uint8_t address[16], uint16_t port,
		      const char *sys_name);

/*
 * It is over: its peers are stale from now. Publishes SESSION_CLOSE and, if
 * there are routes to hold, STALE. @reason is the collector's own number.
 */
void rib_session_close(struct rib_router *router, const struct rib_when *when,
		       uint16_t reason, const char *text);

/*
 * The clocks of sweeps stand still from pause to resume: while the session is
 * not read, or has input that was not. Both may be repeated.
 */
void rib_session_pause(struct rib_router *router, const struct rib_when *when);
void rib_session_resume(struct rib_router *router, const struct rib_when *when);

/* Messages */

/*
 * Apply one message that bmp_status_usable() says can be used. Does Route
 * Monitoring, Statistics, Peer Up and Peer Down; the others change nothing
 * here. @over may be NULL.
 */
int rib_apply(struct rib_router *router, const struct rib_when *when,
	      const struct bmp_message *msg, const struct bgp_overrides *over);

/*
 * The same for several messages, exactly as if one after another. What Route
 * Monitoring will look at is asked for before the first is applied, so that
 * memory is waited for once for all of them: for messages with a route or two
 * that is most of the time. RIB_AHEAD at a time is best. Returns how many
 * could not be applied for want of memory.
 */
#define RIB_AHEAD 16
size_t rib_apply_many(struct rib_router *router, const struct rib_when *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over);

/*
 * The most that a call may do. A message of a few kilobytes can become a
 * gigabyte of output, because all that its routes share is repeated for each
 * of them; so work is bounded by what comes out, not by what goes in.
 */
struct rib_budget {
	uint64_t routes;    /* that may still be looked at; counts down */
	uint64_t bytes_end; /* stop when rib_sink.bytes has come to this */
};

/* How much of the next message is applied already. All zero: nothing. */
struct rib_progress {
	uint32_t section; /* enum bgp_section_id: those before are done */
	uint32_t offset;  /* bytes of its field that are done */
	uint32_t routes;  /* in these bytes */
};

/* Whether nothing is left of @budget. */
bool rib_budget_spent(const struct rib *rib, const struct rib_budget *budget);

/*
 * The same as rib_apply_many() until @budget is spent, which may be in the
 * middle of a message: at least a few routes, and at most some 256 KiB or one
 * route more than the budget. Returns how many messages are applied whole;
 * *@progress, which is zero for the first call, belongs to the next one: call
 * again with that message in front. Between the calls anything may happen to
 * the rib, but no other message of the router may be applied, and the session
 * must stay open. *@failed counts messages without memory.
 *
 * It also returns early if rib_router_moving() has become true.
 */
size_t rib_apply_some(struct rib_router *router, const struct rib_when *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over,
		      struct rib_budget *budget, struct rib_progress *progress,
		      uint64_t *failed);

/*
 * A peer of the router came back with another AS, and some of what it had is
 * still to be withdrawn, under its old one. What it announces has another
 * subject and would overtake that, so whoever publishes by subject applies no
 * message of the router until rib_work() has done it.
 */
bool rib_router_moving(const struct rib_router *router);

/*
 * Routes of the router that are gone and whose withdraws are still to be
 * published by rib_work(). A Peer Up or Peer Down adds to them, and has as many
 * of those before withdrawn at once as it adds twice; who waits before it until
 * they are few has that bounded.
 */
uint64_t rib_router_dying(const struct rib_router *router);

/*
 * A Route Monitoring of this peer came in which no UPDATE could be found: the
 * tables of its view are suspect until their next generation.
 */
void rib_unreadable(struct rib_router *router, const struct rib_when *when,
		    const struct bmp_peer *peer);

/*
 * A Route Monitoring of this peer was dropped before it came here: its tables,
 * also those first heard of later, are unknown until their next generation.
 * Publishes UNKNOWN once.
 */
int rib_drop(struct rib_router *router, const struct rib_when *when,
	     const struct bmp_peer *peer);

/* Operators */

/* Withdraw all of a peer (reason ADMIN), in slices. False: no such peer. */
bool rib_peer_purge(struct rib_router *router, const struct rib_when *when,
		    const struct bmp_peer *peer);

/*
 * Publish the tables of @router again, in slices, behind a RESYNC event.
 * Routes whose attributes are unknown are left out: their router will
 * announce them or they will be swept. In presence mode, where an announcement
 * of what is present is suppressed, they are published without attributes.
 */
void rib_resync(struct rib_router *router, const struct rib_when *when);

/*
 * Whether some of that is still to come. Until then consumers do not have
 * what the rib has, and a snapshot would promise that they do.
 */
bool rib_router_resyncing(const struct rib_router *router);

/* Work */

struct rib_work {
	bool more;	 /* call again as soon as others had their turn */
	uint64_t due_ns; /* or else then; RIB_NEVER: no timer runs */
};

/*
 * Start what timers made due, and do some of the work that waits: about
 * @budget routes of it, at least one, or fewer that make 512 KiB of output. Every call above may bring the next
 * timer forward, so call it at the end of each turn in which there was one; it
 * costs a comparison if there is nothing to do.
 */
struct rib_work rib_work(struct rib *rib, const struct rib_when *when,
			 size_t budget);

/* Counters */

/* Both copy what is counted all the time: no walk, whatever there is. */
void rib_flow(const struct rib *rib, struct rib_flow *out);
void rib_sizes(const struct rib *rib, struct rib_sizes *out);
void rib_router_flow(const struct rib_router *router, struct rib_flow *out);
uint64_t rib_router_routes(const struct rib_router *router);

/* For tests: whether all structures hold what they promise. Slow. */
bool rib_validate(const struct rib *rib);

#endif
