#include "rib/snapshot_record.h"

#include "bmp/peer.h"

#include <errno.h>

/*
 * The first byte of a record: its type and, for routes, which members follow.
 */
enum tag {
	TAG_TYPE = 0x07,
	TAG_PATH_ID = 0x08,
	TAG_KNOWN = 0x10,
	TAG_IN_SLOT = 0x20,
	TAG_EXTRA = 0x40,
};

enum router_flag {
	ROUTER_NAMED = 1,
	ROUTER_PRESENCE = 2,
};

enum table_flag {
	TABLE_FILTERED = 1,
};

#define VARINT_MAX 10

/*
 * Output. A record is written twice: first only to count its bytes, then into
 * the block.
 */

struct out {
	uint8_t *p; /* NULL = only count the bytes */
	size_t len;
};

static void put_bytes(struct out *o, const void *bytes, size_t n)
{
	if (o->p != NULL && n != 0)
		memcpy(o->p + o->len, bytes, n);
	o->len += n;
}

static void put_u8(struct out *o, uint8_t v)
{
	put_bytes(o, &v, 1);
}

static void put_number(struct out *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_u8(o, (uint8_t)(v | 0x80));
	put_u8(o, (uint8_t)v);
}

/* Encode a signed number so that small ones of either sign are short. */
static void put_difference(struct out *o, int64_t v)
{
	put_number(o, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void put_view(struct out *o, struct wire_view v)
{
	put_number(o, v.len);
	put_bytes(o, v.p, v.len);
}

static void put_router(struct out *o, const struct rib_record_router *r)
{
	put_u8(o, RIB_RECORD_ROUTER);
	put_bytes(o, r->address, 16);
	put_number(o, r->port);
	put_u8(o, (uint8_t)((r->named ? ROUTER_NAMED : 0) |
			    (r->presence ? ROUTER_PRESENCE : 0)));
	put_view(o, r->name);
	put_number(o, r->taken_s);
	put_view(o, r->start_mark);
}

static void put_table(struct out *o, const struct rib_record_table *t)
{
	put_u8(o, RIB_RECORD_TABLE);
	put_u8(o, t->peer_type);
	put_u8(o, t->view);
	put_number(o, t->afi);
	put_u8(o, t->safi);
	put_u8(o, t->filtered ? TABLE_FILTERED : 0);
	put_number(o, t->distinguisher);
	put_bytes(o, t->peer_address, 16);
	put_number(o, t->peer_as);
	put_number(o, t->peer_bgp_id);
	put_number(o, t->sequence);
	put_view(o, t->table_name);
}

static void put_route(struct out *o, const struct rib_record_route *r)
{
	put_u8(o,
	       (uint8_t)(RIB_RECORD_ROUTE | (r->has_path_id ? TAG_PATH_ID : 0) |
			 (r->known ? TAG_KNOWN : 0) |
			 (r->in_slot ? TAG_IN_SLOT : 0) |
			 (r->extra.len != 0 ? TAG_EXTRA : 0)));
	put_view(o, r->key);
	if (r->has_path_id)
		put_number(o, r->path_id);
	if (r->extra.len != 0)
		put_view(o, r->extra);
	if (r->in_slot)
		put_number(o, r->slot);
	else if (r->known)
		put_view(o, r->attrs);
	put_difference(o, r->changed_by);
}

static void put_record(struct out *o, const struct rib_record *r)
{
	switch (r->type) {
	case RIB_RECORD_ROUTER:
		put_router(o, &r->router);
		break;
	case RIB_RECORD_TABLE:
		put_table(o, &r->table);
		break;
	case RIB_RECORD_SET:
		put_u8(o, RIB_RECORD_SET);
		put_number(o, r->set.slot);
		put_view(o, r->set.attrs);
		break;
	case RIB_RECORD_ROUTE:
		put_route(o, &r->route);
		break;
	case RIB_RECORD_END:
		put_u8(o, RIB_RECORD_END);
		put_number(o, r->end.tables);
		put_number(o, r->end.routes);
		put_view(o, r->end.end_mark);
		break;
	}
}

int rib_record_write(struct rib_block_writer *w, const struct rib_record *r)
{
	struct out o = { 0 };

	put_record(&o, r);
	o.p = rib_block_reserve(w, o.len);
	if (o.p == NULL)
		return -ENOMEM;
	o.len = 0;
	put_record(&o, r);
	return 0;
}

/* Reading */

static bool get_number(struct wire_cursor *c, uint64_t most, uint64_t *out)
{
	uint64_t v = 0;
	uint8_t b;

	for (unsigned i = 0; i < VARINT_MAX; i++) {
		if (!wire_u8(c, &b))
			return false;
		/* The tenth byte has only one bit of a 64-bit number. */
		if (i == VARINT_MAX - 1 && b > 1)
			return false;
		v |= (uint64_t)(b & 0x7f) << (7 * i);
		if (b < 0x80) {
			*out = v;
			return v <= most;
		}
	}
	return false;
}

static bool get_u16(struct wire_cursor *c, uint16_t *out)
{
	uint64_t v;

	if (!get_number(c, UINT16_MAX, &v))
		return false;
	*out = (uint16_t)v;
	return true;
}

static bool get_u32(struct wire_cursor *c, uint32_t *out)
{
	uint64_t v;

	if (!get_number(c, UINT32_MAX, &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool get_difference(struct wire_cursor *c, int64_t *out)
{
	uint64_t v;

	if (!get_number(c, UINT64_MAX, &v))
		return false;
	*out = (int64_t)(v >> 1 ^ (0 - (v & 1)));
	return true;
}

static bool get_view(struct wire_cursor *c, size_t most, struct wire_view *out)
{
	uint64_t len;

	return get_number(c, most, &len) && wire_take(c, (size_t)len, out);
}

static bool get_flag(struct wire_cursor *c, bool *out)
{
	uint8_t b;

	if (!wire_u8(c, &b) || b > 1)
		return false;
	*out = b;
	return true;
}

static bool get_router_flags(struct wire_cursor *c, struct rib_record_router *r)
{
	uint8_t b;

	if (!wire_u8(c, &b) || b > (ROUTER_NAMED | ROUTER_PRESENCE))
		return false;
	r->named = (b & ROUTER_NAMED) != 0;
	r->presence = (b & ROUTER_PRESENCE) != 0;
	return true;
}

static bool get_address(struct wire_cursor *c, uint8_t out[16])
{
	struct wire_view v;

	if (!wire_take(c, 16, &v))
		return false;
	memcpy(out, v.p, 16);
	return true;
}

static bool get_router(struct wire_cursor *c, struct rib_record_router *r)
{
	return get_address(c, r->address) && get_u16(c, &r->port) &&
	       get_router_flags(c, r) &&
	       get_view(c, RIB_SNAPSHOT_NAME_MAX, &r->name) &&
	       r->named == (r->name.len != 0) &&
	       (r->name.len == 0 ||
		memchr(r->name.p, '\0', r->name.len) == NULL) &&
	       get_number(c, UINT64_MAX, &r->taken_s) &&
	       get_view(c, RIB_SNAPSHOT_MARK_MAX, &r->start_mark);
}

static bool get_table(struct wire_cursor *c, struct rib_record_table *t)
{
	return wire_u8(c, &t->peer_type) && t->peer_type < BMP_PEER_TYPES &&
	       wire_u8(c, &t->view) && t->view < BMP_VIEWS &&
	       get_u16(c, &t->afi) && wire_u8(c, &t->safi) &&
	       get_flag(c, &t->filtered) &&
	       get_number(c, UINT64_MAX, &t->distinguisher) &&
	       get_address(c, t->peer_address) && get_u32(c, &t->peer_as) &&
	       get_u32(c, &t->peer_bgp_id) &&
	       /*
	        * Not above the half of the range, so that a sequence can be
	        * incremented.
	        */
	       get_number(c, UINT64_MAX / 2, &t->sequence) &&
	       get_view(c, UINT16_MAX, &t->table_name);
}

static bool get_set(struct wire_cursor *c, struct rib_record_set *s)
{
	return get_u32(c, &s->slot) && s->slot < RIB_SNAPSHOT_SLOTS &&
	       get_view(c, RIB_SNAPSHOT_SLOT_MAX, &s->attrs);
}

static bool get_route(struct wire_cursor *c, uint8_t tag,
		      struct rib_record_route *r)
{
	r->has_path_id = tag & TAG_PATH_ID;
	r->known = tag & TAG_KNOWN;
	r->in_slot = tag & TAG_IN_SLOT;
	if (r->in_slot && !r->known)
		return false;
	if (!get_view(c, RIB_BLOCK_MAX, &r->key))
		return false;
	if (r->has_path_id && !get_u32(c, &r->path_id))
		return false;
	if (tag & TAG_EXTRA && !get_view(c, RIB_BLOCK_MAX, &r->extra))
		return false;
	if (r->in_slot &&
	    !(get_u32(c, &r->slot) && r->slot < RIB_SNAPSHOT_SLOTS))
		return false;
	if (r->known && !r->in_slot && !get_view(c, RIB_BLOCK_MAX, &r->attrs))
		return false;
	return get_difference(c, &r->changed_by);
}

static bool get_end(struct wire_cursor *c, struct rib_record_end *e)
{
	return get_number(c, UINT64_MAX, &e->tables) &&
	       get_number(c, UINT64_MAX, &e->routes) &&
	       get_view(c, RIB_SNAPSHOT_MARK_MAX, &e->end_mark);
}

bool rib_record_read(struct wire_cursor *c, struct rib_record *out)
{
	uint8_t tag;

	*out = (struct rib_record){ 0 };
	if (!wire_u8(c, &tag))
		return false;
	out->type = tag & TAG_TYPE;
	if (out->type == RIB_RECORD_ROUTE)
		return tag < 0x80 && get_route(c, tag, &out->route);
	switch (tag) {
	case RIB_RECORD_ROUTER:
		return get_router(c, &out->router);
	case RIB_RECORD_TABLE:
		return get_table(c, &out->table);
	case RIB_RECORD_SET:
		return get_set(c, &out->set);
	case RIB_RECORD_END:
		return get_end(c, &out->end);
	default:
		return false;
	}
}
