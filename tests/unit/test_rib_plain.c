/*
 * The straight way of the rib against the general one (two_ways.h): sessions as
 * routers have them, with messages changed at random, Peer Downs and background
 * work in between.
 */
#include "check.h"
#include "two_ways.h"

#include "load/router.h"

#define PIECE (64u << 10)

static uint32_t next_random(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(*random >> 33);
}

/*
 * Change a few bytes behind the headers of messages, so that attributes,
 * prefixes and lengths of all kinds occur.
 */
static void damage(uint8_t *p, size_t len, uint64_t *random)
{
	struct wire_view rest = { p, len };
	struct bmp_frame frame;
	size_t want;

	while (bmp_frame_next(rest, 1u << 20, &frame, &want) ==
	       BMP_FRAME_WHOLE) {
		size_t at = 48 + next_random(random) % 120;

		if (frame.type == BMP_ROUTE_MONITORING &&
		    next_random(random) % 8 == 0 && at < frame.whole.len)
			p[at] ^= (uint8_t)(1u << next_random(random) % 8);
		p += frame.whole.len;
		rest.p += frame.whole.len;
		rest.len -= frame.whole.len;
	}
}

static void feed_all(struct two_ways *t, struct load_router *router,
		     uint8_t *buf, uint64_t *random, bool damaged)
{
	size_t len;

	while ((len = load_router_fill(router, LOAD_NO_END, buf,
				       4200 + next_random(random) % 9000)) >
	       0) {
		if (damaged)
			damage(buf, len, random);
		t->together = 1 + next_random(random) % RIB_LOOKAHEAD;
		two_ways_feed(t, (struct wire_view){ buf, len });
		two_ways_flush(t);
		if (next_random(random) % 4 == 0)
			two_ways_work(t, next_random(random) % 1000000000);
	}
}

static void check_session(uint32_t per_update, bool damaged, uint64_t seed)
{
	struct load_plan plan = LOAD_PLAN_INIT;
	uint8_t *buf = malloc(PIECE);
	struct load_router *router;
	struct load_table *table;
	uint64_t random = seed;
	struct two_ways t;

	plan.seed = seed;
	plan.prefixes = 300;
	plan.peers = 3;
	plan.per_update = per_update;
	plan.churn = FEWER_IF_SANITIZED(60000);
	plan.flaps = 6;
	plan.changes = 3;
	plan.duplicates = plan.withdraws = 1;
	assert_int_equal(load_table_new(&plan, &table), 0);
	assert_int_equal(load_router_new(table, 0, &router), 0);
	assert_true(two_ways_init(&t));
	feed_all(&t, router, buf, &random, damaged);
	assert_string_equal(two_ways_differ(&t) == NULL ? ""
							: two_ways_differ(&t),
			    "");
	assert_true(t.straight.changes > 1000);
	two_ways_fini(&t);
	load_router_free(router);
	load_table_free(table);
	free(buf);
}

static void test_single_routes(void **state)
{
	(void)state;
	check_session(1, false, 1);
}

static void test_some_routes(void **state)
{
	(void)state;
	check_session(3, false, 2);
}

static void test_damaged_messages(void **state)
{
	(void)state;
	for (uint64_t seed = 3; seed < 8; seed++)
		check_session(1, true, seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_routes),
		cmocka_unit_test(test_some_routes),
		cmocka_unit_test(test_damaged_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
