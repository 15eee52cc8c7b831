/* What one call may do is bounded by what comes out, not by what goes in. */
/* Before the stage, whose name is short. */
#include "apply_messages.h"
#include "rib/peer.h"
#include "rib/rib_internal.h"

#include "curation_cases.h"

/* Bytes that the sink says one route makes. */
#define ROUTE_BYTES 20000u

/* A path of sets with one AS each, for 500 routes: 4 kB that become 10 MB. */
#define SETS   300u
#define ROUTES 500u

static struct fat {
	struct rib *rib;
	struct rib_router *router;
	struct rib_time when;
	uint64_t bytes;
	uint64_t announced;
	uint64_t withdrawn;
	uint64_t sequence;
	uint32_t last_as;
	uint8_t message[8192];
	size_t len;
} f;

static void fat_change(void *arg, const struct rib_change *c)
{
	(void)arg;
	f.bytes += c->count * (uint64_t)ROUTE_BYTES;
	if (c->announced)
		f.announced += c->count;
	else
		f.withdrawn += c->count;
	f.last_as = c->table->peer_as;
	for (size_t i = 0; i < c->count; i++)
		assert_int_equal(c->routes[i].sequence, ++f.sequence);
}

static void fat_event(void *arg, const struct rib_event *e)
{
	(void)arg;
	(void)e;
}

static void put_attribute(struct bmp_writer *w, uint8_t code, const void *p,
			  size_t len)
{
	uint8_t head[4] = { 0x50, code };

	wire_put_u16(head + 2, (uint16_t)len);
	memcpy(w->p + w->len, head, 4);
	memcpy(w->p + w->len + 4, p, len);
	w->len += 4 + len;
}

/* An UPDATE of ROUTES routes with a path of SETS sets. */
static size_t write_update(uint8_t *pdu, size_t size)
{
	static const uint8_t origin[1], hop[4] = { 192, 0, 2, 1 };
	struct bmp_writer w = bmp_writer_on(pdu, size);
	uint8_t path[6 * SETS];

	for (size_t i = 0; i < SETS; i++)
		memcpy(path + 6 * i, "\1\1\0\0\373\364", 6);
	memset(pdu, 0xff, 16);
	pdu[18] = 2;
	wire_put_u16(pdu + 19, 0);
	w.len = 23;
	put_attribute(&w, 1, origin, 1);
	put_attribute(&w, 2, path, sizeof(path));
	put_attribute(&w, 3, hop, 4);
	wire_put_u16(pdu + 21, (uint16_t)(w.len - 23));
	for (unsigned i = 0; i < ROUTES; i++) {
		uint8_t route[4] = { 24, 20, (uint8_t)(i >> 8), (uint8_t)i };

		memcpy(pdu + w.len, route, 4);
		w.len += 4;
	}
	wire_put_u16(pdu + 16, (uint16_t)w.len);
	return w.len;
}

static void fat_start(void)
{
	struct rib_sink sink = { .change = fat_change,
				 .event = fat_event,
				 .bytes = &f.bytes };
	struct rib_identity id = { .address = { [15] = 1 } };
	struct rib_config config = defaults();

	memset(&f, 0, sizeof(f));
	f.when = (struct rib_time){ SECONDS(1000), SECONDS(1800000000) };
	assert_int_equal(rib_new(&config, &sink, &f.rib), 0);
	assert_int_equal(rib_router_get(f.rib, &id, &f.router), 0);
	rib_session_open(f.router, &f.when, id.address, 4000, NULL);
}

static struct bmp_message fat_message(uint32_t as)
{
	struct stage_peer p = stage_peer("192.0.2.10", as);
	struct bmp_writer w = bmp_writer_on(f.message, sizeof(f.message));
	struct bmp_frame frame;
	struct bmp_message msg;
	uint8_t pdu[4200];
	size_t len = write_update(pdu, sizeof(pdu)), need;

	bmp_write_route_monitoring(&w, &p.header,
				   (struct wire_view){ pdu, len });
	assert_int_equal(bmp_frame_next((struct wire_view){ w.p, w.len },
					BMP_MAX_FRAME_DEFAULT, &frame, &need),
			 BMP_FRAME_WHOLE);
	assert_true(bmp_status_usable(
		bmp_message_decode(&frame, BMP_V4_OFF, &msg)));
	return msg;
}

/* Apply it in slices of so much; returns how many there were. */
static unsigned apply_by(const struct bmp_message *msg, uint64_t routes,
			 uint64_t bytes)
{
	struct rib_progress progress = { 0 };
	unsigned slices = 0;
	uint64_t failed = 0;
	size_t done = 0;

	while (done == 0) {
		struct rib_budget budget = { .routes = routes,
					     .bytes_end = f.bytes + bytes };
		uint64_t before = f.bytes;

		assert_false(rib_router_subject_changing(f.router));
		done = apply_some_messages(f.router, &f.when, msg, 1, NULL,
					   &budget, &progress, &failed, NULL);
		assert_in_range(f.bytes - before, ROUTE_BYTES,
				bytes + 10 * ROUTE_BYTES);
		assert_in_range(budget.routes, 0, routes - 1);
		slices++;
	}
	assert_int_equal(failed, 0);
	assert_int_equal(progress.offset, 0);
	return slices;
}

static void fat_end(void)
{
	assert_true(rib_validate(f.rib));
	rib_free(f.rib);
}

static void check_flow(uint64_t announced)
{
	struct rib_flow flow;

	rib_flow(f.rib, &flow);
	assert_int_equal(flow.announced, announced);
	assert_int_equal(flow.published_announced, announced);
	assert_int_equal(flow.verdicts[BGP_ACCEPT], announced / ROUTES);
	assert_int_equal(f.announced, announced);
}

static void test_a_message_ends_where_the_output_does(void **state)
{
	struct bmp_message msg;

	(void)state;
	fat_start();
	msg = fat_message(64510);
	assert_in_range(apply_by(&msg, 4096, 1 << 20), 6, 12);
	check_flow(ROUTES);
	fat_end();
}

static void test_a_message_ends_after_so_many_routes(void **state)
{
	struct bmp_message msg;

	(void)state;
	fat_start();
	msg = fat_message(64510);
	assert_int_equal(apply_by(&msg, 1, 1 << 30), ROUTES);
	check_flow(ROUTES);
	fat_end();
}

static void test_what_is_published_again_ends_there_too(void **state)
{
	struct bmp_message msg;
	struct rib_background work = { .more = true };

	(void)state;
	fat_start();
	msg = fat_message(64510);
	assert_int_equal(apply_message(f.router, &f.when, &msg, NULL), 0);
	rib_resync(f.router, &f.when);
	while (work.more) {
		uint64_t before = f.bytes;

		work = rib_background(f.rib, &f.when, 512);
		assert_in_range(f.bytes - before, 0, (1 << 20));
	}
	assert_int_equal(f.announced, 2 * ROUTES);
	fat_end();
}

/* It has no Peer Up and another AS: its table goes before its routes come. */
static void test_a_peer_that_comes_back_as_another(void **state)
{
	struct rib_budget budget = { .routes = 4096, .bytes_end = UINT64_MAX };
	struct rib_progress progress = { 0 };
	struct bmp_message msg;
	uint64_t failed = 0;

	(void)state;
	fat_start();
	msg = fat_message(64510);
	assert_int_equal(apply_message(f.router, &f.when, &msg, NULL), 0);
	rib_session_close(f.router, &f.when, 0, NULL);
	rib_session_open(f.router, &f.when, (uint8_t[16]){ 0 }, 4000, NULL);
	msg = fat_message(64511);
	assert_int_equal(apply_some_messages(f.router, &f.when, &msg, 1, NULL,
					     &budget, &progress, &failed, NULL),
			 0);
	assert_true(rib_router_subject_changing(f.router));
	assert_int_equal(f.withdrawn, 0);
	assert_int_equal(f.announced, ROUTES);
	while (rib_background(f.rib, &f.when, 100).more)
		;
	assert_int_equal(f.withdrawn, ROUTES);
	assert_int_equal(f.last_as, 64510);
	assert_int_equal(apply_some_messages(f.router, &f.when, &msg, 1, NULL,
					     &budget, &progress, &failed, NULL),
			 1);
	assert_int_equal(f.last_as, 64511);
	check_flow(2 * ROUTES);
	fat_end();
}

/* 60 routes in each of the tables of the view: IPv4, IPv6, IPv4 multicast. */
static void announce_view(const struct stage_peer *a)
{
	static const char *const forms[] = { "10.%u.0.0/16", "2001:%u::/32",
					     "10.%u.0.0/16" };

	for (unsigned t = 0; t < 3; t++)
		for (unsigned i = 0; i < 60; i++) {
			struct bgp_nlri n;
			char prefix[64];

			snprintf(prefix, sizeof(prefix), forms[t], i);
			n = stage_nlri(prefix);
			n.safi = t == 2 ? 2 : 1;
			n.family = (uint8_t)bgp_family_find(n.afi, n.safi);
			stage_put(&s, a, &n, 1, 7);
		}
}

/* 60 routes are few, and withdrawn at once; 60 in each of 12 tables are not. */
static void test_small_tables_of_a_peer_are_small_together(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	for (int view = 0; view < 4; view++) {
		stage_view(&a, (enum bmp_view)view);
		announce_view(&a);
	}
	assert_int_equal(s.announced, 720);
	stage_forget(&s);
	stage_down(&s, &a, 1);
	assert_int_equal(s.withdrawn, 480);
	assert_int_equal(rib_router_pending_withdraw(s.router), 240);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 720);
	stage_end(&s);
}

static size_t name_len(const struct stage_peer *p)
{
	return rib_peer_find(s.router, &p->header)->table_name.len;
}

static void up_with_name(struct stage_peer *p, const char *name)
{
	static uint8_t buf[70000], pdu[512];
	struct bgp_open open = { .version = 4,
				 .my_as = 64500,
				 .hold_time = 90,
				 .families = STAGE_FAMILIES };
	struct bmp_writer w = bmp_writer_on(pdu, sizeof(pdu));
	struct bmp_peer_up_parts up = { .remote_port = ++p->port,
					.table_name = name };

	bgp_write_open(&w, &open);
	up.sent_open = up.received_open = (struct wire_view){ pdu, w.len };
	w = bmp_writer_on(buf, sizeof(buf));
	bmp_write_peer_up(&w, &p->header, &up);
	stage_send(&s, &w);
}

static void test_a_name_is_cut(void **state)
{
	struct stage_peer p = stage_loc_rib(0);
	static char name[60001];

	(void)state;
	stage_start(&s, NULL);
	memset(name, 'n', 255);
	up_with_name(&p, name);
	assert_int_equal(name_len(&p), 255);
	assert_int_equal(flow().names_cut, 0);
	stage_down(&s, &p, 1);
	memset(name, 'n', sizeof(name) - 1);
	memcpy(name + 253, "\xe2\x82\xac", 3); /* a euro sign, up to 256 */
	up_with_name(&p, name);
	assert_int_equal(name_len(&p), 253);
	assert_int_equal(flow().names_cut, 1);
	stage_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_message_ends_where_the_output_does),
		cmocka_unit_test(test_a_message_ends_after_so_many_routes),
		cmocka_unit_test(test_what_is_published_again_ends_there_too),
		cmocka_unit_test(test_a_peer_that_comes_back_as_another),
		cmocka_unit_test(
			test_small_tables_of_a_peer_are_small_together),
		cmocka_unit_test(test_a_name_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
