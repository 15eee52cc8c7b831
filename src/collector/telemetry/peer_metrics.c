#include "collector/telemetry/peer_metrics.h"

#include "collector/telemetry/metrics.h"
#include "collector/base/peer_id.h"
#include "collector/worker_state.h"
#include "bmp/names.h"
#include "rib/read.h"

#include <errno.h>
#include <stdlib.h>

/* Number of peers between two yields. */
#define SLICE 32

static void put_table(struct json *j, const struct metrics_labels *peer,
		      const struct rib_table *table)
{
	const struct rib_table_info *info = rib_table_info(table);
	struct metrics_labels labels = *peer;
	struct rib_table_state state;

	rib_table_state(table, &state);
	metrics_label(&labels, "view", bmp_view_name(info->view));
	metrics_label(&labels, "family",
		      bgp_family_info((enum bgp_family)info->family)->name);
	/* The numbers also identify families without a name. */
	metrics_label_uint(&labels, "afi", info->afi);
	metrics_label_uint(&labels, "safi", info->safi);
	metrics_uint(j, PEER_METRICS_ROUTES, &labels, state.routes);
}

static void put_peer(struct peer_metrics *c, const char *token,
		     struct rib_peer *peer)
{
	struct metrics_labels labels = { .len = 0 };
	struct rib_peer_state state;
	struct rib_table *t = NULL;
	char id[PEER_ID_MAX];

	rib_peer_state(peer, &state);
	peer_id_text(state.type, state.distinguisher, state.address, id);
	metrics_label(&labels, "router", token);
	metrics_label(&labels, "peer", id);
	metrics_label_uint(&labels, "asn", state.as);
	metrics_uint(&c->up, PEER_METRICS_UP, &labels, state.up);
	while ((t = rib_table_next(peer, t)) != NULL)
		put_table(&c->routes, &labels, t);
}

/*
 * Write the samples of peers of @router, from the position on. False if the
 * slice has ended before the last peer.
 */
static bool count_router(struct peer_metrics *c, struct rib_router *router,
			 uint64_t serial, size_t *left)
{
	char token[IDENTITY_TOKEN_MAX + 1];
	struct rib_peer *p = NULL;

	if (serial != c->place.router)
		c->place = (struct list_query_place){ .router = serial };
	list_query_token(router, token);
	while ((p = rib_peer_next(router, p)) != NULL) {
		struct rib_peer_state state;

		rib_peer_state(p, &state);
		if (state.serial <= c->place.peer)
			continue;
		if (*left == 0)
			return false;
		(*left)--;
		put_peer(c, token, p);
		c->place.peer = state.serial;
	}
	c->place = (struct list_query_place){ .router = serial + 1 };
	return true;
}

/* Write one slice. False if there is more. */
static bool count_slice(struct peer_metrics *c, const struct rib *rib)
{
	struct rib_router *r = NULL;
	size_t left = SLICE;

	while ((r = rib_router_next(rib, r)) != NULL) {
		struct rib_router_state state;

		rib_router_state(r, &state);
		if (state.serial >= c->place.router &&
		    !count_router(c, r, state.serial, &left))
			return false;
	}
	return true;
}

static int peer_metrics_run(struct worker_query *q, struct worker *w)
{
	struct peer_metrics *c = (struct peer_metrics *)q;

	do
		c->more = !count_slice(c, w->rib);
	while (c->more && worker_query_yield(q)); /* yields */
	return c->up.failed || c->routes.failed ? -ENOMEM : 0;
}

static void peer_metrics_drop(struct worker_query *q)
{
	peer_metrics_free((struct peer_metrics *)q);
}

struct peer_metrics *peer_metrics_new(void)
{
	struct peer_metrics *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->head.run = peer_metrics_run;
	c->head.free = peer_metrics_drop;
	return c;
}

void peer_metrics_free(struct peer_metrics *c)
{
	if (c == NULL)
		return;
	json_fini(&c->up);
	json_fini(&c->routes);
	free(c);
}
