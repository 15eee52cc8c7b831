#include "rib/emit.h"

#include "rib/rib_internal.h"

#include <assert.h>

void rib_run_flush(struct rib *rib)
{
	struct rib_run *run = &rib->run;

	if (run->change.count == 0)
		return;
	run->change.routes = run->routes;
	rib->sink.change(rib->sink.arg, &run->change);
	run->change.count = 0;
}

void rib_run_begin(struct rib *rib, const struct rib_change *header)
{
	rib_run_flush(rib);
	rib->run.change = *header;
	rib->run.change.count = 0;
}

/* Hot: once per published route. */
struct rib_route *rib_run_add(struct rib *rib, struct rib_table *table)
{
	struct rib_run *run = &rib->run;
	struct rib_route *route;

	if (run->change.count == RIB_CHANGE_MAX)
		rib_run_flush(rib);
	route = &run->routes[run->change.count++];
	*route = (struct rib_route){ .sequence = ++table->sequence };
	table->changed_ns = run->change.received_ns;
	return route;
}

void rib_say(struct rib_router *router, const struct rib_when *when,
	     struct rib_event *event)
{
	struct rib *rib = router->rib;

	rib_run_flush(rib);
	event->router = &router->info;
	event->router_slot = &router->slot;
	event->received_ns = when->wall_ns;
	rib->sink.event(rib->sink.arg, event);
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

void rib_say_peer(struct rib_peer *peer, const struct rib_when *when,
		  const struct rib_event *event)
{
	struct rib_event own = *event;
	struct rib_table_info info;

	rib_peer_info(peer, &info);
	own.table = &info;
	own.has_table = false;
	own.peer_slot = &peer->slot;
	rib_say(peer->router, when, &own);
}

void rib_say_table(struct rib_table *table, const struct rib_when *when,
		   struct rib_event *event)
{
	if (table->disposition != RIB_DISPOSITION_PUBLISH)
		return;
	event->table = &table->info;
	event->has_table = true;
	event->peer_slot = &table->peer->slot;
	rib_say(table->peer->router, when, event);
}
