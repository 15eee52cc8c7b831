/* The table of COLLECTOR.md section 4, row by row. */
#include "curation.h"

#include "rib/restore.h"
#include "rib/walk.h"

static struct stage s;

static struct stage_peer peer_a(void)
{
	return stage_peer("192.0.2.10", 64510);
}

static struct rib_flow flow(void)
{
	struct rib_flow f;

	rib_flow(s.rib, &f);
	return f;
}

/* A peer that is up and has told 198.51.100.0/24, MED 7. */
static struct stage_peer start(const struct rib_config *config)
{
	struct stage_peer a = peer_a();

	stage_start(&s, config);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	return a;
}

static struct rib_config defaults(void)
{
	struct rib_config c;

	rib_config_defaults(&c);
	return c;
}

static void reconnect(uint64_t after)
{
	uint8_t address[16];

	memcpy(address, rib_router_info(s.router)->address, 16);
	rib_session_close(s.router, &s.when, 0, "gone");
	stage_pass(&s, after);
	stage_work(&s);
	rib_session_open(s.router, &s.when, address, 4001, NULL);
}

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

		config.mode = modes[i];
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
	stage_up(&s, &a);
	/* Half of the flood is still to come; these are told anew already. */
	rib_work(s.rib, &s.when, 250);
	stage_many(&s, &a, 400, 50, 1);
	stage_many(&s, &a, 100, 50, 1);
	stage_work_by(&s, 7);
	/* stage_change() fails if a withdraw names another AS than it should. */
	assert_int_equal(s.synthetic[RIB_REASON_PEER_DOWN], 500);
	assert_int_equal(s.announced, 100);
	assert_int_equal(stage_count(&s), 100);
	assert_int_equal(flow().as_changes, 1);
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
	rib_work(s.rib, &s.when, 400);
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
	rib_work(s.rib, &s.when, 300);
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

static void again(struct stage_peer *a)
{
	a->port++;
	stage_up(&s, a);
	stage_forget(&s);
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
	struct rib_work work;

	(void)state;
	again(&a);
	work = rib_work(s.rib, &s.when, 100);
	assert_false(work.more);
	assert_int_equal(work.due_ns, s.when.now_ns + SECONDS(30));
	stage_end_of_rib(&s, &a, 1, 1);
	stage_pass(&s, 30);
	work = rib_work(s.rib, &s.when, 100);
	assert_int_equal(work.due_ns, RIB_NEVER);
	stage_end(&s);
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
	rib_work(s.rib, &s.when, 300);
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
	assert_int_equal(sizes.dying, 500);
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
	assert_int_equal(rib_work(s.rib, &s.when, 1).due_ns, RIB_NEVER);
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

static void test_dropped_updates_make_the_tables_unknown(void **state)
{
	struct stage_peer a = start(NULL);

	(void)state;
	assert_int_equal(rib_drop(s.router, &s.when, &a.header), 0);
	assert_int_equal(rib_drop(s.router, &s.when, &a.header), 0);
	assert_int_equal(s.events[RIB_EVENT_UNKNOWN], 1);
	again(&a);
	assert_int_equal(rib_drop(s.router, &s.when, &a.header), 0);
	assert_int_equal(s.events[RIB_EVENT_UNKNOWN], 1);
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
		cmocka_unit_test(test_treat_as_withdraw),
		cmocka_unit_test(test_bad_attribute_is_discarded),
		cmocka_unit_test(test_unreadable_routes_make_the_table_suspect),
		cmocka_unit_test(test_unreadable_message_makes_the_view_suspect),
		cmocka_unit_test(test_dropped_updates_make_the_tables_unknown),
		cmocka_unit_test(test_limit_refuses_new_routes_only),
		cmocka_unit_test(test_limits_of_router_and_of_all),
		cmocka_unit_test(test_limit_on_peers_and_tables),
		cmocka_unit_test(test_resync_publishes_again),
		cmocka_unit_test(test_purged_peer_and_router),
		cmocka_unit_test(test_statistics_are_passed_on),
		cmocka_unit_test(test_slots),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
