#include "rib/read.h"

#include "rib/key.h"
#include "rib/peer.h"
#include "rib/rib_internal.h"
#include "rib/table_fsm.h"
#include "rib/visibility.h"

struct rib_router *rib_router_next(const struct rib *rib,
				   const struct rib_router *router)
{
	return router == NULL ? TAILQ_FIRST(&rib->router_list)
			      : TAILQ_NEXT(router, link);
}

struct rib_peer *rib_peer_next(const struct rib_router *router,
			       const struct rib_peer *peer)
{
	return peer == NULL ? TAILQ_FIRST(&router->peer_list)
			    : TAILQ_NEXT(peer, link);
}

struct rib_router *rib_router_from(const struct rib *rib, uint64_t serial)
{
	return rib_ptr_map_from(&rib->routers, serial);
}

struct rib_peer *rib_peer_from(const struct rib_router *router, uint64_t serial)
{
	return rib_ptr_map_from(&router->peers, serial);
}

struct rib_table *rib_table_next(const struct rib_peer *peer,
				 const struct rib_table *table)
{
	return table == NULL ? TAILQ_FIRST(&peer->tables)
			     : TAILQ_NEXT(table, link);
}

struct rib_peer *rib_router_peer(struct rib_router *router,
				 const struct bmp_peer *header)
{
	return rib_peer_find(router, header);
}

void rib_router_state(const struct rib_router *router,
		      struct rib_router_state *out)
{
	*out = (struct rib_router_state){
		.serial = router->serial,
		.open = router->open,
		.peers = router->peer_count,
		.peers_up = router->up_count,
		.peers_stale = router->stale_count,
		.routes = router->routes,
	};
}

void **rib_peer_slot(struct rib_peer *peer)
{
	return &peer->slot;
}

void rib_peer_state(const struct rib_peer *peer, struct rib_peer_state *out)
{
	*out = (struct rib_peer_state){
		.serial = peer->serial,
		.type = peer->type,
		.ipv6 = peer->ipv6,
		.filtered = peer->filtered,
		.up = rib_peer_phase_up(peer->phase),
		.implied = peer->phase == RIB_PEER_IMPLIED,
		.stale = peer->phase == RIB_PEER_STALE,
		.distinguisher = peer->distinguisher,
		.as = peer->as,
		.bgp_id = peer->bgp_id,
		.routes = peer->routes,
		.table_name = peer->table_name,
	};
	memcpy(out->address, peer->address, sizeof(out->address));
}

const struct rib_table_info *rib_table_info(const struct rib_table *table)
{
	return &table->info;
}

const struct rib_peer *rib_table_peer(const struct rib_table *table)
{
	return table->peer;
}

void rib_table_state(const struct rib_table *table, struct rib_table_state *out)
{
	*out = (struct rib_table_state){
		.sequence = table->sequence,
		.changed_ns = table->changed_ns,
		.routes = rib_store_count(&table->store),
		.pending_withdraw = table->pending_withdraw,
		.syncing = table->phase == RIB_TABLE_SYNCING,
		.suspect = rib_table_quality_suspect(table->quality),
		.unknown = rib_table_quality_unknown(table->quality),
	};
}

/* One route */

static const struct rib *rib_of(const struct rib_table *table)
{
	return table->peer->router->rib;
}

/* Set all members of *@out except the key. */
static void fill_stored_value(const struct rib_table *table,
			      const struct rib_entry *e, struct rib_stored *out)
{
	const struct rib_attrsets *a = &rib_of(table)->attrsets;
	uint32_t set = rib_value_set(a, e->value);

	*out = (struct rib_stored){
		.known = set != RIB_VALUE_UNKNOWN,
		.extra = rib_value_extra(a, e->value),
		.set = set,
		.attrs = rib_attrset_bytes(a, set),
		.changed_s = rib_stamp_seconds(e->stamp),
	};
}

uint32_t rib_path_prefix(const struct rib *rib, enum bgp_family family,
			 uint32_t entry, uint32_t *path_id)
{
	uint8_t room[RIB_KEY_FIXED];
	struct wire_view key =
		rib_key_table_key(&rib->paths[family], entry, room);
	uint32_t pair[2];

	memcpy(pair, key.p, sizeof(pair));
	*path_id = pair[1];
	return pair[0];
}

/* Get the key in the form of bmp/nlri_key.h; @room is used for prefixes. */
static struct wire_view stored_key(const struct rib_table *table, uint32_t id,
				   uint8_t room[RIB_KEY_FIXED])
{
	enum bgp_family family = (enum bgp_family)table->info.family;
	uint8_t packed[RIB_KEY_FIXED];
	struct wire_view key = rib_key_table_key(table->prefixes, id, packed);
	struct rib_route route = { 0 };

	if (rib_key_width(family) == RIB_KEY_VARIABLE) {
		rib_key_route(family, key, &route);
		return route.key;
	}
	return (struct wire_view){ room, rib_key_write(family, key, room,
						       RIB_KEY_FIXED) };
}

static void fill_stored_route(const struct rib_table *table, bool paths,
			      uint32_t id, const struct rib_entry *e,
			      uint8_t room[RIB_KEY_FIXED],
			      struct rib_stored *out)
{
	fill_stored_value(table, e, out);
	out->has_path_id = paths;
	if (paths)
		id = rib_path_prefix(rib_of(table),
				     (enum bgp_family)table->info.family, id,
				     &out->path_id);
	out->key = stored_key(table, id, room);
}

static bool find_stored_route(const struct rib_table *table, bool paths,
			      uint32_t id, struct rib_stored *out)
{
	const struct rib_entry *e =
		rib_route_array_find(paths ? &table->store.paths
					   : &table->store.plain,
				     id);

	if (e == NULL)
		return false;
	fill_stored_value(table, e, out);
	out->has_path_id = paths;
	if (paths)
		(void)rib_path_prefix(rib_of(table),
				      (enum bgp_family)table->info.family, id,
				      &out->path_id);
	return true;
}

bool rib_table_route(const struct rib_table *table, uint32_t id,
		     struct rib_stored *out)
{
	return find_stored_route(table, false, id, out);
}

bool rib_table_path(const struct rib_table *table, uint32_t entry,
		    struct rib_stored *out)
{
	return find_stored_route(table, true, entry, out);
}

/* Keys */

uint32_t rib_prefix_find(const struct rib *rib, uint16_t afi, uint8_t safi,
			 struct wire_view key)
{
	enum bgp_family family = bgp_family_find(afi, safi);
	const struct rib_key_table *d = &rib->prefixes[family];
	uint8_t packed[RIB_KEY_FIXED + 256];
	struct wire_view own = { packed, 0 };

	/* No user asks for a longer key. */
	if (key.len > 256)
		return RIB_NO_ID;
	own.len = rib_key_parse(family, afi, safi, key, packed);
	if (own.len == 0)
		return RIB_NO_ID;
	return rib_key_table_find(d, rib_key_table_hash(d, own), own);
}

static bool next_id(const struct rib_key_table *d, uint32_t *id)
{
	uint32_t next = rib_key_table_next(d, *id == RIB_NO_ID ? 0 : *id + 1);

	if (next == RIB_NO_ID)
		return false;
	*id = next;
	return true;
}

bool rib_prefix_next(const struct rib *rib, enum bgp_family family,
		     uint32_t *id)
{
	return next_id(&rib->prefixes[family], id);
}

bool rib_path_next(const struct rib *rib, enum bgp_family family,
		   uint32_t *entry)
{
	return next_id(&rib->paths[family], entry);
}

size_t rib_prefix_key(const struct rib *rib, enum bgp_family family,
		      uint32_t id, uint8_t *out, size_t cap)
{
	uint8_t room[RIB_KEY_FIXED];

	return rib_key_write(family,
			     rib_key_table_key(&rib->prefixes[family], id,
					       room),
			     out, cap);
}

/* The walk */

/*
 * Visit the routes of one store from the cursor on. True if all were visited.
 */
static bool read_store(const struct rib_table *table,
		       const struct rib_store *store,
		       const struct rib_hidden_range *hidden,
		       struct rib_cursor *c, size_t *budget,
		       const struct rib_visitor *v)
{
	while (*budget > 0) {
		const struct rib_entry *e =
			rib_route_array_next(c->paths ? &store->paths
						      : &store->plain,
					     c->id, &c->id);
		uint8_t room[RIB_KEY_FIXED];
		struct rib_stored route;

		--*budget;
		if (e != NULL && rib_is_hidden(hidden, c->paths, c->id)) {
			c->id++;
			continue;
		}
		if (e != NULL) {
			fill_stored_route(table, c->paths, c->id, e, room,
					  &route);
			route.pending_withdraw = store != &table->store;
			v->route(v->arg, table, &route);
			c->id++;
			continue;
		}
		c->id = 0;
		c->paths = !c->paths;
		if (!c->paths)
			return true;
	}
	return false;
}

/*
 * Visit the store of the table first, then its withdraw queues, which have
 * serial numbers.
 */
static bool read_table(const struct rib_table *table, struct rib_cursor *c,
		       size_t *budget, const struct rib_visitor *v)
{
	const struct rib_withdraw_queue *q;

	v->table(v->arg, table);
	if (c->store == 0) {
		if (!read_store(table, &table->store, &table->hidden, c, budget,
				v))
			return false;
		c->store = 1;
	}
	TAILQ_FOREACH (q, &table->withdraw_queues, link) {
		if (q->serial < c->store)
			continue;
		/*
		 * The cursor was in an earlier queue: begin this one at its
		 * first route.
		 */
		if (q->serial > c->store) {
			c->store = q->serial;
			c->id = 0;
			c->paths = false;
		}
		if (!read_store(table, &q->store, &q->hidden, c, budget, v))
			return false;
		c->store = q->serial + 1;
	}
	return true;
}

/*
 * Enter a table. If the cursor was in it already, its routes may have become a
 * withdraw queue between two slices.
 */
static void cursor_enter_table(struct rib_cursor *c, uint64_t table)
{
	if (c->table == table)
		return;
	*c = (struct rib_cursor){ .peer = c->peer, .table = table };
}

static bool read_peer(const struct rib_peer *peer, struct rib_cursor *c,
		      size_t *budget, const struct rib_visitor *v)
{
	const struct rib_table *t;

	TAILQ_FOREACH (t, &peer->tables, link) {
		if (t->serial < c->table)
			continue;
		cursor_enter_table(c, t->serial);
		if (*budget == 0 || !read_table(t, c, budget, v))
			return false;
		cursor_enter_table(c, t->serial + 1);
	}
	return true;
}

bool rib_read_routes(const struct rib_router *router, struct rib_cursor *cursor,
		     size_t budget, const struct rib_visitor *visitor)
{
	const struct rib_peer *peer = rib_peer_from(router, cursor->peer);

	for (; peer != NULL; peer = TAILQ_NEXT(peer, link)) {
		if (budget == 0)
			return true;
		if (peer->serial > cursor->peer)
			*cursor = (struct rib_cursor){ .peer = peer->serial };
		if (!read_peer(peer, cursor, &budget, visitor))
			return true;
		*cursor = (struct rib_cursor){ .peer = peer->serial + 1 };
		/* One without routes costs something, too. */
		if (budget > 0)
			budget--;
	}
	return false;
}
