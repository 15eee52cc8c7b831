/* Sequences after a restart that cannot say how far they were. */
#include "curation_cases.h"

#include "rib/restore.h"
#include "rib/session.h"

#define LEAP UINT64_C(7000000000000000)

static uint64_t last_sequence;

static void take_change(void *arg, const struct rib_change *c)
{
	(void)arg;
	for (size_t i = 0; i < c->count; i++)
		last_sequence = c->routes[i].sequence;
}

static void take_event(void *arg, const struct rib_event *e)
{
	(void)arg;
	(void)e;
}

static void begin(void)
{
	static const struct rib_identity id = {
		.address = { [10] = 0xff, [11] = 0xff, [12] = 192, [15] = 9 }
	};
	struct rib_sink sink = { .change = take_change, .event = take_event };

	memset(&s, 0, sizeof(s));
	last_sequence = 0;
	rib_config_defaults(&s.config);
	assert_int_equal(rib_new(&s.config, &sink, &s.rib), 0);
	assert_int_equal(rib_router_get(s.rib, &id, &s.router), 0);
}

/* A table of IPv4 unicast of a peer that is as peer_a() is. */
static struct rib_table *restore_table(uint64_t sequence)
{
	struct rib_peer_state state = { .as = 64510 };
	struct rib_table *table;
	struct rib_peer *peer;

	stage_address(state.address, "192.0.2.10");
	assert_int_equal(rib_restore_peer(s.router, &state, &peer), 0);
	assert_int_equal(rib_restore_table(peer, BMP_VIEW_IN_PRE, 1, 1,
					   sequence, &table),
			 0);
	return table;
}

static void test_tables_of_the_router_leap(void **state)
{
	struct stage_peer a = peer_a(), b = stage_peer("192.0.2.11", 64510);

	(void)state;
	begin();
	restore_table(12);
	rib_restore_sequence_floor(s.router, LEAP);
	rib_restore_done(s.rib, &s.when);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_int_equal(last_sequence, LEAP + 1);
	/* Also what nobody knew. */
	stage_announce(&s, &a, "2001:db8::/32", 7);
	assert_int_equal(last_sequence, LEAP + 1);
	stage_up(&s, &b);
	stage_announce(&s, &b, "198.51.100.0/24", 7);
	assert_int_equal(last_sequence, LEAP + 1);
	stage_announce(&s, &b, "198.51.100.0/24", 8);
	assert_int_equal(last_sequence, LEAP + 2);
	stage_end(&s);
}

static void test_a_leap_never_goes_back(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	begin();
	restore_table(LEAP + 5);
	rib_restore_sequence_floor(s.router, LEAP);
	rib_restore_sequence_floor(s.router, 1);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_int_equal(last_sequence, LEAP + 6);
	stage_announce(&s, &a, "2001:db8::/32", 7);
	assert_int_equal(last_sequence, LEAP + 1);
	stage_end(&s);
}

static void test_routers_to_come_leap(void **state)
{
	static const struct rib_identity other = { .name = "other" };
	struct stage_peer a = peer_a();

	(void)state;
	begin();
	restore_table(12);
	rib_restore_sequence_floor_new(s.rib, LEAP);
	/* Not those that are known. */
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_int_equal(last_sequence, 13);
	assert_int_equal(rib_router_get(s.rib, &other, &s.router), 0);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_int_equal(last_sequence, LEAP + 1);
	stage_end(&s);
}

static void restore_seen(struct rib_table *table, uint8_t third)
{
	uint8_t key[4] = { 24, 198, 51, third };
	struct rib_stored route = { .key = { key, sizeof(key) } };

	assert_int_equal(rib_restore_seen(table, &route, true, 5), 0);
}

/*
 * What the log announced is there without attributes. Behind a resync, at
 * which consumers forget it, it cannot be announced again: if its router does
 * not have it either, nobody must be told that it is gone.
 */
static void test_behind_a_resync_nothing_unknown_is_withdrawn(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	for (int how = 0; how < 3; how++) {
		struct rib_table *table;
		size_t routes;

		begin();
		table = restore_table(12);
		restore_seen(table, 100);
		restore_seen(table, 101);
		if (how == 1)
			rib_restore_forget_unknown(s.router);
		rib_restore_done(s.rib, &s.when);
		if (how > 0) {
			rib_resync(s.router, &s.when);
			(void)rib_background(s.rib, &s.when, 100);
		}
		routes = rib_router_routes(s.router);
		assert_int_equal(routes, how == 0 ? 2 : 0);
		stage_up(&s, &a);
		stage_announce(&s, &a, "198.51.100.0/24", 7);
		/* The announcement alone, or withdraws before it. */
		assert_int_equal(last_sequence, how == 0 ? 15 : 13);
		stage_end(&s);
	}
}

/* A peer that was forgotten does not use its numbers again. */
static void test_a_peer_that_returns_goes_on(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	begin();
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	stage_announce(&s, &a, "198.51.100.0/24", 8);
	assert_int_equal(last_sequence, 2);
	stage_down(&s, &a, BMP_DOWN_DECONFIGURED);
	assert_int_equal(last_sequence, 3);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	assert_int_equal(last_sequence, 4);
	stage_end(&s);
}

/*
 * A peer that is restored while its withdraws are unpublished is not freed with
 * the routes that were restored: they are withdrawn when the hold is over.
 */
static void test_a_leaving_peer_that_is_restored_stays(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	begin();
	restore_seen(restore_table(12), 100);
	assert_true(rib_peer_purge(s.router, &s.when, &a.header));
	restore_seen(restore_table(12), 101);
	rib_restore_done(s.rib, &s.when);
	(void)rib_background(s.rib, &s.when, 100);
	assert_int_equal(last_sequence, 13);
	assert_int_equal(rib_router_routes(s.router), 1);
	assert_true(rib_validate(s.rib));
	s.when.now_ns += s.config.stale_hold_ns + 1;
	(void)rib_background(s.rib, &s.when, 100);
	assert_int_equal(last_sequence, 14);
	assert_int_equal(rib_router_routes(s.router), 0);
	stage_end(&s);
}

/* Nothing of a peer that is up is withdrawn because it was restored, too. */
static void test_a_peer_that_is_up_stays_up(void **state)
{
	struct stage_peer a = peer_a();
	struct rib_router_state router;

	(void)state;
	begin();
	stage_up(&s, &a);
	restore_table(12);
	rib_router_state(s.router, &router);
	assert_int_equal(router.peers_up, 1);
	assert_int_equal(router.peers_stale, 0);
	assert_true(rib_validate(s.rib));
	stage_end(&s);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_of_the_router_leap),
		cmocka_unit_test(test_a_leap_never_goes_back),
		cmocka_unit_test(test_routers_to_come_leap),
		cmocka_unit_test(test_behind_a_resync_nothing_unknown_is_withdrawn),
		cmocka_unit_test(test_a_peer_that_returns_goes_on),
		cmocka_unit_test(test_a_leaving_peer_that_is_restored_stays),
		cmocka_unit_test(test_a_peer_that_is_up_stays_up),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
