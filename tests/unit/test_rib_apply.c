/* Rules of curation, one by one: routes, Peer Ups, dumps. */
#include "curation_cases.h"

#include "rib/restore.h"

/* Announcements and withdraws */

static void test_announce_is_stored_and_published(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	assert_int_equal(s.announced, 1);
	assert_int_equal(stage_med(&s, &a, "198.51.100.0/24"), 7);
	assert_int_equal(rib_router_routes(s.router), 1);
	stage_end(&s);
}

static void test_same_value_is_suppressed(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_int_equal(s.announced, 1);
	assert_int_equal(flow().suppressed[RIB_SUPPRESSED_SAME], 1);
	stage_end(&s);
}

static void test_other_value_is_published(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_announce(&s, &a, "198.51.100.0/24", 8);
	assert_int_equal(s.announced, 2);
	assert_int_equal(stage_med(&s, &a, "198.51.100.0/24"), 8);
	assert_int_equal(rib_router_routes(s.router), 1);
	stage_end(&s);
}

static void test_withdraw_is_published_once(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_withdraw(&s, &a, "198.51.100.0/24");
	stage_withdraw(&s, &a, "198.51.100.0/24");
	stage_withdraw(&s, &a, "203.0.113.0/24");
	assert_int_equal(s.withdrawn, 1);
	assert_int_equal(s.synthetic[RIB_REASON_NONE], 0);
	assert_int_equal(stage_count(&s), 0);
	assert_int_equal(flow().suppressed[RIB_SUPPRESSED_ABSENT], 2);
	stage_end(&s);
}

/* RFC 4271 4.3: a prefix in both is announced. */
static void test_withdraws_come_before_announcements(void **state)
{
	static const uint8_t body[] = {
		0,    4,  24,	198,  51,   100, /* withdrawn */
		0,    27, 0x40, 1,    1,    0,	 0x40, 2,   6,	 2,  1,
		0,    0,  0xfb, 0xf4, 0x40, 3,	 4,    192, 0,	 2,  1,
		0x80, 4,  4,	0,    0,    0,	 9,    24,  198, 51, 100,
	};
	uint8_t pdu[19 + sizeof(body)];
	struct stage_peer a = start(NULL);

	(void)state;
	memset(pdu, 0xff, 16);
	pdu[16] = 0;
	pdu[17] = sizeof(pdu);
	pdu[18] = 2;
	memcpy(pdu + 19, body, sizeof(body));
	stage_pdu(&s, &a, pdu, sizeof(pdu));
	assert_int_equal(s.withdrawn, 1);
	assert_int_equal(stage_med(&s, &a, "198.51.100.0/24"), 9);
	stage_end(&s);
}

/* One UPDATE, the same prefix many times. */
static void test_repeats_inside_one_update(void **state)
{
	struct stage_peer a = start(NULL);
	struct bgp_nlri twice[200];

	(void)state;
	for (size_t i = 0; i < COUNT(twice); i++)
		twice[i] = stage_nlri(i % 2 ? "10.0.0.0/8" : "11.0.0.0/8");
	stage_put(&s, &a, twice, COUNT(twice), 1);
	assert_int_equal(s.announced, 3);
	stage_take(&s, &a, twice, COUNT(twice));
	assert_int_equal(s.withdrawn, 2);
	assert_int_equal(stage_count(&s), 1);
	stage_end(&s);
}

static void test_presence_suppresses_other_values(void **state)
{
	struct rib_config config = defaults();
	struct stage_peer a;

	(void)state;
	config.mode = RIB_MODE_PRESENCE;
	a = start(&config);
	stage_announce(&s, &a, "198.51.100.0/24", 8);
	assert_int_equal(s.announced, 1);
	assert_int_equal(flow().suppressed[RIB_SUPPRESSED_PRESENT], 1);
	stage_withdraw(&s, &a, "198.51.100.0/24");
	assert_int_equal(s.withdrawn, 1);
	stage_end(&s);
}

/* What a restart knows of a route by its stream: that it is there. */
static void restore_unknown(const struct stage_peer *a)
{
	static const uint8_t key[] = { 24, 203, 0, 113 };
	const struct rib_stored route = { .key = { key, sizeof(key) } };
	struct rib_peer_state state = { .type = a->header.type,
					.as = a->header.as,
					.bgp_id = a->header.bgp_id };
	struct rib_table *table;
	struct rib_peer *peer;

	memcpy(state.address, a->header.address, 16);
	assert_int_equal(rib_restore_peer(s.router, &state, &peer), 0);
	assert_int_equal(rib_restore_table(peer, BMP_VIEW_IN_PRE, 1, 1, 0,
					   &table),
			 0);
	assert_int_equal(rib_restore_seen(table, &route, true, 0), 0);
}

static void test_unknown_attributes_count_as_present(void **state)
{
	static const enum rib_mode modes[] = { RIB_MODE_ATTRIBUTES,
					       RIB_MODE_PRESENCE };

	(void)state;
	for (size_t i = 0; i < COUNT(modes); i++) {
		struct rib_config config = defaults();
		struct stage_peer a = peer_a();

		config.mode = (uint8_t)modes[i];
		stage_start(&s, &config);
		restore_unknown(&a);
		stage_up(&s, &a);
		stage_announce(&s, &a, "203.0.113.0/24", 8);
		/* Unknown is another value, but it is there. */
		assert_int_equal(s.announced, modes[i] == RIB_MODE_ATTRIBUTES);
		assert_int_equal(rib_router_routes(s.router), 1);
		stage_end(&s);
	}
}

static void test_off_forwards_everything(void **state)
{
	struct rib_config config = defaults();
	struct stage_peer a;

	(void)state;
	config.mode = RIB_MODE_OFF;
	a = start(&config);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	stage_withdraw(&s, &a, "203.0.113.0/24");
	assert_int_equal(s.announced, 2);
	assert_int_equal(s.withdrawn, 1);
	assert_int_equal(rib_router_routes(s.router), 0);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	stage_work(&s);
	assert_int_equal(s.changes, 3);
	stage_end(&s);
}

/* Peer Up */

static void test_equal_peer_up_is_ignored(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_end_of_rib(&s, &a, 1, 1);
	stage_up(&s, &a);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_int_equal(flow().peer_up_repeats, 1);
	assert_int_equal(s.events[RIB_EVENT_PEER_UP], 1);
	assert_int_equal(stage_count(&s), 1);
	stage_end(&s);
}

static void test_new_session_of_a_peer_is_a_generation(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_announce(&s, &a, "203.0.113.0/24", 7);
	stage_end_of_rib(&s, &a, 1, 1);
	a.port = 50000;
	stage_up(&s, &a);
	stage_forget(&s);
	stage_announce(&s, &a, "203.0.113.0/24", 7);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_int_equal(s.announced, 0);
	assert_int_equal(s.synthetic[RIB_REASON_STALE_SWEEP], 1);
	assert_int_equal(s.events[RIB_EVENT_SWEPT], 1);
	assert_int_equal(s.last_event.routes, 1);
	assert_true(stage_has(&s, &a, "203.0.113.0/24"));
	assert_false(stage_has(&s, &a, "198.51.100.0/24"));
	stage_end(&s);
}

static void test_loc_rib_merges_and_only_new_families_start(void **state)
{
	struct stage_peer l = stage_loc_rib(1);

	(void)state;
	stage_start(&s, NULL);
	l.families = bgp_family_bit(BGP_IPV4_UNICAST);
	stage_up(&s, &l);
	stage_announce(&s, &l, "198.51.100.0/24", 1);
	stage_announce(&s, &l, "2001:db8::/32", 1);
	stage_end_of_rib(&s, &l, 1, 1);
	stage_end_of_rib(&s, &l, 2, 1);
	l.families = bgp_family_bit(BGP_IPV6_UNICAST);
	stage_up(&s, &l);
	assert_int_equal(flow().peer_up_merges, 1);
	stage_end_of_rib(&s, &l, 1, 1);
	stage_end_of_rib(&s, &l, 2, 1);
	stage_work(&s);
	/* IPv6 was told anew, and is not there; IPv4 was not. */
	assert_true(stage_has(&s, &l, "198.51.100.0/24"));
	assert_false(stage_has(&s, &l, "2001:db8::/32"));
	stage_end(&s);
}

static void check_generations(int ups)
{
	struct stage_peer a = start(NULL);

	for (int i = 0; i < ups; i++) {
		a.port = (uint16_t)(1000 + i);
		stage_up(&s, &a);
		if (i % 3 == 0)
			stage_announce(&s, &a, "203.0.113.0/24", 1);
	}
	assert_true(rib_validate(s.rib));
	stage_announce(&s, &a, "203.0.113.0/24", 1);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_true(stage_has(&s, &a, "203.0.113.0/24"));
	assert_false(stage_has(&s, &a, "198.51.100.0/24"));
	stage_end(&s);
}

/* Whatever the number, a route of the first is not taken for one of the last. */
static void test_more_generations_than_bits(void **state)
{
	(void)state;
	for (int ups = 1; ups < 50; ups++)
		check_generations(ups);
}

static void test_as_change_withdraws_on_the_old_subject(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 500, 1);
	stage_forget(&s);
	a.header.as = 64999;
	a.port++;
	assert_false(rib_router_subject_changing(s.router));
	stage_up(&s, &a);
	/* Half of the flood is still to come; these are told anew already. */
	rib_background(s.rib, &s.when, 250);
	assert_true(rib_router_subject_changing(s.router));
	stage_many(&s, &a, 400, 50, 1);
	stage_many(&s, &a, 100, 50, 1);
	stage_work_by(&s, 7);
	assert_false(rib_router_subject_changing(s.router));
	/* stage_change() fails if a withdraw names another AS than it should. */
	assert_int_equal(s.synthetic[RIB_REASON_PEER_DOWN], 500);
	assert_int_equal(s.subject_changed, 500);
	assert_int_equal(s.announced, 100);
	assert_int_equal(stage_count(&s), 100);
	assert_int_equal(flow().as_changes, 1);
	stage_end(&s);
}

/* The flood of a Peer Down moves, too, and nothing can be put off then. */
static void test_as_change_of_an_implied_peer(void **state)
{
	struct stage_peer a = peer_a();
	struct rib_sizes sizes;

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 500, 1);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	stage_forget(&s);
	a.header.as = 64999;
	stage_many(&s, &a, 0, 1, 1);
	assert_false(rib_router_subject_changing(s.router));
	rib_sizes(s.rib, &sizes);
	assert_int_equal(sizes.pending_withdraw, 0);
	assert_int_equal(s.withdrawn, 500);
	assert_int_equal(s.subject_changed, 500);
	assert_int_equal(stage_count(&s), 1);
	stage_end(&s);
}

/*
 * What is taken back is not counted by any limit. A router that goes on doing
 * so before anything of it was told must not fill the memory.
 */
static void test_floods_do_not_pile_up(void **state)
{
	struct stage_peer a = peer_a();
	struct rib_sizes sizes;

	(void)state;
	stage_start(&s, NULL);
	for (unsigned i = 0; i < 20; i++) {
		stage_up(&s, &a);
		stage_many(&s, &a, 100 * i, 100, 1);
		stage_down(&s, &a, BMP_DOWN_REMOTE);
		a.port++;
		rib_sizes(s.rib, &sizes);
		CHECK(sizes.pending_withdraw <= 200, "%u: %llu", i,
		      (unsigned long long)sizes.pending_withdraw);
	}
	stage_work(&s);
	assert_int_equal(s.withdrawn, 2000);
	assert_int_equal(stage_count(&s), 0);
	stage_end(&s);
}

/* The AS is the same, and it is another router at that address. */
static void test_bgp_id_change_withdraws_the_old_table(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	stage_forget(&s);
	a.header.bgp_id++;
	a.port++;
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_int_equal(s.synthetic[RIB_REASON_PEER_DOWN], 1);
	assert_int_equal(s.withdrawn, 1);
	assert_int_equal(s.announced, 1);
	assert_int_equal(flow().as_changes, 1);
	stage_end(&s);
}

/* End-of-RIB and timers */

static void test_end_of_rib_is_of_one_table(void **state)
{
	struct stage_peer a = start(NULL);
	struct stage_peer post = a;

	(void)state;
	stage_view(&post, BMP_VIEW_IN_POST);
	stage_announce(&s, &a, "2001:db8::/32", 1);
	stage_announce(&s, &post, "198.51.100.0/24", 1);
	a.port++;
	stage_up(&s, &a);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_false(stage_has(&s, &a, "198.51.100.0/24"));
	assert_true(stage_has(&s, &a, "2001:db8::/32"));
	assert_true(stage_has(&s, &post, "198.51.100.0/24"));
	assert_int_equal(s.events[RIB_EVENT_END_OF_RIB], 1);
	stage_end(&s);
}

/* Whatever comes between two slices of a sweep. */
static void test_announcement_in_the_middle_of_a_sweep(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 900, 1);
	a.port++;
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 100, 1);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_forget(&s);
	rib_background(s.rib, &s.when, 400);
	assert_true(s.withdrawn > 200 && s.withdrawn < 500);
	/* Of these, some are swept by now and some not yet. */
	stage_many(&s, &a, 300, 200, 1);
	stage_many(&s, &a, 850, 10, 2);
	stage_work_by(&s, 13);
	assert_int_equal(stage_count(&s), 310);
	/* 800 were not told again before the end, and 10 changed after it. */
	assert_int_equal(s.withdrawn, 800 - 200 - 10 + (s.announced - 10));
	assert_int_equal(s.events[RIB_EVENT_SWEPT], 1);
	stage_end(&s);
}

/* A new generation while a sweep is under way puts it off. */
static void test_peer_up_in_the_middle_of_a_sweep(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 900, 1);
	a.port++;
	stage_up(&s, &a);
	stage_end_of_rib(&s, &a, 1, 1);
	rib_background(s.rib, &s.when, 300);
	a.port++;
	stage_up(&s, &a);
	stage_forget(&s);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	stage_many(&s, &a, 0, 900, 1);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	assert_int_equal(stage_count(&s), 900);
	stage_end(&s);
}

static void test_quiet_sweeps(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	again(&a);
	stage_announce(&s, &a, "203.0.113.0/24", 1);
	stage_pass(&s, 29);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	stage_pass(&s, 1);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 1);
	assert_int_equal(flow().missed_ends, 1);
	stage_end(&s);
}

/* Any Route Monitoring of the router keeps all of its tables waiting. */
static void test_another_peer_breaks_the_quiet(void **state)
{
	struct stage_peer a = start(NULL);
	struct stage_peer b = stage_peer("2001:db8::b", 64520);

	(void)state;
	stage_up(&s, &b);
	again(&a);
	for (int i = 0; i < 10; i++) {
		stage_pass(&s, 20);
		stage_announce(&s, &b, "203.0.113.0/24", (uint32_t)i);
		stage_work(&s);
	}
	assert_int_equal(s.withdrawn, 0);
	stage_pass(&s, 30);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 1);
	stage_end(&s);
}

static void test_sweep_max_ends_a_dump_without_quiet(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	again(&a);
	for (int i = 0; i < 29; i++) {
		stage_announce(&s, &a, "203.0.113.0/24", (uint32_t)i);
		stage_pass(&s, 10);
		stage_work(&s);
	}
	assert_int_equal(s.withdrawn, 0);
	stage_announce(&s, &a, "203.0.113.0/24", 100);
	stage_pass(&s, 10);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 1);
	stage_end(&s);
}

/* A table that saw nothing yet waits for the quiet, or for an hour. */
static void test_table_without_routes_waits_an_hour(void **state)
{
	struct stage_peer a = start(NULL);
	struct stage_peer b = stage_peer("192.0.2.11", 64520);
	unsigned minutes = 0;

	(void)state;
	stage_up(&s, &b);
	again(&a);
	while (s.withdrawn == 0) {
		stage_announce(&s, &b, "203.0.113.0/24", minutes++);
		for (int i = 0; i < 3; i++) {
			stage_pass(&s, 20);
			stage_work(&s);
			stage_announce(&s, &b, "203.0.113.0/24", 1000);
		}
	}
	assert_in_range(minutes, 60, 61);
	stage_end(&s);
}

static void test_clocks_stand_still_while_paused(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	again(&a);
	stage_pass(&s, 20);
	rib_session_pause(s.router, &s.when);
	rib_session_pause(s.router, &s.when);
	stage_pass(&s, 5000);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	rib_session_resume(s.router, &s.when);
	rib_session_resume(s.router, &s.when);
	stage_pass(&s, 9);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 0);
	stage_pass(&s, 1);
	stage_work(&s);
	assert_int_equal(s.withdrawn, 1);
	stage_end(&s);
}

static void test_work_says_when_it_is_due(void **state)
{
	struct stage_peer a = start(NULL);
	struct rib_background work;

	(void)state;
	again(&a);
	work = rib_background(s.rib, &s.when, 100);
	assert_false(work.more);
	assert_int_equal(work.due_ns, s.when.now_ns + SECONDS(30));
	stage_end_of_rib(&s, &a, 1, 1);
	stage_pass(&s, 30);
	work = rib_background(s.rib, &s.when, 100);
	assert_int_equal(work.due_ns, RIB_NEVER);
	stage_end(&s);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_announce_is_stored_and_published),
		cmocka_unit_test(test_same_value_is_suppressed),
		cmocka_unit_test(test_other_value_is_published),
		cmocka_unit_test(test_withdraw_is_published_once),
		cmocka_unit_test(test_withdraws_come_before_announcements),
		cmocka_unit_test(test_repeats_inside_one_update),
		cmocka_unit_test(test_presence_suppresses_other_values),
		cmocka_unit_test(test_unknown_attributes_count_as_present),
		cmocka_unit_test(test_off_forwards_everything),
		cmocka_unit_test(test_equal_peer_up_is_ignored),
		cmocka_unit_test(test_new_session_of_a_peer_is_a_generation),
		cmocka_unit_test(test_loc_rib_merges_and_only_new_families_start),
		cmocka_unit_test(test_more_generations_than_bits),
		cmocka_unit_test(test_as_change_withdraws_on_the_old_subject),
		cmocka_unit_test(test_as_change_of_an_implied_peer),
		cmocka_unit_test(test_floods_do_not_pile_up),
		cmocka_unit_test(test_bgp_id_change_withdraws_the_old_table),
		cmocka_unit_test(test_end_of_rib_is_of_one_table),
		cmocka_unit_test(test_announcement_in_the_middle_of_a_sweep),
		cmocka_unit_test(test_peer_up_in_the_middle_of_a_sweep),
		cmocka_unit_test(test_quiet_sweeps),
		cmocka_unit_test(test_another_peer_breaks_the_quiet),
		cmocka_unit_test(test_sweep_max_ends_a_dump_without_quiet),
		cmocka_unit_test(test_table_without_routes_waits_an_hour),
		cmocka_unit_test(test_clocks_stand_still_while_paused),
		cmocka_unit_test(test_work_says_when_it_is_due),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
