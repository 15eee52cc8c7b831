#include "collector/router/event_ring.h"

#include "collector/base/json_bgp.h"
#include "collector/router/event_history.h"
#include "collector/base/peer_id.h"
#include "bmp/family.h"
#include "bmp/names.h"

#include <string.h>

static void put_text(struct event_ring_entry *entry, const char *text)
{
	size_t len = text == NULL ? 0 : strnlen(text, EVENT_RING_TEXT_MAX - 1);

	if (len > 0)
		memcpy(entry->text, text, len);
	entry->text[len] = '\0';
}

static void put_peer(struct event_ring_entry *entry, const struct rib_event *e)
{
	const struct rib_table_info *t = e->table;

	entry->has_peer = true;
	entry->has_table = e->has_table;
	entry->peer_type = t->peer_type;
	entry->distinguisher = t->distinguisher;
	entry->peer_as = t->peer_as;
	entry->peer_bgp_id = t->peer_bgp_id;
	entry->view = t->view;
	entry->afi = t->afi;
	entry->safi = t->safi;
	memcpy(entry->peer_address, t->peer_address, 16);
}

void event_ring_add(struct event_ring *ring, const struct rib_event *e)
{
	struct event_ring_entry *entry;

	if (e->kind == RIB_EVENT_STATISTICS || e->kind == RIB_EVENT_MIRROR)
		return;
	entry = &ring->entries[ring->count++ % EVENT_RING_ENTRIES];
	*entry = (struct event_ring_entry){
		.at_ns = e->received_ns,
		.routes = e->routes,
		.messages = e->messages,
		.reason = e->reason,
		.kind = (uint8_t)e->kind,
	};
	if (e->router->name != NULL)
		subject_router_named(e->router->name, entry->router);
	else
		subject_router(e->router->address, entry->router);
	if (e->table != NULL)
		put_peer(entry, e);
	put_text(entry, e->text);
}

size_t event_ring_fetch(const struct event_ring *ring, uint64_t *from,
			size_t max, struct event_ring_entry *out,
			uint64_t *lost)
{
	uint64_t oldest = ring->count < EVENT_RING_ENTRIES
				  ? 0
				  : ring->count - EVENT_RING_ENTRIES;
	size_t n = 0;

	*lost = 0;
	if (*from < oldest) {
		*lost = oldest - *from;
		*from = oldest;
	}
	for (; n < max && *from < ring->count; n++, (*from)++)
		out[n] = ring->entries[*from % EVENT_RING_ENTRIES];
	return n;
}

static void put_peer_json(struct json *j, const struct event_ring_entry *e)
{
	char id[PEER_ID_MAX];

	peer_id_text(e->peer_type, e->distinguisher, e->peer_address, id);
	json_string_at(j, "peer", id);
	json_bgp_peer(j, &(struct json_bgp_peer){
				 .address = e->peer_address,
				 .distinguisher = e->distinguisher,
				 .as = e->peer_as,
				 .bgp_id = e->peer_bgp_id,
				 .type = e->peer_type,
			 });
	if (!e->has_table)
		return;
	json_string_at(j, "view", bmp_view_name(e->view));
	json_bgp_view(j, (enum bmp_view)e->view);
	json_bgp_family(j, e->afi, e->safi);
	json_string_at(j, "family",
		       bgp_family_info(bgp_family_find(e->afi, e->safi))->name);
}

void event_ring_json(struct json *j, const struct event_ring_entry *e)
{
	json_time_at(j, "at", e->at_ns);
	json_string_at(j, "kind", subject_event_kind(e->kind));
	json_string_at(j, "router", e->router);
	if (e->has_peer)
		put_peer_json(j, e);
	event_history_reason(j, e->kind, e->reason);
	if (e->text[0] != '\0')
		json_string_at(j, "text", e->text);
	if (event_history_counts_routes(e->kind))
		json_uint_at(j, "routes", e->routes);
	if (e->messages != 0)
		json_uint_at(j, "messages", e->messages);
}
