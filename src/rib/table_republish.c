/*
 * Publishes a table again. Attributes are decoded from their canonical form,
 * only once for consecutive routes that share them.
 */
#include "rib/table_republish.h"

#include "rib/emit.h"
#include "rib/table.h"
#include "rib/visibility.h"

#include "bmp/canonical.h"

/* The attribute set of consecutive routes. */
struct republish_set {
	uint32_t set;
	size_t most;	     /* maximum routes before the run is flushed */
	struct bgp_update u; /* only its attributes are set */
};

static void begin_republish_set(struct rib_table *table,
				const struct rib_time *when, bool paths,
				struct republish_set *a, uint32_t set)
{
	struct rib *rib = table->peer->router->rib;
	struct bgp_decode_opts opts = BGP_DECODE_CANONICAL;
	struct rib_change header = {
		.table = &table->info,
		.received_ns = when->wall_ns,
		.announced = true,
		.resync = true,
		.has_path_id = paths,
		.kind = bgp_family_info((enum bgp_family)table->info.family)
				->kind,
		.attrs = &a->u.attrs,
	};

	struct wire_view bytes = { NULL, 0 };

	/*
	 * The routes added before refer to the attributes that are overwritten
	 * next.
	 */
	rib_emit_flush(rib);
	if (set != RIB_VALUE_UNKNOWN)
		bytes = rib_attrset_bytes(&rib->attrsets, set);
	a->set = set;
	a->most = rib_few_routes(bytes.len, RIB_CHANGE_MAX);
	bgp_attrs_decode(bytes, &opts, &a->u.attrs);
	bgp_update_next_hop(&a->u, BGP_PART_NLRI, &header.next_hop);
	rib_emit_begin(table->peer->router, &header);
}

static void republish_route(struct rib_table *table,
			    const struct rib_time *when, bool paths,
			    uint32_t id, struct republish_set *a,
			    uint32_t value)
{
	struct rib *rib = table->peer->router->rib;
	uint32_t set = rib_value_set(&rib->attrsets, value);
	struct wire_view extra = rib_value_extra(&rib->attrsets, value);
	uint8_t room[RIB_KEY_FIXED];
	struct rib_route *route;

	/*
	 * Routes with unknown attributes can only be published in presence
	 * mode.
	 */
	if (set == RIB_VALUE_UNKNOWN && rib->config.mode != RIB_MODE_PRESENCE)
		return;
	if (set != a->set)
		begin_republish_set(table, when, paths, a, set);
	route = rib_emit_add(rib, table);
	rib_table_route_key(table, paths, id, route, room);
	if (rib->emit.change.kind == BGP_NLRI_PREFIX)
		route->labels = extra;
	else
		route->nlri = extra;
	RIB_COUNT(table->peer->router, published_resync, 1);
	if (rib->emit.change.count >= a->most)
		rib_emit_flush(rib);
}

/*
 * True if the route is hidden and stays so: this is not the pass that publishes
 * hidden routes.
 */
static bool stays_hidden(const struct rib_table *table,
			 const struct rib_pos *pos)
{
	return pos != &table->hidden.pos &&
	       rib_is_hidden(&table->hidden, pos->paths, pos->id);
}

/*
 * True if the resync must remove the route: consumers forget it, and it cannot
 * be announced again. If it stayed in the table, a later withdraw would be for
 * a route that consumers do not have.
 */
static bool resync_forgets(const struct rib_table *table,
			   const struct rib_pos *pos, uint32_t value)
{
	const struct rib *rib = table->peer->router->rib;

	return pos == &table->resync && rib->config.mode != RIB_MODE_PRESENCE &&
	       rib_value_set(&rib->attrsets, value) == RIB_VALUE_UNKNOWN;
}

size_t rib_table_republish(struct rib_table *table, const struct rib_time *when,
			   struct rib_pos *pos, size_t budget)
{
	const struct rib *rib = table->peer->router->rib;
	struct republish_set a = { .set = RIB_VALUE_NONE };
	size_t seen = 0;

	for (; seen < budget && pos->id != RIB_NO_ID && !rib_slice_full(rib);
	     seen++) {
		const struct rib_entry *e =
			rib_route_array_next(rib_store_routes(&table->store,
							      pos->paths),
					     pos->id, &pos->id);

		if (e != NULL) {
			if (resync_forgets(table, pos, e->value))
				rib_table_remove(table, pos->paths, pos->id);
			else if (!stays_hidden(table, pos))
				republish_route(table, when, pos->paths,
						pos->id, &a, e->value);
			pos->id++;
			continue;
		}
		*pos = (struct rib_pos){
			.paths = true,
			.id = pos->paths ? RIB_NO_ID : 0,
		};
		a.set = RIB_VALUE_NONE;
	}
	rib_emit_flush(table->peer->router->rib);
	return seen;
}
