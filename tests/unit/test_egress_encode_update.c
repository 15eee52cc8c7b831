/*
 * What the encoder writes, read back. That its bytes are those of the tool of
 * Cap'n Proto is what tests/system/test_encode.py is for.
 */
#include "check.h"
#include "random_change.h"

#include "egress/encode/encode_update.h"
#include "egress/encode/decode.h"

#include "bmp/nlri.h"

#include <errno.h>

static uint64_t buffer[1 << 17];

/* Encode all of @c and start reading. */
static struct egress_decoder encode(const struct rib_change *c)
{
	struct egress_encoded got =
		egress_encode_update(c, 0, SIZE_MAX, (uint8_t *)buffer,
				     sizeof(buffer));

	assert_int_equal(got.routes, c->count);
	return egress_decode_start(
		(struct wire_view){ (uint8_t *)buffer, got.bytes });
}

static void read_update(struct egress_decoder *r, struct egress_update *out)
{
	struct egress_message m;

	assert_int_equal(egress_decode_next(r, &m), 1);
	assert_int_equal(egress_decode_update(&m, out), 0);
}

static void check_route(const struct random_change *r,
			const struct rib_route *route,
			const struct egress_update *u)
{
	assert_int_equal(u->sequence, route->sequence);
	assert_int_equal(u->path_id, route->path_id);
	assert_int_equal(u->has_path_id, r->change.has_path_id);
	assert_int_equal(u->prefix_len, route->prefix_len);
	assert_int_equal(u->route_distinguisher, route->rd);
	assert_int_equal(u->labels.count, route->labels.len / 3);
	for (uint32_t i = 0; i < u->labels.count; i++)
		assert_int_equal(egress_list_u32(&u->labels, i),
				 bgp_label_value(route->labels.p + 3 * i));
	assert_int_equal(u->nlri.len, route->nlri.len);
	assert_int_equal(u->nlri_key.len, route->key.len);
	if (r->change.kind == BGP_NLRI_PREFIX) {
		assert_memory_equal(u->prefix_addr, route->address, 16);
	} else {
		assert_null(u->prefix_addr);
		assert_memory_equal(u->nlri.p, route->nlri.p, u->nlri.len);
		assert_memory_equal(u->nlri_text.p, "raw ", 4);
	}
}

/* RFC 9774: sets, also those of confederations. */
static bool has_as_set(const struct random_change *r)
{
	if (r->change.attrs == NULL)
		return false;
	for (size_t i = 0; i < r->segment_count; i++)
		if (r->segments[i].type == BGP_AS_SET ||
		    r->segments[i].type == BGP_AS_CONFED_SET)
			return true;
	return false;
}

static void check_shared(const struct random_change *r,
			 const struct egress_update *u)
{
	assert_int_equal(u->has_as_set, has_as_set(r));
	assert_int_equal(u->time_received_ns, r->change.received_ns);
	assert_int_equal(u->peer_asn, r->table.peer_as);
	assert_int_equal(u->peer_distinguisher, r->table.distinguisher);
	assert_int_equal(u->reason, r->change.reason);
	assert_int_equal(u->announced, r->change.announced);
	assert_memory_equal(u->router_addr, r->router.address, 16);
	assert_memory_equal(u->peer_addr, r->table.peer_address, 16);
	assert_int_equal(u->communities.count, r->community_count);
	assert_int_equal(u->ext_communities.count, r->ext_count);
	assert_int_equal(u->large_communities.count, r->large_count);
	assert_int_equal(u->cluster_list.count, r->cluster_count);
	assert_int_equal(u->ipv6_ext_communities.count, r->ipv6_ext_count);
	assert_int_equal(u->unknown_attributes.count, r->unknown_count);
	for (uint32_t i = 0; i < r->ext_count; i++)
		assert_memory_equal(
			egress_list_tlv(&u->ext_communities, i).value.p,
			r->ext[i] + 2, 6);
}

static void test_all_that_is_written_is_read(void **state)
{
	static struct random_change r;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct egress_decoder reader;
		struct egress_message m;
		struct egress_update u;

		random_change_init(&r, seed * 1000003);
		reader = encode(&r.change);
		for (size_t i = 0; i < r.change.count; i++) {
			read_update(&reader, &u);
			check_route(&r, &r.routes[i], &u);
			check_shared(&r, &u);
		}
		assert_int_equal(egress_decode_next(&reader, &m), 0);
	}
}

/* Nothing is written past what was given, and what fits is used. */
static void test_room_is_respected(void **state)
{
	static struct random_change r;
	uint8_t *out = (uint8_t *)buffer;

	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		size_t bound, cap, rest = 0;

		random_change_init(&r, seed * 7919);
		bound = egress_encode_bound(&r.change, 0);
		for (size_t more = 0; more < 2048; more += 512) {
			struct egress_encoded got;

			cap = bound + more;
			memset(out + cap, 0xa5, 64);
			got = egress_encode_update(&r.change, 0, SIZE_MAX, out,
						   cap);
			CHECK(got.routes >= 1 && got.bytes <= cap,
			      "%zu routes in %zu of %zu bytes", got.routes,
			      got.bytes, cap);
			for (rest = 0; rest < 64 && out[cap + rest] == 0xa5;)
				rest++;
			CHECK(rest == 64, "wrote %zu bytes too far", rest);
		}
		assert_int_equal(egress_encode_update(&r.change, 0, SIZE_MAX,
						      out, 8)
					 .routes,
				 0);
		assert_int_equal(
			egress_encode_update(&r.change, 0, 1, out, cap).routes,
			1);
	}
}

static struct rib_router_info router = {
	.address = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
	.port = 4000,
};
static struct rib_table_info table = {
	.router = &router,
	.afi = 1,
	.safi = 1,
	.family = BGP_IPV4_UNICAST,
	.peer_as = 64500,
};

/* An announce that the design gives a size for, and its withdraw. */
static void test_sizes(void **state)
{
	static const uint8_t block[] = {
		/* clang-format off */
		0x40, 1, 1, 0,
		0x40, 2, 18, 2, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4,
		0xc0, 8, 12, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6,
		0xc0, 16, 8, 0, 2, 0, 1, 0, 0, 0, 1,
		0xc0, 32, 12, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3,
		/* clang-format on */
	};
	struct bgp_decode_opts opts = { .as_width = 4 };
	struct rib_route route = { .sequence = 1, .prefix_len = 24 };
	struct bgp_attrs attrs;
	struct rib_change c = {
		.table = &table,
		.received_ns = 1,
		.announced = true,
		.kind = BGP_NLRI_PREFIX,
		.attrs = &attrs,
		.next_hop = { .has_address = true },
		.count = 1,
		.routes = &route,
	};

	(void)state;
	bgp_attrs_decode((struct wire_view){ block, sizeof(block) }, &opts,
			 &attrs);
	assert_int_equal(egress_encode_update(&c, 0, 1, (uint8_t *)buffer,
					      sizeof(buffer))
				 .bytes,
			 336);
	c.announced = false;
	c.attrs = NULL;
	c.next_hop.has_address = false;
	assert_int_equal(egress_encode_update(&c, 0, 1, (uint8_t *)buffer,
					      sizeof(buffer))
				 .bytes,
			 160);
}

/* Texts that come from routers may be anything; readers want UTF-8. */
static void test_texts_are_utf8(void **state)
{
	const struct {
		const char *in;
		const char *want;
	} cases[] = {
		{ "plain", "plain" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x80",
		  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x80" },
		{ "a\xff\x62", "a?b" },
		{ "cut\xe2\x82", "cut??" },
		{ "\xc0\xaf", "??" },		/* overlong */
		{ "\xed\xa0\x80", "???" },	/* a surrogate */
		{ "\xf4\x90\x80\x80", "????" }, /* beyond Unicode */
		{ "\xe0\x80\xaf", "???" },	/* overlong */
	};
	struct rib_route route = { .sequence = 1 };
	struct rib_table_info t = table;
	struct rib_change c = {
		.table = &t,
		.kind = BGP_NLRI_PREFIX,
		.count = 1,
		.routes = &route,
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct egress_decoder r;
		struct egress_update u;

		t.table_name = (struct wire_view){ (const uint8_t *)cases[i].in,
						   strlen(cases[i].in) };
		r = encode(&c);
		read_update(&r, &u);
		assert_string_equal((const char *)u.table_name.p,
				    cases[i].want);
	}
	t.table_name = (struct wire_view){ (const uint8_t *)"a\0b", 3 };
	struct egress_decoder r = encode(&c);
	struct egress_update u;

	read_update(&r, &u);
	assert_string_equal((const char *)u.table_name.p, "a?b");
}

/* EVPN: what it is stands in words, too. */
static void test_a_route_that_is_no_prefix(void **state)
{
	/* Inclusive multicast: RD 1:1, tag 0, originator 192.0.2.9. */
	static const uint8_t nlri[] = { 3, 17, 0, 0, 0,	 1,   0, 0, 0, 1,
					0, 0,  0, 0, 32, 192, 0, 2, 9 };
	struct rib_table_info t = table;
	struct rib_route route = {
		.sequence = 1,
		.rd = UINT64_C(0x0000000100000001),
		.nlri = { nlri, sizeof(nlri) },
		.key = { nlri, 4 },
	};
	struct rib_change c = {
		.table = &t,
		.kind = BGP_NLRI_EVPN,
		.count = 1,
		.routes = &route,
	};
	struct egress_decoder r;
	struct egress_update u;

	(void)state;
	t.afi = 25;
	t.safi = 70;
	t.family = BGP_L2VPN_EVPN;
	r = encode(&c);
	read_update(&r, &u);
	CHECK(strstr((const char *)u.nlri_text.p, "192.0.2.9") != NULL, "%s",
	      (const char *)u.nlri_text.p);
	assert_int_equal(u.nlri.len, sizeof(nlri));
	assert_int_equal(u.nlri_key.len, 4);
	assert_int_equal(u.route_distinguisher, route.rd);
	assert_null(u.prefix_addr);
}

static void read_event(size_t len, struct egress_event *out)
{
	struct egress_decoder r = egress_decode_start(
		(struct wire_view){ (uint8_t *)buffer, len });
	struct egress_message m;

	assert_int_equal(egress_decode_next(&r, &m), 1);
	assert_int_equal(egress_decode_event(&m, out), 0);
	assert_int_equal(egress_decode_next(&r, &m), 0);
}

static void test_events(void **state)
{
	static const struct rib_event_count counts[] = {
		{ .type = 7, .value = 1000 },
		{ .type = 9, .afi = 2, .safi = 1, .value = 5 },
	};
	struct rib_table_info t = table;
	struct rib_event e = {
		.received_ns = 77,
		.bmp_ns = 66,
		.router = &router,
		.table = &t,
		.reason = 3,
		.fsm_event = 4,
		.local_address = { [15] = 1 },
		.local_port = 179,
		.remote_port = 40000,
		.routes = 12,
		.text = "why",
		.notification = { (const uint8_t *)"notification", 12 },
		.sent_open = { (const uint8_t *)"sent", 4 },
		.received_open = { (const uint8_t *)"received", 8 },
		.count = 2,
		.counts = counts,
	};

	(void)state;
	t.view = BMP_VIEW_OUT_POST;
	for (int kind = 0; kind < RIB_EVENTS; kind++) {
		struct egress_event got;
		size_t len;

		e.kind = kind;
		e.has_table = kind % 2;
		len = egress_encode_event(&e, NULL, (uint8_t *)buffer,
					  sizeof(buffer));
		read_event(len, &got);
		assert_int_equal(got.kind, kind);
		assert_int_equal(got.time_received_ns, 77);
		assert_int_equal(got.time_bmp_header_ns, 66);
		assert_int_equal(got.router_port, 4000);
		assert_true(got.has_peer);
		assert_int_equal(got.has_table, kind % 2);
		assert_int_equal(got.is_post_policy, kind % 2);
		assert_int_equal(got.is_adj_rib_out, kind % 2);
		assert_int_equal(got.afi, kind % 2);
		assert_int_equal(got.peer_asn, 64500);
		assert_int_equal(got.reason, 3);
		assert_int_equal(got.fsm_event, 4);
		assert_int_equal(got.local_port, 179);
		assert_int_equal(got.remote_port, 40000);
		assert_int_equal(got.routes, 12);
		assert_string_equal((const char *)got.text.p, "why");
		assert_int_equal(got.notification.len, 12);
		assert_int_equal(got.sent_open.len, 4);
		assert_int_equal(got.received_open.len, 8);
		assert_int_equal(got.local_addr != NULL,
				 kind == RIB_EVENT_PEER_UP);
		assert_int_equal(got.counts.count, 2);
		assert_int_equal(egress_list_count(&got.counts, 1).value, 5);
		assert_int_equal(egress_list_count(&got.counts, 1).afi, 2);
		assert_null(got.collector.p);
	}
}

static void test_an_epoch(void **state)
{
	struct rib_event e = { .kind = RIB_EVENT_EPOCH, .received_ns = 5 };
	struct egress_origin epoch = { .collector = "ams1", .epoch = 9 };
	struct egress_event got;
	size_t need = egress_encode_event(&e, &epoch, NULL, 0);
	size_t len = egress_encode_event(&e, &epoch, (uint8_t *)buffer, need);

	(void)state;
	assert_in_range(len, 1, need);
	read_event(len, &got);
	assert_int_equal(got.kind, RIB_EVENT_EPOCH);
	assert_int_equal(got.epoch, 9);
	assert_string_equal((const char *)got.collector.p, "ams1");
	assert_null(got.router_addr);
	assert_false(got.has_peer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_that_is_written_is_read),
		cmocka_unit_test(test_room_is_respected),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_texts_are_utf8),
		cmocka_unit_test(test_a_route_that_is_no_prefix),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_an_epoch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
