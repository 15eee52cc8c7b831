#include "collector/query/list_query.h"

#include "collector/worker.h"
#include "bmp/text.h"
#include "rib/read.h"

#include <spargio/time.h>

static enum survey_state state_of(const struct rib_router_state *state)
{
	if (state->open)
		return SURVEY_UP;
	return state->peers_stale > 0 ? SURVEY_STALE : SURVEY_DOWN;
}

/* A moment of the monotonic clock by the wall clock; 0 stays 0. */
static uint64_t wall_of(int64_t then)
{
	struct rib_when now = worker_now();

	return then == 0 ? 0 : now.wall_ns - (now.now_ns - (uint64_t)then);
}

static void put_session(struct json *j, const struct seat *seat)
{
	const struct router_note *note = &seat->note;
	const struct session *s = seat->session;

	json_string_at(j, "sysName",
		       note->sys_name[0] != '\0' ? note->sys_name : NULL);
	json_time_at(j, "connectedAt", note->opened_ns);
	json_time_at(j, "lastMessageAt", s != NULL ? wall_of(s->last) : 0);
	json_time_at(j, "disconnectedAt", note->closed_ns);
	json_string_at(j, "closeReason",
		       note->closed_ns != 0 ? ending_name(note->ending) : NULL);
	json_uint_at(j, "messages",
		     note->messages + (s != NULL ? s->messages : 0));
	json_uint_at(j, "bytes", note->bytes + (s != NULL ? s->bytes : 0));
	json_uint_at(j, "parseErrors",
		     note->errors + (s != NULL ? s->errors : 0));
	json_time_at(j, "snapshotAt",
		     seat->keep.filed ? wall_of(seat->keep.begun) : 0);
	json_key(j, "difference");
	if (note->reporting > 0)
		json_int(j, note->difference);
	else
		json_null(j);
}

static void put_counts(struct json *j, const struct rib_router *router,
		       const struct rib_router_state *state)
{
	struct rib_flow flow;

	json_uint_at(j, "peers", state->peers);
	json_uint_at(j, "peersUp", state->peers_up);
	json_uint_at(j, "peersStale", state->peers_stale);
	json_uint_at(j, "routes", state->routes);
	rib_router_flow(router, &flow);
	json_key(j, "counters");
	json_object(j);
	survey_flow(j, &flow);
	json_end_object(j);
}

static bool wanted(const struct survey *v, const struct rib_router *router,
		   const struct seat *seat, enum survey_state state)
{
	const struct rib_router_info *info = rib_router_info(router);
	char token[IDENTITY_TOKEN_MAX + 1], address[64];
	struct text t = text_start(address, sizeof(address));

	if (v->states != 0 && !(v->states >> state & 1))
		return false;
	if (v->filter[0] == '\0')
		return true;
	survey_token(router, token);
	text_ip(&t, info->address);
	text_end(&t);
	return survey_wants(v,
			    (const char *[]){ token, address, info->name,
					      seat != NULL ? seat->note.sys_name
							   : NULL },
			    4);
}

bool survey_router(struct survey *v, struct worker *w,
		   struct rib_router *router)
{
	const struct rib_router_info *info = rib_router_info(router);
	const struct seat *seat = *rib_router_slot(router);
	char token[IDENTITY_TOKEN_MAX + 1];
	struct rib_router_state state;
	struct json *j = &v->out;

	rib_router_state(router, &state);
	if (!wanted(v, router, seat, state_of(&state)))
		return false;
	survey_token(router, token);
	json_object(j);
	json_string_at(j, "id", token);
	json_key(j, "routerAddr");
	json_address(j, info->address);
	json_uint_at(j, "routerPort", info->port);
	json_string_at(j, "routerId", info->name);
	json_uint_at(j, "worker", w->id);
	json_string_at(j, "state", survey_state_name(state_of(&state)));
	put_counts(j, router, &state);
	if (seat != NULL) {
		put_session(j, seat);
		if (v->whole)
			diary_json(j, &seat->note.diary);
	}
	json_end_object(j);
	return true;
}
