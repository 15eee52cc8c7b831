/* Queries: what the rib answers is what a search through the model finds. */
#include "rib_run.h"

#include "rib/query.h"

#include <string.h>

/* Every answer by number; a second one is a fault. */
struct answers {
	struct run *run;
	size_t count;
	bool there[WORLD_ROUTERS][WORLD_PEERS][BMP_VIEWS][WORLD_FAMILIES]
		  [WORLD_KEYS][MODEL_PATHS];
};

static bool on_answer(void *arg, const struct rib_answer *answer)
{
	struct answers *a = arg;
	const struct rib_table_info *info = rib_table_info(answer->table);
	unsigned router = 0, peer = 0, family = 0, path;
	struct rib_route route = { .rd = answer->rd,
				   .prefix_len = answer->prefix_len };
	struct world_route found = { 0 };
	bool *there;

	memcpy(route.address, answer->address, 16);
	SURE(a->run,
	     world_find_router(info->router, &router) &&
		     world_find_peer(info, &peer) &&
		     world_find_family(info, &family) &&
		     world_find_route(a->run->world, family, false, &route,
				      &found),
	     "what answer?");
	path = answer->route->has_path_id ? answer->route->path_id + 1 : 0;
	there = &a->there[router][peer][info->view][family][found.key][path];
	SURE(a->run, !*there, "answered twice: key %u", found.key);
	*there = true;
	a->count++;
	return !run_one_in(a->run, 8);
}

static bool inside(const struct bgp_nlri *n, const struct rib_query *q,
		   unsigned bits)
{
	unsigned skip = q->ipv6 ? 0 : 96;

	for (unsigned i = skip; i < skip + bits; i++)
		if ((n->address[i / 8] ^ q->address[i / 8]) >> (7 - i % 8) & 1)
			return false;
	return true;
}

static bool matches(const struct bgp_nlri *n, const struct rib_query *q)
{
	bool has_rd = bgp_family_info(n->family)->flags & BGP_FAMILY_RD;

	if (n->kind != BGP_NLRI_PREFIX ||
	    (n->family == BGP_IPV6_UNICAST) != q->ipv6 ||
	    (q->families != 0 && !(q->families & bgp_family_bit(n->family))) ||
	    (has_rd && q->has_rd && n->rd != q->rd))
		return false;
	switch ((enum rib_match)q->match) {
	case RIB_MATCH_EXACT:
		return n->prefix_len == q->prefix_len &&
		       inside(n, q, q->prefix_len);
	case RIB_MATCH_MORE_SPECIFIC:
		return n->prefix_len >= q->prefix_len &&
		       inside(n, q, q->prefix_len);
	default:
		return (!has_rd || q->has_rd) &&
		       n->prefix_len <= q->prefix_len &&
		       inside(n, q, n->prefix_len);
	}
}

/* Whether the model has this route, and not only until it is withdrawn. */
static bool has(const struct model_table *t, unsigned key, unsigned path)
{
	const struct model_route *r = &t->routes[key][path];

	return r->present && !r->gone;
}

/* A longer match in the same table, of the same kind of route. */
static bool is_beaten(struct run *r, const struct rib_query *q,
		      const struct model_table *t, unsigned family,
		      unsigned key, unsigned path)
{
	uint8_t len = world_nlri(r->world, family, key)->prefix_len;

	for (unsigned k = 0; k < WORLD_KEYS; k++)
		for (unsigned i = 0; i < MODEL_PATHS; i++) {
			const struct bgp_nlri *n =
				world_nlri(r->world, family, k);

			if (has(t, k, i) && (i == 0) == (path == 0) &&
			    matches(n, q) && n->prefix_len > len)
				return true;
		}
	return false;
}

static size_t check_table(struct run *r, const struct rib_query *q,
			  const struct model_table *t, unsigned family,
			  bool answers[WORLD_KEYS][MODEL_PATHS], bool asked)
{
	size_t n = 0;

	for (unsigned k = 0; k < WORLD_KEYS; k++)
		for (unsigned i = 0; i < MODEL_PATHS; i++) {
			bool want = asked && has(t, k, i) &&
				    matches(world_nlri(r->world, family, k), q);

			if (want && q->match == RIB_MATCH_LONGEST)
				want = !is_beaten(r, q, t, family, k, i);
			SURE(r, want == answers[k][i],
			     "match %u, length %u: family %u key %u path %u %s",
			     q->match, q->prefix_len, family, k, i,
			     want ? "is missing" : "is too much");
			n += want;
		}
	return n;
}

static void check(struct run *r, const struct rib_query *q, struct answers *a,
		  unsigned router, unsigned peer)
{
	size_t n = 0;

	for (unsigned i = 0; i < WORLD_ROUTERS; i++)
		for (unsigned p = 0; p < WORLD_PEERS; p++)
			for (unsigned v = 0; v < BMP_VIEWS; v++)
				for (unsigned f = 0; f < WORLD_FAMILIES; f++)
					n += check_table(
						r, q,
						&r->model.routers[i]
							 .peers[p]
							 .tables[v][f],
						f, a->there[i][p][v][f],
						(q->router == NULL ||
						 i == router) &&
							(q->peer == NULL ||
							 p == peer) &&
							(q->views == 0 ||
							 q->views >> v & 1));
	SURE(r, n == a->count, "%zu answers, not %zu", a->count, n);
}

void run_ask(struct run *r)
{
	static struct answers a; /* large */
	unsigned router = run_below(r, WORLD_ROUTERS);
	unsigned peer = run_below(r, WORLD_PEERS);
	unsigned family = run_below(r, 5);
	const struct bgp_nlri *n =
		world_nlri(r->world, family, run_below(r, WORLD_KEYS));
	struct world_session session = { 0 };
	struct bmp_peer header = world_peer(peer, 0, &session);
	struct rib_query q = {
		.match = (uint8_t)run_below(r, RIB_MATCHES),
		.ipv6 = n->family == BGP_IPV6_UNICAST,
		.prefix_len = n->prefix_len,
		.has_rd = run_one_in(r, 2),
		.rd = n->rd,
		.families = run_one_in(r, 2) ? bgp_family_bit(n->family) : 0,
		.views = (uint8_t)(run_one_in(r, 3) ? run_below(r, 32) : 0),
		.router = run_one_in(r, 3) ? r->routers[router] : NULL,
		.peer = run_one_in(r, 3) ? &header : NULL,
	};
	struct rib_query_page page = { 1 + run_below(r, 200),
				       1 + run_below(r, 20), on_answer, &a };
	struct rib_query_cursor cursor = { 0 };
	unsigned pages = 0;

	if (run_one_in(r, 4))
		page.budget = page.answers = 100000;
	memset(&a, 0, sizeof(a));
	a.run = r;
	memcpy(q.address, n->address, 16);
	while (rib_query(r->rib, &q, &cursor, &page))
		SURE(r, pages++ < 1000000, "a query without an end");
	check(r, &q, &a, router, peer);
	r->did[DID_ASK]++;
}
