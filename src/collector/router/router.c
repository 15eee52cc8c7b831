#include "collector/router/router.h"

#include "collector/collector_env.h"
#include "collector/worker_state.h"
#include "egress/batcher.h"
#include "rib/policy.h"
#include "rib/read.h"
#include "rib/rib.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Routers without a session */

void router_claimed(struct router *router)
{
	struct worker *w = router->worker;

	if (router->left_link == NULL)
		return;
	*router->left_link = router->left_next;
	if (router->left_next != NULL)
		router->left_next->left_link = router->left_link;
	else
		w->left_end = router->left_link;
	router->left_link = NULL;
	router->snapshot.unwanted = false;
}

void router_left(struct router *router)
{
	struct worker *w = router->worker;

	router->left = sp_now();
	router->left_next = NULL;
	router->left_link = w->left_end;
	*w->left_end = router;
	w->left_end = &router->left_next;
}

/* Creation and removal */

static struct router *router_find(struct worker *w,
				  const struct rib_identity *id)
{
	struct rib_router *rib_router = rib_router_find(w->rib, id);

	return rib_router != NULL ? *rib_router_slot(rib_router) : NULL;
}

/* Create a router; the caller has taken a place for it. */
static struct router *router_create(struct worker *w,
				    const struct rib_identity *id)
{
	struct rib_router *rib_router;
	struct router *router;

	if (rib_router_get(w->rib, id, &rib_router) < 0)
		return NULL;
	router = calloc(1, sizeof(*router));
	if (router == NULL)
		return NULL;
	router->worker = w;
	router->rib_router = rib_router;
	router->resync = true;
	log_bucket_init(&router->lines, ROUTER_LINES_BURST, ROUTER_LINES_RATE,
			sp_now());
	snapshot_state_init(&router->snapshot, w->env->publisher);
	router->next = w->routers;
	router->link = &w->routers;
	if (router->next != NULL)
		router->next->link = &router->next;
	w->routers = router;
	*rib_router_slot(rib_router) = router;
	router_left(router);
	return router;
}

int router_get(struct worker *w, const struct rib_identity *id,
	       enum router_rank rank, struct router **out)
{
	struct router *router = router_find(w, id);

	if (router == NULL && !router_limit_take(w->env->router_limit, rank))
		return -ENOSPC;
	if (router == NULL)
		router = router_create(w, id);
	if (router == NULL) {
		router_limit_give_back(w->env->router_limit);
		return -ENOMEM;
	}
	*out = router;
	return 0;
}

struct router *router_get_or_create(struct worker *w,
				    const struct rib_identity *id)
{
	struct router *router = router_find(w, id);

	if (router != NULL)
		return router;
	router = router_create(w, id);
	if (router != NULL)
		router_limit_take_beyond(w->env->router_limit);
	return router;
}

void router_free(struct router *router)
{
	free(router);
}

uint64_t router_changes(const struct router *router)
{
	struct rib_flow flow;

	rib_router_flow(router->rib_router, &flow);
	return flow.published_announced + flow.published_withdrawn +
	       flow.published_resync + router->snapshot.replayed;
}

bool router_snapshot_is_stale(const struct router *router)
{
	return router_changes(router) != router->snapshot.changes_at_start;
}

bool router_is_empty(const struct router *router)
{
	return !router->snapshot.valid && router_changes(router) == 0 &&
	       !rib_router_has_tables(router->rib_router);
}

bool router_is_known(const struct router *router, const struct config *config)
{
	const char *name = rib_router_info(router->rib_router)->name;

	return !router_is_empty(router) ||
	       (name != NULL && config_router_name_is_configured(config, name));
}

/*
 * True if the router has no references, no open session, and no peers that are
 * up or stale.
 */
static bool is_idle(const struct router *router)
{
	struct rib_router_state state;

	rib_router_state(router->rib_router, &state);
	return router->users == 0 && !state.open && state.peers_up == 0 &&
	       state.peers_stale == 0;
}

static void router_forget(struct worker *w, struct router *router)
{
	struct rib_time when = worker_now();

	router_claimed(router);
	*router->link = router->next;
	if (router->next != NULL)
		router->next->link = router->link;
	router_limit_give_back(w->env->router_limit);
	egress_batcher_forget(w->batcher, rib_router_info(router->rib_router));
	rib_router_purge(router->rib_router, &when);
	router_free(router);
}

void router_ref(struct router *router)
{
	router->users++;
}

void router_unref(struct worker *w, struct router *router)
{
	if (router == NULL)
		return;
	router->users--;
	if (router->stats.opened_ns == 0 && router_is_empty(router) &&
	    is_idle(router))
		router_forget(w, router);
}

struct router *router_next(struct worker *w, struct router *router)
{
	struct router *next = router == NULL ? w->routers : router->next;

	/*
	 * Refer to the next router first, and do not yield before
	 * router_unref(), which may free @router.
	 */
	if (next != NULL)
		router_ref(next);
	router_unref(w, router);
	return next;
}

void router_policy(const struct router *router, const struct bmp_peer *header,
		   struct rib_policy_mask out[BMP_VIEWS])
{
	struct filter_peer peer = filter_peer_of(header);

	for (int view = 0; view < BMP_VIEWS; view++) {
		struct filter_mask mask;

		peer.view = (uint8_t)view;
		mask = filter_ask(&router->settings.filters, &peer);
		out[view] =
			(struct rib_policy_mask){ mask.stored, mask.published };
	}
}

/* Set the policies of all peers from new settings. */
static void set_policies(struct router *router, const struct rib_time *when)
{
	struct rib_peer *peer = NULL;

	while ((peer = rib_peer_next(router->rib_router, peer)) != NULL) {
		struct rib_policy_mask policy[BMP_VIEWS];
		struct rib_peer_state state;
		struct bmp_peer header;

		rib_peer_state(peer, &state);
		header = (struct bmp_peer){
			.type = state.type,
			.as = state.as,
			.distinguisher = state.distinguisher,
		};
		memcpy(header.address, state.address, 16);
		router_policy(router, &header, policy);
		rib_peer_policy(peer, when, policy);
	}
}

void router_apply_config(struct router *router, const struct config *config,
			 const struct rib_time *when)
{
	const struct rib_router_info *info =
		rib_router_info(router->rib_router);
	const uint8_t *address = info->address;
	uint16_t port = info->port;

	/*
	 * Before the first message the rib does not know the source address of
	 * the session, so use the address in @router.
	 */
	if (router->session != NULL) {
		address = router->address;
		port = router->port;
	}
	config_router_settings(config, address, port, info->name,
			       &router->settings);
	rib_router_limits(router->rib_router,
			  router->settings.routes.per_router,
			  router->settings.routes.per_peer);
	set_policies(router, when);
}

bool router_has_clash(const struct router *router, int64_t now)
{
	return router->clash_ns != 0 &&
	       now - router->clash_ns < ROUTER_CLASH_NS;
}

bool router_over_rate(const struct router *router, int64_t now)
{
	return router->rate_paused_ns != 0 &&
	       now - router->rate_paused_ns < ROUTER_RATE_QUIET_NS;
}

int64_t router_expire(struct worker *w, int64_t hold)
{
	int64_t now = sp_now(), next = SP_NEVER;
	struct router *after;

	for (struct router *it = w->routers; it != NULL; it = after) {
		after = it->next;
		if (it->users > 0 || !router_is_empty(it))
			continue;
		if (is_idle(it) && now - it->left >= hold)
			router_forget(w, it);
		else
			next = now + SP_S;
	}
	return next;
}

/*
 * True if the router may be removed to make room: it is idle, has no routes and
 * no pending withdraws or resync, and is not configured.
 */
static bool is_departed(const struct router *router,
			const struct config *config)
{
	const struct rib_router_info *info =
		rib_router_info(router->rib_router);

	if (!is_idle(router) || rib_router_routes(router->rib_router) > 0 ||
	    rib_router_pending_withdraw(router->rib_router) > 0 ||
	    rib_router_resyncing(router->rib_router))
		return false;
	return info->name != NULL
		       ? !config_router_name_is_configured(config, info->name)
		       : !config_router_is_configured(config, info->address,
						      info->port);
}

static void log_forgotten(struct worker *w, uint64_t count)
{
	const struct router_limit *limit = w->env->router_limit;
	struct log_line line;

	w->counts.routers_forgotten += count;
	if (count == 0 ||
	    !log_begin(w->log, LOG_LEVEL_WARNING, "routers_forgotten", &line))
		return;
	log_u64(&line, "routers", count);
	log_u64(&line, "held", atomic_load(&limit->held));
	log_u64(&line, "max", atomic_load(&limit->max));
	log_text(&line, "hint",
		 "they had gone, without routes left; --max-routers, or "
		 "--allow if they were strangers");
	log_end(&line);
}

int64_t router_make_room(struct worker *w)
{
	uint32_t excess = router_limit_excess(w->env->router_limit);
	uint32_t workers = w->env->worker_count;
	/* The other workers remove their share. */
	uint32_t most = (excess + workers - 1) / workers;
	struct router *it = w->left, *next;
	uint64_t forgotten = 0;

	for (; it != NULL && most > 0; it = next) {
		bool departed = is_departed(it, w->config);

		next = it->left_next;
		if (!departed && !it->snapshot.unwanted)
			continue;
		most--;
		/*
		 * A router with a snapshot file is not removed yet: unwanted
		 * makes the snapshotter remove the file first, and the
		 * snapshotter uses the router meanwhile.
		 */
		if (!departed || it->snapshot.filed) {
			it->snapshot.unwanted = true;
			continue;
		}
		router_forget(w, it);
		forgotten++;
	}
	log_forgotten(w, forgotten);
	return excess > 0 && w->left != NULL ? sp_in(SP_S) : SP_NEVER;
}
