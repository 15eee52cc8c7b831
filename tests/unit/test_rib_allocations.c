/*
 * A table that is told again takes no memory: nothing is allocated and nothing
 * freed, message after message.
 */
#include "curation.h"

#include <malloc.h>

static struct stage s;

struct memory {
	struct rib_sizes sizes;
	size_t malloced;
};

static struct memory measure(void)
{
	struct memory m = { 0 };

	rib_sizes(s.rib, &m.sizes);
#ifndef SANITIZED
	m.malloced = mallinfo2().uordblks;
#endif
	return m;
}

static void tell(const struct stage_peer *p, struct bgp_nlri *nlri,
		 uint32_t med)
{
	for (unsigned block = 0; block < 10; block++)
		stage_many(&s, p, block * 100, 100, med + block);
	stage_put(&s, p, nlri, 1, 5);
}

static void check_steady(bool add_path)
{
	static const uint8_t label[] = { 0, 1, 1 };
	struct stage_peer p = stage_peer("192.0.2.10", 64510);
	struct bgp_nlri vpn = stage_nlri("198.51.100.0/24");
	struct memory before, after;

	vpn.safi = 128;
	vpn.family = BGP_IPV4_VPN;
	vpn.rd = 7;
	vpn.labels = (struct wire_view){ label, 3 };
	vpn.has_path_id = add_path;
	stage_start(&s, NULL);
	p.families = add_path ? bgp_family_bit(BGP_IPV4_VPN) : 0;
	p.add_path = add_path;
	stage_up(&s, &p);
	/* A hundred of /24 could have path identifiers; one could not. */
	stage_announce(&s, &p, "203.0.113.0/24", 1);
	tell(&p, &vpn, 1);
	tell(&p, &vpn, 1);
	before = measure();
	stage_forget(&s);
	for (int i = 0; i < FEWER_IF_SANITIZED(200); i++)
		tell(&p, &vpn, 1);
	after = measure();
	assert_int_equal(s.changes, 0);
	assert_memory_equal(&before, &after, sizeof(before));
	stage_end(&s);
}

static void test_repeats_take_no_memory(void **state)
{
	(void)state;
	check_steady(false);
}

static void test_repeats_with_path_ids_take_no_memory(void **state)
{
	(void)state;
	check_steady(true);
}

/* What comes and goes for ever must not grow, either. */
static void test_churn_takes_no_more_memory(void **state)
{
	struct stage_peer p = stage_peer("192.0.2.10", 64510);
	struct memory before = { 0 }, after;

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &p);
	for (uint32_t i = 0; i < 40; i++) {
		stage_many(&s, &p, 0, 1000, i);
		stage_down(&s, &p, BMP_DOWN_REMOTE);
		stage_work(&s);
		stage_up(&s, &p);
		if (i == 5)
			before = measure();
	}
	after = measure();
	assert_memory_equal(&before.sizes, &after.sizes, sizeof(before.sizes));
	assert_int_equal(after.sizes.prefixes, 0);
	/* The last set is held by the cache of attributes. */
	assert_int_equal(after.sizes.attribute_sets, 1);
	stage_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeats_take_no_memory),
		cmocka_unit_test(test_repeats_with_path_ids_take_no_memory),
		cmocka_unit_test(test_churn_takes_no_more_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
