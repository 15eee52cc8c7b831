#include "rib_model.h"

#include <stdlib.h>
#include <string.h>

void model_init(struct model *m, const struct rib_config *config)
{
	memset(m, 0, sizeof(*m));
	m->config = *config;
}

static void publish(struct model *m, struct model_result r)
{
	if (m->n_results == MODEL_RESULTS)
		abort();
	m->results[m->n_results++] = r;
}

/*
 * A table begins to be told anew: what it has is old until told again. A sweep
 * that was not done yet is none of what this generation will end with.
 */
static void start_generation(struct model_table *t, uint64_t now_ns)
{
	for (int k = 0; k < WORLD_KEYS; k++)
		for (int i = 0; i < MODEL_PATHS; i++)
			if (!t->routes[k][i].gone)
				t->routes[k][i].owed = RIB_REASON_NONE;
	t->generation++;
	t->waiting = true;
	t->seen = false;
	t->started_ns = now_ns;
}

static void start_generations(struct model_peer *p, uint64_t now_ns)
{
	for (int v = 0; v < BMP_VIEWS; v++)
		for (int f = 0; f < WORLD_FAMILIES; f++)
			if (p->tables[v][f].there)
				start_generation(&p->tables[v][f], now_ns);
}

/* The dump has ended: what it did not have is owed. */
static void sweep(struct model_table *t)
{
	t->waiting = false;
	for (int k = 0; k < WORLD_KEYS; k++)
		for (int i = 0; i < MODEL_PATHS; i++) {
			struct model_route *r = &t->routes[k][i];

			if (r->present && !r->gone &&
			    r->generation != t->generation)
				r->owed = RIB_REASON_STALE_SWEEP;
		}
}

/* The router took back all of a table. */
static void flood(struct model_table *t, enum rib_reason reason)
{
	t->waiting = false;
	for (int k = 0; k < WORLD_KEYS; k++)
		for (int i = 0; i < MODEL_PATHS; i++) {
			struct model_route *r = &t->routes[k][i];

			if (!r->present || r->gone)
				continue;
			r->owed = (uint8_t)reason;
			r->gone = true;
		}
}

static void flood_peer(struct model_peer *p, enum rib_reason reason)
{
	for (int v = 0; v < BMP_VIEWS; v++)
		for (int f = 0; f < WORLD_FAMILIES; f++)
			flood(&p->tables[v][f], reason);
}

/* Sessions */

void model_session_open(struct model *m, unsigned router, uint64_t now_ns)
{
	struct model_router *r = &m->routers[router];

	r->open = true;
	r->seen = false;
	r->since_ns = r->last_ns = now_ns;
}

static void lose(struct model_peer *p, uint64_t now_ns)
{
	/* A dump that was cut off says nothing of what it did not have. */
	for (int v = 0; v < BMP_VIEWS; v++)
		for (int f = 0; f < WORLD_FAMILIES; f++)
			p->tables[v][f].waiting = false;
	if (!p->up)
		return;
	p->up = p->implied = false;
	p->stale = true;
	p->stale_ns = now_ns;
}

void model_session_close(struct model *m, unsigned router, uint64_t now_ns)
{
	m->routers[router].open = false;
	for (int p = 0; p < WORLD_PEERS; p++)
		lose(&m->routers[router].peers[p], now_ns);
}

/* Peers */

static bool same_session(const struct world_session *a,
			 const struct world_session *b)
{
	return a->as == b->as && a->bgp_id == b->bgp_id && a->port == b->port &&
	       a->add_path == b->add_path;
}

/* A table is published by the AS of its peer: it starts anew with another. */
static void set_subject(struct model_peer *p,
			const struct world_session *session)
{
	if (p->there && (p->session.as != session->as ||
			 p->session.bgp_id != session->bgp_id))
		flood_peer(p, RIB_REASON_PEER_DOWN);
	p->there = true;
	p->stale = false;
	p->session = *session;
}

void model_peer_up(struct model *m, unsigned router, unsigned peer,
		   const struct world_session *session, uint64_t now_ns)
{
	struct model_peer *p = &m->routers[router].peers[peer];

	if (p->up && !p->implied && same_session(&p->session, session))
		return; /* routers send one per view */
	/* Peers emulated for one Loc-RIB; all have the same families here. */
	if (p->up && !p->implied && world_is_loc_rib(peer)) {
		p->session = *session;
		return;
	}
	set_subject(p, session);
	p->up = true;
	p->implied = false;
	start_generations(p, now_ns);
}

void model_peer_down(struct model *m, unsigned router, unsigned peer)
{
	struct model_peer *p = &m->routers[router].peers[peer];

	p->up = p->implied = p->stale = false;
	flood_peer(p, RIB_REASON_PEER_DOWN);
}

void model_peer_purge(struct model *m, unsigned router, unsigned peer)
{
	struct model_peer *p = &m->routers[router].peers[peer];

	p->stale = false;
	flood_peer(p, RIB_REASON_ADMIN);
}

/* Counting */

static bool is_owed(const struct model_route *r)
{
	return r->present && r->owed != RIB_REASON_NONE;
}

static bool is_stored(const struct model_route *r)
{
	return r->present && !r->gone;
}

static bool is_known(const struct model_route *r)
{
	return is_stored(r) && !r->unknown;
}

static size_t count_peer(const struct model_peer *p,
			 bool (*is)(const struct model_route *r))
{
	size_t n = 0;

	for (int v = 0; v < BMP_VIEWS; v++)
		for (int f = 0; f < WORLD_FAMILIES; f++)
			for (int k = 0; k < WORLD_KEYS; k++)
				for (int i = 0; i < MODEL_PATHS; i++)
					n += is(&p->tables[v][f].routes[k][i]);
	return n;
}

static size_t count_router(const struct model_router *r,
			   bool (*is)(const struct model_route *r))
{
	size_t n = 0;

	for (int p = 0; p < WORLD_PEERS; p++)
		n += count_peer(&r->peers[p], is);
	return n;
}

/* Routes */

unsigned model_path(const struct world_update *u,
		    const struct world_route *route)
{
	if (!u->session.add_path ||
	    world_family(u->family) == BGP_FAMILY_UNKNOWN)
		return 0;
	return route->path_id + 1;
}

/* Every Route Monitoring, before its routes are looked at. */
static void hear(struct model *m, unsigned router, unsigned peer,
		 const struct world_session *session, uint64_t now_ns)
{
	struct model_router *r = &m->routers[router];
	struct model_peer *p = &r->peers[peer];

	r->last_ns = now_ns;
	if (!r->seen)
		r->first_ns = now_ns;
	r->seen = true;
	if (p->up)
		return;
	set_subject(p, session);
	p->up = true;
	p->implied = true;
	start_generations(p, now_ns);
}

/* The table that some of it is about. */
static struct model_table *reach(struct model *m, unsigned router,
				 unsigned peer, uint8_t view, unsigned family,
				 uint64_t now_ns)
{
	struct model_table *t =
		&m->routers[router].peers[peer].tables[view][family];

	if (!t->there)
		start_generation(t, now_ns);
	t->there = true;
	if (!t->seen)
		t->first_ns = now_ns;
	t->seen = true;
	return t;
}

static struct model_result result_of(unsigned router,
				     const struct world_update *u,
				     const struct world_route *route)
{
	return (struct model_result){
		.router = (uint8_t)router,
		.peer = (uint8_t)u->peer,
		.view = u->view,
		.family = (uint8_t)u->family,
		.key = route->key,
		.path = (uint8_t)model_path(u, route),
	};
}

static void remove_route(struct model_route *r)
{
	r->present = r->gone = false;
	r->owed = RIB_REASON_NONE;
}

/* The withdraw that is owed must not come after what follows. */
static void settle(struct model *m, struct model_route *r,
		   struct model_result result)
{
	if (!r->gone)
		return;
	result.announced = false;
	result.reason = r->owed;
	result.set = result.value = 0;
	remove_route(r);
	publish(m, result);
}

static void withdraw(struct model *m, struct model_table *t,
		     struct model_result result)
{
	struct model_route *r = &t->routes[result.key][result.path];

	settle(m, r, result);
	if (!r->present)
		return;
	remove_route(r);
	publish(m, result);
}

/* Whether one more route is one too many. */
static bool is_full(const struct model *m, const struct model_result *result)
{
	const struct rib_config *c = &m->config;
	const struct model_router *r = &m->routers[result->router];
	size_t all = 0;

	if (c->max_routes_peer != 0 &&
	    count_peer(&r->peers[result->peer], is_stored) >=
		    c->max_routes_peer)
		return true;
	if (c->max_routes_router != 0 &&
	    count_router(r, is_stored) >= c->max_routes_router)
		return true;
	for (int i = 0; c->max_routes != 0 && i < WORLD_ROUTERS; i++)
		all += count_router(&m->routers[i], is_stored);
	return c->max_routes != 0 && all >= c->max_routes;
}

static void announce(struct model *m, struct model_table *t,
		     struct model_result result)
{
	struct model_route *r = &t->routes[result.key][result.path];
	bool same;

	settle(m, r, result);
	same = r->present && !r->unknown && r->set == result.set &&
	       r->value == result.value;
	if (m->config.mode == RIB_MODE_PRESENCE)
		same = r->present;
	if (!r->present && is_full(m, &result))
		return;
	r->generation = t->generation;
	r->owed = RIB_REASON_NONE;
	if (same)
		return;
	r->present = true;
	r->unknown = false;
	r->set = result.set;
	r->value = result.value;
	publish(m, result);
}

void model_update(struct model *m, unsigned router,
		  const struct world_update *u, uint64_t now_ns)
{
	struct model_table *t;

	hear(m, router, u->peer, &u->session, now_ns);
	t = reach(m, router, u->peer, u->view, u->family, now_ns);
	/* With the classic fields unreadable, nothing of it can be used. */
	if (u->fault == WORLD_CUT_NLRI &&
	    world_family(u->family) == BGP_IPV4_UNICAST)
		return;
	for (size_t i = 0; i < u->withdrawn; i++)
		withdraw(m, t, result_of(router, u, &u->withdraws[i]));
	for (size_t i = 0; i < u->announced; i++) {
		struct model_result r = result_of(router, u, &u->announces[i]);

		/* What cannot be read changes nothing. */
		if (u->fault == WORLD_CUT_NLRI)
			break;
		if (u->fault == WORLD_BAD_ATTRIBUTE) {
			r.reason = RIB_REASON_TREAT_AS_WITHDRAW;
			withdraw(m, t, r);
			continue;
		}
		r.announced = true;
		r.set = (uint8_t)u->set;
		r.value = u->announces[i].value;
		announce(m, t, r);
	}
}

void model_end_of_rib(struct model *m, unsigned router, unsigned peer,
		      uint8_t view, const struct world_session *session,
		      unsigned family, uint64_t now_ns)
{
	struct model_table *t;

	hear(m, router, peer, session, now_ns);
	t = reach(m, router, peer, view, family, now_ns);
	if (t->waiting)
		sweep(t);
}

/* Timers */

/*
 * Whether a dump that began at @since is over without an End-of-RIB: nothing
 * at all came for a while, or it has taken too long, or it never began.
 */
static bool is_over(const struct model *m, const struct model_router *r,
		    uint64_t since, bool seen, uint64_t first, uint64_t now)
{
	uint64_t last = r->last_ns > since ? r->last_ns : since;

	if (now - last >= m->config.sweep_quiet_ns)
		return true;
	return seen ? now - first >= m->config.sweep_max_ns
		    : now - since >= m->config.sweep_idle_ns;
}

static void tick_peer(struct model *m, const struct model_router *r,
		      struct model_peer *p, uint64_t now)
{
	for (int v = 0; v < BMP_VIEWS; v++)
		for (int f = 0; f < WORLD_FAMILIES; f++) {
			struct model_table *t = &p->tables[v][f];

			if (t->there && t->waiting &&
			    is_over(m, r, t->started_ns, t->seen, t->first_ns,
				    now))
				sweep(t);
		}
	/* One that the router did not bring up again in its dump. */
	if (p->stale && is_over(m, r, r->since_ns, r->seen, r->first_ns, now)) {
		p->stale = false;
		flood_peer(p, RIB_REASON_STALE_SWEEP);
	}
}

static void tick_stale(struct model *m, struct model_peer *p, uint64_t now)
{
	if (!p->stale || m->config.stale_hold_ns == RIB_NEVER ||
	    now - p->stale_ns < m->config.stale_hold_ns)
		return;
	p->stale = false;
	flood_peer(p, RIB_REASON_SESSION_LOST);
}

void model_tick(struct model *m, uint64_t now_ns)
{
	for (int i = 0; i < WORLD_ROUTERS; i++) {
		struct model_router *r = &m->routers[i];

		for (int p = 0; p < WORLD_PEERS; p++)
			if (r->open)
				tick_peer(m, r, &r->peers[p], now_ns);
			else
				tick_stale(m, &r->peers[p], now_ns);
	}
}

/* Slices */

static struct model_route *find_route(struct model *m,
				      const struct model_result *r)
{
	return &m->routers[r->router]
			.peers[r->peer]
			.tables[r->view][r->family]
			.routes[r->key][r->path];
}

bool model_take(struct model *m, const struct model_result *result)
{
	struct model_route *r = find_route(m, result);

	if (!r->present || r->owed != result->reason ||
	    r->owed == RIB_REASON_NONE || result->announced)
		return false;
	remove_route(r);
	return true;
}

size_t model_owed(const struct model *m)
{
	size_t n = 0;

	for (int r = 0; r < WORLD_ROUTERS; r++)
		n += count_router(&m->routers[r], is_owed);
	return n;
}

size_t model_stored(const struct model *m, unsigned router)
{
	return count_router(&m->routers[router], is_stored);
}

size_t model_known(const struct model *m, unsigned router)
{
	/* Where presence is all that counts, attributes are not kept. */
	if (m->config.mode == RIB_MODE_PRESENCE)
		return 0;
	return count_router(&m->routers[router], is_known);
}
