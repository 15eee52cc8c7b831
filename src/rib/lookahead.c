#include "rib/lookahead.h"

#include "rib/peer.h"
#include "rib/rib_internal.h"
#include "rib/table.h"
#include "rib/update_routes.h"

#include "bmp/message.h"

/* The first part that has routes; BGP_PARTS: none has. */
static enum bgp_nlri_part_id first_part(const struct bgp_update *u)
{
	unsigned left = u->parts_present;

	if (u->verdict == BGP_RESET)
		return BGP_PARTS;
	while (left != 0) {
		enum bgp_nlri_part_id id = bgp_part_take(&left);

		if (u->nlri_parts[id].count != 0)
			return id;
	}
	return BGP_PARTS;
}

static bool read_message(struct rib_router *router,
			 const struct bmp_message *msg,
			 const struct bgp_overrides *over,
			 struct rib_lookahead *a)
{
	if (msg->type != BMP_ROUTE_MONITORING)
		return false;
	a->peer = rib_peer_find(router, &msg->peer);
	if (a->peer == NULL || !rib_peer_phase_up(a->peer->phase))
		return false;
	a->opts = bgp_context_decode_opts(&a->peer->context, &msg->peer, over);
	bgp_update_decode(msg->update.body, &a->opts, &a->u);
	a->table = NULL;
	a->at_expected_id = false;
	a->form.is_read = false;
	return true;
}

/* The number the next route has, if the router tells its table again. */
struct expected_id {
	const struct rib_table *table;
	uint32_t id; /* RIB_NO_ID: who knows */
};

/*
 * Find the first route's prefix: at the place it follows from, as in
 * update_routes.c, or else ask for its slot.
 */
static void read_route(struct rib_lookahead *a, uint8_t view,
		       struct expected_id *next)
{
	const struct bgp_nlri_part *part = &a->u.nlri_parts[a->part];
	const struct bgp_nlri_format *format = &part->format;
	const struct rib_table *t =
		rib_table_find(a->peer, view, format->afi, format->safi);
	struct rib_nlri *nlri = &a->nlri;
	struct bgp_prefix prefix;

	if (t == NULL ||
	    !bgp_nlri_first(part->field, format, &prefix, &a->host_bits))
		return;
	a->table = t;
	rib_nlri_set_prefix(nlri, (enum bgp_family)format->family, &prefix);
	if (next->table != t)
		*next = (struct expected_id){ t, t->next_id_hint };
	nlri->id = next->id;
	a->at_expected_id = rib_key_table_is(t->prefixes, nlri->id, nlri->key);
	if (a->at_expected_id) {
		next->id += part->count;
		return;
	}
	next->id = RIB_NO_ID;
	nlri->hash = rib_key_table_hash(t->prefixes, nlri->key);
	nlri->hashed = true;
	rib_key_table_prefetch(t->prefixes, nlri->hash);
}

static void look_at_slots(struct rib *rib, struct rib_lookahead *a)
{
	if (a->form.is_hashed)
		rib_attrset_prefetch_bytes(&rib->attrsets, a->form.hash);
	if (a->table == NULL || a->at_expected_id)
		return;
	a->nlri.id = rib_key_table_guess(a->table->prefixes, a->nlri.hash);
	if (a->nlri.id != RIB_NO_ID)
		rib_route_array_prefetch(&a->table->store.plain, a->nlri.id);
}

static void look_at_route(struct rib *rib, const struct rib_lookahead *a)
{
	const struct rib_entry *e;

	if (a->table == NULL || a->nlri.id == RIB_NO_ID)
		return;
	e = rib_route_array_find(&a->table->store.plain, a->nlri.id);
	if (e != NULL)
		rib_value_prefetch(&rib->attrsets, e->value);
}

size_t rib_lookahead_read(struct rib_router *router,
			  const struct bmp_message *msgs, size_t n,
			  const struct bgp_overrides *over)
{
	struct rib *rib = router->rib;
	struct rib_lookahead *list = rib->lookahead;
	struct expected_id next = { 0 };
	size_t used = 0;
	size_t count;

	/* Nothing is kept, so nothing is far away. */
	if (rib->config.mode == RIB_MODE_OFF)
		return 0;
	for (count = 0; count < n && count < RIB_LOOKAHEAD; count++) {
		struct rib_lookahead *a = &list[count];

		if (!read_message(router, &msgs[count], over, a))
			break;
		a->part = first_part(&a->u);
		if (a->part == BGP_PARTS)
			continue;
		read_route(a, msgs[count].peer.view, &next);
		if (bgp_update_announces(&a->u, a->part) &&
		    rib->config.mode == RIB_MODE_ATTRIBUTES)
			used += rib_attrs_form_read(rib, a,
						    count > 0 ? a - 1 : NULL,
						    rib->lookahead_bytes + used,
						    RIB_LOOKAHEAD_BYTES - used,
						    &a->form);
	}
	for (size_t i = 0; i < count; i++)
		look_at_slots(rib, &list[i]);
	for (size_t i = 0; i < count; i++)
		look_at_route(rib, &list[i]);
	return count;
}
