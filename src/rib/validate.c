/*
 * Compare all redundant data of a rib, and compare each reference count with a
 * new count of the routes. For tests.
 */
#include "rib/validate.h"

#include "rib/peer_fsm.h"
#include "rib/rib_internal.h"
#include "rib/table_fsm.h"
#include "rib/timer.h"

#include <stdlib.h>

/* Counts made by visiting all routes, and the expected references on keys. */
struct tally {
	const struct rib *rib;
	uint32_t *prefixes[BGP_FAMILIES];
	uint32_t *paths[BGP_FAMILIES];
	/* number of routes that refer to an attribute set */
	uint64_t values;
	uint64_t beside; /* bytes of route arrays outside the heap */
	/* number of withdraw queues under an old AS of the peer */
	uint64_t subject_changed;
	uint64_t syncing; /* number of tables that are syncing */
};

static uint64_t pool_capacity(const struct rib_key_table *d)
{
	return (uint64_t)d->pool.limit * RIB_ID_POOL_CHUNK + 1;
}

static bool tally_init(struct tally *t, const struct rib *rib)
{
	bool whole = true;

	*t = (struct tally){ .rib = rib };
	for (int f = 0; f < BGP_FAMILIES; f++) {
		t->prefixes[f] = calloc(pool_capacity(&rib->prefixes[f]), 4);
		t->paths[f] = calloc(pool_capacity(&rib->paths[f]), 4);
		whole = whole && t->prefixes[f] != NULL && t->paths[f] != NULL;
	}
	return whole;
}

static void tally_fini(struct tally *t)
{
	for (int f = 0; f < BGP_FAMILIES; f++) {
		free(t->prefixes[f]);
		free(t->paths[f]);
	}
}

static bool routes_valid(struct tally *t, const struct rib_table *table,
			 const struct rib_route_array *r, uint32_t *counts,
			 const struct rib_key_table *d)
{
	bool current = r == &table->store.plain || r == &table->store.paths;
	const struct rib_entry *e;
	uint32_t id = 0;

	if (!rib_route_array_validate(r))
		return false;
	t->beside += rib_route_array_bytes(r);
	for (; (e = rib_route_array_next(r, id, &id)) != NULL; id++) {
		unsigned age = (unsigned)(table->generation -
					  rib_stamp_generation(e->stamp)) %
			       RIB_GENERATIONS;

		if (id >= pool_capacity(d) - 1)
			return false;
		counts[id]++;
		if (e->value != RIB_VALUE_UNKNOWN)
			t->values++;
		if (current && age > table->generations_unswept)
			return false;
	}
	return true;
}

static bool store_valid(struct tally *t, const struct rib_table *table,
			const struct rib_store *store)
{
	uint8_t f = table->info.family;

	return routes_valid(t, table, &store->plain, t->prefixes[f],
			    table->prefixes) &&
	       routes_valid(t, table, &store->paths, t->paths[f], table->pairs);
}

static bool table_valid(struct tally *t, const struct rib_table *table)
{
	const struct rib_withdraw_queue *q;
	uint64_t pending_withdraw = 0;
	bool has_work =
		table->phase == RIB_TABLE_SWEEPING ||
		!TAILQ_EMPTY(&table->withdraw_queues) ||
		(table->jobs & (RIB_JOB_RESYNC | RIB_JOB_HIDDEN_RANGE)) != 0;

	t->syncing += table->phase == RIB_TABLE_SYNCING;
	if (!store_valid(t, table, &table->store))
		return false;
	TAILQ_FOREACH (q, &table->withdraw_queues, link) {
		pending_withdraw += rib_store_count(&q->store);
		t->subject_changed += q->subject_changed;
		if (!store_valid(t, table, &q->store))
			return false;
	}
	return pending_withdraw == table->pending_withdraw &&
	       (!has_work || table->queued) &&
	       table->phase < RIB_TABLE_PHASES &&
	       table->quality < RIB_TABLE_QUALITIES;
}

static bool peer_valid(struct tally *t, const struct rib_peer *peer)
{
	const struct rib_table *table;
	uint64_t routes = 0;
	uint32_t tables = 0;

	TAILQ_FOREACH (table, &peer->tables, link) {
		if (table->peer != peer || !table_valid(t, table))
			return false;
		routes += rib_store_count(&table->store);
		tables++;
	}
	return routes == peer->routes && tables == peer->table_count &&
	       peer->phase < RIB_PEER_PHASES;
}

static bool router_valid(struct tally *t, const struct rib_router *router)
{
	const struct rib_peer *peer;
	const struct rib_table *table;
	uint64_t subject_changed = t->subject_changed;
	uint64_t routes = 0;
	uint32_t stale = 0, up = 0, waiting = 0, peers = 0, tables = 0;

	TAILQ_FOREACH (peer, &router->peer_list, link) {
		if (peer->router != router || !peer_valid(t, peer))
			return false;
		routes += peer->routes;
		stale += peer->phase == RIB_PEER_STALE;
		up += rib_peer_phase_up(peer->phase);
		peers++;
		tables += peer->table_count;
	}
	TAILQ_FOREACH (table, &router->waiting_list, waiting) {
		waiting++;
		if (table->phase != RIB_TABLE_SYNCING)
			return false;
	}
	return routes == router->routes && stale == router->stale_count &&
	       t->subject_changed - subject_changed ==
		       router->subject_changed_count &&
	       up == router->up_count && waiting == router->waiting_count &&
	       peers == router->peer_count && tables == router->table_count &&
	       rib_ptr_map_validate(&router->peers);
}

/*
 * Check the references on keys. A pair (of prefix id and path id) has one for
 * each of its routes. A prefix has one for each of its routes without path id
 * and one for each of its pairs.
 */
static bool keys_valid(struct tally *t, int f)
{
	const struct rib_key_table *prefixes = &t->rib->prefixes[f];
	const struct rib_key_table *paths = &t->rib->paths[f];
	uint8_t room[RIB_KEY_FIXED];

	if (!rib_key_table_validate(prefixes) || !rib_key_table_validate(paths))
		return false;
	for (uint32_t id = 0; (id = rib_key_table_next(paths, id)) != RIB_NO_ID;
	     id++) {
		uint32_t pair[2];

		memcpy(pair, rib_key_table_key(paths, id, room).p,
		       sizeof(pair));
		if (rib_key_table_count(paths, id) != t->paths[f][id])
			return false;
		t->prefixes[f][pair[0]]++;
	}
	for (uint32_t id = 0;
	     (id = rib_key_table_next(prefixes, id)) != RIB_NO_ID; id++)
		if (rib_key_table_count(prefixes, id) != t->prefixes[f][id])
			return false;
	return true;
}

static bool all_valid(struct tally *t)
{
	const struct rib *rib = t->rib;
	const struct rib_router *router;
	uint64_t routes = 0, syncing = 0, routers = 0;

	TAILQ_FOREACH (router, &rib->router_list, link) {
		if (!router_valid(t, router))
			return false;
		routes += router->routes;
		syncing += router->waiting_count;
		routers++;
	}
	for (int f = 0; f < BGP_FAMILIES; f++)
		if (!keys_valid(t, f))
			return false;
	return routes == rib->routes && syncing == rib->syncing &&
	       syncing == t->syncing && routers == rib->routers.count &&
	       t->beside == rib->route_heap.beside &&
	       rib_ptr_map_validate(&rib->routers) && rib_timer_validate(rib) &&
	       rib_attrsets_validate(&rib->attrsets) &&
	       rib_attrsets_references(&rib->attrsets) ==
		       t->values + (rib->cache.set != RIB_VALUE_NONE) &&
	       rib_handle_heap_validate(&rib->key_heap) &&
	       rib_handle_heap_validate(&rib->route_heap);
}

bool rib_validate(const struct rib *rib)
{
	struct tally t;
	bool valid = tally_init(&t, rib) && all_valid(&t);

	tally_fini(&t);
	return valid;
}
