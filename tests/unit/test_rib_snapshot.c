/*
 * Snapshots: what is written is read back equal, and what is damaged is
 * called by its name, wherever the damage is.
 */
#include "apply_messages.h"
#include "check.h"
#include "rib_world.h"

#include "rib/checksum.h"
#include "rib/rib.h"
#include "rib/snapshot.h"
#include "rib/snapshot_reader.h"
#include "rib/snapshot_record.h"

#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static const struct rib_time when = { 1000 * SECOND, 1700000000 * SECOND };

static void ignore_change(void *arg, const struct rib_change *c)
{
	(void)arg;
	(void)c;
}

static void ignore_event(void *arg, const struct rib_event *e)
{
	(void)arg;
	(void)e;
}

static struct rib *new_rib(void)
{
	struct rib_sink sink = { .change = ignore_change,
				 .event = ignore_event };
	struct rib_config config;
	struct rib *rib;

	rib_config_defaults(&config);
	assert_int_equal(rib_new(&config, &sink, &rib), 0);
	return rib;
}

static struct rib_router *new_router(struct rib *rib, unsigned number,
				     const char *name)
{
	struct rib_identity id = { 0 };
	struct rib_router *router;

	if (name != NULL)
		snprintf(id.name, sizeof(id.name), "%s", name);
	world_router_address(number, id.address);
	assert_int_equal(rib_router_get(rib, &id, &router), 0);
	rib_session_open(router, &when, id.address, 4321, NULL);
	return router;
}

static void send(struct rib_router *router, const struct bmp_writer *w)
{
	struct bmp_frame frame;
	struct bmp_message msg;
	size_t need;

	assert_int_equal(bmp_frame_next((struct wire_view){ w->p, w->len },
					BMP_MAX_FRAME_DEFAULT, &frame, &need),
			 BMP_FRAME_WHOLE);
	assert_true(bmp_status_usable(
		bmp_message_decode(&frame, BMP_V4_OFF, &msg)));
	assert_int_equal(apply_message(router, &when, &msg, NULL), 0);
}

static void announce(struct rib_router *router, const struct world *world,
		     struct world_update u)
{
	uint8_t bytes[8192];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	world_write_update(world, &w, &u);
	send(router, &w);
}

static void peer_up(struct rib_router *router, unsigned peer, uint8_t view,
		    const struct world_session *session)
{
	uint8_t bytes[2048];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	world_write_peer_up(&w, peer, view, session);
	send(router, &w);
}

/* Every family and key of every peer; with add-path in peer 0. */
static void fill(struct rib_router *router, unsigned peers, unsigned keys)
{
	struct world *world = world_new();

	for (unsigned p = 0; p < peers; p++) {
		struct world_session session = { .port = 1,
						 .add_path = p == 0 };
		uint8_t view = p >= 5 ? BMP_VIEW_LOC_RIB : BMP_VIEW_IN_PRE;

		peer_up(router, p, view, &session);
		for (unsigned f = 0; f < WORLD_FAMILIES; f++)
			for (unsigned k = 0; k < keys; k++)
				announce(router, world,
					 (struct world_update){
						 .peer = p,
						 .view = view,
						 .session = session,
						 .family = f,
						 .set = (p + k) % WORLD_SETS,
						 .announced = 1,
						 .announces = { {
							 .key = (uint8_t)k,
							 .value = (uint8_t)(k %
									    3),
							 .path_id = k,
						 } },
					 });
	}
	world_free(world);
}

struct file {
	uint8_t *p;
	size_t len;
};

static void append(struct file *f, struct wire_view v)
{
	f->p = realloc(f->p, f->len + v.len + 1);
	assert_non_null(f->p);
	if (v.len != 0)
		memcpy(f->p + f->len, v.p, v.len);
	f->len += v.len;
}

static struct wire_view text(const char *s)
{
	return (struct wire_view){ (const uint8_t *)s, strlen(s) };
}

static struct file take(const struct rib_router *router)
{
	struct rib_snapshot *s;
	struct file f = { 0 };
	struct wire_view v;
	int more;

	assert_int_equal(rib_snapshot_new(router, &when, text("start"), &s), 0);
	do {
		more = rib_snapshot_step(s, &v);
		assert_true(more >= 0);
		append(&f, v);
	} while (more > 0);
	assert_int_equal(rib_snapshot_finish(s, text("the end"), &v), 0);
	append(&f, v);
	rib_snapshot_free(s);
	return f;
}

/* Feed @f in pieces; @out, if given, must be freed. */
static enum rib_snapshot_status read_pieces(const struct file *f, size_t piece,
					    struct rib *rib,
					    struct rib_snapshot_reader **out)
{
	enum rib_snapshot_status status = RIB_SNAPSHOT_MORE;
	struct rib_snapshot_reader *r;
	size_t at = 0, used;

	assert_int_equal(rib_snapshot_reader_new(rib, &r), 0);
	while (at < f->len && status == RIB_SNAPSHOT_MORE) {
		size_t n = f->len - at < piece ? f->len - at : piece;

		status = rib_snapshot_reader_feed(
			r, (struct wire_view){ f->p + at, n }, &used);
		assert_true(used <= n);
		assert_true(used > 0 || status != RIB_SNAPSHOT_MORE);
		at += used;
	}
	status = rib_snapshot_reader_end(r);
	if (out != NULL)
		*out = r;
	else
		rib_snapshot_reader_free(r);
	return status;
}

static enum rib_snapshot_status check(const struct file *f)
{
	return read_pieces(f, f->len + 1, NULL, NULL);
}

/* Equal for equal routers, in whatever order their routes are. */
struct sum {
	uint64_t routes;
	uint64_t tables;
	uint64_t hash;
};

static uint64_t mix(uint64_t h, const void *p, size_t len)
{
	const uint8_t *bytes = p;

	h = (h ^ len) * UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = 0; i < len; i++)
		h = ((h ^ bytes[i]) * UINT64_C(0x9e3779b97f4a7c15)) ^ h >> 29;
	return h;
}

static uint64_t mix_table(const struct rib_table *table)
{
	const struct rib_table_info *i = rib_table_info(table);
	struct rib_table_state state;
	uint64_t h = 0;

	rib_table_state(table, &state);
	h = mix(h, &i->peer_type, 1);
	h = mix(h, &i->view, 1);
	h = mix(h, &i->afi, 2);
	h = mix(h, &i->safi, 1);
	h = mix(h, &i->family, 1);
	h = mix(h, &i->distinguisher, 8);
	h = mix(h, i->peer_address, 16);
	h = mix(h, &i->peer_as, 4);
	h = mix(h, &i->peer_bgp_id, 4);
	return mix(h, &state.sequence, 8);
}

static void sum_table(void *arg, const struct rib_table *table)
{
	struct sum *s = arg;

	s->tables++;
	s->hash += mix_table(table);
}

static void sum_route(void *arg, const struct rib_table *table,
		      const struct rib_stored *r)
{
	struct sum *s = arg;
	uint64_t h = mix_table(table);

	h = mix(h, &r->has_path_id, sizeof(bool));
	h = mix(h, &r->known, sizeof(bool));
	h = mix(h, &r->path_id, 4);
	h = mix(h, r->key.p, r->key.len);
	h = mix(h, r->extra.p, r->extra.len);
	h = mix(h, r->attrs.p, r->attrs.len);
	h = mix(h, &r->changed_s, 8);
	s->hash += h;
	s->routes++;
}

static struct sum sum_of(const struct rib_router *router)
{
	struct sum s = { 0 };
	struct rib_visitor visitor = { sum_table, sum_route, &s };
	struct rib_cursor cursor = { 0 };

	/* All in one slice, so that tables are said once. */
	while (rib_read_routes(router, &cursor, SIZE_MAX, &visitor))
		;
	return s;
}

static void check_same(const struct rib_router *a, const struct rib_router *b)
{
	struct sum x = sum_of(a), y = sum_of(b);

	assert_int_equal(x.routes, y.routes);
	assert_int_equal(x.tables, y.tables);
	assert_true(x.hash == y.hash);
}

static void test_router_comes_back_equal(void **state)
{
	struct rib *rib = new_rib(), *back = new_rib();
	struct rib_router *router = new_router(rib, 1, NULL);
	const struct rib_snapshot_facts *facts;
	struct rib_snapshot_reader *r;
	struct file f;

	(void)state;
	fill(router, WORLD_PEERS, WORLD_KEYS);
	f = take(router);
	assert_int_equal(read_pieces(&f, 1000, back, &r), RIB_SNAPSHOT_OK);
	facts = rib_snapshot_reader_facts(r);
	assert_int_equal(facts->routes,
			 WORLD_PEERS * WORLD_FAMILIES * WORLD_KEYS);
	assert_int_equal(facts->port, 4321);
	assert_null(facts->name);
	assert_int_equal(facts->taken_s, 1700000000);
	assert_int_equal(facts->start_mark.len, 5);
	assert_memory_equal(facts->start_mark.p, "start", 5);
	assert_int_equal(facts->end_mark.len, 7);
	assert_memory_equal(facts->end_mark.p, "the end", 7);
	rib_restore_done(back, &when);
	assert_true(rib_validate(back));
	check_same(router, facts->router);
	rib_snapshot_reader_free(r);
	rib_free(rib);
	rib_free(back);
	free(f.p);
}

/* One route with attributes that no other route has. */
static void announce_alone(struct rib_router *router, uint32_t i)
{
	static const uint8_t hop[4] = { 192, 0, 2, 1 };
	struct world_session session = { 0 };
	struct bmp_peer peer = world_peer(0, BMP_VIEW_IN_PRE, &session);
	struct bgp_nlri n = {
		.family = BGP_IPV4_UNICAST,
		.kind = BGP_NLRI_PREFIX,
		.prefix_len = 24,
		.address = { [10] = 0xff,
			     0xff,
			     10,
			     (uint8_t)(i >> 8),
			     (uint8_t)i },
	};
	struct bgp_attrs attrs = {
		.med = i, .next_hop = hop, .next_hop_len = 4, .as_path.width = 4
	};
	struct bgp_update_parts parts = { .attrs = &attrs };
	uint8_t pdu[256], bytes[512];
	struct bmp_writer p = bmp_writer_on(pdu, sizeof(pdu));
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	bgp_attrs_set(&attrs, BGP_ORIGIN);
	bgp_attrs_set(&attrs, BGP_AS_PATH);
	bgp_attrs_set(&attrs, BGP_NEXT_HOP);
	bgp_attrs_set(&attrs, BGP_MED);
	parts.nlri_parts[BGP_PART_NLRI] = (struct bgp_routes){ &n, 1 };
	bgp_write_update(&p, &parts);
	bmp_write_route_monitoring(&w, &peer, (struct wire_view){ pdu, p.len });
	send(router, &w);
}

/* All of one length, so that only their bytes tell them apart. */
static void test_more_sets_than_slots_come_back_equal(void **state)
{
	struct rib *rib = new_rib(), *back = new_rib();
	struct rib_router *router = new_router(rib, 0, NULL);
	struct rib_snapshot_reader *r;
	struct file f;

	(void)state;
	for (uint32_t i = 0; i < 3 * RIB_SNAPSHOT_SLOTS; i++)
		announce_alone(router, i);
	f = take(router);
	assert_int_equal(read_pieces(&f, 5000, back, &r), RIB_SNAPSHOT_OK);
	check_same(router, rib_snapshot_reader_facts(r)->router);
	rib_snapshot_reader_free(r);
	rib_free(rib);
	rib_free(back);
	free(f.p);
}

static void test_named_router_comes_back_by_name(void **state)
{
	struct rib *rib = new_rib(), *back = new_rib();
	struct rib_router *router = new_router(rib, 0, "core-1");
	struct rib_snapshot_reader *r;
	struct rib_identity id = { .name = "core-1" };
	struct file f;

	(void)state;
	fill(router, 1, 2);
	f = take(router);
	assert_int_equal(read_pieces(&f, SIZE_MAX, back, &r), RIB_SNAPSHOT_OK);
	assert_string_equal(rib_snapshot_reader_facts(r)->name, "core-1");
	assert_non_null(rib_router_find(back, &id));
	assert_ptr_equal(rib_router_find(back, &id),
			 rib_snapshot_reader_facts(r)->router);
	rib_snapshot_reader_free(r);
	rib_free(rib);
	rib_free(back);
	free(f.p);
}

static void test_nothing_is_restored_of_another_router(void **state)
{
	const struct rib_identity wanted[] = { { .name = "core-2" },
					       { .address = { 1 } },
					       { .name = "core-1" } };
	struct rib_identity id = { .name = "core-1" };
	struct rib *rib = new_rib();
	struct rib_router *router = new_router(rib, 0, "core-1");
	struct file f;

	(void)state;
	fill(router, 1, 2);
	f = take(router);
	for (size_t i = 0; i < COUNT(wanted); i++) {
		struct rib *back = new_rib();
		bool same = i == 2;
		enum rib_snapshot_status status;
		struct rib_snapshot_reader *r;
		size_t used;

		assert_int_equal(rib_snapshot_reader_new(back, &r), 0);
		rib_snapshot_reader_expect(r, &wanted[i]);
		status = rib_snapshot_reader_feed(
			r, (struct wire_view){ f.p, f.len }, &used);
		CHECK(status ==
			      (same ? RIB_SNAPSHOT_MORE : RIB_SNAPSHOT_ROUTER),
		      "%zu: %s", i, rib_snapshot_text(status));
		assert_int_equal(rib_router_find(back, &id) != NULL, same);
		rib_snapshot_reader_free(r);
		rib_free(back);
	}
	rib_free(rib);
	free(f.p);
}

static void test_empty_router_is_a_snapshot(void **state)
{
	struct rib *rib = new_rib(), *back = new_rib();
	struct file f = take(new_router(rib, 0, NULL));

	(void)state;
	assert_int_equal(read_pieces(&f, 1, back, NULL), RIB_SNAPSHOT_OK);
	rib_free(rib);
	rib_free(back);
	free(f.p);
}

/* A file small enough to damage all of it. */
static struct file small_file(void)
{
	struct rib *rib = new_rib();
	struct rib_router *router = new_router(rib, 0, NULL);
	struct file f;

	fill(router, 2, 3);
	f = take(router);
	rib_free(rib);
	return f;
}

static void test_each_damaged_byte_is_found(void **state)
{
	struct file f = small_file();

	(void)state;
	for (size_t at = 0; at < f.len; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct rib *rib = at % 16 == 0 ? new_rib() : NULL;
			enum rib_snapshot_status status;

			f.p[at] ^= (uint8_t)(1 << bit);
			status = read_pieces(&f, SIZE_MAX, rib, NULL);
			CHECK(status != RIB_SNAPSHOT_OK &&
				      status != RIB_SNAPSHOT_MORE,
			      "bit %u of byte %zu of %zu was not missed", bit,
			      at, f.len);
			f.p[at] ^= (uint8_t)(1 << bit);
			rib_free(rib);
		}
	assert_int_equal(check(&f), RIB_SNAPSHOT_OK);
	free(f.p);
}

static void test_each_truncation_is_found(void **state)
{
	struct file f = small_file();
	struct file cut = f;

	(void)state;
	for (cut.len = 0; cut.len < f.len; cut.len++)
		CHECK(check(&cut) == RIB_SNAPSHOT_TRUNCATED,
		      "%zu of %zu bytes: %s", cut.len, f.len,
		      rib_snapshot_text(check(&cut)));
	free(f.p);
}

static void test_pieces_of_any_size_are_the_same(void **state)
{
	struct file f = small_file();

	(void)state;
	for (size_t piece = 1; piece < 200; piece++)
		assert_int_equal(read_pieces(&f, piece, NULL, NULL),
				 RIB_SNAPSHOT_OK);
	free(f.p);
}

static void test_unknown_version_is_refused(void **state)
{
	struct file f = small_file();

	(void)state;
	wire_put_u16(f.p + 8, RIB_SNAPSHOT_VERSION + 1);
	assert_int_equal(check(&f), RIB_SNAPSHOT_CHECKSUM);
	wire_put_u32(f.p + 12, rib_checksum(0, f.p, 12));
	assert_int_equal(check(&f), RIB_SNAPSHOT_VERSION_NEW);
	memcpy(f.p, "GZIPPED!", 8);
	assert_int_equal(check(&f), RIB_SNAPSHOT_NOT_ONE);
	free(f.p);
}

static void test_something_after_the_end_is_found(void **state)
{
	struct file f = small_file();

	(void)state;
	append(&f, text("x"));
	assert_int_equal(check(&f), RIB_SNAPSHOT_TRAILING);
	free(f.p);
}

/* Records that blocks carry well but that make no sense. */

static struct rib_record router_record(void)
{
	return (struct rib_record){ .type = RIB_RECORD_ROUTER };
}

static struct rib_record table_record(uint8_t type, uint8_t view)
{
	return (struct rib_record){
		.type = RIB_RECORD_TABLE,
		.table = { .peer_type = type,
			   .view = view,
			   .afi = 1,
			   .safi = 1 },
	};
}

static struct rib_record route_record(uint32_t slot)
{
	static const uint8_t key[] = { 8, 10 };

	return (struct rib_record){
		.type = RIB_RECORD_ROUTE,
		.route = { .known = true,
			   .in_slot = true,
			   .slot = slot,
			   .key = { key, sizeof(key) } },
	};
}

static struct rib_record set_record(uint32_t slot)
{
	static const uint8_t attrs[] = { 0x50, 1, 0, 1, 0 };

	return (struct rib_record){
		.type = RIB_RECORD_SET,
		.set = { slot, { attrs, sizeof(attrs) } },
	};
}

static struct rib_record end_record(uint64_t tables, uint64_t routes)
{
	return (struct rib_record){
		.type = RIB_RECORD_END,
		.end = { .tables = tables, .routes = routes },
	};
}

static void test_blocks_out_of_order_are_found(void **state)
{
	static const struct {
		enum rib_snapshot_status wanted;
		const char *order;
	} cases[] = {
		{ RIB_SNAPSHOT_OK, "012" },
		{ RIB_SNAPSHOT_TRUNCATED, "01" },
		{ RIB_SNAPSHOT_BLOCK_ORDER, "02" },
		{ RIB_SNAPSHOT_BLOCK_ORDER, "0112" },
		{ RIB_SNAPSHOT_BLOCK_ORDER, "102" },
		{ RIB_SNAPSHOT_TRAILING, "0122" },
	};
	struct rib_record records[3] = { router_record(), table_record(0, 0),
					 end_record(1, 0) };
	struct file header = { 0 }, blocks[3] = { 0 };
	struct rib_block_writer w;

	(void)state;
	assert_int_equal(rib_block_writer_init(&w), 0);
	for (size_t i = 0; i < 3; i++) {
		size_t skip = i == 0 ? RIB_FILE_HEADER_LEN : 0;

		assert_int_equal(rib_record_write(&w, &records[i]), 0);
		assert_int_equal(rib_block_seal(&w, i < 2 ? RIB_BLOCK_DATA
							  : RIB_BLOCK_LAST),
				 0);
		append(&header, (struct wire_view){ w.out, skip });
		append(&blocks[i],
		       (struct wire_view){ w.out + skip, w.out_len - skip });
	}
	rib_block_writer_fini(&w);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct file f = { 0 };

		append(&f, (struct wire_view){ header.p, header.len });
		for (const char *b = cases[i].order; *b != '\0'; b++)
			append(&f, (struct wire_view){ blocks[*b - '0'].p,
						       blocks[*b - '0'].len });
		CHECK(check(&f) == cases[i].wanted, "%s: %s", cases[i].order,
		      rib_snapshot_text(check(&f)));
		free(f.p);
	}
	free(header.p);
	for (size_t i = 0; i < 3; i++)
		free(blocks[i].p);
}

/* A file of one block; the records end with one of type 0. */
static struct file file_of(const struct rib_record *records)
{
	struct rib_block_writer w;
	struct file f = { 0 };

	assert_int_equal(rib_block_writer_init(&w), 0);
	for (; records->type != 0; records++)
		assert_int_equal(rib_record_write(&w, records), 0);
	assert_int_equal(rib_block_seal(&w, RIB_BLOCK_LAST), 0);
	append(&f, (struct wire_view){ w.out, w.out_len });
	rib_block_writer_fini(&w);
	return f;
}

static void ignore_table(void *arg, const struct rib_table *table)
{
	(void)arg;
	(void)table;
}

static void keep_attrs(void *arg, const struct rib_table *table,
		       const struct rib_stored *route)
{
	(void)table;
	*(struct wire_view *)arg = route->attrs;
}

/*
 * Version 1 spelled every length in two bytes. What it wrote is put back in the
 * spelling of today, or every route would look changed when its router returns.
 */
static void test_version_1_is_read(void **state)
{
	const struct rib_record records[] = {
		router_record(), table_record(0, 0), set_record(7),
		route_record(7), end_record(1, 1),   { .type = 0 },
	};
	static const uint8_t today[] = { 0x40, 1, 1, 0 };
	struct file f = file_of(records);
	struct rib_snapshot_reader *r;
	struct rib *rib = new_rib();
	struct wire_view attrs = { 0 };
	struct rib_visitor visitor = { ignore_table, keep_attrs, &attrs };
	struct rib_cursor cursor = { 0 };

	(void)state;
	wire_put_u16(f.p + 8, 1);
	wire_put_u32(f.p + 12, rib_checksum(0, f.p, 12));
	assert_int_equal(read_pieces(&f, 1000, rib, &r), RIB_SNAPSHOT_OK);
	rib_read_routes(rib_snapshot_reader_facts(r)->router, &cursor, SIZE_MAX,
			&visitor);
	assert_int_equal(attrs.len, sizeof(today));
	assert_memory_equal(attrs.p, today, sizeof(today));
	rib_snapshot_reader_free(r);
	rib_free(rib);
	free(f.p);
}

/* How a router was curated is known from version 3 on. */
static void test_the_mode_is_kept(void **state)
{
	static const struct {
		uint16_t version;
		bool presence;
		enum rib_snapshot_status status;
		bool known;
		enum rib_mode mode;
	} cases[] = {
		{ 3, false, RIB_SNAPSHOT_OK, true, RIB_MODE_ATTRIBUTES },
		{ 3, true, RIB_SNAPSHOT_OK, true, RIB_MODE_PRESENCE },
		{ 2, false, RIB_SNAPSHOT_OK, false, RIB_MODE_ATTRIBUTES },
		{ 2, true, RIB_SNAPSHOT_RECORD, false, RIB_MODE_ATTRIBUTES },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rib_record records[] = { router_record(),
						end_record(0, 0),
						{ .type = 0 } };
		const struct rib_snapshot_facts *facts;
		struct rib_snapshot_reader *r;
		struct file f;

		records[0].router.presence = cases[i].presence;
		f = file_of(records);
		wire_put_u16(f.p + 8, cases[i].version);
		wire_put_u32(f.p + 12, rib_checksum(0, f.p, 12));
		assert_int_equal(read_pieces(&f, 1000, NULL, &r),
				 cases[i].status);
		facts = rib_snapshot_reader_facts(r);
		assert_int_equal(facts->mode_known, cases[i].known);
		assert_int_equal(facts->mode, cases[i].mode);
		rib_snapshot_reader_free(r);
		free(f.p);
	}
}

static void test_records_without_sense_are_found(void **state)
{
	const struct {
		const char *name;
		enum rib_snapshot_status wanted;
		struct rib_record records[6];
	} cases[] = {
		{ "all is well",
		  RIB_SNAPSHOT_OK,
		  { router_record(), table_record(0, 0), set_record(7),
		    route_record(7), end_record(1, 1) } },
		{ "no router",
		  RIB_SNAPSHOT_RECORD,
		  { table_record(0, 0), end_record(1, 0) } },
		{ "two routers",
		  RIB_SNAPSHOT_RECORD,
		  { router_record(), router_record(), end_record(0, 0) } },
		{ "a route without a table",
		  RIB_SNAPSHOT_RECORD,
		  { router_record(), set_record(7), route_record(7),
		    end_record(0, 1) } },
		{ "an empty slot",
		  RIB_SNAPSHOT_RECORD,
		  { router_record(), table_record(0, 0), set_record(7),
		    route_record(8), end_record(1, 1) } },
		{ "no such slot",
		  RIB_SNAPSHOT_RECORD,
		  { router_record(), set_record(RIB_SNAPSHOT_SLOTS),
		    end_record(0, 0) } },
		{ "no such peer type",
		  RIB_SNAPSHOT_RECORD,
		  { router_record(), table_record(4, 0), end_record(1, 0) } },
		{ "no such view",
		  RIB_SNAPSHOT_RECORD,
		  { router_record(), table_record(0, 5), end_record(1, 0) } },
		{ "a Loc-RIB of a neighbour",
		  RIB_SNAPSHOT_RECORD,
		  { router_record(), table_record(0, 4), end_record(1, 0) } },
		{ "a route too few",
		  RIB_SNAPSHOT_TOTALS,
		  { router_record(), end_record(0, 1) } },
		{ "a table too few",
		  RIB_SNAPSHOT_TOTALS,
		  { router_record(), end_record(1, 0) } },
		{ "no end", RIB_SNAPSHOT_RECORD, { router_record() } },
		{ "two ends",
		  RIB_SNAPSHOT_RECORD,
		  { router_record(), end_record(0, 0), end_record(0, 0) } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct file f = file_of(cases[i].records);
		enum rib_snapshot_status status = check(&f);

		CHECK(status == cases[i].wanted, "%s: %s", cases[i].name,
		      rib_snapshot_text(status));
		free(f.p);
	}
}

/* The format has room for longer names than a router can have. */
static void test_a_name_must_fit_the_rib(void **state)
{
	static const char name[RIB_NAME_MAX + 2] = { [0 ... RIB_NAME_MAX] =
							     'a' };

	(void)state;
	for (size_t len = RIB_NAME_MAX; len <= RIB_NAME_MAX + 1; len++) {
		struct rib_record records[3] = { router_record(),
						 end_record(0, 0) };
		enum rib_snapshot_status want = len <= RIB_NAME_MAX
							? RIB_SNAPSHOT_OK
							: RIB_SNAPSHOT_RECORD;
		struct rib *rib = new_rib();
		struct file f;

		records[0].router.named = true;
		records[0].router.name =
			(struct wire_view){ (const uint8_t *)name, len };
		f = file_of(records);
		assert_int_equal(check(&f), RIB_SNAPSHOT_OK);
		assert_int_equal(read_pieces(&f, 1000, rib, NULL), want);
		rib_free(rib);
		free(f.p);
	}
}

static void test_checksum_is_crc32c(void **state)
{
	(void)state;
	/* RFC 3720 B.4 has others; this one is in every catalogue. */
	assert_int_equal(rib_checksum(0, "123456789", 9), 0xe3069283);
	assert_int_equal(rib_checksum(rib_checksum(0, "1234", 4), "56789", 5),
			 0xe3069283);
}

static void test_each_status_has_a_text(void **state)
{
	(void)state;
	for (int i = 0; i < RIB_SNAPSHOT_STATUSES; i++)
		assert_non_null(rib_snapshot_text(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_router_comes_back_equal),
		cmocka_unit_test(test_more_sets_than_slots_come_back_equal),
		cmocka_unit_test(test_named_router_comes_back_by_name),
		cmocka_unit_test(test_nothing_is_restored_of_another_router),
		cmocka_unit_test(test_empty_router_is_a_snapshot),
		cmocka_unit_test(test_each_damaged_byte_is_found),
		cmocka_unit_test(test_each_truncation_is_found),
		cmocka_unit_test(test_pieces_of_any_size_are_the_same),
		cmocka_unit_test(test_unknown_version_is_refused),
		cmocka_unit_test(test_version_1_is_read),
		cmocka_unit_test(test_the_mode_is_kept),
		cmocka_unit_test(test_something_after_the_end_is_found),
		cmocka_unit_test(test_blocks_out_of_order_are_found),
		cmocka_unit_test(test_records_without_sense_are_found),
		cmocka_unit_test(test_a_name_must_fit_the_rib),
		cmocka_unit_test(test_checksum_is_crc32c),
		cmocka_unit_test(test_each_status_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
