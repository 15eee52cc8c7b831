/*
 * collector/router/router.h - the collector's object for a monitored router
 *
 * One session at a time owns a router. Which one, if two claim it, is decided by
 * ingest/identity_rule.h. A new session waits until the fiber of the old one
 * has exited, so that one session at a time touches the router's state.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_ROUTER_ROUTER_H
#define COLLECTOR_ROUTER_ROUTER_H

#include "collector/base/log.h"
#include "collector/config/router_settings.h"
#include "collector/policy/output_rate.h"
#include "collector/router/session_stats.h"
#include "collector/router/snapshot_state.h"

#include <spargio/sync.h>

struct config;
struct rib_identity;
struct rib_router;
struct rib_time;
struct session;
struct worker;

/* How long somebody should look after a clash. */
#define ROUTER_CLASH_NS (900 * INT64_C(1000000000))

/* A router that was not paused for so long is no longer above its rate. */
#define ROUTER_RATE_QUIET_NS (60 * INT64_C(1000000000))

/* Lines about sessions of one router: at once, and then each second. */
#define ROUTER_LINES_BURST 20
#define ROUTER_LINES_RATE  1

struct router {
	struct router *next, **link; /* of all routers of the worker */
	struct rib_router *rib_router;
	struct session *session; /* that owns it; NULL: none does */
	/* Where that session comes from, before the rib knows it. */
	uint8_t address[16];
	uint16_t port;
	uint32_t users; /* sessions, and who must find it again */
	int64_t left;	/* when the last session did: sp_now() */
	/* Of others that claimed to be it: see ingest/clash_report.h. */
	int64_t clash_ns;	 /* when the last did; 0: none ever */
	int64_t clash_told_ns;	 /* when the log was told */
	uint64_t clashes_untold; /* since then */
	/* What was published because of it: see ingest/session_rate.h. */
	struct output_rate output_rate;
	uint64_t output_charged; /* of rib_router_output_bytes() */
	int64_t rate_paused_ns;	 /* when it last was, for that; 0: never */
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

/* Created on first use. NULL: no memory. */
struct router *router_get_or_create(struct worker *w,
				    const struct rib_identity *id);
void router_free(struct router *router);

/*
 * Keep it, and its place in the list, until router_unref(). A router that never
 * sent a readable message is freed with its last user: anybody can connect.
 */
void router_ref(struct router *router);
void router_unref(struct worker *w, struct router *router); /* NULL is fine */

/*
 * Iterate over the routers of @w with yields in between: @router is the one
 * before, or NULL to begin; the result is referenced until the next call. A
 * caller that stops early must router_unref() the last one.
 */
struct router *router_next(struct worker *w, struct router *router);

/* It never had a route, so neither this object nor a snapshot is needed. */
bool router_is_empty(const struct router *router);

/* It has tables, or a section by its name. */
bool router_is_known(const struct router *router, const struct config *config);

/* How often something of the router was published, ever. */
uint64_t router_changes(const struct router *router);

/* Whether something of it was published since its snapshot was begun. */
bool router_snapshot_is_stale(const struct router *router);

/* Whether a clash was so recent that somebody should look. */
bool router_has_clash(const struct router *router, int64_t now);

/* Whether --max-output-rate has kept it from being read lately. */
bool router_over_rate(const struct router *router, int64_t now);

/*
 * Free the routers of @w that are empty and have been disconnected for @hold.
 * Returns when to call again; SP_NEVER: none is left to look at.
 */
int64_t router_expire(struct worker *w, int64_t hold);

/*
 * Apply the limits and filters of @config to the router: when a session claims
 * it, and at a reload. Changes what is published, in slices.
 */
void router_apply_config(struct router *router, const struct config *config,
			 const struct rib_time *when);

#endif
