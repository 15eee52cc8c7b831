#include "collector/query/looking_glass.h"

#include "collector/base/json_bgp.h"
#include "collector/base/peer_id.h"
#include "collector/query/list_query.h"
#include "collector/worker_state.h"
#include "bmp/canonical.h"
#include "bmp/decode_context.h"
#include "bmp/names.h"
#include "egress/subject.h"
#include "rib/rib.h"

#include <errno.h>
#include <stdlib.h>

/* Amount of work between two yields: some 50 us. */
#define BUDGET	1024
#define ANSWERS 16

/*
 * page_query.kind of the looking glass: marks its cursors. Must differ from all
 * values of enum list_query_kind.
 */
#define PAGE_KIND 16

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
	json_bgp_peer(j, &(struct json_bgp_peer){
				 .address = info->peer_address,
				 .distinguisher = info->distinguisher,
				 .as = info->peer_as,
				 .bgp_id = info->peer_bgp_id,
				 .type = info->peer_type,
			 });
	json_string_at(j, "view", bmp_view_name(info->view));
	json_bgp_view(j, (enum bmp_view)info->view);
	json_bgp_family(j, info->afi, info->safi);
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
	enum bgp_family family = (enum bgp_family)info->family;

	json_bgp_prefix(j, family, a->address, a->prefix_len);
	if (a->route->has_path_id)
		json_uint_at(j, "pathId", a->route->path_id);
	json_bgp_rd(j, family, (struct wire_view){ 0 }, a->rd);
	if (bgp_family_info(family)->flags & BGP_FAMILY_LABELS)
		json_bgp_labels(j, a->route->extra);
}

/*
 * Write the next hop from the attribute NEXT_HOP: canonical attributes have
 * every next hop there, with 4, 16 or 32 bytes.
 */
static void put_next_hop(struct json *j, const struct bgp_attrs *attrs)
{
	const uint8_t *hop = attrs->next_hop;

	if (!bgp_attrs_has(attrs, BGP_NEXT_HOP))
		return;
	if (attrs->next_hop_len == 4) {
		json_key(j, "nextHop");
		json_ipv4(j, wire_get_u32(hop));
		return;
	}
	json_bgp_next_hop(j, hop, attrs->next_hop_len == 32 ? hop + 16 : NULL);
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

static bool put_answer(void *query, const struct rib_answer *a)
{
	const struct rib_table_info *info = rib_table_info(a->table);
	struct looking_glass *g = query;
	struct json *j = &g->page.out;
	struct rib_peer_state peer;

	rib_peer_state(rib_table_peer(a->table), &peer);
	json_object(j);
	put_key(j, info, a);
	put_table(j, info);
	put_attributes(j, a->route);
	json_time_at(j, "changedAt", a->route->changed_s * 1000000000U);
	json_bool_at(j, "stale", peer.stale);
	json_end_object(j);
	g->page.limit--;
	return j->len < g->page.max_bytes;
}

/*
 * Set *@out to the query, with pointers to its router and peer, which are valid
 * until the next yield. False if the router is not on this worker.
 */
static bool find_router(struct looking_glass *g, struct rib *rib,
			struct rib_query *out)
{
	*out = g->query;
	if (g->page.peer.given)
		out->peer = &g->page.peer.peer;
	if (!g->page.router.given)
		return true;
	out->router = rib_router_find(rib, &g->page.router.identity);
	return out->router != NULL;
}

static int looking_glass_run(struct worker_query *q, struct worker *w)
{
	struct looking_glass *g = (struct looking_glass *)q;
	struct page_query *p = &g->page;

	do {
		struct rib_query_page page = {
			.budget = BUDGET,
			.answers = p->limit < ANSWERS ? p->limit : ANSWERS,
			.answer = put_answer,
			.arg = g,
		};
		struct rib_query query;

		if (!find_router(g, w->rib, &query)) {
			p->no_router = true;
			p->more = false;
			break;
		}
		p->more = rib_query(w->rib, &query, &g->cursor, &page);
	} while (p->more && p->limit > 0 && p->out.len < p->max_bytes &&
		 worker_query_yield(q)); /* yields */
	return p->out.failed ? -ENOMEM : 0;
}

static void looking_glass_drop(struct worker_query *q)
{
	looking_glass_free((struct looking_glass *)q);
}

struct looking_glass *looking_glass_new(void)
{
	struct looking_glass *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->page.head.run = looking_glass_run;
	g->page.head.free = looking_glass_drop;
	g->page.kind = PAGE_KIND;
	g->page.place = &g->cursor;
	g->page.place_len = sizeof(g->cursor);
	g->page.limit = QUERY_LIMIT_DEFAULT;
	return g;
}

void looking_glass_free(struct looking_glass *g)
{
	if (g == NULL)
		return;
	json_fini(&g->page.out);
	free(g);
}
