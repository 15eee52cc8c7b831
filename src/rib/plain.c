#include "rib/plain.h"

#include "rib/key.h"
#include "rib/rib_internal.h"
#include "rib/table.h"
#include "rib/visibility.h"

/*
 * True if the table and its peer meet the conditions of rib/plain.h. They
 * change with messages and with background work, so they are tested for each
 * message; the fields are in four cache lines of the table and the peer.
 */
static inline bool table_is_plain(const struct rib_table *t,
				  const struct rib_input *in)
{
	const struct rib_peer *peer = in->peer;
	const struct bmp_peer *header = in->header;

	return !peer->held_due && t->first_ns != RIB_NEVER &&
	       !rib_table_form_examined(t->form) &&
	       TAILQ_EMPTY(&t->withdraw_queues) &&
	       t->info.filtered == header->filtered &&
	       rib_disposition_of(peer, header->view,
				  (enum bgp_family)t->info.family) !=
		       RIB_DISPOSITION_DROP;
}

/* Update the counters as rib_update() does for such a message. */
static inline void count_message(struct rib_router *router,
				 const struct rib_lookahead *a)
{
	RIB_COUNT(router, verdicts[BGP_ACCEPT], 1);
	RIB_COUNT(router, announced, 1);
	if (a->host_bits)
		RIB_COUNT(router, host_bits, 1);
}

/* Pass the route to the sink; @e has its new value. */
static inline void publish_route(struct rib *rib, struct rib_table *t,
				 const struct rib_input *in,
				 const struct rib_time *when,
				 const struct rib_lookahead *a)
{
	const struct bgp_attrs *attrs = &in->update.attrs;
	struct rib_change *c = &rib->plain_change;
	struct rib_router *router = in->peer->router;
	uint64_t before = *rib->sink.bytes;
	struct rib_route route;

	route.sequence = ++t->sequence;
	route.rd = 0;
	route.path_id = 0;
	route.labels = (struct wire_view){ 0 };
	route.nlri = (struct wire_view){ 0 };
	route.key = (struct wire_view){ 0 };
	rib_key_route((enum bgp_family)t->info.family, a->nlri.key, &route);
	t->changed_ns = when->wall_ns;

	c->table = &t->info;
	c->received_ns = when->wall_ns;
	c->bmp_ns = in->header->time_ns;
	c->mp_reach_afi = attrs->reach.afi;
	c->mp_reach_safi = attrs->reach.safi;
	c->attrs = attrs;
	c->routes = &route;
	bgp_update_next_hop(&in->update, a->part, &c->next_hop);
	rib->sink.change(rib->sink.change_arg, c);
	router->output_bytes += *rib->sink.bytes - before;
	RIB_COUNT(router, published_announced, 1);
}

void rib_plain_init(struct rib *rib)
{
	rib->plain_change = (struct rib_change){
		.announced = true,
		.kind = BGP_NLRI_PREFIX,
		.count = 1,
	};
}

/*
 * Hot: once per UPDATE with one route. Its memory was prefetched by lookahead.
 * Cost: the look-ups again in cached memory, three stores to the route and its
 * two sets, the counters, and the sink. bench/instructions
 */
bool rib_plain_apply(const struct rib_input *in, const struct rib_time *when,
		     const struct rib_lookahead *a)
{
	struct rib_table *t = a->table;
	struct rib_router *router = in->peer->router;
	struct rib *rib = router->rib;
	uint32_t id = a->nlri.id;
	uint32_t stamp, old, set;
	struct rib_entry *e;

	if (!table_is_plain(t, in) ||
	    !rib_key_table_is(t->prefixes, id, a->nlri.key) ||
	    rib_is_hidden(&t->hidden, /* paths= */ false, id))
		return false;
	e = rib_route_array_find(&t->store.plain, id);
	if (e == NULL || e->value == RIB_VALUE_UNKNOWN)
		return false;
	old = e->value;
	stamp = rib->stamp | (uint32_t)t->generation << 28;
	if (rib_attrset_is(&rib->attrsets, old, a->form.canonical)) {
		RIB_COUNT(router, suppressed[RIB_SUPPRESSED_SAME], 1);
		if ((e->stamp & 0xf0000000) != (stamp & 0xf0000000))
			e->stamp =
				(e->stamp & 0xfffffff) | (stamp & 0xf0000000);
	} else {
		uint32_t hash = a->form.is_hashed
					? a->form.hash
					: rib_attrset_hash(&rib->attrsets,
							   a->form.canonical);

		set = rib_attrset_intern_hashed(&rib->attrsets, hash,
						a->form.canonical);
		if (set == RIB_VALUE_NONE)
			return false;
		e->value = set;
		e->stamp = stamp;
		rib_value_put(&rib->attrsets, old);
		publish_route(rib, t, in, when, a);
	}
	count_message(router, a);
	rib->budget->routes -= rib->budget->routes > 0;
	t->next_id_hint = id + 1;
	return true;
}
