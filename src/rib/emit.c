#include "rib/emit.h"

#include "rib/rib_internal.h"

#include <assert.h>

void rib_emit_flush(struct rib *rib)
{
	struct rib_emit_run *run = &rib->emit;
	uint64_t before = *rib->sink.bytes;

	if (run->change.count == 0)
		return;
	run->change.routes = run->routes;
	rib->sink.change(rib->sink.change_arg, &run->change);
	if (!run->change.resync)
		run->router->output_bytes += *rib->sink.bytes - before;
	run->change.count = 0;
}

void rib_emit_begin(struct rib_router *router, const struct rib_change *header)
{
	struct rib *rib = router->rib;

	rib_emit_flush(rib);
	rib->emit.router = router;
	rib->emit.change = *header;
	rib->emit.change.count = 0;
}

/* Hot: once per published route. */
struct rib_route *rib_emit_add(struct rib *rib, struct rib_table *table)
{
	struct rib_emit_run *run = &rib->emit;
	struct rib_route *route;

	if (run->change.count == RIB_CHANGE_MAX)
		rib_emit_flush(rib);
	route = &run->routes[run->change.count++];
	*route = (struct rib_route){ .sequence = ++table->sequence };
	table->changed_ns = run->change.received_ns;
	return route;
}

void rib_emit_event(struct rib_router *router, const struct rib_time *when,
		    struct rib_event *event)
{
	struct rib *rib = router->rib;
	uint64_t before;

	rib_emit_flush(rib);
	event->router = &router->info;
	event->router_slot = &router->slot;
	event->received_ns = when->wall_ns;
	before = *rib->sink.bytes;
	rib->sink.event(rib->sink.event_arg, event);
	router->output_bytes += *rib->sink.bytes - before;
}

void rib_peer_info(const struct rib_peer *peer, struct rib_table_info *out)
{
	*out = (struct rib_table_info){
		.router = &peer->router->info,
		.peer_type = peer->type,
		.filtered = peer->filtered,
		.distinguisher = peer->distinguisher,
		.peer_as = peer->as,
		.peer_bgp_id = peer->bgp_id,
		.table_name = peer->table_name,
	};
	memcpy(out->peer_address, peer->address, sizeof(out->peer_address));
}

void rib_emit_event_peer(struct rib_peer *peer, const struct rib_time *when,
			 const struct rib_event *event)
{
	struct rib_event own = *event;
	struct rib_table_info info;

	rib_peer_info(peer, &info);
	own.table = &info;
	own.has_table = false;
	own.peer_slot = &peer->slot;
	rib_emit_event(peer->router, when, &own);
}

void rib_emit_event_table(struct rib_table *table, const struct rib_time *when,
			  struct rib_event *event)
{
	if (table->disposition != RIB_DISPOSITION_PUBLISH)
		return;
	event->table = &table->info;
	event->has_table = true;
	event->peer_slot = &table->peer->slot;
	rib_emit_event(table->peer->router, when, event);
}
