/*
 * collector/router/router.h - the collector's object for a monitored router
 *
 * One session at a time owns a router. If two sessions claim it,
 * ingest/identity_rule.h decides which of them. A new session waits until the
 * fiber of the old one has exited, so that one session at a time touches the
 * router's state.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_ROUTER_ROUTER_H
#define COLLECTOR_ROUTER_ROUTER_H

#include "collector/base/log.h"
#include "collector/config/router_settings.h"
#include "collector/policy/output_rate.h"
#include "collector/policy/router_limit.h"
#include "collector/router/session_stats.h"
#include "collector/router/snapshot_state.h"
#include "rib/types.h"

#include "bmp/peer.h"

#include <spargio/sync.h>

struct config;
struct rib_identity;
struct rib_router;
struct rib_time;
struct session;
struct worker;

/* Time for which a clash is shown as a problem. */
#define ROUTER_CLASH_NS (900 * INT64_C(1000000000))

/*
 * If a router was not paused for this time, it is not above its rate any more.
 */
#define ROUTER_RATE_QUIET_NS (60 * INT64_C(1000000000))

/*
 * Limit of log lines about the sessions of one router: burst, and lines per
 * second.
 */
#define ROUTER_LINES_BURST 20
#define ROUTER_LINES_RATE  1

struct router {
	/* links in the list of all routers of the worker */
	struct router *next, **link;
	struct worker *worker;
	struct rib_router *rib_router;
	/* the session that owns the router; NULL = none */
	struct session *session;
	/*
	 * Source address of that session, used until the rib knows the address.
	 */
	uint8_t address[16];
	uint16_t port;
	/*
	 * The highest connection number among the sessions that have ended, and
	 * of which messages were read; 0 = none
	 */
	uint64_t newest_connection;
	/* references: sessions, iterations and others that use the object */
	uint32_t users;
	/*
	 * links in the list of routers without a session; left_link is NULL if
	 * the router has a session
	 */
	struct router *left_next, **left_link;
	int64_t left; /* sp_now() when the last session ended */
	/* Clashes with other connections: see ingest/clash_report.h. */
	int64_t clash_ns;	 /* time of the last clash; 0 = never */
	int64_t clash_told_ns;	 /* time of the last log line about a clash */
	uint64_t clashes_untold; /* clashes since that line */
	/* The output rate: see ingest/session_rate.h. */
	struct output_rate output_rate;
	/* value of rib_router_output_bytes() already charged */
	uint64_t output_charged;
	/* time of the last pause because of the output rate; 0 = never */
	int64_t rate_paused_ns;
	/*
	 * Consumers may have routes of this router that are not known here:
	 * publish a RESYNC. Set for a router that is new here or could not be
	 * restored.
	 */
	bool resync;
	/*
	 * The settings of the router; they refer to the worker's configuration.
	 */
	struct config_router_settings settings;
	struct snapshot_state snapshot;
	struct router_stats stats;
	struct log_bucket lines; /* limits log lines about its sessions */
	struct sp_mutex lock;
	struct sp_cond freed;
};

/*
 * Find the router, or create it if policy/router_limit.h has a place for a
 * router of @rank. -ENOSPC if it has none, -ENOMEM.
 */
int router_get(struct worker *w, const struct rib_identity *id,
	       enum router_rank rank, struct router **out);

/*
 * Find or create the router without a limit, for a restore. NULL if out of
 * memory.
 */
struct router *router_get_or_create(struct worker *w,
				    const struct rib_identity *id);
void router_free(struct router *router);

/*
 * Keep the router, and its place in the list, until router_unref(). A router
 * that never sent a valid message is freed with its last reference, because
 * anyone can connect.
 */
void router_ref(struct router *router);
/* End a reference; @router may be NULL. */
void router_unref(struct worker *w, struct router *router);

/*
 * Iterate over the routers of @w; the caller may yield between the calls.
 * @router is the previous router, or NULL at the beginning. The result is
 * referenced until the next call. If the caller stops early, it must call
 * router_unref() for the last result.
 */
struct router *router_next(struct worker *w, struct router *router);

/*
 * True if the router never had a route: then neither this object nor a snapshot
 * is needed.
 */
bool router_is_empty(const struct router *router);

/*
 * Call it when a session has become the owner of the router, or when no session
 * owns it any more.
 */
void router_claimed(struct router *router);
void router_left(struct router *router);

/*
 * True if the router ever had a route, or if there is a section for its name.
 */
bool router_is_known(const struct router *router, const struct config *config);

/* The number of changes of the router published so far. */
uint64_t router_changes(const struct router *router);

/* True if changes were published since the last snapshot was begun. */
bool router_snapshot_is_stale(const struct router *router);

/* True if there was a clash within ROUTER_CLASH_NS. */
bool router_has_clash(const struct router *router, int64_t now);

/* True if --max-output-rate has paused the router recently. */
bool router_over_rate(const struct router *router, int64_t now);

/*
 * Free the routers of @w that are empty and have had no session for @hold.
 * Returns the time of the next call; SP_NEVER if no such router is left.
 */
int64_t router_expire(struct worker *w, int64_t hold);

/*
 * Remove routers of @w that have no session and no routes and are not
 * configured, if router_limit_excess() says that places are needed: first those
 * that lost their session first. If a router has a snapshot, it is removed
 * after the snapshotter has removed the file. Returns the time of the next
 * call; SP_NEVER if none is necessary.
 */
int64_t router_make_room(struct worker *w);

/*
 * Apply the limits and filters of @config to the router: when a session claims
 * it, and at a reload. The published routes change in slices.
 */
void router_apply_config(struct router *router, const struct config *config,
			 const struct rib_time *when);

/*
 * Compute the policy of a peer of the router for each view (rib/policy.h) from
 * the router's filters.
 */
void router_policy(const struct router *router, const struct bmp_peer *header,
		   struct rib_policy_mask out[BMP_VIEWS]);

#endif
