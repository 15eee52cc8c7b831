/*
 * The walk of a query over routers, peers and tables. Within a call it follows
 * pointers; between two calls its position is three serial numbers.
 */
#include "rib/query_internal.h"

#include "rib/peer.h"
#include "rib/rib_internal.h"

static bool wanted_table(const struct rib_asking *a, const struct rib_table *t)
{
	return t->info.afi == a->family->afi &&
	       t->info.safi == a->family->safi &&
	       (a->q->views == 0 || a->q->views >> t->info.view & 1);
}

static void enter_peer(struct rib_asking *a, struct rib_peer *peer)
{
	a->peer = peer;
	a->table = peer == NULL ? NULL : TAILQ_FIRST(&peer->tables);
	if (peer != NULL)
		a->c->peer = peer->serial;
	else
		a->c->peer++;
	a->c->table = 0;
}

static void enter_router(struct rib_asking *a, struct rib_router *router)
{
	a->router = router;
	a->c->router = router == NULL ? 0 : router->serial;
	a->c->peer = a->c->table = 0;
	a->peer = NULL;
	a->table = NULL;
	if (router != NULL)
		enter_peer(a, a->q->peer != NULL
				      ? rib_peer_find(router, a->q->peer)
				      : TAILQ_FIRST(&router->peer_list));
}

/* Continue in @router, at the peer of the cursor and after its table. */
static void place_in_router(struct rib_asking *a, struct rib_router *router)
{
	struct rib_query_cursor at = *a->c;
	struct rib_peer *peer = rib_peer_from(router, at.peer);

	a->router = router;
	if (a->q->peer != NULL) {
		peer = rib_peer_find(router, a->q->peer);
		if (peer != NULL && peer->serial < at.peer)
			peer = NULL;
	}
	enter_peer(a, peer);
	if (peer == NULL || peer->serial != at.peer)
		return;
	a->c->table = at.table;
	while (a->table != NULL && a->table->serial <= at.table) {
		a->table = TAILQ_NEXT(a->table, link);
		/* uses no budget: the call must get beyond this table */
		a->c->work++;
	}
}

/* Find the position of the cursor. */
static void place_find(struct rib_asking *a)
{
	struct rib_router *router = rib_router_from(a->rib, a->c->router);

	if (a->q->router != NULL)
		router =
			a->q->router->serial < a->c->router
				? NULL
				: rib_router_from(a->rib, a->q->router->serial);
	a->is_placed = true;
	if (router != NULL && router->serial == a->c->router)
		place_in_router(a, router);
	else
		enter_router(a, router);
}

struct rib_table *rib_query_next_table(struct rib_asking *a)
{
	if (!a->is_placed)
		place_find(a);
	while (a->router != NULL) {
		struct rib_table *t = a->table;

		if (rib_asking_is_spent(a))
			return NULL;
		rib_asking_spend(a, 1);
		if (t != NULL) {
			a->c->table = t->serial;
			a->table = TAILQ_NEXT(t, link);
			if (wanted_table(a, t))
				return t;
		} else if (a->peer != NULL) {
			enter_peer(a, a->q->peer != NULL
					      ? NULL
					      : TAILQ_NEXT(a->peer, link));
		} else {
			enter_router(a, a->q->router != NULL
						? NULL
						: TAILQ_NEXT(a->router, link));
		}
	}
	a->is_placed = false;
	a->c->router = a->c->peer = a->c->table = 0;
	return NULL;
}

struct rib_table *rib_query_same_table(struct rib_asking *a)
{
	uint64_t serial = a->c->table;
	struct rib_table *t;

	a->c->table--;
	place_find(a);
	t = a->table;
	if (t == NULL || t->serial != serial)
		return NULL;
	a->c->table = serial;
	a->table = TAILQ_NEXT(t, link);
	return t;
}

uint64_t rib_query_walk_length(const struct rib_asking *a, uint64_t *routes)
{
	const struct rib *rib = a->rib;
	const struct rib_router *router = a->q->router;
	uint64_t routers = router != NULL ? 1 : rib->routers.count;
	uint64_t all = router != NULL ? router->peer_count : rib->peers;
	uint64_t peers = a->q->peer != NULL && routers < all ? routers : all;

	*routes = router != NULL ? router->routes : rib->routes;
	if (peers < all)
		*routes = *routes / all * peers;
	if (rib->peers == 0)
		return routers;
	return routers + peers + peers * rib->tables / rib->peers;
}
