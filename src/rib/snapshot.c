#include "rib/snapshot.h"

#include "rib/rib.h"
#include "rib/snapshot_record.h"
#include "rib/read.h"

#include <errno.h>
#include <stdlib.h>

/*
 * The number of routes that one call of rib_read_routes() visits. A slice makes
 * several such calls, until a block is closed or enough routes were visited.
 * The number is small, because the longest possible routes fill a block each,
 * and all blocks of a call are held in memory.
 */
#define WALK_ROUTES 64
#define SLICE_WALKS 8

struct slot {
	uint8_t *attrs;
	uint16_t len;
	uint16_t cap;
};

struct rib_snapshot {
	const struct rib_router *router;
	struct rib_cursor cursor;
	struct rib_block_writer blocks;
	struct slot slots[RIB_SNAPSHOT_SLOTS];
	/*
	 * The attribute set of the last route; the next one often has the same.
	 */
	uint32_t last_set;
	uint32_t last_slot;
	/* valid only in this slice, because the numbers may change after it */
	bool has_last_set;
	/* The table that the last TABLE record describes. */
	bool has_table;
	struct rib_record_table table;
	uint8_t *table_name;
	uint64_t changed_s;
	uint64_t tables;
	uint64_t routes;
	/* The output of the current call. */
	uint8_t *out;
	size_t out_len;
	size_t out_cap;
	int error;
};

static void hand_out(struct rib_snapshot *s)
{
	size_t need = s->out_len + s->blocks.out_len;

	if (need > s->out_cap) {
		uint8_t *grown = realloc(s->out, 2 * need);

		if (grown == NULL) {
			s->error = -ENOMEM;
			return;
		}
		s->out = grown;
		s->out_cap = 2 * need;
	}
	memcpy(s->out + s->out_len, s->blocks.out, s->blocks.out_len);
	s->out_len = need;
}

static void block_seal(struct rib_snapshot *s, enum rib_block_kind kind)
{
	if (s->error == 0)
		s->error = rib_block_seal(&s->blocks, kind);
	if (s->error == 0)
		hand_out(s);
}

static void write_record(struct rib_snapshot *s, const struct rib_record *r)
{
	if (s->error == 0)
		s->error = rib_record_write(&s->blocks, r);
	if (s->error == 0 && rib_block_full(&s->blocks))
		block_seal(s, RIB_BLOCK_DATA);
}

/* Slots of attribute sets */

/*
 * The slot of a set. The hash has no seed: if a router makes its sets collide,
 * only its own file becomes larger.
 */
static uint32_t slot_of(struct wire_view attrs)
{
	uint64_t h = attrs.len;
	size_t i = 0;

	for (; i + 8 <= attrs.len; i += 8)
		h = (h ^ wire_get_u64(attrs.p + i)) *
		    UINT64_C(0x9e3779b97f4a7c15);
	for (; i < attrs.len; i++)
		h = (h ^ attrs.p[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 40) % RIB_SNAPSHOT_SLOTS;
}

/*
 * Write a SET record to put a set into its slot, unless the slot has that set.
 */
static void keep_set(struct rib_snapshot *s, uint32_t number,
		     struct wire_view attrs)
{
	struct slot *slot = &s->slots[number];
	struct rib_record r = { .type = RIB_RECORD_SET,
				.set = { number, attrs } };

	if (slot->cap != 0 && slot->len == attrs.len &&
	    memcmp(slot->attrs, attrs.p, attrs.len) == 0)
		return;
	if (attrs.len >= slot->cap) {
		size_t cap = (attrs.len | 63) + 1;
		uint8_t *grown = realloc(slot->attrs, cap);

		if (grown == NULL) {
			s->error = -ENOMEM;
			return;
		}
		slot->attrs = grown;
		slot->cap = (uint16_t)cap;
	}
	if (attrs.len != 0)
		memcpy(slot->attrs, attrs.p, attrs.len);
	slot->len = (uint16_t)attrs.len;
	write_record(s, &r);
}

static uint32_t find_slot(struct rib_snapshot *s,
			  const struct rib_stored *route)
{
	if (s->has_last_set && s->last_set == route->set)
		return s->last_slot;
	s->last_slot = slot_of(route->attrs);
	s->last_set = route->set;
	s->has_last_set = true;
	keep_set(s, s->last_slot, route->attrs);
	return s->last_slot;
}

/* Tables and routes */

static bool same_table(const struct rib_record_table *a,
		       const struct rib_record_table *b)
{
	return a->peer_type == b->peer_type && a->view == b->view &&
	       a->afi == b->afi && a->safi == b->safi &&
	       a->filtered == b->filtered &&
	       a->distinguisher == b->distinguisher &&
	       memcmp(a->peer_address, b->peer_address, 16) == 0 &&
	       a->peer_as == b->peer_as && a->peer_bgp_id == b->peer_bgp_id &&
	       a->table_name.len == b->table_name.len &&
	       (a->table_name.len == 0 ||
		memcmp(a->table_name.p, b->table_name.p, a->table_name.len) ==
			0);
}

/*
 * Keep a copy of the table's strings, because the peer may change them between
 * slices.
 */
static void remember_table(struct rib_snapshot *s,
			   const struct rib_record_table *t)
{
	uint8_t *name = NULL;

	if (t->table_name.len != 0) {
		name = malloc(t->table_name.len);
		if (name == NULL) {
			s->error = -ENOMEM;
			return;
		}
		memcpy(name, t->table_name.p, t->table_name.len);
	}
	free(s->table_name);
	s->table = *t;
	s->table_name = name;
	s->table.table_name.p = name;
	s->has_table = true;
}

static void visit_table(void *arg, const struct rib_table *table)
{
	struct rib_snapshot *s = arg;
	const struct rib_table_info *info = rib_table_info(table);
	struct rib_table_state state;
	struct rib_record r = { .type = RIB_RECORD_TABLE };

	rib_table_state(table, &state);
	r.table = (struct rib_record_table){
		.peer_type = info->peer_type,
		.view = info->view,
		.safi = info->safi,
		.afi = info->afi,
		.filtered = info->filtered,
		.distinguisher = info->distinguisher,
		.peer_as = info->peer_as,
		.peer_bgp_id = info->peer_bgp_id,
		.sequence = state.sequence,
		.table_name = info->table_name,
	};
	memcpy(r.table.peer_address, info->peer_address, 16);
	/* Called in each slice, but one TABLE record per table is enough. */
	if (s->has_table && same_table(&s->table, &r.table))
		return;
	remember_table(s, &r.table);
	s->tables++;
	write_record(s, &r);
}

static void visit_route(void *arg, const struct rib_table *table,
			const struct rib_stored *route)
{
	struct rib_snapshot *s = arg;
	struct rib_record r = {
		.type = RIB_RECORD_ROUTE,
		.route = {
			.has_path_id = route->has_path_id,
			.known = route->known,
			.path_id = route->path_id,
			.key = route->key,
			.extra = route->extra,
			.attrs = route->attrs,
			.changed_by = (int64_t)(route->changed_s -
						s->changed_s),
		},
	};

	(void)table;
	r.route.in_slot =
		route->known && route->attrs.len <= RIB_SNAPSHOT_SLOT_MAX;
	if (r.route.in_slot)
		r.route.slot = find_slot(s, route);
	s->changed_s = route->changed_s;
	s->routes++;
	write_record(s, &r);
}

/* Creation and output */

int rib_snapshot_new(const struct rib_router *router,
		     const struct rib_time *when, struct wire_view start_mark,
		     struct rib_snapshot **out)
{
	const struct rib_router_info *info = rib_router_info(router);
	struct rib_record r = { .type = RIB_RECORD_ROUTER };
	struct rib_snapshot *s;

	if (start_mark.len > RIB_SNAPSHOT_MARK_MAX)
		return -EINVAL;
	r.router = (struct rib_record_router){
		.port = info->port,
		.taken_s = when->wall_ns / 1000000000,
		.start_mark = start_mark,
		.presence = rib_router_mode(router) == RIB_MODE_PRESENCE,
	};
	memcpy(r.router.address, info->address, 16);
	if (info->name != NULL) {
		r.router.name.p = (const uint8_t *)info->name;
		r.router.name.len = strlen(info->name);
		r.router.named = r.router.name.len != 0;
	}
	if (r.router.name.len > RIB_SNAPSHOT_NAME_MAX)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	s->router = router;
	s->error = rib_block_writer_init(&s->blocks);
	write_record(s, &r);
	if (s->error != 0) {
		rib_snapshot_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void rib_snapshot_free(struct rib_snapshot *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < RIB_SNAPSHOT_SLOTS; i++)
		free(s->slots[i].attrs);
	rib_block_writer_fini(&s->blocks);
	free(s->table_name);
	free(s->out);
	free(s);
}

int rib_snapshot_step(struct rib_snapshot *s, struct wire_view *out)
{
	struct rib_visitor visitor = { visit_table, visit_route, s };
	bool more = true;

	s->out_len = 0;
	s->has_last_set = false;
	for (int i = 0; i < SLICE_WALKS && more && s->out_len == 0; i++)
		more = rib_read_routes(s->router, &s->cursor, WALK_ROUTES,
				       &visitor);
	if (s->error != 0)
		return s->error;
	*out = (struct wire_view){ s->out, s->out_len };
	return more;
}

int rib_snapshot_finish(struct rib_snapshot *s, struct wire_view end_mark,
			struct wire_view *out)
{
	struct rib_record r = {
		.type = RIB_RECORD_END,
		.end = { s->tables, s->routes, end_mark },
	};

	if (end_mark.len > RIB_SNAPSHOT_MARK_MAX)
		return -EINVAL;
	s->out_len = 0;
	if (s->error == 0)
		s->error = rib_record_write(&s->blocks, &r);
	block_seal(s, RIB_BLOCK_LAST);
	if (s->error != 0)
		return s->error;
	*out = (struct wire_view){ s->out, s->out_len };
	return 0;
}

uint64_t rib_snapshot_routes(const struct rib_snapshot *s)
{
	return s->routes;
}
