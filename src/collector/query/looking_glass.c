#include "collector/query/looking_glass.h"

#include "collector/base/json_bgp.h"
#include "collector/router/peer_id.h"
#include "collector/query/list_query.h"
#include "collector/worker_state.h"
#include "bmp/canonical.h"
#include "bmp/decode_context.h"
#include "bmp/names.h"
#include "egress/subject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a query between two rests: some 50 us. */
#define BUDGET	1024
#define ANSWERS 16

static void put_router(struct json *j, const struct rib_router_info *info)
{
	char token[SUBJECT_ROUTER_MAX];

	if (info->name != NULL)
		subject_router_named(info->name, token);
	else
		subject_router(info->address, token);
	json_string_at(j, "router", token);
	json_key(j, "routerAddr");
	json_address(j, info->address);
	if (info->name != NULL)
		json_string_at(j, "routerId", info->name);
}

static void put_table(struct json *j, const struct rib_table_info *info)
{
	char id[PEER_ID_MAX];

	put_router(j, info->router);
	peer_id_text(info->peer_type, info->distinguisher, info->peer_address,
		     id);
	json_string_at(j, "peer", id);
	json_key(j, "peerAddr");
	json_address(j, info->peer_address);
	json_uint_at(j, "peerAsn", info->peer_as);
	json_string_at(j, "view", bmp_view_name(info->view));
	json_uint_at(j, "afi", info->afi);
	json_uint_at(j, "safi", info->safi);
	json_string_at(j, "family",
		       bgp_family_info((enum bgp_family)info->family)->name);
	if (info->table_name.len > 0) {
		json_key(j, "tableName");
		json_text(j, info->table_name);
	}
}

static void put_key(struct json *j, const struct rib_table_info *info,
		    const struct rib_answer *a)
{
	const struct bgp_family_info *family =
		bgp_family_info((enum bgp_family)info->family);

	json_key(j, "prefixAddr");
	if (family->addr_bits == 32)
		json_ipv4(j, wire_get_u32(a->address + 12));
	else
		json_ipv6(j, a->address);
	json_uint_at(j, "prefixLen", a->prefix_len);
	if (a->route->has_path_id)
		json_uint_at(j, "pathId", a->route->path_id);
	if (family->flags & BGP_FAMILY_RD)
		json_bgp_rd(j, a->rd);
	if (family->flags & BGP_FAMILY_LABELS)
		json_bgp_labels(j, a->route->extra);
}

/* The canonical form has it in NEXT_HOP: 4, 16 or 32 bytes. */
static void put_next_hop(struct json *j, const struct bgp_attrs *attrs)
{
	if (!bgp_attrs_has(attrs, BGP_NEXT_HOP))
		return;
	json_key(j, "nextHop");
	if (attrs->next_hop_len == 4)
		json_ipv4(j, wire_get_u32(attrs->next_hop));
	else
		json_ipv6(j, attrs->next_hop);
	if (attrs->next_hop_len == 32) {
		json_key(j, "nextHopLinkLocal");
		json_ipv6(j, attrs->next_hop + 16);
	}
}

static void put_attributes(struct json *j, const struct rib_stored *route)
{
	const struct bgp_decode_opts opts = BGP_DECODE_CANONICAL;
	struct bgp_attrs attrs;

	json_bool_at(j, "attributesKnown", route->known);
	if (!route->known)
		return;
	bgp_attrs_decode(route->attrs, &opts, &attrs);
	put_next_hop(j, &attrs);
	json_bgp_attributes(j, &attrs);
}

static void put_answer(void *query, const struct rib_answer *a)
{
	const struct rib_table_info *info = rib_table_info(a->table);
	struct looking_glass *g = query;
	struct json *j = &g->out;
	struct rib_peer_state peer;

	rib_peer_state(rib_table_peer(a->table), &peer);
	json_object(j);
	put_key(j, info, a);
	put_table(j, info);
	put_attributes(j, a->route);
	json_time_at(j, "changedAt", a->route->changed_s * 1000000000U);
	json_bool_at(j, "stale", peer.stale);
	json_end_object(j);
	g->count++;
	g->limit--;
}

/* The query with pointers that are good until the next rest. */
static bool find_router(struct looking_glass *g, struct rib *rib,
			struct rib_query *out)
{
	struct rib_identity id = { .name = NULL };

	*out = g->query;
	if (g->has_peer)
		out->peer = &g->peer;
	if (!g->has_router)
		return true;
	memcpy(id.address, g->router.address, 16);
	if (identity_named(&g->router))
		id.name = g->router.name;
	out->router = rib_router_find(rib, &id);
	return out->router != NULL;
}

static int answer(struct worker_query *q, struct worker *w)
{
	struct looking_glass *g = (struct looking_glass *)q;

	do {
		struct rib_query_page page = {
			.budget = BUDGET,
			.answers = g->limit < ANSWERS ? g->limit : ANSWERS,
			.answer = put_answer,
			.arg = g,
		};
		struct rib_query query;

		if (!find_router(g, w->rib, &query)) {
			g->no_router = true;
			g->more = false;
			break;
		}
		g->more = rib_query(w->rib, &query, &g->cursor, &page);
	} while (g->more && g->limit > 0 && worker_query_yield(q)); /* yields */
	return g->out.failed ? -ENOMEM : 0;
}

static void drop(struct worker_query *q)
{
	looking_glass_free((struct looking_glass *)q);
}

struct looking_glass *looking_glass_new(void)
{
	struct looking_glass *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->head.run = answer;
	g->head.free = drop;
	return g;
}

void looking_glass_free(struct looking_glass *g)
{
	if (g == NULL)
		return;
	json_fini(&g->out);
	free(g);
}
