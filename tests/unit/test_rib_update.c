/* The same table: errors; and limits, filters and the wishes of operators. */
#include "curation_cases.h"

#include "rib/read.h"

/* Errors */

static void send_update(const struct stage_peer *p, const uint8_t *body,
			size_t len)
{
	uint8_t pdu[300];

	memset(pdu, 0xff, 16);
	wire_put_u16(pdu + 16, (uint16_t)(19 + len));
	pdu[18] = 2;
	memcpy(pdu + 19, body, len);
	stage_pdu(&s, p, pdu, 19 + len);
}

static void test_treat_as_withdraw(void **state)
{
	/* ORIGIN of a value that is none. */
	static const uint8_t body[] = {
		0, 0, 0,  20,  0x40, 1,	   1,	 9,   0x40, 2,	 6,
		2, 1, 0,  0,   0xfb, 0xf4, 0x40, 3,   4,    192, 0,
		2, 1, 24, 198, 51,   100,  24,	 203, 0,    113,
	};
	struct stage_peer a = start(NULL);

	(void)state;
	send_update(&a, body, sizeof(body));
	assert_int_equal(s.withdrawn, 1);
	assert_int_equal(s.synthetic[RIB_REASON_TREAT_AS_WITHDRAW], 1);
	assert_int_equal(flow().verdicts[BGP_WITHDRAW], 1);
	assert_int_equal(flow().suppressed[RIB_SUPPRESSED_ABSENT], 1);
	stage_end(&s);
}

/* RFC 7606 7.7: the route is good without its AGGREGATOR. */
static void test_bad_attribute_is_discarded(void **state)
{
	static const uint8_t body[] = {
		0,    0, 0, 28,	  0x40, 1,    1,    0, 0x40, 2,	  6, 2,
		1,    0, 0, 0xfb, 0xf4, 0x40, 3,    4, 192,  0,	  2, 1,
		0xc0, 7, 5, 0,	  0,	0xfb, 0xf4, 1, 24,   203, 0, 113,
	};
	struct stage_peer a = start(NULL);

	(void)state;
	stage_forget(&s);
	send_update(&a, body, sizeof(body));
	assert_int_equal(s.announced, 1);
	assert_int_equal(s.withdrawn, 0);
	assert_true(stage_has(&s, &a, "203.0.113.0/24"));
	assert_int_equal(flow().verdicts[BGP_DISCARD_ATTR], 1);
	stage_end(&s);
}

static void test_unreadable_routes_make_the_table_suspect(void **state)
{
	/* MP_REACH of IPv6 with a prefix of 200 bits. */
	static const uint8_t body[] = {
		0,    0, 0,    36, 0x80, 14, 23,   0, 2, 1, 16, 0x20, 1, 0xd,
		0xb8, 0, 0,    0,  0,	 0,  0,	   0, 0, 0, 0,	0,    1, 0,
		200,  1, 0x40, 1,  1,	 0,  0x40, 2, 3, 2, 0,	0,
	};
	struct stage_peer a = start(NULL);
	struct rib_table_state t;
	struct rib_peer *peer;

	(void)state;
	stage_announce(&s, &a, "2001:db8::/32", 1);
	send_update(&a, body, sizeof(body));
	send_update(&a, body, sizeof(body));
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 1);
	assert_int_equal(s.last_event.kind, RIB_EVENT_SUSPECT);
	assert_true(stage_has(&s, &a, "2001:db8::/32"));
	/* Until its next generation. */
	peer = rib_peer_next(s.router, NULL);
	rib_table_state(rib_table_next(peer, rib_table_next(peer, NULL)), &t);
	assert_true(t.suspect);
	again(&a);
	rib_table_state(rib_table_next(peer, rib_table_next(peer, NULL)), &t);
	assert_false(t.suspect);
	stage_end(&s);
}

static void test_unreadable_message_makes_the_view_suspect(void **state)
{
	static const uint8_t body[] = { 0, 200, 1, 2, 3 };
	struct stage_peer a = start(NULL);
	struct stage_peer post = a;

	(void)state;
	stage_view(&post, BMP_VIEW_IN_POST);
	stage_announce(&s, &post, "198.51.100.0/24", 7);
	stage_announce(&s, &a, "2001:db8::/32", 1);
	send_update(&a, body, sizeof(body));
	/* Two tables of the view, not the third. */
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 2);
	assert_int_equal(flow().verdicts[BGP_RESET], 1);
	assert_int_equal(s.withdrawn, 0);
	stage_end(&s);
}

/* A Route Monitoring in which there is no UPDATE; it is heard all the same. */
static void test_message_without_update_makes_the_view_suspect(void **state)
{
	struct stage_peer a = start(NULL);
	struct stage_peer other = stage_peer("192.0.2.99", 64999);

	(void)state;
	rib_unreadable(s.router, &s.when, &a.header);
	rib_unreadable(s.router, &s.when, &a.header);
	rib_unreadable(s.router, &s.when, &other.header);
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 1);
	stage_end(&s);
}

static const uint8_t neither_form[] = { 0, 0, 0, 0, 198, 51 };

static void test_suspect_is_a_table_that_is_not_there_yet(void **state)
{
	struct stage_peer a = peer_a();
	struct rib_table_state t;

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	send_update(&a, neither_form, sizeof(neither_form));
	send_update(&a, neither_form, sizeof(neither_form));
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 1);
	assert_true(s.last_event.has_table);
	rib_table_state(rib_table_next(rib_peer_next(s.router, NULL), NULL),
			&t);
	assert_true(t.suspect);
	assert_int_equal(s.notices[RIB_NOTICE_UNREADABLE], 1);
	assert_int_equal(s.last_notice.fault, BGP_FAULT_NLRI);
	stage_end(&s);
}

/* Which table was meant is not known: it may be one that comes later. */
static void test_suspect_are_later_tables_of_the_view(void **state)
{
	static const uint8_t sections[] = { 0, 200, 1, 2, 3 };
	struct stage_peer a = peer_a();
	struct stage_peer post = a;

	(void)state;
	stage_view(&post, BMP_VIEW_IN_POST);
	stage_start(&s, NULL);
	stage_up(&s, &a);
	send_update(&a, sections, sizeof(sections));
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 0);
	assert_int_equal(s.notices[RIB_NOTICE_UNREADABLE], 1);
	stage_announce(&s, &a, "198.51.100.0/24", 1);
	stage_announce(&s, &a, "203.0.113.0/24", 1);
	stage_announce(&s, &post, "203.0.113.0/24", 1);
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 1);
	again(&a);
	stage_announce(&s, &a, "2001:db8::/32", 1);
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 0);
	stage_end(&s);
}

/* One for each peer and cause, until its session ends. */
static void test_notices_of_what_cannot_be_read(void **state)
{
	static const uint8_t sections[] = { 0, 200, 1, 2, 3 };
	struct stage_peer a = start(NULL);
	struct stage_peer b = stage_peer("192.0.2.11", 64511);

	(void)state;
	stage_up(&s, &b);
	for (int i = 0; i < 3; i++) {
		send_update(&a, neither_form, sizeof(neither_form));
		send_update(&a, sections, sizeof(sections));
		send_update(&b, sections, sizeof(sections));
		rib_unreadable(s.router, &s.when, &a.header);
	}
	assert_int_equal(s.notices[RIB_NOTICE_UNREADABLE], 3);
	assert_int_equal(s.notices[RIB_NOTICE_NO_UPDATE], 1);
	again(&a);
	send_update(&a, sections, sizeof(sections));
	assert_int_equal(s.notices[RIB_NOTICE_UNREADABLE], 0);
	rib_session_close(s.router, &s.when, 0, NULL);
	rib_session_open(s.router, &s.when, a.header.address, 4000, NULL);
	stage_up(&s, &a);
	send_update(&a, sections, sizeof(sections));
	assert_int_equal(s.notices[RIB_NOTICE_UNREADABLE], 1);
	stage_end(&s);
}

/* Limits and filters */

static void test_limit_refuses_new_routes_only(void **state)
{
	struct rib_config config = defaults();
	struct stage_peer a;

	(void)state;
	config.max_routes_peer = 2;
	a = start(&config);
	stage_announce(&s, &a, "203.0.113.0/24", 1);
	stage_announce(&s, &a, "192.0.2.0/24", 1);
	stage_announce(&s, &a, "192.0.3.0/24", 1);
	assert_int_equal(s.events[RIB_EVENT_LIMIT], 1);
	assert_int_equal(s.last_event.routes, 2);
	assert_int_equal(flow().suppressed[RIB_SUPPRESSED_LIMIT], 2);
	stage_announce(&s, &a, "203.0.113.0/24", 2);
	assert_int_equal(stage_med(&s, &a, "203.0.113.0/24"), 2);
	stage_withdraw(&s, &a, "203.0.113.0/24");
	stage_announce(&s, &a, "192.0.2.0/24", 1);
	assert_true(stage_has(&s, &a, "192.0.2.0/24"));
	assert_int_equal(stage_count(&s), 2);
	stage_end(&s);
}

static void test_limits_of_router_and_of_all(void **state)
{
	struct stage_peer b = stage_peer("192.0.2.11", 64520);

	(void)state;
	for (int all = 0; all < 2; all++) {
		struct rib_config config = defaults();

		if (all)
			config.max_routes = 1;
		else
			config.max_routes_router = 1;
		start(&config);
		stage_up(&s, &b);
		stage_announce(&s, &b, "203.0.113.0/24", 1);
		assert_int_equal(s.events[RIB_EVENT_LIMIT], 1);
		assert_int_equal(stage_count(&s), 1);
		stage_end(&s);
	}
}

static void test_an_allowance_below_the_limit(void **state)
{
	struct rib_config config = defaults();
	struct stage_peer a;

	(void)state;
	config.max_routes = 100;
	a = start(&config);
	/* It has one. */
	rib_allow(s.rib, 4);
	stage_many(&s, &a, 0, 5, 1);
	assert_int_equal(stage_count(&s), 4);
	assert_int_equal(s.events[RIB_EVENT_LIMIT], 1);
	rib_allow(s.rib, 5);
	stage_many(&s, &a, 0, 5, 1);
	assert_int_equal(stage_count(&s), 5);
	/* Known routes need none. */
	stage_forget(&s);
	rib_allow(s.rib, 0);
	stage_many(&s, &a, 0, 4, 2);
	assert_int_equal(s.changes, 4);
	/* All of the limit, and without one no allowance is needed. */
	rib_configure(s.rib, &config);
	stage_many(&s, &a, 0, 90, 2);
	assert_int_equal(stage_count(&s), 91);
	config.max_routes = 0;
	rib_configure(s.rib, &config);
	rib_allow(s.rib, 0);
	stage_many(&s, &a, 0, 200, 2);
	assert_int_equal(stage_count(&s), 201);
	stage_end(&s);
}

/* What a session reserves for a batch. */
static void test_routes_that_inputs_may_add(void **state)
{
	struct rib_input in[2] = { 0 };
	struct rib_peer *peer;

	(void)state;
	start(NULL);
	peer = rib_peer_next(s.router, NULL);
	in[0].peer = in[1].peer = peer;
	in[0].update.nlri_parts[BGP_PART_WITHDRAWN].count = 7;
	in[0].update.nlri_parts[BGP_PART_NLRI].count = 3;
	in[1].update.nlri_parts[BGP_PART_MP_REACH].count = 2;
	assert_int_equal(rib_apply_bound(in, 2), 5);
	in[0].update.attrs.withdraw = true;
	assert_int_equal(rib_apply_bound(in, 2), 2);
	in[1].update.add_path_guessed = 1;
	assert_true(rib_apply_bound(in, 2) == UINT64_MAX);
	stage_end(&s);
}

static void test_limit_on_peers_and_tables(void **state)
{
	struct stage_peer b = stage_peer("192.0.2.11", 64520);
	struct rib_config config = defaults();
	struct stage_peer a;

	(void)state;
	config.max_peers = 1;
	config.max_tables = 1;
	a = start(&config);
	stage_up(&s, &b);
	stage_announce(&s, &b, "203.0.113.0/24", 1);
	stage_announce(&s, &a, "2001:db8::/32", 1);
	assert_int_equal(flow().refused_peers, 3);
	assert_int_equal(stage_count(&s), 1);
	stage_end(&s);
}

/* Empty tables cost 60 bytes of BMP each, and each peer may have 256. */
static void test_limit_on_tables_of_a_router(void **state)
{
	struct stage_peer b = stage_peer("192.0.2.11", 64520);
	struct rib_config config = defaults();
	struct rib_sizes sizes;
	struct stage_peer a;

	(void)state;
	config.max_router_tables = 3;
	a = start(&config);
	stage_up(&s, &b);
	stage_announce(&s, &a, "203.0.113.0/24", 1);
	stage_announce(&s, &a, "2001:db8::/32", 1);
	stage_announce(&s, &b, "203.0.113.0/24", 1);
	stage_announce(&s, &b, "2001:db8::/32", 1);
	assert_int_equal(flow().refused_peers, 1);
	assert_int_equal(stage_count(&s), 4);
	/* A peer that is no longer configured leaves none. */
	stage_down(&s, &a, BMP_DOWN_DECONFIGURED);
	stage_work(&s);
	rib_sizes(s.rib, &sizes);
	assert_int_equal(sizes.tables, 1);
	assert_true(rib_validate(s.rib));
	stage_end(&s);
}

/* Operators */

static void test_resync_publishes_again(void **state)
{
	struct stage_peer a = peer_a();
	struct stage_peer paths = stage_peer("192.0.2.11", 64520);
	struct bgp_nlri n = stage_nlri("198.51.100.0/24");

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 300, 5);
	stage_many(&s, &a, 300, 300, 6);
	paths.add_path = true;
	stage_up(&s, &paths);
	n.has_path_id = true;
	n.path_id = 4;
	stage_put(&s, &paths, &n, 1, 9);
	stage_forget(&s);
	rib_resync(s.router, &s.when);
	assert_int_equal(s.events[RIB_EVENT_RESYNC], 1);
	stage_work_by(&s, 50);
	assert_int_equal(s.resynced, 601);
	assert_int_equal(s.announced, 601);
	assert_int_equal(stage_med(&s, &a, "10.1.43.0/24"), 5);
	assert_int_equal(stage_med(&s, &a, "10.1.44.0/24"), 6);
	assert_int_equal(stage_find(&s, &paths, &n)->med, 9);
	stage_end(&s);
}

static void test_purged_peer_and_router(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	assert_true(rib_peer_purge(s.router, &s.when, &a.header));
	stage_work(&s);
	assert_int_equal(s.synthetic[RIB_REASON_ADMIN], 1);
	/* It is up, and goes on. */
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_int_equal(stage_count(&s), 1);
	a.header.address[15]++;
	assert_false(rib_peer_purge(s.router, &s.when, &a.header));
	rib_session_close(s.router, &s.when, 0, NULL);
	rib_router_purge(s.router, &s.when);
	assert_int_equal(s.synthetic[RIB_REASON_ADMIN], 2);
	assert_int_equal(stage_count(&s), 0);
	stage_end(&s);
}

static void test_statistics_are_passed_on(void **state)
{
	struct stage_peer a = start(NULL);
	struct bmp_stat stats[2] = {
		{ .type = 7, .kind = BMP_STAT_GAUGE64, .value = 99 },
		{ .type = 9,
		  .kind = BMP_STAT_FAMILY_GAUGE64,
		  .afi = 2,
		  .safi = 1,
		  .value = 5 },
	};
	uint8_t buf[256];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	(void)state;
	bmp_write_statistics(&w, &a.header, stats, 2);
	stage_send(&s, &w);
	assert_int_equal(s.events[RIB_EVENT_STATISTICS], 1);
	assert_int_equal(s.last_event.count, 2);
	stage_end(&s);
}

/* The user's pointers come with events and go with the peer. */
static void test_slots(void **state)
{
	struct stage_peer a = start(NULL);
	struct rib_router_state router;
	int of_router, of_peer;
	struct rib_sizes sizes;

	(void)state;
	*rib_router_slot(s.router) = &of_router;
	*rib_peer_slot(rib_router_peer(s.router, &a.header)) = &of_peer;
	rib_router_state(s.router, &router);
	assert_int_equal(router.peers_up, 1);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	assert_ptr_equal(*s.last_event.router_slot, &of_router);
	assert_ptr_equal(*s.last_event.peer_slot, &of_peer);
	assert_null(s.forgotten);
	rib_sizes(s.rib, &sizes);
	assert_int_equal(sizes.peers_up, 0);
	stage_up(&s, &a);
	stage_down(&s, &a, BMP_DOWN_DECONFIGURED);
	stage_work(&s);
	assert_ptr_equal(s.forgotten, &of_peer);
	stage_end(&s);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_treat_as_withdraw),
		cmocka_unit_test(test_bad_attribute_is_discarded),
		cmocka_unit_test(test_unreadable_routes_make_the_table_suspect),
		cmocka_unit_test(test_unreadable_message_makes_the_view_suspect),
		cmocka_unit_test(
			test_message_without_update_makes_the_view_suspect),
		cmocka_unit_test(test_suspect_is_a_table_that_is_not_there_yet),
		cmocka_unit_test(test_suspect_are_later_tables_of_the_view),
		cmocka_unit_test(test_notices_of_what_cannot_be_read),
		cmocka_unit_test(test_limit_refuses_new_routes_only),
		cmocka_unit_test(test_limits_of_router_and_of_all),
		cmocka_unit_test(test_an_allowance_below_the_limit),
		cmocka_unit_test(test_routes_that_inputs_may_add),
		cmocka_unit_test(test_limit_on_peers_and_tables),
		cmocka_unit_test(test_limit_on_tables_of_a_router),
		cmocka_unit_test(test_resync_publishes_again),
		cmocka_unit_test(test_purged_peer_and_router),
		cmocka_unit_test(test_statistics_are_passed_on),
		cmocka_unit_test(test_slots),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
