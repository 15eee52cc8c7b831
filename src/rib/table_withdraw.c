/*
 * Withdraws routes that the router did not withdraw. A sweep keeps the routes
 * that were announced again; a withdraw queue keeps none. Both iterate by route
 * id, so that they can stop after any route and continue later, even if routes
 * were added or removed in between.
 */
#include "rib/table_withdraw.h"

#include "rib/emit.h"
#include "rib/table.h"
#include "rib/table_republish.h"
#include "rib/visibility.h"
#include "rib/work_queue.h"

#include <assert.h>
#include <stdlib.h>

/* Withdrawing */

struct withdrawal {
	struct rib_table *table;
	struct rib_store *store;
	const struct rib_table_info *info;
	const struct rib_time *when;
	/* routes in it are not published, so not withdrawn */
	struct rib_hidden_range hidden;
	enum rib_reason reason;
	bool old_only; /* only routes of older generations */
	/* withdraw the routes from consumers, but keep them stored */
	bool keep;
	bool subject_changed; /* see rib/event.h */
};

static void begin_withdraws(const struct withdrawal *w, bool paths)
{
	struct rib_change header = {
		.table = w->info,
		.received_ns = w->when->wall_ns,
		.synthetic = true,
		.has_path_id = paths,
		.subject_changed = w->subject_changed,
		.reason = (uint8_t)w->reason,
		.kind = bgp_family_info((enum bgp_family)w->info->family)->kind,
	};

	rib_emit_begin(w->table->peer->router, &header);
}

static void publish_withdraw(const struct withdrawal *w, bool paths,
			     uint32_t id, uint32_t value)
{
	struct rib_router *router = w->table->peer->router;
	struct rib *rib = router->rib;
	struct rib_route *route = rib_emit_add(rib, w->table);
	uint8_t room[RIB_KEY_FIXED];

	rib_table_route_key(w->table, paths, id, route, room);
	if (rib->emit.change.kind != BGP_NLRI_PREFIX) {
		route->nlri = rib_value_extra(&rib->attrsets, value);
		/* The data that the run refers to is removed next. */
		rib_emit_flush(rib);
	}
	RIB_COUNT(router, published_withdrawn, 1);
	RIB_COUNT(router, synthetic[w->reason], 1);
}

/* Publish the withdraw of a route and remove the route from its store. */
static void withdraw_route(const struct withdrawal *w, bool paths, uint32_t id,
			   uint32_t value)
{
	if (!rib_is_hidden(&w->hidden, paths, id))
		publish_withdraw(w, paths, id, value);
	if (!w->keep)
		rib_store_remove(w->table, w->store, paths, id, value);
}

/*
 * Withdraw from *@pos on. Visits up to @budget routes, or fewer if they fill a
 * slice of rib_background(). Returns the number of routes visited; at the end
 * pos->id is RIB_NO_ID. Adds the number of withdraws to *@withdrawn.
 */
static size_t withdraw_slice(const struct withdrawal *w, struct rib_pos *pos,
			     size_t budget, uint64_t *withdrawn)
{
	const struct rib *rib = w->table->peer->router->rib;
	size_t seen = 0;
	bool full = false;

	while (seen < budget && !full && pos->id != RIB_NO_ID) {
		bool paths = pos->paths;
		struct rib_route_array *r = rib_store_routes(w->store, paths);
		const struct rib_entry *e;
		uint32_t id = pos->id;

		begin_withdraws(w, paths);
		for (; seen < budget && !full; seen++, id++) {
			e = rib_route_array_next(r, id, &id);
			if (e == NULL)
				break;
			if (w->old_only && rib_stamp_generation(e->stamp) ==
						   w->table->generation)
				continue;
			withdraw_route(w, paths, id, e->value);
			++*withdrawn;
			full = rib_slice_full(rib);
		}
		pos->id = id;
		if (seen == budget || full)
			break;
		*pos = (struct rib_pos){
			.paths = true,
			.id = paths ? RIB_NO_ID : 0,
		};
	}
	rib_emit_flush(w->table->peer->router->rib);
	return seen;
}

/* The cost of small tables */

static uint64_t routes_cost(const struct rib_table *table,
			    const struct rib_route_array *routes)
{
	const struct rib *rib = table->peer->router->rib;
	enum bgp_family family = (enum bgp_family)table->info.family;
	const struct rib_entry *e;
	uint64_t cost = routes->count;
	uint32_t id = 0;

	/*
	 * With so many routes the table is not small, whatever their bytes are.
	 */
	if (bgp_family_info(family)->kind == BGP_NLRI_PREFIX ||
	    routes->count > RIB_WITHDRAW_SMALL_TABLE)
		return cost;
	while ((e = rib_route_array_next(routes, id, &id)) != NULL) {
		cost += rib_value_extra(&rib->attrsets, e->value).len /
			RIB_WITHDRAW_ROUTE_BYTES;
		id++;
	}
	return cost;
}

uint64_t rib_table_withdraw_cost(const struct rib_table *table)
{
	return routes_cost(table, &table->store.plain) +
	       routes_cost(table, &table->store.paths);
}

/* Withdraw queues */

static struct rib_withdraw_queue *withdraw_queue_new(struct rib_table *table,
						     enum rib_reason reason)
{
	struct wire_view name = table->info.table_name;
	struct rib_withdraw_queue *q = calloc(1, sizeof(*q) + name.len);

	if (q == NULL)
		return NULL;
	q->serial = ++table->peer->router->rib->serial;
	q->reason = (uint8_t)reason;
	q->info = table->info;
	if (name.len != 0)
		memcpy(q->name, name.p, name.len);
	q->info.table_name.p = (const uint8_t *)q->name;
	return q;
}

/* Withdraw all routes immediately, not in slices. */
static void withdraw_all_now(struct rib_table *table,
			     const struct rib_time *when,
			     enum rib_reason reason)
{
	const struct withdrawal w = {
		.table = table,
		.store = &table->store,
		.info = &table->info,
		.when = when,
		.hidden = table->hidden,
		.reason = reason,
		/*
		 * If a peer withdraws all its routes, its AS may be about to
		 * change.
		 */
		.subject_changed = true,
	};
	struct rib_pos pos = { 0 };
	uint64_t withdrawn = 0;

	withdraw_slice(&w, &pos, SIZE_MAX, &withdrawn);
}

static void finish_withdraw_queues(struct rib_table *table,
				   const struct rib_time *when)
{
	while (!TAILQ_EMPTY(&table->withdraw_queues))
		rib_table_slice(table, when, SIZE_MAX);
}

void rib_table_mark_subject_changed(struct rib_table *table)
{
	struct rib_withdraw_queue *q;

	TAILQ_FOREACH (q, &table->withdraw_queues, link) {
		table->peer->router->subject_changed_count +=
			!q->subject_changed;
		q->subject_changed = true;
	}
}

void rib_table_withdraw_all(struct rib_table *table,
			    const struct rib_time *when, enum rib_reason reason,
			    enum rib_withdraw_mode mode)
{
	uint64_t count = rib_store_count(&table->store);
	struct rib_withdraw_queue *q = NULL;

	rib_table_event(table, RIB_TABLE_EV_WITHDRAWN);
	table->jobs &= (uint8_t)~RIB_JOB_RESYNC;
	table->generations_unswept = 0;
	rib_table_drop_held(table);
	if (mode == RIB_WITHDRAW_NOW)
		finish_withdraw_queues(table, when);
	if (count == 0)
		return;
	/*
	 * A router may withdraw and announce its table faster than the
	 * withdraws can be published. Then the queues would grow without a
	 * limit. So before @count routes are added to the queues, publish twice
	 * as many of the earlier ones: the queues never have more routes than
	 * the table had when it was largest.
	 */
	if (!TAILQ_EMPTY(&table->withdraw_queues))
		rib_table_slice(table, when, 2 * count);
	if (!(mode == RIB_WITHDRAW_NOW ||
	      (mode == RIB_WITHDRAW_NOW_IF_SMALL &&
	       rib_table_withdraw_cost(table) <= RIB_WITHDRAW_SMALL_TABLE)))
		q = withdraw_queue_new(table, reason);
	if (q == NULL) {
		withdraw_all_now(table, when, reason);
		rib_hidden_range_reset(table);
		return;
	}
	q->hidden = table->hidden;
	rib_hidden_range_reset(table);
	q->store = table->store;
	table->store = (struct rib_store){ 0 };
	TAILQ_INSERT_TAIL(&table->withdraw_queues, q, link);
	rib_table_count_routes(table, -(int64_t)count);
	rib_table_count_pending(table, (int64_t)count);
	rib_table_queue(table);
}

/* Withdraw all routes of a store that is not the table's store any more. */
static void withdraw_store_now(struct rib_table *table,
			       const struct rib_time *when,
			       struct rib_store *store, enum rib_reason reason)
{
	const struct withdrawal w = {
		.table = table,
		.store = store,
		.info = &table->info,
		.when = when,
		.hidden = table->hidden,
		.reason = reason,
	};
	struct rib_handle_heap *heap = &table->peer->router->rib->route_heap;
	struct rib_pos pos = { 0 };
	uint64_t withdrawn = 0;

	while (pos.id != RIB_NO_ID)
		withdraw_slice(&w, &pos, SIZE_MAX, &withdrawn);
	rib_route_array_fini(&store->plain, heap);
	rib_route_array_fini(&store->paths, heap);
}

uint64_t rib_table_withdraw_form(struct rib_table *table,
				 const struct rib_time *when, bool paths,
				 enum rib_reason reason,
				 enum rib_withdraw_mode mode)
{
	struct rib_route_array *routes = rib_store_routes(&table->store, paths);
	uint64_t count = routes->count;
	struct rib_withdraw_queue *q = NULL;
	struct rib_store store = { 0 };
	bool is_small;

	if (count == 0)
		return 0;
	/* As in rib_table_withdraw_all(). */
	if (mode == RIB_WITHDRAW_NOW && !TAILQ_EMPTY(&table->withdraw_queues))
		rib_table_slice(table, when, 2 * count);
	is_small = routes_cost(table, routes) <= RIB_WITHDRAW_SMALL_TABLE;
	*rib_store_routes(&store, paths) = *routes;
	*routes = (struct rib_route_array){ 0 };
	rib_table_count_routes(table, -(int64_t)count);
	rib_table_count_pending(table, (int64_t)count);
	if (!(mode == RIB_WITHDRAW_NOW ||
	      (mode == RIB_WITHDRAW_NOW_IF_SMALL && is_small)))
		q = withdraw_queue_new(table, reason);
	if (q == NULL) {
		withdraw_store_now(table, when, &store, reason);
		return count;
	}
	q->hidden = table->hidden;
	q->store = store;
	TAILQ_INSERT_TAIL(&table->withdraw_queues, q, link);
	rib_table_queue(table);
	/*
	 * With this mark, no message of the router is applied until all these
	 * routes are withdrawn. Otherwise the router could change the form
	 * again before that.
	 */
	rib_table_mark_subject_changed(table);
	return count;
}

bool rib_table_withdraw_pending_route(struct rib_table *table,
				      const struct rib_time *when, bool paths,
				      uint32_t id)
{
	struct rib_withdraw_queue *q;

	TAILQ_FOREACH (q, &table->withdraw_queues, link) {
		const struct rib_entry *e =
			rib_route_array_find(rib_store_routes(&q->store, paths),
					     id);
		struct withdrawal w = {
			.table = table,
			.store = &q->store,
			.info = &q->info,
			.when = when,
			.hidden = q->hidden,
			.reason = q->reason,
			.subject_changed = q->subject_changed,
		};

		if (e == NULL)
			continue;
		begin_withdraws(&w, paths);
		withdraw_route(&w, paths, id, e->value);
		rib_emit_flush(table->peer->router->rib);
		return true;
	}
	return false;
}

/* Sweeps */

static void emit_swept(struct rib_table *table, const struct rib_time *when)
{
	struct rib_event e = { .kind = RIB_EVENT_SWEPT,
			       .routes = table->withdrawn_by_sweep };

	rib_table_event(table, RIB_TABLE_EV_SWEPT);
	table->generations_unswept = 0;
	RIB_COUNT(table->peer->router, sweeps, 1);
	rib_emit_event_table(table, when, &e);
}

void rib_table_sweep(struct rib_table *table, const struct rib_time *when)
{
	if (table->phase != RIB_TABLE_SYNCING)
		return;
	/*
	 * If updates of the dump were dropped, a route missing in it may still
	 * exist.
	 */
	if (rib_table_quality_unknown(table->quality)) {
		rib_table_event(table, RIB_TABLE_EV_DUMP_CUT);
		return;
	}
	rib_table_event(table, RIB_TABLE_EV_DUMP_ENDED);
	table->withdrawn_by_sweep = 0;
	table->sweep = (struct rib_pos){ 0 };
	if (table->generations_unswept == 0)
		emit_swept(table, when);
	else
		rib_table_queue(table);
}

/* Work */

static size_t withdraw_queue_slice(struct rib_table *table,
				   const struct rib_time *when, size_t budget)
{
	struct rib_withdraw_queue *q = TAILQ_FIRST(&table->withdraw_queues);
	const struct withdrawal w = {
		.table = table,
		.store = &q->store,
		.info = &q->info,
		.when = when,
		/*
		 * The static analyser does not see that TAILQ_REMOVE() removes
		 * it.
		 */
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
		.hidden = q->hidden,
		.reason = q->reason,
		.subject_changed = q->subject_changed,
	};
	uint64_t withdrawn = 0;
	size_t seen = withdraw_slice(&w, &q->pos, budget, &withdrawn);

	if (q->pos.id == RIB_NO_ID)
		rib_withdraw_queue_free(table, q);
	return seen;
}

static size_t sweep_slice(struct rib_table *table, const struct rib_time *when,
			  size_t budget)
{
	const struct withdrawal w = {
		.table = table,
		.store = &table->store,
		.info = &table->info,
		.when = when,
		.hidden = table->hidden,
		.reason = RIB_REASON_STALE_SWEEP,
		.old_only = true,
	};
	size_t seen = withdraw_slice(&w, &table->sweep, budget,
				     &table->withdrawn_by_sweep);

	if (table->sweep.id == RIB_NO_ID)
		emit_swept(table, when);
	return seen;
}

/*
 * Move the boundary of the hidden range over some routes, and withdraw or
 * announce them.
 */
static size_t hidden_range_slice(struct rib_table *table,
				 const struct rib_time *when, size_t budget)
{
	const struct withdrawal w = {
		.table = table,
		.store = &table->store,
		.info = &table->info,
		.when = when,
		.hidden = table->hidden,
		.reason = RIB_REASON_ADMIN,
		.keep = true,
	};
	struct rib_pos *pos = &table->hidden.pos;
	uint64_t withdrawn = 0;
	size_t seen = table->hidden.shrinking
			      ? rib_table_republish(table, when, pos, budget)
			      : withdraw_slice(&w, pos, budget, &withdrawn);

	if (pos->id == RIB_NO_ID)
		rib_hidden_range_done(table);
	return seen;
}

/* Publish some of the table's routes again. */
static size_t resync_slice(struct rib_table *table, const struct rib_time *when,
			   size_t budget)
{
	size_t seen = rib_table_republish(table, when, &table->resync, budget);

	if (table->resync.id == RIB_NO_ID)
		table->jobs &= (uint8_t)~RIB_JOB_RESYNC;
	return seen;
}

size_t rib_table_slice(struct rib_table *table, const struct rib_time *when,
		       size_t budget)
{
	const struct rib *rib = table->peer->router->rib;
	size_t seen = 0;

	while (seen < budget && !rib_slice_full(rib)) {
		size_t left = budget - seen;

		/* Count an empty step, too, so that the loop ends. */
		if (!TAILQ_EMPTY(&table->withdraw_queues)) {
			seen += 1 + withdraw_queue_slice(table, when, left);
		} else if (table->phase == RIB_TABLE_SWEEPING) {
			seen += 1 + sweep_slice(table, when, left);
		} else if ((table->jobs & RIB_JOB_HIDDEN_RANGE) != 0) {
			seen += 1 + hidden_range_slice(table, when, left);
		} else if ((table->jobs & RIB_JOB_RESYNC) != 0) {
			seen += 1 + resync_slice(table, when, left);
		} else {
			rib_table_unqueue(table);
			break;
		}
	}
	return seen;
}
