#include "rib/update_routes.h"

#include "rib/emit.h"
#include "rib/key.h"
#include "rib/rib_internal.h"
#include "rib/scratch.h"
#include "rib/table.h"
#include "rib/table_withdraw.h"
#include "rib/visibility.h"

#include "bmp/nlri_key.h"

/* Looking up */

static uint32_t hash_of(const struct rib_update_routes *s,
			struct rib_nlri *nlri)
{
	if (!nlri->hashed)
		nlri->hash = rib_key_table_hash(s->table->prefixes, nlri->key);
	nlri->hashed = true;
	return nlri->hash;
}

static uint32_t find_id(const struct rib_update_routes *s,
			struct rib_nlri *nlri)
{
	uint32_t id = rib_key_table_find(s->table->prefixes, hash_of(s, nlri),
					 nlri->key);

	if (id == RIB_NO_ID || !s->paths)
		return id;
	return rib_path_find(s->table, id, nlri->path_id);
}

/*
 * A router re-sends its table in the original order, and route ids were
 * allocated in that order. Try the last id + 1 first: a hit needs no hash and
 * no cache miss.
 */
static size_t match_expected_ids(const struct rib_update_routes *s,
				 struct rib_nlri *nlris, size_t n)
{
	uint32_t id = s->table->next_id_hint;
	size_t i = 0;

	if (s->paths || !s->prefixes)
		return 0;
	/*
	 * Routes that were announced together usually come together again, but
	 * not after the same predecessor: so when the first one is found, try
	 * the following ids for the others.
	 */
	if (n > 1 && !rib_key_table_is(s->table->prefixes, id, nlris[0].key)) {
		id = find_id(s, &nlris[0]);
		if (id == RIB_NO_ID)
			return 0;
	}
	for (; i < n; i++, id++) {
		if (!rib_key_table_is(s->table->prefixes, id, nlris[i].key))
			break;
		nlris[i].id = id;
	}
	return i;
}

/* Prefetch the slots, then the entries that the slots name. */
static void prefetch_slots(const struct rib_update_routes *s,
			   struct rib_nlri *nlris, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rib_key_table_prefetch(s->table->prefixes,
				       hash_of(s, &nlris[i]));
}

static void prefetch_routes(const struct rib_update_routes *s,
			    const struct rib_nlri *nlris, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t id =
			rib_key_table_guess(s->table->prefixes, nlris[i].hash);

		if (id != RIB_NO_ID && !s->paths)
			rib_route_array_prefetch(&s->table->store.plain, id);
	}
}

static const struct rib_attrs_form *form_of(const struct rib_update_routes *s)
{
	return s->lookahead != NULL && s->lookahead->form.is_read
		       ? &s->lookahead->form
		       : NULL;
}

/*
 * Begin to find the attribute set. @like is a route that may have the same
 * attributes, or RIB_NO_ID.
 */
static void begin_attrs(struct rib_update_routes *s, uint32_t like,
			struct rib_update_attrs *attrs)
{
	uint32_t guess = like == RIB_NO_ID ? RIB_VALUE_NONE
					   : rib_table_set(s->table, like);

	rib_update_attrs_begin(s->router, s->in, s->id, form_of(s), guess,
			       attrs);
}

/*
 * Hot. Looks up in passes, so that the cache misses of a batch overlap: the
 * slots of the index, then the entries they name and the routes. The attributes
 * of the part, if not known yet, are looked up in between, so that their misses
 * overlap, too. bench/rib.c
 */
static void look_up_batch(struct rib_update_routes *s, struct rib_nlri *nlris,
			  size_t n)
{
	size_t expected = match_expected_ids(s, nlris, n);
	bool needs_attrs = s->set == RIB_VALUE_NONE;
	struct rib_update_attrs attrs;

	prefetch_slots(s, nlris + expected, n - expected);
	if (needs_attrs)
		begin_attrs(s, expected > 0 ? nlris[0].id : RIB_NO_ID, &attrs);
	prefetch_routes(s, nlris + expected, n - expected);
	if (needs_attrs)
		rib_update_attrs_go_on(s->router, &attrs);
	for (size_t i = expected; i < n; i++) {
		nlris[i].id = find_id(s, &nlris[i]);
		if (s->paths && nlris[i].id != RIB_NO_ID)
			rib_route_array_prefetch(&s->table->store.paths,
						 nlris[i].id);
	}
	if (needs_attrs)
		s->set = rib_update_attrs_end(s->router, s->in, &attrs);
	if (nlris[n - 1].id != RIB_NO_ID)
		s->table->next_id_hint = nlris[n - 1].id + 1;
}

/*
 * Hot: once per UPDATE with a single route. Its memory was prefetched by
 * lookahead, whose results are most likely still valid.
 */
static void look_up_single(struct rib_update_routes *s)
{
	const struct rib_lookahead *a = s->lookahead;
	struct rib_nlri *nlri = &s->lookahead->nlri;
	struct rib_update_attrs attrs;

	if (!rib_key_table_is(s->table->prefixes, nlri->id, nlri->key))
		nlri->id = find_id(s, nlri);
	if (s->set == RIB_VALUE_NONE) {
		begin_attrs(s, a->at_expected_id ? nlri->id : RIB_NO_ID,
			    &attrs);
		s->set = rib_update_attrs_end(s->router, s->in, &attrs);
	}
	if (nlri->id != RIB_NO_ID)
		s->table->next_id_hint = nlri->id + 1;
}

/* Publishing */

/*
 * Begin a run. Called only when there is something to publish, which most parts
 * have not.
 */
static void begin_run(struct rib_update_routes *s)
{
	const struct bgp_attrs *attrs = &s->u->attrs;
	struct rib_change header = {
		.table = &s->table->info,
		.received_ns = s->when->wall_ns,
		.bmp_ns = s->in->header->time_ns,
		.announced = s->announce,
		.synthetic = rib_update_routes_treat_as_withdraw(s),
		.has_path_id = s->paths,
		.reason = rib_update_routes_treat_as_withdraw(s)
				  ? RIB_REASON_TREAT_AS_WITHDRAW
				  : RIB_REASON_NONE,
		.kind = s->kind,
	};

	if (bgp_attrs_has(attrs, BGP_MP_REACH)) {
		header.mp_reach_afi = attrs->reach.afi;
		header.mp_reach_safi = attrs->reach.safi;
	}
	if (bgp_attrs_has(attrs, BGP_MP_UNREACH)) {
		header.mp_unreach_afi = attrs->unreach.afi;
		header.mp_unreach_safi = attrs->unreach.safi;
	}
	if (s->announce) {
		header.attrs = attrs;
		bgp_update_next_hop(s->u, s->id, &header.next_hop);
	}
	rib_emit_begin(s->router, &header);
	s->begun = true;
}

static void publish_route(struct rib_update_routes *s,
			  const struct rib_nlri *nlri, uint32_t id)
{
	struct rib_route *route;

	if (rib_is_hidden(&s->table->hidden, s->paths, id)) {
		RIB_COUNT(s->router, suppressed[RIB_SUPPRESSED_FILTERED], 1);
		return;
	}
	if (!s->begun)
		begin_run(s);
	route = rib_emit_add(s->rib, s->table);
	route->path_id = nlri->path_id;
	rib_key_route(s->family, nlri->key, route);
	if (s->announce)
		route->labels = nlri->labels;
	route->nlri = nlri->wire;
	s->published++;
	/*
	 * The buffer of a key that is not a prefix is used again for the next
	 * key.
	 */
	if (!s->prefixes)
		rib_emit_flush(s->rib);
}

/*
 * Publish the pending withdraw of a route. Returns true if there was one; the
 * run of this part has then ended.
 */
static bool withdraw_pending_route(struct rib_update_routes *s, uint32_t id)
{
	if (!rib_table_withdraw_pending_route(s->table, s->when, s->paths, id))
		return false;
	s->begun = false;
	return true;
}

static void out_of_memory(struct rib_update_routes *s)
{
	struct rib_event e = { .kind = RIB_EVENT_UNKNOWN,
			       .text = "no memory for a route" };

	RIB_COUNT(s->router, suppressed[RIB_SUPPRESSED_MEMORY], 1);
	if (rib_table_quality_unknown(s->table->quality))
		return;
	rib_table_event(s->table, RIB_TABLE_EV_DROPPED);
	rib_emit_event_table(s->table, s->when, &e);
}

/* Announcing */

/*
 * The value for a route. If *@owned is set, the caller has a reference on it.
 */
static uint32_t value_of(struct rib_update_routes *s,
			 const struct rib_nlri *nlri, bool *owned)
{
	struct wire_view extra = s->prefixes ? nlri->labels : nlri->wire;

	*owned = false;
	if (extra.len == 0)
		return s->set;
	/*
	 * In presence mode prefixes need no attributes; other routes need their
	 * NLRI.
	 */
	if (s->prefixes && s->rib->config.mode == RIB_MODE_PRESENCE)
		return s->set;
	*owned = true;
	return rib_value_intern(&s->rib->attrsets, s->set, extra);
}

static size_t nlri_value(const struct rib_update_routes *s,
			 struct wire_view wire, uint8_t *out, size_t cap)
{
	struct bgp_nlri_format format = s->u->nlri_parts[s->id].format;
	struct bgp_nlri_iter it;

	format.add_path = false;
	bgp_nlri_start(&it, wire, &format);
	return bgp_nlri_next(&it) ? bgp_nlri_value(&it.nlri, out, cap)
				  : SIZE_MAX;
}

/*
 * True if two NLRI of one key differ only in encoding. Each is at most as long
 * as a message.
 */
static bool same_nlri(struct rib_update_routes *s, uint32_t a, uint32_t b)
{
	struct wire_view x = rib_value_extra(&s->rib->attrsets, a);
	struct wire_view y = rib_value_extra(&s->rib->attrsets, b);
	size_t cap = x.len > y.len ? x.len : y.len;
	uint8_t *room;
	size_t n;

	if (rib_value_set(&s->rib->attrsets, a) !=
	    rib_value_set(&s->rib->attrsets, b))
		return false;
	/* The first scratch buffer has the current key. */
	room = rib_scratch_more(s->rib, 2 * cap);
	if (room == NULL)
		return false;
	n = nlri_value(s, x, room, cap);
	return n <= cap && nlri_value(s, y, room + cap, cap) == n &&
	       memcmp(room, room + cap, n) == 0;
}

static void refresh_generation(const struct rib_update_routes *s,
			       struct rib_entry *e)
{
	uint32_t generation = s->stamp & 0xf0000000;

	/*
	 * Write the stamp only if it changes, so that the cache line stays
	 * clean.
	 */
	if ((e->stamp & 0xf0000000) != generation)
		e->stamp = (e->stamp & 0xfffffff) | generation;
}

/* Update a route that exists. Returns true if @value was stored. */
static bool replace_route(struct rib_update_routes *s,
			  const struct rib_nlri *nlri, uint32_t id,
			  struct rib_entry *e, uint32_t value, bool owned)
{
	if (e->value == value && value != RIB_VALUE_UNKNOWN) {
		RIB_COUNT(s->router, suppressed[RIB_SUPPRESSED_SAME], 1);
	} else if (s->rib->config.mode == RIB_MODE_PRESENCE) {
		RIB_COUNT(s->router, suppressed[RIB_SUPPRESSED_PRESENT], 1);
	} else if (!s->prefixes && same_nlri(s, e->value, value)) {
		RIB_COUNT(s->router, suppressed[RIB_SUPPRESSED_SAME], 1);
	} else {
		uint32_t old = e->value;

		if (!owned)
			rib_value_get(&s->rib->attrsets, value);
		e->value = value;
		e->stamp = s->stamp;
		rib_value_put(&s->rib->attrsets, old);
		publish_route(s, nlri, id);
		return true;
	}
	refresh_generation(s, e);
	return false;
}

/* The route limit that one more route of this peer would exceed; 0 if none. */
static uint64_t limit_met(const struct rib_update_routes *s)
{
	const struct rib_router *r = s->router;

	if (r->max_routes_peer != 0 && s->peer->routes >= r->max_routes_peer)
		return r->max_routes_peer;
	if (r->max_routes_router != 0 && r->routes >= r->max_routes_router)
		return r->max_routes_router;
	return s->rib->routes < s->rib->allowed ? 0 : s->rib->config.max_routes;
}

static void refuse_route(struct rib_update_routes *s, uint64_t limit)
{
	struct rib_event e = { .kind = RIB_EVENT_LIMIT, .routes = limit };

	RIB_COUNT(s->router, suppressed[RIB_SUPPRESSED_LIMIT], 1);
	if (s->peer->reported & RIB_REPORTED_LIMIT)
		return;
	s->peer->reported |= RIB_REPORTED_LIMIT;
	rib_emit_event_table(s->table, s->when, &e);
}

/* The id of the route's key, which is added if it is new. */
static uint32_t create_key(struct rib_update_routes *s, struct rib_nlri *nlri)
{
	struct rib_key_table *d = s->table->prefixes;
	uint32_t id = rib_key_table_find(d, hash_of(s, nlri), nlri->key);
	uint32_t entry;

	if (id == RIB_NO_ID)
		id = rib_key_table_add(d, nlri->hash, nlri->key);
	if (id == RIB_NO_ID || !s->paths)
		return id;
	entry = rib_path_find(s->table, id, nlri->path_id);
	if (entry == RIB_NO_ID)
		entry = rib_path_add(s->table, id, nlri->path_id);
	if (entry == RIB_NO_ID)
		rib_key_table_drop(d, id);
	return entry;
}

/* Add a route that does not exist. Returns true if @value was stored. */
static bool insert_route(struct rib_update_routes *s, struct rib_nlri *nlri,
			 uint32_t id, uint32_t value, bool owned)
{
	uint64_t limit = limit_met(s);

	if (limit != 0) {
		refuse_route(s, limit);
		return false;
	}
	if (id == RIB_NO_ID)
		id = create_key(s, nlri);
	if (id == RIB_NO_ID) {
		out_of_memory(s);
		return false;
	}
	if (rib_table_insert(s->table, s->paths, id, value, s->stamp) < 0) {
		rib_key_drop(s->table, s->paths, id);
		s->ids_invalid = true;
		out_of_memory(s);
		return false;
	}
	if (!owned)
		rib_value_get(&s->rib->attrsets, value);
	publish_route(s, nlri, id);
	return true;
}

static void announce_route(struct rib_update_routes *s, struct rib_nlri *nlri)
{
	uint32_t id = nlri->id;
	struct rib_entry *e = NULL;
	bool held = false;
	bool owned, stored;
	uint32_t value;

	/* Look it up again: the same prefix may occur twice in a batch. */
	if (id == RIB_NO_ID || s->ids_invalid)
		id = find_id(s, nlri);
	value = value_of(s, nlri, &owned);
	if (value == RIB_VALUE_NONE) {
		out_of_memory(s);
		return;
	}
	if (id != RIB_NO_ID && !TAILQ_EMPTY(&s->table->withdraw_queues)) {
		rib_key_get(s->table, s->paths, id);
		held = true;
		withdraw_pending_route(s, id);
	}
	if (id != RIB_NO_ID)
		e = rib_route_array_find(rib_store_routes(&s->table->store,
							  s->paths),
					 id);
	stored = e != NULL ? replace_route(s, nlri, id, e, value, owned)
			   : insert_route(s, nlri, id, value, owned);
	if (owned && !stored)
		rib_value_put(&s->rib->attrsets, value);
	if (held) {
		rib_key_put(s->table, s->paths, id);
		s->ids_invalid |= !stored;
	}
}

static void withdraw_route(struct rib_update_routes *s, struct rib_nlri *nlri)
{
	uint32_t id = s->ids_invalid ? find_id(s, nlri) : nlri->id;

	if (id != RIB_NO_ID && !TAILQ_EMPTY(&s->table->withdraw_queues) &&
	    withdraw_pending_route(s, id)) {
		s->ids_invalid = true;
		return;
	}
	if (id == RIB_NO_ID ||
	    rib_route_array_find(rib_store_routes(&s->table->store, s->paths),
				 id) == NULL) {
		RIB_COUNT(s->router, suppressed[RIB_SUPPRESSED_ABSENT], 1);
		return;
	}
	publish_route(s, nlri, id);
	rib_table_remove(s->table, s->paths, id);
}

/* Iterating over a part */

/* Hot: once per prefix. */
void rib_nlri_set_prefix(struct rib_nlri *nlri, enum bgp_family family,
			 const struct bgp_prefix *prefix)
{
	nlri->key.p = nlri->room;
	nlri->key.len = rib_key_of_prefix(family, prefix, nlri->room);
	nlri->path_id = prefix->path_id;
	nlri->labels.len = 0;
	nlri->wire.len = 0;
	nlri->hashed = false;
}

static size_t fill_plain(const struct rib_update_routes *s,
			 struct bgp_nlri_iter *it, struct rib_batch *b)
{
	size_t n = bgp_nlri_take(it, b->prefixes, s->most);

	for (size_t i = 0; i < n; i++)
		rib_nlri_set_prefix(&b->nlris[i], s->family, &b->prefixes[i]);
	return n;
}

static bool fill_one(struct rib_update_routes *s, struct bgp_nlri_iter *it,
		     struct rib_nlri *nlri)
{
	uint8_t *room = nlri->room;

	if (!bgp_nlri_next(it))
		return false;
	if (!s->prefixes) {
		room = rib_scratch(s->rib, rib_key_bound(&it->nlri));
		if (room == NULL) {
			out_of_memory(s);
			return false;
		}
	}
	nlri->key.p = room;
	nlri->key.len = rib_key_of_nlri(&it->nlri, room);
	nlri->path_id = it->nlri.path_id;
	nlri->labels = it->nlri.labels;
	nlri->wire = it->nlri.wire;
	nlri->hashed = false;
	/* Only prefixes have these members; the NLRI itself is not needed. */
	if (s->prefixes)
		nlri->wire.len = 0;
	return true;
}

static size_t fill_batch(struct rib_update_routes *s, struct bgp_nlri_iter *it,
			 struct rib_batch *b)
{
	size_t n = 0;

	if (it->plain)
		return fill_plain(s, it, b);
	while (n < s->most && fill_one(s, it, &b->nlris[n]))
		n++;
	return n;
}

/* Apply the routes of a batch. False if out of memory for the attributes. */
static bool apply_nlris(struct rib_update_routes *s, struct rib_nlri *nlris,
			size_t n)
{
	s->ids_invalid = false;
	if (s->set == RIB_VALUE_NONE) {
		out_of_memory(s);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (s->announce)
			announce_route(s, &nlris[i]);
		else
			withdraw_route(s, &nlris[i]);
	return true;
}

static bool apply_batch(struct rib_update_routes *s, struct rib_nlri *nlris,
			size_t n)
{
	if (s->rib->config.mode == RIB_MODE_OFF) {
		for (size_t i = 0; i < n; i++)
			publish_route(s, &nlris[i], 0);
		return true;
	}
	look_up_batch(s, nlris, n);
	return apply_nlris(s, nlris, n);
}

/*
 * Keys that are not prefixes share one buffer, so they are processed one at a
 * time. The output is counted after each batch, so with small batches it
 * exceeds the budget only a little.
 */
static size_t batch_size(const struct rib_update_routes *s)
{
	if (!s->prefixes)
		return 1;
	return s->announce ? rib_few_routes(s->u->attrs.block.len, RIB_BATCH)
			   : RIB_BATCH;
}

/*
 * Limit @most by the budget, but at least 1, so that each call makes progress.
 */
static size_t at_most(size_t most, const struct rib_budget *budget)
{
	if (budget->routes >= most)
		return most;
	return budget->routes > 1 ? (size_t)budget->routes : 1;
}

/*
 * Returns how many routes were taken from @it: all of them, unless the budget
 * is spent.
 */
static size_t apply_batches(struct rib_update_routes *s,
			    struct bgp_nlri_iter *it)
{
	struct rib_batch *b = &s->rib->batch;
	struct rib_budget *budget = s->rib->budget;
	size_t most = batch_size(s);
	size_t done = 0;
	size_t n;

	s->most = at_most(most, budget);
	while ((n = fill_batch(s, it, b)) != 0) {
		done += n;
		budget->routes -= n < budget->routes ? n : budget->routes;
		if (!apply_batch(s, b->nlris, n)) {
			/* Out of memory: skip the rest. */
			it->c.left = 0;
			break;
		}
		if (most < RIB_BATCH)
			rib_emit_flush(s->rib);
		if (rib_is_spent(s->rib, budget))
			break;
		s->most = at_most(most, budget);
	}
	return done;
}

/*
 * Set @it to the rest of the part after @progress. False if there is no rest.
 */
static bool start_rest(const struct rib_update_routes *s,
		       const struct rib_progress *progress,
		       struct bgp_nlri_iter *it)
{
	if (!bgp_update_routes(s->u, s->id, it))
		return false;
	if (progress->offset == 0)
		return true;
	return wire_skip(&it->c, progress->offset) && it->c.left != 0;
}

/* Apply the rest of the part. False if the budget was spent before its end. */
static bool apply_rest(struct rib_update_routes *s,
		       struct rib_progress *progress, uint32_t *host_bits)
{
	size_t len = s->u->nlri_parts[s->id].field.len;
	struct bgp_nlri_iter it;
	size_t done;

	*host_bits = 0;
	if (!start_rest(s, progress, &it))
		return true;
	done = apply_batches(s, &it);
	*host_bits = it.host_bits;
	if (it.c.left == 0)
		return true;
	progress->part = s->id;
	progress->offset = (uint32_t)(len - it.c.left);
	progress->routes += (uint32_t)done;
	return false;
}

/* True if the part has only one route, which lookahead has looked up. */
static bool is_single(const struct rib_update_routes *s)
{
	return s->lookahead != NULL && s->lookahead->table == s->table &&
	       s->u->nlri_parts[s->id].count == 1;
}

bool rib_update_routes_apply(struct rib_update_routes *s,
			     struct rib_progress *progress)
{
	bool done = true;
	uint32_t host_bits;

	if (is_single(s)) {
		s->rib->budget->routes -= s->rib->budget->routes > 0;
		look_up_single(s);
		(void)apply_nlris(s, &s->lookahead->nlri, 1);
		host_bits = s->lookahead->host_bits;
	} else {
		done = apply_rest(s, progress, &host_bits);
	}
	rib_emit_flush(s->rib);
	if (host_bits > 0)
		RIB_COUNT(s->router, host_bits, host_bits);
	return done;
}
