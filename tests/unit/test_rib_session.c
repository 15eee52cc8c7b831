/* The same table: peers that go down, sessions that are lost. */
#include "curation_cases.h"

#include "rib/read.h"

#include <stdio.h>

static void reconnect(uint64_t after)
{
	uint8_t address[16];

	memcpy(address, rib_router_info(s.router)->address, 16);
	rib_session_close(s.router, &s.when, 0, "gone");
	stage_pass(&s, after);
	stage_work(&s);
	rib_session_open(s.router, &s.when, address, 4001, NULL);
}

/* Implied peers */

static void test_routes_without_peer_up_are_accepted(void **state)
{
	struct stage_peer l = stage_loc_rib(0);

	(void)state;
	stage_start(&s, NULL);
	stage_announce(&s, &l, "198.51.100.0/24", 1);
	stage_announce(&s, &l, "203.0.113.0/24", 1);
	assert_int_equal(flow().implied_peers, 1);
	assert_int_equal(stage_count(&s), 2);
	/* The first one of the next session starts a generation. */
	reconnect(5);
	stage_announce(&s, &l, "203.0.113.0/24", 1);
	assert_int_equal(flow().implied_peers, 2);
	stage_pass(&s, 30);
	stage_work(&s);
	assert_false(stage_has(&s, &l, "198.51.100.0/24"));
	assert_true(stage_has(&s, &l, "203.0.113.0/24"));
	stage_end(&s);
}

/* Peer Down */

static void test_peer_down_withdraws_all_views(void **state)
{
	struct stage_peer a = start(NULL);
	struct stage_peer post = a, out = a;

	(void)state;
	stage_view(&post, BMP_VIEW_IN_POST);
	stage_view(&out, BMP_VIEW_OUT_POST);
	stage_announce(&s, &post, "198.51.100.0/24", 1);
	stage_announce(&s, &out, "2001:db8::/32", 1);
	stage_forget(&s);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	stage_work(&s);
	assert_int_equal(s.events[RIB_EVENT_PEER_DOWN], 1);
	assert_int_equal(s.synthetic[RIB_REASON_PEER_DOWN], 3);
	assert_int_equal(stage_count(&s), 0);
	stage_end(&s);
}

/* The flood of a Peer Down, and the peer is back before it is over. */
static void test_announcement_in_the_middle_of_a_flood(void **state)
{
	struct stage_peer a = peer_a();
	struct bgp_nlri gone;

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 900, 1);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	stage_forget(&s);
	rib_background(s.rib, &s.when, 300);
	stage_up(&s, &a);
	stage_many(&s, &a, 200, 200, 1);
	/* A withdraw of what the flood still has is the flood's. */
	gone = stage_nlri("10.3.32.0/24");
	stage_take(&s, &a, &gone, 1);
	assert_null(stage_find(&s, &a, &gone));
	assert_true(rib_validate(s.rib));
	/* And down once more, with the first flood still under way. */
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	stage_up(&s, &a);
	stage_many(&s, &a, 350, 100, 1);
	stage_work_by(&s, 11);
	assert_int_equal(stage_count(&s), 100);
	assert_int_equal(s.announced, 300);
	assert_int_equal(s.synthetic[RIB_REASON_PEER_DOWN], 900 + 200);
	assert_int_equal(s.withdrawn, 1100);
	stage_end(&s);
}

static void test_deconfigured_peer_is_forgotten(void **state)
{
	struct stage_peer a = peer_a();
	struct rib_sizes sizes;

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 500, 1);
	stage_down(&s, &a, BMP_DOWN_DECONFIGURED);
	rib_sizes(s.rib, &sizes);
	assert_int_equal(sizes.pending_withdraw, 500);
	assert_int_equal(sizes.peers, 1);
	stage_work(&s);
	rib_sizes(s.rib, &sizes);
	assert_int_equal(sizes.peers, 0);
	assert_int_equal(sizes.tables, 0);
	assert_int_equal(sizes.prefixes, 0);
	assert_int_equal(stage_count(&s), 0);
	stage_end(&s);
}

static void test_peer_down_of_nobody_is_counted(void **state)
{
	struct stage_peer a = start(NULL);
	struct stage_peer b = stage_peer("192.0.2.11", 1);

	(void)state;
	stage_down(&s, &b, BMP_DOWN_REMOTE);
	assert_int_equal(flow().peer_downs_unmatched, 1);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	assert_int_equal(flow().peer_downs_unmatched, 2);
	assert_int_equal(s.events[RIB_EVENT_PEER_DOWN], 1);
	stage_end(&s);
}

/* Sessions */

static void test_hold_over_withdraws(void **state)
{
	(void)state;
	start(NULL);
	rib_session_close(s.router, &s.when, 3, "reset");
	assert_int_equal(s.events[RIB_EVENT_SESSION_CLOSE], 1);
	assert_int_equal(s.events[RIB_EVENT_STALE], 1);
	stage_pass(&s, 599);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	stage_pass(&s, 1);
	stage_work(&s);
	assert_int_equal(s.synthetic[RIB_REASON_SESSION_LOST], 1);
	stage_end(&s);
}

static void test_hold_of_zero_and_for_ever(void **state)
{
	struct rib_config config = defaults();

	(void)state;
	config.stale_hold_ns = 0;
	start(&config);
	rib_session_close(s.router, &s.when, 0, NULL);
	stage_work(&s);
	assert_int_equal(s.synthetic[RIB_REASON_SESSION_LOST], 1);
	stage_end(&s);

	config.stale_hold_ns = RIB_NEVER;
	start(&config);
	rib_session_close(s.router, &s.when, 0, NULL);
	stage_pass(&s, 100000000);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	assert_int_equal(rib_background(s.rib, &s.when, 1).due_ns, RIB_NEVER);
	stage_end(&s);
}

static void test_reconnect_publishes_only_differences(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_announce(&s, &a, "203.0.113.0/24", 1);
	stage_announce(&s, &a, "192.0.2.0/24", 1);
	stage_end_of_rib(&s, &a, 1, 1);
	reconnect(500);
	stage_forget(&s);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	stage_announce(&s, &a, "203.0.113.0/24", 2);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_int_equal(s.announced, 1);
	assert_int_equal(s.withdrawn, 1);
	assert_int_equal(s.synthetic[RIB_REASON_STALE_SWEEP], 1);
	assert_false(stage_has(&s, &a, "192.0.2.0/24"));
	/* The hold is not running any longer. */
	stage_pass(&s, 5000);
	stage_work(&s);
	assert_int_equal(stage_count(&s), 2);
	stage_end(&s);
}

static void test_stale_peer_that_did_not_return_is_swept(void **state)
{
	struct stage_peer a = start(NULL);
	struct stage_peer b = stage_peer("192.0.2.11", 64520);

	(void)state;
	stage_up(&s, &b);
	stage_announce(&s, &b, "198.51.100.0/24", 7);
	reconnect(5);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_true(stage_has(&s, &b, "198.51.100.0/24"));
	stage_pass(&s, 30);
	stage_work(&s);
	assert_true(stage_has(&s, &a, "198.51.100.0/24"));
	assert_false(stage_has(&s, &b, "198.51.100.0/24"));
	assert_int_equal(s.synthetic[RIB_REASON_STALE_SWEEP], 1);
	stage_end(&s);
}

/* A session that is lost in the middle of its dump proves nothing. */
static void test_session_lost_while_syncing(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	reconnect(5);
	stage_up(&s, &a);
	reconnect(100);
	assert_int_equal(s.withdrawn, 0);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_int_equal(s.changes, 1);
	stage_end(&s);
}

static void test_wall_clock_steps_change_nothing(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	again(&a);
	s.when.wall_ns = 0;
	stage_work(&s);
	stage_announce(&s, &a, "203.0.113.0/24", 7);
	s.when.wall_ns = UINT64_MAX;
	stage_work(&s);
	stage_announce(&s, &a, "192.0.2.0/24", 7);
	assert_int_equal(s.withdrawn, 0);
	stage_end(&s);
}

/* Reading in slices */

#define READ_PEERS 40

static void ignore_table(void *arg, const struct rib_table *table)
{
	(void)arg;
	(void)table;
}

static void count_route(void *arg, const struct rib_table *table,
			const struct rib_stored *route)
{
	(void)table;
	(void)route;
	++*(unsigned *)arg;
}

static struct stage_peer nth_peer(int n)
{
	char address[32];

	snprintf(address, sizeof(address), "10.0.%d.%d", n / 100, n % 100 + 1);
	return stage_peer(address, 64500);
}

/*
 * A slice does not read more peers than its budget, also if they have no
 * routes: a router may have 100,000.
 */
static void test_a_slice_of_many_peers(void **state)
{
	unsigned routes = 0, slices = 0;
	struct rib_visitor visitor = { ignore_table, count_route, &routes };
	struct rib_cursor cursor = { 0 };

	(void)state;
	stage_start(&s, NULL);
	for (int n = 0; n < READ_PEERS; n++) {
		struct stage_peer p = nth_peer(n);

		stage_up(&s, &p);
		if (n % 10 == 0)
			stage_announce(&s, &p, "198.51.100.0/24", 1);
	}
	while (rib_read_routes(s.router, &cursor, 4, &visitor))
		slices++;
	assert_int_equal(routes, READ_PEERS / 10);
	assert_true(slices >= READ_PEERS / 4);
	stage_end(&s);
}

/* The peer where a slice ended, and those around it, go before the next one. */
static void test_peers_that_go_between_slices(void **state)
{
	unsigned routes = 0;
	struct rib_visitor visitor = { ignore_table, count_route, &routes };
	struct rib_cursor cursor = { 0 };
	int gone = 0;

	(void)state;
	stage_start(&s, NULL);
	for (int n = 0; n < READ_PEERS; n++) {
		struct stage_peer p = nth_peer(n);

		stage_up(&s, &p);
		if (n % 4 == 3)
			stage_announce(&s, &p, "198.51.100.0/24", 1);
	}
	while (rib_read_routes(s.router, &cursor, 1, &visitor)) {
		for (int n = gone; n < gone + 3 && n < READ_PEERS; n++) {
			struct stage_peer p = nth_peer(n);

			stage_down(&s, &p, BMP_DOWN_DECONFIGURED);
		}
		gone += 4;
		stage_work(&s);
		assert_true(rib_validate(s.rib));
	}
	assert_int_equal(routes, READ_PEERS / 4);
	stage_end(&s);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_routes_without_peer_up_are_accepted),
		cmocka_unit_test(test_peer_down_withdraws_all_views),
		cmocka_unit_test(test_announcement_in_the_middle_of_a_flood),
		cmocka_unit_test(test_deconfigured_peer_is_forgotten),
		cmocka_unit_test(test_peer_down_of_nobody_is_counted),
		cmocka_unit_test(test_hold_over_withdraws),
		cmocka_unit_test(test_hold_of_zero_and_for_ever),
		cmocka_unit_test(test_reconnect_publishes_only_differences),
		cmocka_unit_test(test_stale_peer_that_did_not_return_is_swept),
		cmocka_unit_test(test_session_lost_while_syncing),
		cmocka_unit_test(test_wall_clock_steps_change_nothing),
		cmocka_unit_test(test_a_slice_of_many_peers),
		cmocka_unit_test(test_peers_that_go_between_slices),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
