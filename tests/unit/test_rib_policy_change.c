/* What a policy lets through, and what changing it means to consumers. */
#include "curation.h"
#include "random.h"

#include "rib/policy.h"
#include "rib/read.h"

static struct stage s;

static const struct rib_policy_mask publish = { UINT64_MAX, UINT64_MAX };
static const struct rib_policy_mask store = { UINT64_MAX, 0 };
static const struct rib_policy_mask drop = { 0, 0 };

static struct rib_policy_mask say_it(const void *arg, const struct bmp_peer *p)
{
	(void)p;
	return *(const struct rib_policy_mask *)arg;
}

/* The view before policy and nothing else; of it, IPv4 unicast. */
static struct rib_policy_mask say_in_pre(const void *arg,
					 const struct bmp_peer *p)
{
	(void)arg;
	if (p->view != BMP_VIEW_IN_PRE)
		return drop;
	return (struct rib_policy_mask){ bgp_family_bit(BGP_IPV4_UNICAST),
					 bgp_family_bit(BGP_IPV4_UNICAST) };
}

static struct rib_policy_mask say_by_as(const void *arg,
					const struct bmp_peer *p)
{
	return p->as == *(const uint32_t *)arg ? publish : drop;
}

/* What the policy says of peers; @arg is the first argument. */
static struct rib_policy_mask (*rule)(const void *, const struct bmp_peer *);
static const void *rule_arg;

static void policy_of(const struct bmp_peer *header,
		      struct rib_policy_mask out[BMP_VIEWS])
{
	struct bmp_peer p = *header;

	for (p.view = 0; p.view < BMP_VIEWS; p.view++)
		out[p.view] = rule(rule_arg, &p);
}

/* For the peers that there are, and those to come. */
static void set_policy(struct rib_policy_mask (*ask)(const void *,
						     const struct bmp_peer *),
		       const void *arg)
{
	struct rib_peer *peer = NULL;

	rule = ask;
	rule_arg = arg;
	s.policy = policy_of;
	while ((peer = rib_peer_next(s.router, peer)) != NULL) {
		struct rib_policy_mask policy[BMP_VIEWS];
		struct rib_peer_state state;
		struct bmp_peer header = { 0 };

		rib_peer_state(peer, &state);
		header.as = state.as;
		policy_of(&header, policy);
		rib_peer_policy(peer, &s.when, policy);
	}
}

static struct rib_flow flow(void)
{
	struct rib_flow f;

	rib_flow(s.rib, &f);
	return f;
}

/* A peer that is up under a policy. */
static struct stage_peer start(const struct rib_policy_mask *wish)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);

	stage_start(&s, NULL);
	set_policy(say_it, wish);
	stage_up(&s, &a);
	return a;
}

static void skip_table(void *arg, const struct rib_table *table)
{
	(void)arg;
	(void)table;
}

static void count_route(void *arg, const struct rib_table *table,
			const struct rib_stored *route)
{
	(void)table;
	(void)route;
	++*(size_t *)arg;
}

/* Routes that a snapshot would have. */
static size_t walked(void)
{
	size_t n = 0;
	struct rib_visitor visitor = { skip_table, count_route, &n };
	struct rib_cursor cursor = { 0 };

	while (rib_read_routes(s.router, &cursor, 1000, &visitor))
		;
	return n;
}

static void test_views_and_families(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct stage_peer post = a;

	(void)state;
	stage_start(&s, NULL);
	set_policy(say_in_pre, NULL);
	stage_up(&s, &a);
	stage_view(&post, BMP_VIEW_IN_POST);
	stage_announce(&s, &a, "198.51.100.0/24", 1);
	stage_announce(&s, &a, "2001:db8::/32", 1);
	stage_announce(&s, &post, "198.51.100.0/24", 1);
	assert_int_equal(flow().suppressed[RIB_SUPPRESSED_FILTERED], 2);
	assert_int_equal(stage_count(&s), 1);
	assert_int_equal(rib_router_routes(s.router), 1);
	stage_end(&s);
}

static void test_stored_and_not_told(void **state)
{
	struct stage_peer a = start(&store);

	(void)state;
	stage_announce(&s, &a, "198.51.100.0/24", 1);
	stage_announce(&s, &a, "198.51.100.0/24", 2);
	stage_announce(&s, &a, "203.0.113.0/24", 2);
	stage_withdraw(&s, &a, "203.0.113.0/24");
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_int_equal(rib_router_routes(s.router), 1);
	assert_int_equal(walked(), 0);
	rib_resync(s.router, &s.when);
	stage_work(&s);
	stage_down(&s, &a, 2);
	stage_work(&s);
	assert_int_equal(rib_router_routes(s.router), 0);
	assert_int_equal(s.changes, 0);
	assert_int_equal(s.events[RIB_EVENT_END_OF_RIB], 0);
	assert_int_equal(flow().published_announced, 0);
	assert_int_equal(flow().published_withdrawn, 0);
	stage_end(&s);
}

static void test_publish_to_store_and_back(void **state)
{
	struct stage_peer a = start(&publish);

	(void)state;
	stage_many(&s, &a, 0, 300, 5);
	stage_forget(&s);
	set_policy(say_it, &store);
	stage_work_by(&s, 50);
	assert_int_equal(s.synthetic[RIB_REASON_ADMIN], 300);
	assert_int_equal(stage_count(&s), 0);
	assert_int_equal(rib_router_routes(s.router), 300);
	assert_int_equal(walked(), 0);
	set_policy(say_it, &publish);
	stage_work_by(&s, 50);
	assert_int_equal(s.announced, 300);
	assert_int_equal(stage_count(&s), 300);
	assert_int_equal(walked(), 300);
	stage_end(&s);
}

static void test_publish_to_drop_and_back(void **state)
{
	struct stage_peer a = start(&publish);

	(void)state;
	stage_many(&s, &a, 0, 300, 5);
	stage_forget(&s);
	set_policy(say_it, &drop);
	stage_announce(&s, &a, "198.51.100.0/24", 1);
	stage_work_by(&s, 50);
	assert_int_equal(s.synthetic[RIB_REASON_ADMIN], 300);
	assert_int_equal(s.announced, 0);
	assert_int_equal(rib_router_routes(s.router), 0);
	set_policy(say_it, &publish);
	assert_int_equal(s.events[RIB_EVENT_UNKNOWN], 1);
	stage_announce(&s, &a, "198.51.100.0/24", 1);
	assert_int_equal(stage_count(&s), 1);
	stage_end(&s);
}

static void test_store_to_drop_says_nothing(void **state)
{
	struct stage_peer a = start(&store);

	(void)state;
	stage_many(&s, &a, 0, 300, 5);
	set_policy(say_it, &drop);
	stage_work_by(&s, 50);
	assert_int_equal(s.changes, 0);
	assert_int_equal(rib_router_routes(s.router), 0);
	stage_end(&s);
}

static void test_asked_again_when_the_as_is_another(void **state)
{
	static const uint32_t wanted = 64511;
	struct stage_peer a = stage_peer("192.0.2.10", 64510);

	(void)state;
	stage_start(&s, NULL);
	set_policy(say_by_as, &wanted);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 1);
	assert_int_equal(s.changes, 0);
	a.header.as = wanted;
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 1);
	assert_int_equal(stage_count(&s), 1);
	a.header.as = 64510;
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 1);
	stage_work(&s);
	assert_int_equal(stage_count(&s), 0);
	stage_end(&s);
}

static void test_limits_of_a_router(void **state)
{
	struct rib_config config;
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct stage_peer b = stage_peer("192.0.2.11", 64511);

	(void)state;
	rib_config_defaults(&config);
	config.max_routes_peer = 1;
	stage_start(&s, &config);
	stage_up(&s, &a);
	stage_up(&s, &b);
	stage_many(&s, &a, 0, 5, 1);
	assert_int_equal(stage_count(&s), 1);
	rib_router_limits(s.router, /* max_routes_router= */ 3,
			  /* max_routes_peer= */ 2);
	stage_many(&s, &a, 0, 5, 1);
	assert_int_equal(stage_count(&s), 2);
	stage_many(&s, &b, 0, 5, 1);
	assert_int_equal(stage_count(&s), 3);
	/* What the rib has for all is not for this one. */
	rib_configure(s.rib, &config);
	stage_withdraw(&s, &a, "10.0.0.0/24");
	stage_many(&s, &b, 0, 5, 1);
	assert_int_equal(stage_count(&s), 3);
	stage_end(&s);
}

/* Whatever is said in whatever order, consumers end with what the policy says. */
#define KEYS 400

static void draw_change(struct draws *d, const struct stage_peer *a,
			uint32_t truth[KEYS])
{
	uint32_t at = draw_below(d, KEYS);

	if (draw_below(d, 3) == 0) {
		struct bgp_nlri n = stage_nlri("10.0.0.0/24");

		n.address[13] = (uint8_t)(at >> 8);
		n.address[14] = (uint8_t)at;
		stage_take(&s, a, &n, 1);
		truth[at] = 0;
	} else {
		uint32_t med = 1 + draw_below(d, 4);

		stage_many(&s, a, at, 1, med);
		truth[at] = med;
	}
}

static void check_truth(const struct stage_peer *a, const uint32_t truth[KEYS],
			bool told)
{
	char prefix[32];

	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t want = told ? truth[i] : 0;

		snprintf(prefix, sizeof(prefix), "10.%u.%u.0/24", i >> 8,
			 i & 0xff);
		assert_int_equal(stage_has(&s, a, prefix), want != 0);
		if (want != 0)
			assert_int_equal(stage_med(&s, a, prefix), want);
	}
}

static void test_any_order_ends_right(void **state)
{
	struct draws d = draws_start("policy");
	uint32_t truth[KEYS] = { 0 };
	struct stage_peer a = start(&publish);
	const struct rib_policy_mask *now = &publish;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		uint32_t what = draw_below(&d, 200);

		if (what == 0) {
			now = now == &publish ? &store : &publish;
			set_policy(say_it, now);
		} else if (what == 1 && draw_below(&d, 4) == 0) {
			stage_down(&s, &a, 2);
			stage_up(&s, &a);
			memset(truth, 0, sizeof(truth));
		} else if (what == 2) {
			stage_work(&s);
			check_truth(&a, truth, now == &publish);
			assert_int_equal(walked(), stage_count(&s));
		} else if (what < 20) {
			(void)rib_background(s.rib, &s.when, 7);
		} else {
			draw_change(&d, &a, truth);
		}
	}
	stage_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_views_and_families),
		cmocka_unit_test(test_stored_and_not_told),
		cmocka_unit_test(test_publish_to_store_and_back),
		cmocka_unit_test(test_publish_to_drop_and_back),
		cmocka_unit_test(test_store_to_drop_says_nothing),
		cmocka_unit_test(test_asked_again_when_the_as_is_another),
		cmocka_unit_test(test_limits_of_a_router),
		cmocka_unit_test(test_any_order_ends_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
