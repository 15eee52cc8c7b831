/* Updates that were dropped before the rib: what becomes of their tables. */
#include "curation_cases.h"

#include "rib/read.h"

static void drop(const struct stage_peer *p)
{
	struct rib_peer *peer = rib_peer_lookup(s.router, &p->header);

	if (peer == NULL)
		assert_int_equal(rib_peer_imply(s.router, &s.when, &p->header,
						/* policy= */ NULL,
						/* can_wait= */ true, &peer),
				 0);
	rib_drop(peer, &s.when, &p->header);
}

/* Of the first peer, by the number of the table. */
static bool is_unknown(unsigned n)
{
	struct rib_peer *peer = rib_peer_next(s.router, NULL);
	struct rib_table *t = rib_table_next(peer, NULL);
	struct rib_table_state state;

	while (n-- > 0)
		t = rib_table_next(peer, t);
	rib_table_state(t, &state);
	return state.unknown;
}

/* The session is lost, and there again. */
static void reconnect(void)
{
	uint8_t address[16];

	memcpy(address, rib_router_info(s.router)->address, sizeof(address));
	rib_session_close(s.router, &s.when, 0, "gone");
	rib_session_open(s.router, &s.when, address, 4000, NULL);
	stage_forget(&s);
}

static void test_dropped_updates_make_the_tables_unknown(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_announce(&s, &a, "2001:db8::/32", 1);
	assert_false(is_unknown(0) || is_unknown(1));
	drop(&a);
	drop(&a);
	assert_int_equal(s.events[RIB_EVENT_UNKNOWN], 1);
	assert_true(is_unknown(0) && is_unknown(1));
	again(&a);
	assert_false(is_unknown(0) || is_unknown(1));
	drop(&a);
	assert_int_equal(s.events[RIB_EVENT_UNKNOWN], 1);
	stage_end(&s);
}

static void test_a_table_first_heard_of_after_a_drop_is_unknown(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	drop(&a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_true(is_unknown(0));
	again(&a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	stage_announce(&s, &a, "2001:db8::/32", 1);
	assert_false(is_unknown(0) || is_unknown(1));
	stage_end(&s);
}

/* GoBGP's Loc-RIB has no Peer Up: the first message is what brings it up. */
static void test_a_drop_implies_the_peer(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	stage_start(&s, NULL);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	reconnect();
	drop(&a);
	stage_announce(&s, &a, "203.0.113.0/24", 7);
	assert_int_equal(flow().implied_peers, 2);
	assert_true(is_unknown(0));
	/* Nor is it one that the router did not bring up again. */
	stage_pass(&s, 10000);
	stage_work(&s);
	assert_true(stage_has(&s, &a, "198.51.100.0/24"));
	stage_end(&s);
}

/* Another family is told anew, and nothing of what was dropped. */
static void test_a_merge_does_not_end_what_is_unknown(void **state)
{
	struct stage_peer loc = stage_loc_rib(0);

	(void)state;
	stage_start(&s, NULL);
	loc.families = bgp_family_bit(BGP_IPV4_UNICAST);
	stage_up(&s, &loc);
	drop(&loc);
	loc.families = bgp_family_bit(BGP_IPV6_UNICAST);
	stage_up(&s, &loc);
	stage_announce(&s, &loc, "198.51.100.0/24", 7);
	assert_int_equal(flow().peer_up_merges, 1);
	assert_true(is_unknown(0));
	stage_end(&s);
}

/* As of a dump that was cut off: it proves nothing about what it lacks. */
static void test_an_unknown_table_is_not_swept(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_end_of_rib(&s, &a, 1, 1);
	again(&a);
	drop(&a);
	stage_announce(&s, &a, "203.0.113.0/24", 7);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	assert_int_equal(s.events[RIB_EVENT_END_OF_RIB], 1);
	assert_int_equal(s.events[RIB_EVENT_SWEPT], 0);
	/* Nor later, by the clock. */
	stage_pass(&s, 10000);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	stage_end(&s);
}

static void test_the_next_dump_repairs_an_unknown_table(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_announce(&s, &a, "192.0.2.0/24", 1);
	stage_end_of_rib(&s, &a, 1, 1);
	/* Of these, one withdraw, one change and one new route are dropped. */
	drop(&a);
	reconnect();
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 8);
	stage_announce(&s, &a, "203.0.113.0/24", 7);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_int_equal(s.events[RIB_EVENT_SWEPT], 1);
	assert_false(is_unknown(0));
	assert_int_equal(stage_count(&s), 2);
	assert_int_equal(stage_med(&s, &a, "198.51.100.0/24"), 8);
	assert_true(stage_has(&s, &a, "203.0.113.0/24"));
	stage_end(&s);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dropped_updates_make_the_tables_unknown),
		cmocka_unit_test(test_a_table_first_heard_of_after_a_drop_is_unknown),
		cmocka_unit_test(test_a_drop_implies_the_peer),
		cmocka_unit_test(test_a_merge_does_not_end_what_is_unknown),
		cmocka_unit_test(test_an_unknown_table_is_not_swept),
		cmocka_unit_test(test_the_next_dump_repairs_an_unknown_table),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
