#include "collector/query/list_query.h"

#include "collector/base/json_bgp.h"
#include "collector/router/session_stats.h"
#include "collector/base/peer_id.h"
#include "collector/router/stats_report.h"
#include "bmp/names.h"
#include "bmp/text.h"
#include "rib/read.h"
#include "rib/rib.h"

#include <stdio.h>

static enum list_query_state state_of(const struct rib_peer_state *p)
{
	if (p->up)
		return p->implied ? LIST_QUERY_IMPLIED : LIST_QUERY_UP;
	return p->stale ? LIST_QUERY_STALE : LIST_QUERY_DOWN;
}

static void put_reported(struct json *j, const struct stats_report_row *row)
{
	if (row == NULL) {
		json_null_at(j, "routerCount");
		json_null_at(j, "difference");
		return;
	}
	json_uint_at(j, "routerCount", row->value);
	json_int_at(j, "difference", (int64_t)(row->ours - row->value));
}

static void put_table(struct json *j, const struct rib_peer *peer,
		      const struct rib_table *table,
		      const struct peer_stats *stats)
{
	const struct rib_table_info *info = rib_table_info(table);
	struct rib_table_state state;

	rib_table_state(table, &state);
	json_object(j);
	json_string_at(j, "view", bmp_view_name(info->view));
	json_bgp_view(j, (enum bmp_view)info->view);
	json_bgp_family(j, info->afi, info->safi);
	json_string_at(j, "family",
		       bgp_family_info((enum bgp_family)info->family)->name);
	json_uint_at(j, "routes", state.routes);
	json_uint_at(j, "pendingWithdraw", state.pending_withdraw);
	json_bool_at(j, "endOfRib", !state.syncing);
	json_bool_at(j, "suspect", state.suspect);
	json_bool_at(j, "unknown", state.unknown);
	json_uint_at(j, "sequence", state.sequence);
	json_time_at(j, "lastChangeAt", state.changed_ns);
	put_reported(j,
		     stats == NULL || stats->reported == NULL
			     ? NULL
			     : stats_report_find(stats->reported, peer, table));
	json_end_object(j);
}

static void put_tables(struct json *j, struct rib_peer *peer,
		       const struct peer_stats *stats)
{
	struct rib_table *t = NULL;
	uint64_t changed = 0;

	json_key(j, "tables");
	json_array(j);
	while ((t = rib_table_next(peer, t)) != NULL) {
		struct rib_table_state state;

		rib_table_state(t, &state);
		if (state.changed_ns > changed)
			changed = state.changed_ns;
		put_table(j, peer, t, stats);
	}
	json_end_array(j);
	json_time_at(j, "lastChangeAt", changed);
}

static void put_life(struct json *j, const struct peer_stats *stats)
{
	json_time_at(j, "upAt", stats->up_ns);
	json_time_at(j, "downAt", stats->down_ns);
	if (stats->downs > 0)
		json_bgp_code(j, "downReason", bmp_down_reason_name,
			      stats->down_reason);
	else
		json_null_at(j, "downReason");
	json_uint_at(j, "flaps", stats->downs);
	json_time_at(j, "reportedAt",
		     stats->reported != NULL ? stats->reported->at_ns : 0);
}

static void put_identity(struct json *j, const struct rib_peer_state *p)
{
	json_bgp_peer(j, &(struct json_bgp_peer){
				 .address = p->address,
				 .distinguisher = p->distinguisher,
				 .as = p->as,
				 .bgp_id = p->bgp_id,
				 .type = p->type,
			 });
	if (p->table_name.len > 0) {
		json_key(j, "tableName");
		json_text(j, p->table_name);
	}
}

/*
 * True if the peer is in one of the wanted states and matches the filter. The
 * filter also matches the address of the router, because the list shows it.
 */
static bool peer_wanted(const struct list_query *list,
			const struct rib_router *router,
			const struct rib_peer_state *p,
			const char *const names[2])
{
	char asn[16], address[64];
	struct text t = text_start(address, sizeof(address));

	if (list->states != 0 && !(list->states >> state_of(p) & 1))
		return false;
	if (list->filter[0] == '\0')
		return true;
	snprintf(asn, sizeof(asn), "%u", p->as);
	text_ip(&t, rib_router_info(router)->address);
	text_end(&t);
	return list_query_wants(
		list, (const char *[]){ names[0], names[1], asn, address }, 4);
}

bool list_query_peer(struct list_query *list, struct rib_router *router,
		     struct rib_peer *peer)
{
	static const struct peer_stats nothing;
	const struct peer_stats *stats = *rib_peer_slot(peer);
	char token[IDENTITY_TOKEN_MAX + 1], id[PEER_ID_MAX];
	struct rib_peer_state p;
	struct json *j = &list->page.out;

	rib_peer_state(peer, &p);
	peer_id_text(p.type, p.distinguisher, p.address, id);
	list_query_token(router, token);
	if (!peer_wanted(list, router, &p, (const char *[]){ token, id }))
		return false;
	if (stats == NULL)
		stats = &nothing;
	json_object(j);
	json_string_at(j, "id", id);
	json_string_at(j, "router", token);
	put_identity(j, &p);
	json_string_at(j, "state", list_query_state_name(state_of(&p)));
	json_uint_at(j, "routes", p.routes);
	put_life(j, stats);
	put_tables(j, peer, stats);
	if (stats->reported != NULL)
		json_int_at(j, "difference",
			    stats_report_difference(stats->reported));
	else
		json_null_at(j, "difference");
	if (list->whole)
		event_history_json(j, &stats->history);
	json_end_object(j);
	return true;
}
