/*
 * Two routes are two as soon as any part of the key differs. Each test would
 * fail with a key that lacks what it is named after.
 */
#include "curation.h"

#include "rib/restore.h"

static struct stage s;

/* Both are told, one is withdrawn: the other must stay as it was. */
static void check_apart(const struct stage_peer *a, const struct bgp_nlri *x,
			const struct stage_peer *b, const struct bgp_nlri *y)
{
	stage_up(&s, a);
	stage_up(&s, b);
	stage_put(&s, a, x, 1, 1);
	stage_put(&s, b, y, 1, 2);
	assert_int_equal(s.announced, 2);
	assert_int_equal(stage_count(&s), 2);
	assert_int_equal(rib_router_routes(s.router), 2);
	/* Neither is a change of the other. */
	stage_put(&s, a, x, 1, 1);
	stage_put(&s, b, y, 1, 2);
	assert_int_equal(s.announced, 2);
	stage_take(&s, a, x, 1);
	assert_int_equal(s.withdrawn, 1);
	assert_null(stage_find(&s, a, x));
	assert_int_equal(stage_find(&s, b, y)->med, 2);
	assert_true(rib_validate(s.rib));
}

static void test_peers_by_address(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct stage_peer b = stage_peer("192.0.2.11", 64510);
	struct bgp_nlri n = stage_nlri("198.51.100.0/24");

	(void)state;
	stage_start(&s, NULL);
	check_apart(&a, &n, &b, &n);
	stage_end(&s);
}

/* The same last four bytes: IPv4 must not look like IPv6. */
static void test_ipv4_and_ipv6_peers(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct stage_peer b = stage_peer("::c000:20a", 64510);
	struct bgp_nlri n = stage_nlri("198.51.100.0/24");

	(void)state;
	stage_start(&s, NULL);
	check_apart(&a, &n, &b, &n);
	stage_end(&s);
}

static void test_same_peer_address_in_two_vrfs(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct stage_peer b = a;
	struct bgp_nlri n = stage_nlri("198.51.100.0/24");

	(void)state;
	stage_start(&s, NULL);
	a.header.type = b.header.type = BMP_PEER_RD;
	a.header.distinguisher = UINT64_C(0x0000fde800000001);
	b.header.distinguisher = UINT64_C(0x0000fde800000002);
	check_apart(&a, &n, &b, &n);
	stage_end(&s);
}

static void test_peers_by_type(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct stage_peer b = a;
	struct bgp_nlri n = stage_nlri("198.51.100.0/24");

	(void)state;
	stage_start(&s, NULL);
	a.header.type = BMP_PEER_RD;
	b.header.type = BMP_PEER_LOCAL;
	check_apart(&a, &n, &b, &n);
	stage_end(&s);
}

static void test_all_views_of_a_peer(void **state)
{
	struct bgp_nlri n = stage_nlri("198.51.100.0/24");

	(void)state;
	for (int v = BMP_VIEW_IN_PRE; v < BMP_VIEW_OUT_POST; v++) {
		struct stage_peer a = stage_peer("192.0.2.10", 64510);
		struct stage_peer b = a;

		stage_start(&s, NULL);
		stage_view(&a, (enum bmp_view)v);
		stage_view(&b, (enum bmp_view)(v + 1));
		check_apart(&a, &n, &b, &n);
		stage_end(&s);
	}
}

static void test_two_loc_ribs(void **state)
{
	struct stage_peer a = stage_loc_rib(1);
	struct stage_peer b = stage_loc_rib(2);
	struct bgp_nlri n = stage_nlri("198.51.100.0/24");

	(void)state;
	stage_start(&s, NULL);
	check_apart(&a, &n, &b, &n);
	stage_end(&s);
}

static void test_prefixes_by_length(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct bgp_nlri x = stage_nlri("10.0.0.0/8");
	struct bgp_nlri y = stage_nlri("10.0.0.0/9");

	(void)state;
	stage_start(&s, NULL);
	check_apart(&a, &x, &a, &y);
	stage_end(&s);
}

static void test_default_routes(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct bgp_nlri x = stage_nlri("0.0.0.0/0");
	struct bgp_nlri y = stage_nlri("::/0");
	struct bgp_nlri z = stage_nlri("0.0.0.0/1");

	(void)state;
	stage_start(&s, NULL);
	check_apart(&a, &x, &a, &y);
	stage_end(&s);
	stage_start(&s, NULL);
	check_apart(&a, &x, &a, &z);
	stage_end(&s);
}

static void test_safi_1_and_2_of_one_prefix(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct bgp_nlri x = stage_nlri("198.51.100.0/24");
	struct bgp_nlri y = x;

	(void)state;
	stage_start(&s, NULL);
	y.safi = 2;
	y.family = BGP_IPV4_MULTICAST;
	check_apart(&a, &x, &a, &y);
	stage_end(&s);
}

static void test_add_path(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct bgp_nlri x = stage_nlri("198.51.100.0/24");
	struct bgp_nlri y;

	(void)state;
	a.add_path = true;
	x.has_path_id = true;
	y = x;
	x.path_id = 0;
	y.path_id = 1;
	stage_start(&s, NULL);
	check_apart(&a, &x, &a, &y);
	/* Of the same prefix elsewhere without path ids, too. */
	stage_end(&s);
}

/* One peer with path ids and one without share the prefix, not the route. */
static void test_with_and_without_path_id(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct stage_peer b = stage_peer("192.0.2.11", 64511);
	struct bgp_nlri x = stage_nlri("198.51.100.0/24");
	struct bgp_nlri y = x;
	struct rib_sizes sizes;

	(void)state;
	a.add_path = true;
	x.has_path_id = true;
	stage_start(&s, NULL);
	check_apart(&a, &x, &b, &y);
	stage_put(&s, &a, &x, 1, 1);
	rib_sizes(s.rib, &sizes);
	assert_int_equal(sizes.prefixes, 1);
	assert_int_equal(sizes.paths, 1);
	stage_end(&s);
}

/* A peer that comes back with add-path: what was there is not there. */
static void test_add_path_comes_and_goes(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct bgp_nlri plain = stage_nlri("198.51.100.0/24");
	struct bgp_nlri path = plain;

	(void)state;
	path.has_path_id = true;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_put(&s, &a, &plain, 1, 1);
	a.add_path = true;
	stage_up(&s, &a);
	stage_put(&s, &a, &path, 1, 1);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_null(stage_find(&s, &a, &plain));
	assert_non_null(stage_find(&s, &a, &path));
	stage_end(&s);
}

static void test_route_distinguishers(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct bgp_nlri x = stage_nlri("198.51.100.0/24");
	static const uint8_t label[] = { 0, 1, 1 };
	struct bgp_nlri y;

	(void)state;
	x.safi = 128;
	x.family = BGP_IPV4_VPN;
	x.labels = (struct wire_view){ label, 3 };
	x.rd = 1;
	y = x;
	y.rd = 2;
	stage_start(&s, NULL);
	check_apart(&a, &x, &a, &y);
	stage_end(&s);
}

/* Labels are no key, but a change of them is one. */
static void test_labels_are_compared(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct bgp_nlri x = stage_nlri("198.51.100.0/24");
	static const uint8_t one[] = { 0, 1, 1 }, two[] = { 0, 2, 1 };

	(void)state;
	x.safi = 128;
	x.family = BGP_IPV4_VPN;
	x.labels = (struct wire_view){ one, 3 };
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_put(&s, &a, &x, 1, 1);
	stage_put(&s, &a, &x, 1, 1);
	assert_int_equal(s.announced, 1);
	assert_int_equal(stage_find(&s, &a, &x)->label, 16);
	x.labels.p = two;
	stage_put(&s, &a, &x, 1, 1);
	assert_int_equal(s.announced, 2);
	assert_int_equal(stage_find(&s, &a, &x)->label, 32);
	assert_int_equal(rib_router_routes(s.router), 1);
	rib_resync(s.router, &s.when);
	stage_work(&s);
	assert_int_equal(stage_find(&s, &a, &x)->label, 32);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	stage_work(&s);
	assert_int_equal(stage_count(&s), 0);
	stage_end(&s);
}

/* EVPN type 2: segment, tag, MAC, IP, label; segment and label are no key. */
#define EVPN_LEN 25

static void make_evpn(uint8_t out[EVPN_LEN], uint8_t segment, uint8_t mac,
		      uint8_t label)
{
	memset(out, 0, EVPN_LEN);
	out[9] = segment;
	out[14] = 48;
	out[20] = mac;
	out[24] = label;
}

static void send_evpn(const struct stage_peer *p, const uint8_t *body)
{
	struct bgp_nlri n = { .afi = 25,
			      .safi = 70,
			      .family = BGP_L2VPN_EVPN,
			      .kind = BGP_NLRI_EVPN,
			      .type = 2,
			      .rd = 1,
			      .body = { body, EVPN_LEN } };

	stage_put(&s, p, &n, 1, 1);
}

static void test_evpn_key_and_value(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	uint8_t nlri[EVPN_LEN];

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	make_evpn(nlri, 0, 1, 1);
	send_evpn(&a, nlri);
	send_evpn(&a, nlri);
	assert_int_equal(s.announced, 1);
	/* Another MAC is another route. */
	make_evpn(nlri, 0, 2, 1);
	send_evpn(&a, nlri);
	assert_int_equal(rib_router_routes(s.router), 2);
	/* Another segment or label is another value of the same route. */
	make_evpn(nlri, 7, 2, 1);
	send_evpn(&a, nlri);
	make_evpn(nlri, 7, 2, 9);
	send_evpn(&a, nlri);
	assert_int_equal(s.announced, 4);
	assert_int_equal(rib_router_routes(s.router), 2);
	assert_int_equal(stage_count(&s), 2);
	stage_down(&s, &a, BMP_DOWN_REMOTE);
	stage_work(&s);
	assert_int_equal(stage_count(&s), 0);
	stage_end(&s);
}

/* AFI and SAFI nobody knows: raw, but still apart by family. */
static void test_unknown_families(void **state)
{
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	static const uint8_t raw[] = { 1, 2, 3 };
	struct bgp_nlri n = { .kind = BGP_NLRI_RAW, .body = { raw, 3 } };

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	for (uint16_t afi = 900; afi < 902; afi++)
		for (uint8_t safi = 201; safi < 203; safi++) {
			n.afi = afi;
			n.safi = safi;
			stage_put(&s, &a, &n, 1, 1);
			stage_put(&s, &a, &n, 1, 1);
		}
	assert_int_equal(s.announced, 4);
	assert_int_equal(stage_count(&s), 4);
	n.safi = 201;
	stage_take(&s, &a, &n, 1);
	assert_int_equal(stage_count(&s), 3);
	stage_end(&s);
}

static void test_routers_by_address_and_by_name(void **state)
{
	static const struct rib_identity ids[] = {
		{ .address = { [10] = 0xff, [11] = 0xff, [12] = 10 } },
		{ .address = { [12] = 10 } },
		{ .address = { [10] = 0xff, [11] = 0xff, [12] = 10 },
		  .name = "edge-1" },
		{ .name = "edge-2" },
	};
	struct rib_router *routers[COUNT(ids)], *again;
	struct rib_identity moved = ids[2];

	(void)state;
	stage_start(&s, NULL);
	for (size_t i = 0; i < COUNT(ids); i++)
		assert_int_equal(rib_router_get(s.rib, &ids[i], &routers[i]),
				 0);
	for (size_t i = 0; i < COUNT(ids); i++)
		for (size_t k = 0; k < i; k++)
			assert_ptr_not_equal(routers[i], routers[k]);
	for (size_t i = 0; i < COUNT(ids); i++)
		assert_ptr_equal(rib_router_find(s.rib, &ids[i]), routers[i]);
	/* A named router is the same wherever it comes from. */
	moved.address[15] = 77;
	assert_int_equal(rib_router_get(s.rib, &moved, &again), 0);
	assert_ptr_equal(again, routers[2]);
	moved.name[0] = '\0';
	assert_null(rib_router_find(s.rib, &moved));
	stage_end(&s);
}

/* The same peer and prefix of two routers. */
static void test_routers_are_apart(void **state)
{
	struct rib_identity id = { .address = { [12] = 10 } };
	struct stage_peer a = stage_peer("192.0.2.10", 64510);
	struct rib_router *first, *second;

	(void)state;
	stage_start(&s, NULL);
	first = s.router;
	assert_int_equal(rib_router_get(s.rib, &id, &second), 0);
	rib_session_open(second, &s.when, id.address, 1, NULL);
	for (int i = 0; i < 2; i++) {
		s.router = i == 0 ? first : second;
		stage_up(&s, &a);
		stage_announce(&s, &a, "198.51.100.0/24", 1);
	}
	assert_int_equal(s.announced, 2);
	rib_router_purge(second, &s.when);
	s.router = first;
	assert_int_equal(rib_router_routes(first), 1);
	assert_int_equal(stage_count(&s), 1);
	stage_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peers_by_address),
		cmocka_unit_test(test_ipv4_and_ipv6_peers),
		cmocka_unit_test(test_same_peer_address_in_two_vrfs),
		cmocka_unit_test(test_peers_by_type),
		cmocka_unit_test(test_all_views_of_a_peer),
		cmocka_unit_test(test_two_loc_ribs),
		cmocka_unit_test(test_prefixes_by_length),
		cmocka_unit_test(test_default_routes),
		cmocka_unit_test(test_safi_1_and_2_of_one_prefix),
		cmocka_unit_test(test_add_path),
		cmocka_unit_test(test_with_and_without_path_id),
		cmocka_unit_test(test_add_path_comes_and_goes),
		cmocka_unit_test(test_route_distinguishers),
		cmocka_unit_test(test_labels_are_compared),
		cmocka_unit_test(test_evpn_key_and_value),
		cmocka_unit_test(test_unknown_families),
		cmocka_unit_test(test_routers_by_address_and_by_name),
		cmocka_unit_test(test_routers_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
