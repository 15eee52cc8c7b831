#include "collector/query/list_query.h"

#include "bmp/text.h"
#include "collector/ingest/session.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "rib/read.h"
#include "rib/rib.h"

#include <spargio/time.h>

/*
 * The state to show: "up" if the session is open; else "stale" if a peer is
 * stale, or "down".
 */
static enum list_query_state state_of(const struct router *router,
				      const struct rib_router_state *state)
{
	if (router != NULL && router->session != NULL &&
	    session_state_is_open(router->session->state))
		return LIST_QUERY_UP;
	return state->peers_stale > 0 ? LIST_QUERY_STALE : LIST_QUERY_DOWN;
}

/* Convert a monotonic time to the wall clock; 0 stays 0. */
static uint64_t wall_of(int64_t then)
{
	struct rib_time now = worker_now();

	return then == 0 ? 0 : now.wall_ns - (now.now_ns - (uint64_t)then);
}

static void put_session(struct json *j, const struct router *router)
{
	const struct router_stats *stats = &router->stats;
	const struct session *s = router->session;

	json_string_at(j, "sysName",
		       stats->sys_name[0] != '\0' ? stats->sys_name : NULL);
	json_time_at(j, "connectedAt", stats->opened_ns);
	json_time_at(j, "lastMessageAt",
		     s != NULL ? wall_of(s->last_message_ns) : 0);
	json_time_at(j, "disconnectedAt", stats->closed_ns);
	json_string_at(j, "closeReason",
		       stats->closed_ns != 0
			       ? close_reason_name(stats->close_reason)
			       : NULL);
	json_uint_at(j, "messages",
		     stats->messages + (s != NULL ? s->messages : 0));
	json_uint_at(j, "bytes", stats->bytes + (s != NULL ? s->bytes : 0));
	json_uint_at(j, "outputBytes",
		     rib_router_output_bytes(router->rib_router));
	json_bool_at(j, "overOutputRate", router_over_rate(router, sp_now()));
	json_uint_at(j, "parseErrors",
		     stats->errors + (s != NULL ? s->errors : 0));
	json_time_at(j, "snapshotAt",
		     router->snapshot.valid
			     ? wall_of(router->snapshot.started_ns)
			     : 0);
	json_key(j, "difference");
	if (stats->reporting > 0)
		json_int(j, stats->difference);
	else
		json_null(j);
}

static void put_counts(struct json *j, const struct rib_router *rib_router,
		       const struct rib_router_state *state)
{
	struct rib_flow flow;

	json_uint_at(j, "peers", state->peers);
	json_uint_at(j, "peersUp", state->peers_up);
	json_uint_at(j, "peersStale", state->peers_stale);
	json_uint_at(j, "routes", state->routes);
	rib_router_flow(rib_router, &flow);
	json_key(j, "counters");
	json_object(j);
	list_query_flow(j, &flow);
	json_end_object(j);
}

static bool router_wanted(const struct list_query *list,
			  const struct rib_router *rib_router,
			  const struct router *router,
			  enum list_query_state state)
{
	const struct rib_router_info *info = rib_router_info(rib_router);
	char token[IDENTITY_TOKEN_MAX + 1], address[64];
	struct text t = text_start(address, sizeof(address));

	if (list->states != 0 && !(list->states >> state & 1))
		return false;
	if (list->filter[0] == '\0')
		return true;
	list_query_token(rib_router, token);
	text_ip(&t, info->address);
	text_end(&t);
	return list_query_wants(list,
				(const char *[]){
					token, address, info->name,
					router != NULL ? router->stats.sys_name
						       : NULL },
				4);
}

bool list_query_router(struct list_query *list, struct worker *w,
		       struct rib_router *rib_router)
{
	const struct rib_router_info *info = rib_router_info(rib_router);
	const struct router *router = *rib_router_slot(rib_router);
	char token[IDENTITY_TOKEN_MAX + 1];
	struct rib_router_state state;
	struct json *j = &list->page.out;

	rib_router_state(rib_router, &state);
	if (!router_wanted(list, rib_router, router, state_of(router, &state)))
		return false;
	list_query_token(rib_router, token);
	json_object(j);
	json_string_at(j, "id", token);
	json_key(j, "routerAddr");
	json_address(j, info->address);
	json_uint_at(j, "routerPort", info->port);
	if (info->name != NULL)
		json_string_at(j, "routerId", info->name);
	json_uint_at(j, "worker", w->id);
	json_string_at(j, "state",
		       list_query_state_name(state_of(router, &state)));
	put_counts(j, rib_router, &state);
	if (router != NULL) {
		put_session(j, router);
		if (list->whole)
			event_history_json(j, &router->stats.history);
	}
	json_end_object(j);
	return true;
}
