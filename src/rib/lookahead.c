#include "rib/lookahead.h"

#include "rib/rib_internal.h"
#include "rib/table.h"
#include "rib/update_routes.h"

/* The first NLRI part that has routes; BGP_PARTS if none has. */
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

/*
 * The id that the next route has if the router sends its table again in the
 * same order.
 */
struct expected_id {
	const struct rib_table *table;
	uint32_t id; /* RIB_NO_ID = not known */
};

/*
 * Find the prefix of the first route. Try the expected id first, as in
 * update_routes.c; else prefetch the slot of the prefix.
 */
static void read_route(struct rib_lookahead *a, struct expected_id *next)
{
	const struct rib_input *in = a->in;
	const struct bgp_nlri_part *part = &in->update.nlri_parts[a->part];
	const struct bgp_nlri_format *format = &part->format;
	struct rib_table *t = rib_table_find(in->peer, in->header->view,
					     format->afi, format->safi);
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

/* Pass 1: find the first route and the attributes of each UPDATE. */
static void read_inputs(struct rib *rib, const struct rib_input *inputs,
			size_t first, size_t n)
{
	struct expected_id next = { 0 };
	size_t used = 0;

	for (size_t i = first; i < n; i++) {
		struct rib_lookahead *a = &rib->lookahead[i];
		const struct rib_input *in = &inputs[i];

		a->in = in;
		a->table = NULL;
		a->is_plain = false;
		a->at_expected_id = false;
		a->form.is_read = false;
		a->part = first_part(&in->update);
		if (a->part == BGP_PARTS)
			continue;
		read_route(a, &next);
		if (bgp_update_announces(&in->update, a->part) &&
		    rib->config.mode == RIB_MODE_ATTRIBUTES)
			used += rib_attrs_form_read(rib, a,
						    i > first ? a - 1 : NULL,
						    rib->lookahead_bytes + used,
						    RIB_LOOKAHEAD_BYTES - used);
		a->is_plain = in->update.plain && !rib->config.general &&
			      a->table != NULL &&
			      in->update.nlri_parts[a->part].count == 1 &&
			      a->form.is_read && a->form.canonical.p != NULL;
	}
}

void rib_lookahead_read(struct rib *rib, const struct rib_input *inputs,
			size_t first, size_t n)
{
	if (rib->config.mode == RIB_MODE_OFF)
		return;
	read_inputs(rib, inputs, first, n);
	for (size_t i = first; i < n; i++)
		look_at_slots(rib, &rib->lookahead[i]);
	for (size_t i = first; i < n; i++)
		look_at_route(rib, &rib->lookahead[i]);
}
