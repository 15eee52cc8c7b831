/*
 * collector/router/router.h - the collector's object for a monitored router
 *
 * One session at a time owns a router. A new session of the same router
 * replaces the old one: routers reboot without closing their connections, and
 * a dead connection may go unnoticed for minutes. A new session waits until
 * the fiber of the old one has exited, so that one session at a time touches
 * the router's state.
 *
 * If the replaced session reconnects within ROUTER_DUPLICATE_WINDOW_NS it was
 * not dead: two routers share an identity and would replace each other for
 * ever. Then the session that owns the router keeps it, and the other one is
 * refused until the window is over.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_ROUTER_ROUTER_H
#define COLLECTOR_ROUTER_ROUTER_H

#include "collector/config/router_section.h"
#include "collector/ingest/close_reason.h"
#include "collector/checkpoint/snapshotter.h"
#include "collector/base/log.h"
#include "collector/router/session_stats.h"
#include "rib/rib.h"

#include <spargio/sync.h>

struct session;

/* A replaced session that reconnects this soon is a second router. */
#define ROUTER_DUPLICATE_WINDOW_NS (60 * INT64_C(1000000000))

/* Between two passes over routers that can be freed. */
#define ROUTER_GC_INTERVAL_NS INT64_C(1000000000)

/* Lines about sessions of one router: at once, and then each second. */
#define ROUTER_LINES_BURST 20
#define ROUTER_LINES_RATE  1

/* How long the last bytes of a connection the router closed may take. */
#define ROUTER_DRAIN_NS (10 * INT64_C(1000000000))

struct router {
	struct router *next, **link; /* of all routers of the worker */
	struct rib_router *rib_router;
	struct session *session; /* NULL: free */
	uint32_t users;		 /* sessions, and who must find it again */
	int64_t left;		 /* when the last session did: sp_now() */
	int64_t taken_over; /* when the last one was thrown out; 0: never */
	/*
	 * Consumers may hold what nobody here knows of: tell them to forget it.
	 * Of a router that is new here, and of one that could not be restored.
	 */
	bool resync;
	/* What holds for the router; points into the worker's configuration. */
	struct config_router_settings settings;
	struct snapshot_state snapshot;
	struct router_stats stats;
	struct log_bucket lines; /* about its sessions */
	struct sp_mutex lock;
	struct sp_cond freed;
};

struct worker;

/* Created on first use. NULL: no memory. */
struct router *router_get_or_create(struct worker *w,
				    const struct rib_identity *id);
void router_free(struct router *router);

/*
 * It stays, and so does its place among the others, until router_unref(). Anybody
 * can connect: who never sent a message that could be read is forgotten with
 * the last user.
 */
void router_ref(struct router *router);
void router_unref(struct worker *w, struct router *router); /* NULL is fine */

/*
 * The routers of @w one after the other, by who yields in between: the next one
 * stays, until the call after it. @router is the one before; NULL: begin. Who
 * does not go on to the end puts the last one back.
 */
struct router *router_next(struct worker *w, struct router *router);

/*
 * Its router never had a route: then there is nothing to remember, here or in
 * a snapshot.
 */
bool router_is_empty(const struct router *router);

/*
 * Forget the routers of @w that have nothing to remember and have been away
 * for @hold. Returns when to look again; SP_NEVER: there is none to look at.
 */
int64_t router_expire(struct worker *w, int64_t hold);

/*
 * Make @session the owner until router_release(). CLOSE_NONE, or why it is
 * refused. Yields while the old session ends.
 */
enum close_reason router_claim(struct router *router, struct session *session);
void router_release(struct router *router, struct session *session);

/*
 * Have @config hold for the router: its limits and filters. For the one who
 * sits, and at a reload. Changes what is published, in slices.
 */
void router_apply_config(struct router *router, const struct config *config,
			 const struct rib_when *when);

#endif
