#include "rib/table.h"

#include "rib/emit.h"
#include "rib/key.h"
#include "rib/visibility.h"
#include "rib/work_queue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* Creation and removal */

static bool is_table(const struct rib_table *t, uint8_t view, uint16_t afi,
		     uint8_t safi)
{
	return t->info.afi == afi && t->info.safi == safi &&
	       t->info.view == view;
}

struct rib_table *rib_table_find(struct rib_peer *peer, uint8_t view,
				 uint16_t afi, uint8_t safi)
{
	struct rib_table *t = peer->last;

	if (t != NULL && is_table(t, view, afi, safi))
		return t;
	TAILQ_FOREACH (t, &peer->tables, link) {
		if (!is_table(t, view, afi, safi))
			continue;
		peer->last = t;
		return t;
	}
	return NULL;
}

void rib_table_refresh(struct rib_table *table)
{
	struct rib_table_info info;

	rib_peer_info(table->peer, &info);
	info.view = table->info.view;
	info.afi = table->info.afi;
	info.safi = table->info.safi;
	info.family = table->info.family;
	table->info = info;
}

int rib_table_get(struct rib_peer *peer, uint8_t view, uint16_t afi,
		  uint8_t safi, struct rib_table **out)
{
	struct rib *rib = peer->router->rib;
	struct rib_table *t = rib_table_find(peer, view, afi, safi);
	enum bgp_family family = bgp_family_find(afi, safi);

	if (t != NULL) {
		*out = t;
		return 0;
	}
	if (peer->table_count >= rib->config.max_tables ||
	    peer->router->table_count >= rib->config.max_router_tables)
		return -ENOSPC;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return -ENOMEM;
	t->peer = peer;
	t->serial = ++rib->serial;
	t->sequence = peer->router->sequence_floor;
	t->first_ns = RIB_NEVER;
	t->info.view = view;
	t->info.afi = afi;
	t->info.safi = safi;
	t->info.family = (uint8_t)family;
	t->kind = (uint8_t)bgp_family_info(family)->kind;
	t->prefixes = &rib->prefixes[family];
	t->pairs = &rib->paths[family];
	rib_table_refresh(t);
	rib_hidden_range_init(t);
	TAILQ_INIT(&t->withdraw_queues);
	STAILQ_INIT(&t->held);
	TAILQ_INSERT_TAIL(&peer->tables, t, link);
	peer->table_count++;
	peer->router->table_count++;
	peer->last = t;
	rib->tables++;
	*out = t;
	return 0;
}

/* Routes */

uint32_t rib_path_find(const struct rib_table *table, uint32_t prefix,
		       uint32_t path_id)
{
	uint32_t pair[2] = { prefix, path_id };
	struct wire_view key = { (const uint8_t *)pair, sizeof(pair) };

	return rib_key_table_find(table->pairs,
				  rib_key_table_hash(table->pairs, key), key);
}

uint32_t rib_path_add(struct rib_table *table, uint32_t prefix,
		      uint32_t path_id)
{
	uint32_t pair[2] = { prefix, path_id };
	struct wire_view key = { (const uint8_t *)pair, sizeof(pair) };
	uint32_t entry =
		rib_key_table_add(table->pairs,
				  rib_key_table_hash(table->pairs, key), key);

	if (entry != RIB_NO_ID)
		rib_key_table_get(table->prefixes, prefix);
	return entry;
}

static void read_pair(const struct rib_table *table, uint32_t entry,
		      uint32_t pair[2])
{
	uint8_t room[RIB_KEY_FIXED];

	memcpy(pair, rib_key_table_key(table->pairs, entry, room).p,
	       2 * sizeof(*pair));
}

/*
 * Remove a reference on a key. A pair without references is removed, and with
 * it the reference that the pair has on its prefix.
 */
void rib_key_put(struct rib_table *table, bool paths, uint32_t id)
{
	uint32_t pair[2];

	if (!paths) {
		rib_key_table_put(table->prefixes, id);
		return;
	}
	read_pair(table, id, pair);
	if (rib_key_table_count(table->pairs, id) == 1)
		rib_key_table_put(table->prefixes, pair[0]);
	rib_key_table_put(table->pairs, id);
}

void rib_key_get(struct rib_table *table, bool paths, uint32_t id)
{
	rib_key_table_get(paths ? table->pairs : table->prefixes, id);
}

void rib_key_drop(struct rib_table *table, bool paths, uint32_t id)
{
	rib_key_get(table, paths, id);
	rib_key_put(table, paths, id);
}

void rib_table_route_key(const struct rib_table *table, bool paths, uint32_t id,
			 struct rib_route *out, uint8_t room[RIB_KEY_FIXED])
{
	uint32_t pair[2];

	if (paths) {
		read_pair(table, id, pair);
		out->path_id = pair[1];
		id = pair[0];
	}
	rib_key_route((enum bgp_family)table->info.family,
		      rib_key_table_key(table->prefixes, id, room), out);
}

void rib_table_count_routes(struct rib_table *table, int64_t n)
{
	struct rib_peer *peer = table->peer;

	peer->routes += (uint64_t)n;
	peer->router->routes += (uint64_t)n;
	peer->router->rib->routes += (uint64_t)n;
}

void rib_table_count_pending(struct rib_table *table, int64_t n)
{
	table->pending_withdraw += (uint64_t)n;
	table->peer->router->pending_withdraw += (uint64_t)n;
	table->peer->router->rib->pending_withdraw += (uint64_t)n;
}

int rib_table_insert(struct rib_table *table, bool paths, uint32_t id,
		     uint32_t value, uint32_t stamp)
{
	struct rib *rib = table->peer->router->rib;
	struct rib_entry *e =
		rib_route_array_add(rib_store_routes(&table->store, paths),
				    &rib->route_heap, id);

	if (e == NULL)
		return -ENOMEM;
	*e = (struct rib_entry){ value, stamp };
	rib_key_get(table, paths, id);
	rib_table_count_routes(table, 1);
	return 0;
}

void rib_store_remove(struct rib_table *table, struct rib_store *store,
		      bool paths, uint32_t id, uint32_t value)
{
	struct rib *rib = table->peer->router->rib;

	rib_value_put(&rib->attrsets, value);
	rib_route_array_remove(rib_store_routes(store, paths), &rib->route_heap,
			       id);
	rib_key_put(table, paths, id);
	if (store == &table->store)
		rib_table_count_routes(table, -1);
	else
		rib_table_count_pending(table, -1);
}

void rib_table_remove(struct rib_table *table, bool paths, uint32_t id)
{
	const struct rib_entry *e =
		rib_route_array_find(rib_store_routes(&table->store, paths),
				     id);

	rib_store_remove(table, &table->store, paths, id, e->value);
}

/* Remove all routes of a store without publishing anything. */
static void store_clear(struct rib_table *table, struct rib_store *store)
{
	for (int paths = 0; paths < 2; paths++) {
		struct rib_route_array *r = rib_store_routes(store, paths);
		struct rib_entry *e;
		uint32_t id = 0;

		while ((e = rib_route_array_next(r, id, &id)) != NULL)
			rib_store_remove(table, store, paths, id, e->value);
	}
}

void rib_withdraw_queue_free(struct rib_table *table,
			     struct rib_withdraw_queue *q)
{
	struct rib_router *router = table->peer->router;
	struct rib_handle_heap *heap = &router->rib->route_heap;

	router->subject_changed_count -= q->subject_changed;
	TAILQ_REMOVE(&table->withdraw_queues, q, link);
	rib_route_array_fini(&q->store.plain, heap);
	rib_route_array_fini(&q->store.paths, heap);
	free(q);
}

/* States */

void rib_table_form_event(struct rib_table *table,
			  enum rib_table_form_event event)
{
	table->form = (uint8_t)rib_table_form_step(table->form, event);
}

void rib_table_event(struct rib_table *table, enum rib_table_event event)
{
	struct rib_router *router = table->peer->router;
	bool was_syncing = table->phase == RIB_TABLE_SYNCING;
	bool is_syncing;

	table->phase = (uint8_t)rib_table_step(table->phase, event);
	table->quality = (uint8_t)rib_table_quality_step(table->quality, event);
	is_syncing = table->phase == RIB_TABLE_SYNCING;
	if (is_syncing && !was_syncing) {
		TAILQ_INSERT_TAIL(&router->waiting_list, table, waiting);
		router->waiting_count++;
		router->rib->syncing++;
	} else if (was_syncing && !is_syncing) {
		TAILQ_REMOVE(&router->waiting_list, table, waiting);
		router->waiting_count--;
		router->rib->syncing--;
	}
}

/*
 * After sixteen generations without a sweep, the number of the oldest would be
 * used again for the newest. Before that, all routes get the same old
 * generation. A router can cause this pass over its table only with every
 * sixteenth Peer Up.
 */
static void generations_merge(struct rib_table *table)
{
	for (int paths = 0; paths < 2; paths++) {
		struct rib_route_array *r =
			rib_store_routes(&table->store, paths);
		struct rib_entry *e;
		uint32_t id = 0;

		for (; (e = rib_route_array_next(r, id, &id)) != NULL; id++)
			e->stamp &= 0xfffffff;
	}
	table->generation = 0;
	table->generations_unswept = 0;
}

void rib_table_drop_held(struct rib_table *table)
{
	struct rib_held *h;

	while ((h = STAILQ_FIRST(&table->held)) != NULL) {
		STAILQ_REMOVE_HEAD(&table->held, link);
		free(h);
	}
	table->peer->router->rib->held_bytes -= table->held_bytes;
	table->held_bytes = 0;
	table->jobs &= (uint8_t)~RIB_JOB_HELD;
	table->held_progress = (struct rib_progress){ 0 };
}

void rib_table_generation(struct rib_table *table, uint64_t clock)
{
	if (table->generations_unswept == RIB_GENERATIONS - 2)
		generations_merge(table);
	table->generation = (table->generation + 1) % RIB_GENERATIONS;
	table->generations_unswept = rib_store_count(&table->store) == 0
					     ? 0
					     : table->generations_unswept + 1;
	rib_table_drop_held(table);
	rib_table_form_event(table, RIB_FORM_EV_DUMP_STARTED);
	table->form_against = 0;
	table->since = clock;
	table->first_ns = RIB_NEVER;
	rib_table_event(table, RIB_TABLE_EV_DUMP_STARTED);
}

void rib_table_suspect(struct rib_table *table, const struct rib_time *when)
{
	struct rib_event e = { .kind = RIB_EVENT_SUSPECT };

	if (rib_table_quality_suspect(table->quality))
		return;
	rib_table_event(table, RIB_TABLE_EV_UNREADABLE);
	rib_emit_event_table(table, when, &e);
}

void rib_table_free(struct rib_table *table)
{
	struct rib_peer *peer = table->peer;
	struct rib *rib = peer->router->rib;
	struct rib_withdraw_queue *q, *next;

	/*
	 * If the table is created again, its sequences must be above those
	 * already published.
	 */
	if (peer->router->sequence_floor < table->sequence)
		peer->router->sequence_floor = table->sequence;
	rib_table_event(table, RIB_TABLE_EV_WITHDRAWN);
	rib_table_unqueue(table);
	rib_table_drop_held(table);
	/*
	 * The static analyser does not see that TAILQ_REMOVE() removes the
	 * first element.
	 */
	for (q = TAILQ_FIRST(&table->withdraw_queues); q != NULL; q = next) {
		next = TAILQ_NEXT(q, link);
		store_clear(table, &q->store);
		rib_withdraw_queue_free(table, q);
	}
	store_clear(table, &table->store);
	rib_route_array_fini(&table->store.plain, &rib->route_heap);
	rib_route_array_fini(&table->store.paths, &rib->route_heap);
	TAILQ_REMOVE(&peer->tables, table, link);
	peer->table_count--;
	peer->router->table_count--;
	if (peer->last == table)
		peer->last = NULL;
	rib->tables--;
	free(table);
}

uint32_t rib_table_set(const struct rib_table *table, uint32_t id)
{
	const struct rib *rib = table->peer->router->rib;
	const struct rib_entry *e =
		rib_route_array_find(&table->store.plain, id);
	uint32_t set;

	if (e == NULL)
		return RIB_VALUE_NONE;
	set = rib_value_set(&rib->attrsets, e->value);
	return set == RIB_VALUE_UNKNOWN ? RIB_VALUE_NONE : set;
}
