/*
 * Exact match and more-specifics. There are two orders:
 *
 *	for each key that matches		for each table
 *		for each table: look it up		for each route: match
 *
 * The first order takes keys times tables steps, the second as many steps as
 * there are routes. So the matching keys are counted first, until it is known
 * which order takes less work.
 */
#include "rib/query_internal.h"

#include "rib/rib_internal.h"

/* The number of keys that a scan compares for one unit of the budget. */
#define SCAN 32

/*
 * With at most so many tables, each matching key may be looked up in all
 * tables.
 */
#define FEW_TABLES 8

/* True if only one key can match, so that it can be looked up. */
static bool is_direct(const struct rib_asking *a)
{
	return a->q->match == RIB_MATCH_EXACT &&
	       a->c->stage == RIB_QUERY_PLAIN &&
	       (!rib_asking_has_rd(a) || a->q->has_rd);
}

/* True if the prefix of a key of the stage matches the query. */
static bool key_matches(const struct rib_asking *a, uint32_t id)
{
	return rib_key_table_matches(rib_query_prefixes(a),
				     rib_query_prefix_id(a, id), &a->pattern);
}

/* Advance the cursor to the next prefix that matches. False at the end. */
static bool scan_prefixes(struct rib_asking *a)
{
	const struct rib_key_table *d = rib_query_prefixes(a);

	while (!rib_asking_is_spent(a)) {
		uint32_t from = a->c->id, end = rib_key_table_end(d), to = end;
		uint32_t id;

		if (from >= end)
			return false;
		if ((to - from) / SCAN >= a->budget)
			to = from + (uint32_t)a->budget * SCAN;
		id = rib_key_table_scan(d, from, to, &a->pattern);
		a->c->id = id == RIB_NO_ID ? to : id + 1;
		rib_asking_spend(a, 1 + (a->c->id - from) / SCAN);
		if (id != RIB_NO_ID)
			return true;
	}
	return false;
}

/*
 * As scan_prefixes(), for pairs of a prefix and a path id; the prefix of a pair
 * is in another table.
 */
static bool scan_pairs(struct rib_asking *a)
{
	const struct rib_key_table *d = rib_query_keys(a);

	while (!rib_asking_is_spent(a)) {
		uint32_t id = rib_key_table_next(d, a->c->id);

		if (id == RIB_NO_ID)
			return false;
		rib_asking_spend(a, 1);
		a->c->id = id + 1;
		if (key_matches(a, id))
			return true;
	}
	return false;
}

/*
 * Go to the next key that matches. False if there is none, or if the budget is
 * spent.
 */
static bool step_key(struct rib_asking *a)
{
	uint32_t id;

	if (!is_direct(a))
		return a->c->stage == RIB_QUERY_PLAIN ? scan_prefixes(a)
						      : scan_pairs(a);
	if (a->c->id != 0)
		return false;
	id = rib_query_find_prefix(a, a->q->prefix_len);
	a->c->id = id + 1;
	return id != RIB_NO_ID;
}

/* Keys, then tables */

/* True if the cursor's key still exists and matches. */
static bool key_lives(const struct rib_asking *a)
{
	const struct rib_key_table *d = rib_query_keys(a);
	uint32_t id = a->c->id - 1;

	return rib_key_table_next(d, id) == id && key_matches(a, id);
}

static bool ask_by_key(struct rib_asking *a)
{
	struct rib_query_prefix p;
	struct rib_table *t;

	for (;;) {
		/*
		 * If the last call ended between the tables of a key, continue
		 * with that key.
		 */
		bool inside = a->c->router != 0;

		if (!inside && !step_key(a))
			return !rib_asking_is_spent(a);
		if (inside && !key_lives(a)) {
			a->is_placed = false;
			a->c->router = a->c->peer = a->c->table = 0;
			continue;
		}
		rib_query_read_prefix(a, rib_query_prefix_id(a, a->c->id - 1),
				      &p);
		while ((t = rib_query_next_table(a)) != NULL)
			rib_query_ask_table(a, t, a->c->id - 1, &p);
		if (a->c->router != 0)
			return false;
	}
}

/* Tables, then routes */

/* Read the routes of a table. True when the table is done. */
static bool ask_routes(struct rib_asking *a, const struct rib_table *t)
{
	const struct rib_route_array *routes = rib_query_routes(a, t);

	while (!rib_asking_is_spent(a)) {
		struct rib_query_prefix p;
		uint32_t id;

		if (rib_route_array_next(routes, a->c->id, &id) == NULL)
			return true;
		rib_asking_spend(a, 1);
		a->c->id = id + 1;
		if (!key_matches(a, id))
			continue;
		rib_query_read_prefix(a, rib_query_prefix_id(a, id), &p);
		rib_query_ask_table(a, t, id, &p);
	}
	return false;
}

static bool ask_by_table(struct rib_asking *a)
{
	struct rib_table *t = NULL;

	if (a->c->pass == RIB_QUERY_PASS_ROUTES)
		t = rib_query_same_table(a);
	for (;;) {
		if (t == NULL) {
			a->c->pass = RIB_QUERY_PASS_TABLES;
			a->c->id = 0;
			t = rib_query_next_table(a);
		}
		if (t == NULL)
			return a->c->router == 0;
		a->c->pass = RIB_QUERY_PASS_ROUTES;
		if (!ask_routes(a, t))
			return false;
		t = NULL;
	}
}

/* The order */

static void set_order(struct rib_asking *a, enum rib_query_pass pass)
{
	a->c->pass = (uint8_t)pass;
	a->c->id = 0;
}

/*
 * Count the keys that match until the order is known. False if the budget was
 * spent before.
 */
static bool choose_order(struct rib_asking *a)
{
	uint64_t routes;
	uint64_t tables = rib_query_walk_length(a, &routes);

	if (is_direct(a) || tables <= FEW_TABLES) {
		set_order(a, RIB_QUERY_PASS_KEYS);
		return true;
	}
	while (step_key(a)) {
		if (++a->c->matches * tables <= routes + tables)
			continue;
		set_order(a, RIB_QUERY_PASS_TABLES);
		return true;
	}
	if (rib_asking_is_spent(a))
		return false;
	set_order(a, RIB_QUERY_PASS_KEYS);
	return true;
}

bool rib_query_by_key(struct rib_asking *a)
{
	if (a->c->pass == RIB_QUERY_PASS_NONE && !choose_order(a))
		return false;
	return a->c->pass == RIB_QUERY_PASS_KEYS ? ask_by_key(a)
						 : ask_by_table(a);
}
