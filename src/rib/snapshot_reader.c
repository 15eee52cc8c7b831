#include "rib/snapshot_reader.h"

#include "rib/rib.h"
#include "rib/snapshot_record.h"

#include "bmp/bytes.h"
#include "bmp/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MODE_VERSION 3 /* the first version that has the mode */

struct slot {
	uint8_t *attrs;
	uint16_t len;
	bool used;
};

struct rib_snapshot_reader {
	struct rib *rib;
	bool expects;
	struct rib_identity expected;
	struct rib_block_reader blocks;
	struct rib_snapshot_facts facts;
	struct rib_table *table;
	bool has_table;
	bool ended; /* the END record was read */
	uint64_t changed_s;
	char name[RIB_SNAPSHOT_NAME_MAX + 1];
	uint8_t start_mark[RIB_SNAPSHOT_MARK_MAX];
	uint8_t end_mark[RIB_SNAPSHOT_MARK_MAX];
	struct slot slots[RIB_SNAPSHOT_SLOTS];
};

int rib_snapshot_reader_new(struct rib *rib, struct rib_snapshot_reader **out)
{
	struct rib_snapshot_reader *r = calloc(1, sizeof(*r));

	if (r == NULL || rib_block_reader_init(&r->blocks) != 0) {
		free(r);
		return -ENOMEM;
	}
	r->rib = rib;
	*out = r;
	return 0;
}

void rib_snapshot_reader_expect(struct rib_snapshot_reader *r,
				const struct rib_identity *router)
{
	r->expects = true;
	r->expected = *router;
}

void rib_snapshot_reader_free(struct rib_snapshot_reader *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < RIB_SNAPSHOT_SLOTS; i++)
		free(r->slots[i].attrs);
	rib_block_reader_fini(&r->blocks);
	free(r);
}

const struct rib_snapshot_facts *rib_snapshot_reader_facts(
	const struct rib_snapshot_reader *r)
{
	return &r->facts;
}

/* The status for @err, an error of a function of rib/restore.h. */
static enum rib_snapshot_status status_of(int err)
{
	if (err == 0)
		return RIB_SNAPSHOT_MORE;
	return err == -ENOMEM ? RIB_SNAPSHOT_MEMORY : RIB_SNAPSHOT_RECORD;
}

static bool is_expected(const struct rib_snapshot_reader *r)
{
	const struct rib_snapshot_facts *f = &r->facts;
	const struct rib_identity *want = &r->expected;

	if (f->name != NULL || rib_identity_named(want))
		return f->name != NULL && strcmp(f->name, want->name) == 0;
	return memcmp(f->address, want->address, sizeof(f->address)) == 0;
}

static enum rib_snapshot_status take_router(struct rib_snapshot_reader *r,
					    const struct rib_record_router *in)
{
	struct rib_snapshot_facts *f = &r->facts;
	struct rib_identity id = { 0 };
	int err;

	if (f->has_router || (in->presence && r->blocks.version < MODE_VERSION))
		return RIB_SNAPSHOT_RECORD;
	memcpy(r->name, in->name.p, in->name.len);
	memcpy(r->start_mark, in->start_mark.p, in->start_mark.len);
	memcpy(f->address, in->address, 16);
	f->has_router = true;
	f->port = in->port;
	f->name = in->named ? r->name : NULL;
	f->taken_s = in->taken_s;
	f->mode_known = r->blocks.version >= MODE_VERSION;
	f->mode = in->presence ? RIB_MODE_PRESENCE : RIB_MODE_ATTRIBUTES;
	f->start_mark = (struct wire_view){ r->start_mark, in->start_mark.len };
	r->changed_s = 0;
	if (r->expects && !is_expected(r))
		return RIB_SNAPSHOT_ROUTER;
	if (r->rib == NULL)
		return RIB_SNAPSHOT_MORE;
	/* The format allows names longer than a router's. */
	if (in->name.len > RIB_NAME_MAX)
		return RIB_SNAPSHOT_RECORD;
	memcpy(id.name, r->name, in->name.len);
	memcpy(id.address, f->address, 16);
	err = rib_router_get(r->rib, &id, &f->router);
	if (err == 0)
		rib_restore_source(f->router, f->address, f->port);
	return status_of(err);
}

static enum rib_snapshot_status take_table(struct rib_snapshot_reader *r,
					   const struct rib_record_table *in)
{
	struct rib_peer_state state = {
		.type = in->peer_type,
		.ipv6 = in->peer_type != BMP_PEER_LOC_RIB &&
			!wire_is_mapped(in->peer_address),
		.filtered = in->filtered,
		.distinguisher = in->distinguisher,
		.as = in->peer_as,
		.bgp_id = in->peer_bgp_id,
		.table_name = in->table_name,
	};
	struct rib_peer *peer;
	int err;

	/*
	 * Only a Loc-RIB peer has the Loc-RIB view, and such a peer has no
	 * other view.
	 */
	if ((in->peer_type == BMP_PEER_LOC_RIB) !=
	    (in->view == BMP_VIEW_LOC_RIB))
		return RIB_SNAPSHOT_RECORD;
	r->facts.tables++;
	r->has_table = true;
	if (r->rib == NULL)
		return RIB_SNAPSHOT_MORE;
	memcpy(state.address, in->peer_address, 16);
	err = rib_restore_peer(r->facts.router, &state, &peer);
	if (err == 0)
		err = rib_restore_table(peer, in->view, in->afi, in->safi,
					in->sequence, &r->table);
	return status_of(err);
}

static enum rib_snapshot_status take_set(struct rib_snapshot_reader *r,
					 const struct rib_record_set *in)
{
	struct slot *slot = &r->slots[in->slot];
	uint8_t *copy = realloc(slot->attrs, in->attrs.len + 1);

	if (copy == NULL)
		return RIB_SNAPSHOT_MEMORY;
	memcpy(copy, in->attrs.p, in->attrs.len);
	slot->attrs = copy;
	slot->len = (uint16_t)in->attrs.len;
	slot->used = true;
	return RIB_SNAPSHOT_MORE;
}

static enum rib_snapshot_status take_route(struct rib_snapshot_reader *r,
					   const struct rib_record_route *in)
{
	struct rib_stored route = {
		.has_path_id = in->has_path_id,
		.known = in->known,
		.path_id = in->path_id,
		.key = in->key,
		.extra = in->extra,
		.attrs = in->attrs,
		.changed_s = r->changed_s + (uint64_t)in->changed_by,
	};

	if (!r->has_table || (in->in_slot && !r->slots[in->slot].used))
		return RIB_SNAPSHOT_RECORD;
	if (in->in_slot)
		route.attrs = (struct wire_view){ r->slots[in->slot].attrs,
						  r->slots[in->slot].len };
	r->changed_s = route.changed_s;
	r->facts.routes++;
	if (r->rib == NULL)
		return RIB_SNAPSHOT_MORE;
	return status_of(rib_restore_route(r->table, &route));
}

static enum rib_snapshot_status take_end(struct rib_snapshot_reader *r,
					 const struct rib_record_end *in)
{
	if (!r->blocks.ended)
		return RIB_SNAPSHOT_RECORD;
	if (in->tables != r->facts.tables || in->routes != r->facts.routes)
		return RIB_SNAPSHOT_TOTALS;
	memcpy(r->end_mark, in->end_mark.p, in->end_mark.len);
	r->facts.end_mark = (struct wire_view){ r->end_mark, in->end_mark.len };
	r->ended = true;
	return RIB_SNAPSHOT_MORE;
}

static enum rib_snapshot_status take_record(struct rib_snapshot_reader *r,
					    const struct rib_record *record)
{
	/* The ROUTER record must be the first, END the last. */
	if (r->ended ||
	    r->facts.has_router == (record->type == RIB_RECORD_ROUTER))
		return RIB_SNAPSHOT_RECORD;
	switch (record->type) {
	case RIB_RECORD_ROUTER:
		return take_router(r, &record->router);
	case RIB_RECORD_TABLE:
		return take_table(r, &record->table);
	case RIB_RECORD_SET:
		return take_set(r, &record->set);
	case RIB_RECORD_ROUTE:
		return take_route(r, &record->route);
	case RIB_RECORD_END:
		return take_end(r, &record->end);
	}
	return RIB_SNAPSHOT_RECORD;
}

enum rib_snapshot_status rib_snapshot_reader_feed(struct rib_snapshot_reader *r,
						  struct wire_view bytes,
						  size_t *used)
{
	enum rib_snapshot_status *status = &r->blocks.status;
	struct wire_cursor c;
	struct rib_record record;

	*used = rib_block_feed(&r->blocks, bytes);
	if (!r->blocks.ready) {
		r->facts.whole_bytes = r->blocks.whole;
		return *status;
	}
	c = (struct wire_cursor){ r->blocks.raw, r->blocks.raw_len };
	while (*status == RIB_SNAPSHOT_MORE && c.left != 0)
		*status = rib_record_read(&c, &record) ? take_record(r, &record)
						       : RIB_SNAPSHOT_RECORD;
	rib_block_taken(&r->blocks);
	if (*status == RIB_SNAPSHOT_MORE)
		r->facts.whole_bytes = r->blocks.whole;
	return *status;
}

enum rib_snapshot_status rib_snapshot_reader_end(struct rib_snapshot_reader *r)
{
	enum rib_snapshot_status status = rib_block_end(&r->blocks);

	/* The last block was read, but it had no END record. */
	if (status == RIB_SNAPSHOT_OK && !r->ended)
		return RIB_SNAPSHOT_RECORD;
	return status;
}
