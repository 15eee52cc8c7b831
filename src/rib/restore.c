#include "rib/restore.h"

#include "rib/key.h"
#include "rib/peer.h"
#include "rib/rib_internal.h"
#include "rib/scratch.h"
#include "rib/table.h"
#include "rib/timer.h"

#include "bmp/canonical.h"
#include "bmp/text.h"

#include <errno.h>

/*
 * True if @peer has been restored with these properties already. Each update in
 * the log names its peer, and it is nearly always the peer of the update
 * before.
 */
static bool is_restored(const struct rib_peer *peer,
			const struct rib_peer_state *state,
			struct wire_view name)
{
	return peer->phase == RIB_PEER_STALE && peer->as == state->as &&
	       peer->bgp_id == state->bgp_id && peer->ipv6 == state->ipv6 &&
	       peer->filtered == state->filtered &&
	       peer->table_name.len == name.len &&
	       (name.len == 0 ||
		memcmp(peer->table_name.p, name.p, name.len) == 0);
}

int rib_restore_peer(struct rib_router *router,
		     const struct rib_peer_state *state, struct rib_peer **out)
{
	struct bmp_peer header = {
		.type = state->type,
		.ipv6 = state->ipv6,
		.filtered = state->filtered,
		.as = state->as,
		.bgp_id = state->bgp_id,
		.distinguisher = state->distinguisher,
	};
	/* Names of older versions may be too long: truncate them. */
	struct wire_view name = text_cut(state->table_name, TEXT_NAME_MAX);
	struct rib_table *t;
	struct rib_peer *peer;
	int err;

	memcpy(header.address, state->address, sizeof(header.address));
	err = rib_peer_get(router, &header, /* policy= */ NULL, &peer);
	if (err < 0)
		return err;
	if (is_restored(peer, state, name)) {
		*out = peer;
		return 0;
	}
	err = rib_peer_keep(&peer->table_name, name);
	peer->as = state->as;
	peer->bgp_id = state->bgp_id;
	peer->ipv6 = state->ipv6;
	peer->filtered = state->filtered;
	TAILQ_FOREACH (t, &peer->tables, link)
		rib_table_refresh(t);
	if (err < 0)
		return err;
	rib_peer_event(peer, RIB_PEER_EV_RESTORED);
	*out = peer;
	return 0;
}

void rib_restore_source(struct rib_router *router, const uint8_t address[16],
			uint16_t port)
{
	memcpy(router->info.address, address, 16);
	router->info.port = port;
}

int rib_restore_table(struct rib_peer *peer, uint8_t view, uint16_t afi,
		      uint8_t safi, uint64_t sequence, struct rib_table **out)
{
	struct rib_table *t;
	int err = rib_table_get(peer, view, afi, safi, &t);

	if (err < 0)
		return err;
	if (t->sequence < sequence)
		t->sequence = sequence;
	*out = t;
	return 0;
}

/*
 * The ids of the keys of a table usually ascend by one, because tables were
 * written in the order of the ids. So try the next id first, as in
 * update_routes.c.
 */
static uint32_t find_prefix_id(const struct rib_table *table,
			       struct wire_view key, bool make)
{
	struct rib_key_table *d = table->prefixes;
	uint32_t hash, id;

	if (rib_key_table_is(d, table->next_id_hint, key))
		return table->next_id_hint;
	hash = rib_key_table_hash(d, key);
	id = rib_key_table_find(d, hash, key);
	return id == RIB_NO_ID && make ? rib_key_table_add(d, hash, key) : id;
}

/*
 * Find the id of the route's key, or add the key if @make is set. *@out is
 * RIB_NO_ID if the key does not exist or could not be added. -EINVAL if the key
 * is not valid, -ENOMEM.
 */
static int find_key(struct rib_table *table, const struct rib_stored *route,
		    bool make, uint32_t *out)
{
	struct rib *rib = table->peer->router->rib;
	struct wire_view key;
	uint32_t id;
	uint8_t *room = rib_scratch(rib, RIB_KEY_FIXED + 3 + route->key.len);

	*out = RIB_NO_ID;
	if (room == NULL)
		return -ENOMEM;
	key.p = room;
	key.len = rib_key_parse((enum bgp_family)table->info.family,
				table->info.afi, table->info.safi, route->key,
				room);
	if (key.len == 0)
		return -EINVAL;
	id = find_prefix_id(table, key, make);
	if (id != RIB_NO_ID && route->has_path_id) {
		uint32_t entry = rib_path_find(table, id, route->path_id);

		if (entry == RIB_NO_ID && make)
			entry = rib_path_add(table, id, route->path_id);
		if (entry == RIB_NO_ID)
			rib_key_table_drop(table->prefixes, id);
		id = entry;
	}
	*out = id;
	return 0;
}

/* Store a value for a route. The caller's reference passes to the route. */
static int put_route(struct rib_table *table, const struct rib_stored *route,
		     uint32_t value)
{
	struct rib *rib = table->peer->router->rib;
	uint32_t stamp = rib_stamp(table->generation,
				   route->changed_s * UINT64_C(1000000000));
	struct rib_entry *e;
	uint32_t id;
	int err = find_key(table, route, true, &id);

	if (err == 0 && id == RIB_NO_ID)
		err = -ENOMEM;
	if (err < 0)
		goto fail;
	if (!route->has_path_id)
		table->next_id_hint = id + 1;
	e = rib_route_array_find(rib_store_routes(&table->store,
						  route->has_path_id),
				 id);
	if (e != NULL) {
		rib_value_put(&rib->attrsets, e->value);
		*e = (struct rib_entry){ value, stamp };
		return 0;
	}
	err = rib_table_insert(table, route->has_path_id, id, value, stamp);
	if (err == 0)
		return 0;
	rib_key_drop(table, route->has_path_id, id);
fail:
	rib_value_put(&rib->attrsets, value);
	return err;
}

/*
 * True if the route before has the same attributes, as is often the case,
 * because routers send such routes together.
 */
static bool is_same(const struct rib_table *table, struct wire_view attrs,
		    uint32_t *out)
{
	struct rib *rib = table->peer->router->rib;

	if (table->next_id_hint == 0)
		return false;
	*out = rib_table_set(table, table->next_id_hint - 1);
	return *out != RIB_VALUE_NONE &&
	       rib_attrset_is(&rib->attrsets, *out, attrs);
}

/*
 * Find or make the set for attributes that were read from a file, with a
 * reference. Returns 0 or -errno.
 */
static int intern_attrs(struct rib *rib, struct wire_view bytes, uint32_t *out)
{
	struct bgp_decode_opts opts = BGP_DECODE_CANONICAL;
	struct bgp_update u = { 0 };
	uint8_t *room;

	/*
	 * A resync would have to decode the attributes, so refuse invalid ones
	 * now.
	 */
	if (bgp_attrs_decode(bytes, &opts, &u.attrs) >= BGP_DISABLE_FAMILY)
		return -EINVAL;
	room = rib_scratch_more(rib, bgp_canonical_bound(&u));
	if (room == NULL)
		return -ENOMEM;
	/*
	 * Version 1 wrote another form, so convert to the present canonical
	 * form.
	 */
	*out = rib_attrset_intern(&rib->attrsets,
				  bgp_canonical(&u, BGP_PART_NLRI, room));
	return *out == RIB_VALUE_NONE ? -ENOMEM : 0;
}

/*
 * Get the set of a route's attributes, with a reference. Returns 0 or -errno.
 */
static int find_set(const struct rib_table *table,
		    const struct rib_stored *route, uint32_t *out)
{
	struct rib *rib = table->peer->router->rib;

	*out = RIB_VALUE_UNKNOWN;
	if (!route->known || rib->config.mode != RIB_MODE_ATTRIBUTES)
		return 0;
	if (is_same(table, route->attrs, out)) {
		rib_value_get(&rib->attrsets, *out);
		return 0;
	}
	return intern_attrs(rib, route->attrs, out);
}

/* Get the value of a route, with a reference. Returns 0 or -errno. */
static int find_value(struct rib_table *table, const struct rib_stored *route,
		      uint32_t *out)
{
	struct rib *rib = table->peer->router->rib;
	bool prefixes =
		bgp_family_info((enum bgp_family)table->info.family)->kind ==
		BGP_NLRI_PREFIX;
	uint32_t set;
	int err = find_set(table, route, &set);

	if (err < 0)
		return err;
	if (route->extra.len == 0 ||
	    (prefixes && rib->config.mode == RIB_MODE_PRESENCE)) {
		*out = set;
		return 0;
	}
	*out = rib_value_intern(&rib->attrsets, set, route->extra);
	rib_value_put(&rib->attrsets, set);
	return *out == RIB_VALUE_NONE ? -ENOMEM : 0;
}

int rib_restore_route(struct rib_table *table, const struct rib_stored *route)
{
	uint32_t value;
	int err = find_value(table, route, &value);

	return err < 0 ? err : put_route(table, route, value);
}

int rib_restore_seen(struct rib_table *table, const struct rib_stored *route,
		     bool announced, uint64_t sequence)
{
	struct rib_stored seen = *route;
	uint32_t id;
	int err;

	if (table->sequence < sequence)
		table->sequence = sequence;
	if (announced) {
		seen.known = false;
		return rib_restore_route(table, &seen);
	}
	err = find_key(table, route, false, &id);
	if (err < 0)
		return err;
	if (id != RIB_NO_ID &&
	    rib_route_array_find(rib_store_routes(&table->store,
						  route->has_path_id),
				 id) != NULL)
		rib_table_remove(table, route->has_path_id, id);
	return 0;
}

void rib_restore_sequence_floor(struct rib_router *router, uint64_t sequence)
{
	struct rib_peer *peer;
	struct rib_table *t;

	if (router->sequence_floor < sequence)
		router->sequence_floor = sequence;
	TAILQ_FOREACH (peer, &router->peer_list, link)
		TAILQ_FOREACH (t, &peer->tables, link)
			if (t->sequence < sequence)
				t->sequence = sequence;
}

void rib_restore_sequence_floor_new(struct rib *rib, uint64_t sequence)
{
	struct rib_router *router;

	if (rib->sequence_floor < sequence)
		rib->sequence_floor = sequence;
	TAILQ_FOREACH (router, &rib->router_list, link)
		if (router->sequence_floor < sequence)
			router->sequence_floor = sequence;
}

static void forget_unknown(struct rib_table *table, bool paths)
{
	struct rib *rib = table->peer->router->rib;
	const struct rib_route_array *routes =
		rib_store_routes(&table->store, paths);
	const struct rib_entry *e;
	uint32_t id = 0;

	for (; (e = rib_route_array_next(routes, id, &id)) != NULL; id++)
		if (rib_value_set(&rib->attrsets, e->value) ==
		    RIB_VALUE_UNKNOWN)
			rib_table_remove(table, paths, id);
}

void rib_restore_forget_unknown(struct rib_router *router)
{
	struct rib_peer *peer;
	struct rib_table *t;

	if (router->rib->config.mode == RIB_MODE_PRESENCE)
		return;
	TAILQ_FOREACH (peer, &router->peer_list, link)
		TAILQ_FOREACH (t, &peer->tables, link) {
			forget_unknown(t, false);
			forget_unknown(t, true);
		}
}

void rib_restore_done(struct rib *rib, const struct rib_time *when)
{
	struct rib_router *router;
	struct rib_peer *peer;

	TAILQ_FOREACH (router, &rib->router_list, link) {
		TAILQ_FOREACH (peer, &router->peer_list, link)
			if (peer->phase == RIB_PEER_STALE && !router->open)
				peer->stale_ns = when->now_ns;
		rib_timer_set(router, when->now_ns);
	}
}
