/*
 * A made-up session is read back by the decoder into a table as simple as can
 * be: what it says of itself must be what is found.
 */
#include "check.h"

#include "bmp/decode_context.h"
#include "bmp/stats.h"
#include "bmp/update.h"
#include "load/router.h"

#include <string.h>

#define PEERS_MAX 8

/* A route: whose, which, and a hash of its attributes; 0 if it is gone. */
struct route {
	uint64_t key;
	uint64_t value;
};

struct model_peer {
	uint32_t as;
	bool up;
	struct bgp_context context;
	uint64_t routes;
	unsigned end_of_rib; /* bits: IPv4, IPv6 */
};

struct model {
	struct model_peer peers[PEERS_MAX];
	unsigned peer_count;
	struct route *slots;
	size_t size;
	struct load_counts counts;
	uint64_t type_counts[BMP_TYPES];
	uint64_t hash; /* of all bytes */
	bool in_churn;
};

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n-- > 0)
		h = (h ^ *p++) * UINT64_C(0x100000001b3);
	return h;
}

static void model_init(struct model *m, uint64_t routes)
{
	*m = (struct model){ .hash = UINT64_C(0xcbf29ce484222325) };
	for (m->size = 64; m->size < 2 * routes; m->size *= 2)
		;
	m->slots = calloc(m->size, sizeof(*m->slots));
	assert_non_null(m->slots);
}

static void model_fini(struct model *m)
{
	free(m->slots);
}

static struct model_peer *peer_of(struct model *m,
				  const struct bmp_peer *header)
{
	for (unsigned i = 0; i < m->peer_count; i++)
		if (m->peers[i].as == header->as)
			return &m->peers[i];
	assert_true(m->peer_count < PEERS_MAX);
	m->peers[m->peer_count] = (struct model_peer){ .as = header->as };
	return &m->peers[m->peer_count++];
}

static struct route *route_of(struct model *m, uint64_t key)
{
	size_t at = key & (m->size - 1);

	while (m->slots[at].key != 0 && m->slots[at].key != key)
		at = (at + 1) & (m->size - 1);
	m->slots[at].key = key;
	return &m->slots[at];
}

/* The same for the same peer, family and prefix; a collision is 2^-64. */
static uint64_t key_of(const struct model_peer *peer,
		       const struct bgp_nlri *nlri)
{
	uint64_t h = mix(UINT64_C(0xcbf29ce484222325), &peer->as, 4);

	h = mix(h, &nlri->family, sizeof(nlri->family));
	h = mix(h, &nlri->prefix_len, sizeof(nlri->prefix_len));
	h = mix(h, nlri->address, 16);
	h ^= h >> 29;
	return h | 1;
}

/* All attributes but those that hold routes, and the next hop. */
static uint64_t value_of(const struct bgp_update *u, enum bgp_nlri_part_id s)
{
	struct wire_cursor c = wire_start(u->attrs.block);
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	struct bgp_next_hop hop;
	struct bgp_attr attr;

	bgp_update_next_hop(u, s, &hop);
	while (bgp_attr_next(&c, &attr)) {
		if (attr.code == BGP_MP_REACH || attr.code == BGP_NEXT_HOP)
			continue;
		h = mix(h, &attr.code, 1);
		h = mix(h, attr.value.p, attr.value.len);
	}
	CHECK(hop.has_address, "no next hop");
	return mix(h, hop.address, 16) | 1;
}

/* What became of a route, counted as the generator counts it. */
static void apply(struct model *m, struct model_peer *peer, uint64_t key,
		  uint64_t value)
{
	struct route *route = route_of(m, key);
	struct load_counts *counts = &m->counts;

	if (value == 0) {
		CHECK(route->value != 0, "a route is withdrawn twice");
		counts->withdrawn++;
		counts->withdraws++;
		peer->routes--;
	} else {
		counts->announced++;
		if (route->value == 0)
			peer->routes++;
		if (route->value == 0 && m->in_churn && peer->end_of_rib == 3)
			counts->returns++;
		else if (route->value == value)
			counts->duplicates++;
		else if (route->value != 0)
			counts->changes++;
	}
	route->value = value;
}

static void read_update(struct model *m, struct model_peer *peer,
			const struct bmp_message *msg)
{
	struct bgp_decode_opts opts =
		bgp_context_decode_opts(&peer->context, &msg->peer, NULL);
	struct bgp_nlri_iter it;
	struct bgp_update u;

	CHECK(bgp_update_decode(msg->update.body, &opts, &u) == BGP_ACCEPT,
	      "an UPDATE has fault %d", u.fault);
	CHECK(msg->update.whole.len <= 4096, "an UPDATE is too long");
	if (u.end_of_rib) {
		peer->end_of_rib |= u.eor_afi == 1 ? 1 : 2;
		return;
	}
	m->counts.updates++;
	for (int s = 0; s < BGP_PARTS; s++) {
		if (!bgp_update_routes(&u, s, &it))
			continue;
		while (bgp_nlri_next(&it))
			apply(m, peer, key_of(peer, &it.nlri),
			      bgp_update_announces(&u, s) ? value_of(&u, s)
							  : 0);
		CHECK(!it.malformed && it.host_bits == 0, "bad prefixes");
	}
}

static void peer_down(struct model *m, struct model_peer *peer, uint32_t all)
{
	assert_true(peer->up);
	peer->up = false;
	peer->end_of_rib = 0;
	peer->routes = 0;
	m->counts.flaps++;
	/* One peer a model where there are flaps: all routes are its own. */
	assert_int_equal(all, 1);
	memset(m->slots, 0, m->size * sizeof(*m->slots));
}

static void read_statistics(struct model_peer *peer,
			    const struct bmp_message *msg)
{
	struct bmp_stat_iter it = bmp_stat_start(msg);
	struct bmp_stat stat;

	assert_true(bmp_stat_next(&it, &stat));
	assert_int_equal(stat.type, 7);
	assert_int_equal(stat.value, peer->routes);
}

static void read_message(struct model *m, const struct bmp_frame *frame,
			 const struct load_plan *plan)
{
	struct model_peer *peer;
	struct bmp_message msg;

	CHECK(bmp_message_decode(frame, BMP_V4_OFF, &msg) == BMP_OK,
	      "a message of type %u is not right", frame->type);
	m->counts.messages++;
	m->type_counts[msg.type]++;
	if (!msg.has_peer)
		return;
	peer = peer_of(m, &msg.peer);
	switch (msg.type) {
	case BMP_PEER_UP:
		assert_false(peer->up);
		peer->up = true;
		assert_int_equal(bgp_context_peer_up(&peer->context, &msg.peer,
						     &msg.up),
				 BGP_OPEN_OK);
		break;
	case BMP_PEER_DOWN:
		peer_down(m, peer, plan->peers);
		break;
	case BMP_ROUTE_MONITORING:
		assert_true(peer->up);
		read_update(m, peer, &msg);
		break;
	case BMP_STATISTICS:
		read_statistics(peer, &msg);
		break;
	default:
		break;
	}
}

static void read_bytes(struct model *m, const uint8_t *p, size_t n,
		       const struct load_plan *plan)
{
	struct bmp_frame frame;
	size_t need;

	m->hash = mix(m->hash, p, n);
	while (n > 0) {
		CHECK(bmp_frame_next((struct wire_view){ p, n },
				     BMP_MAX_FRAME_DEFAULT, &frame,
				     &need) == BMP_FRAME_WHOLE,
		      "not a whole message");
		read_message(m, &frame, plan);
		p += frame.whole.len;
		n -= frame.whole.len;
	}
}

/* All that router @index has to say, in pieces of up to @size. */
static void read_router(struct model *m, const struct load_plan *plan,
			uint32_t index, size_t size)
{
	uint8_t *buf = malloc(size);
	struct load_counts before;
	struct load_router *r;
	struct load_table *table;
	size_t n;

	assert_non_null(buf);
	assert_null(load_plan_fault(plan));
	assert_int_equal(load_table_new(plan, &table), 0);
	assert_int_equal(load_router_new(table, index, &r), 0);
	model_init(m, (uint64_t)plan->prefixes * plan->peers);
	while ((n = load_router_fill(r, 0, buf, size)) > 0) {
		assert_true(n <= size);
		read_bytes(m, buf, n, plan);
	}
	/* The tables are there, nothing has changed yet. */
	assert_int_equal(m->peer_count, plan->peers);
	for (unsigned i = 0; i < m->peer_count; i++) {
		assert_int_equal(m->peers[i].routes, plan->prefixes);
		assert_int_equal(m->peers[i].end_of_rib, 3);
	}
	assert_int_equal(m->counts.changes + m->counts.duplicates, 0);
	m->in_churn = true;
	while ((n = load_router_fill(r, LOAD_NO_END, buf, size)) > 0)
		read_bytes(m, buf, n, plan);
	assert_int_equal(load_router_phase(r), LOAD_DONE);

	before = *load_router_counts(r);
	m->counts.bytes = before.bytes;
	assert_memory_equal(&before, &m->counts, sizeof(before));
	load_router_free(r);
	load_table_free(table);
	free(buf);
}

struct plan_case {
	const char *what;
	uint32_t peers, prefixes, per_update, v6_share;
	uint64_t churn;
	uint32_t changes, duplicates, withdraws, flaps;
};

static const struct plan_case plans[] = {
	{ "one route", 1, 1, 1, 0, 0, 0, 0, 0, 0 },
	{ "one IPv6 route", 1, 1, 1, 1000000, 0, 0, 0, 0, 0 },
	{ "no route", 2, 0, 1, 0, 0, 0, 0, 0, 0 },
	{ "one an UPDATE", 3, 2000, 1, 200000, 5000, 89, 3, 8, 0 },
	{ "six an UPDATE", 5, 3001, 6, 200000, 5000, 89, 3, 8, 0 },
	{ "fifty an UPDATE", 2, 5003, 50, 500000, 20000, 50, 25, 25, 0 },
	{ "as many as fit", 2, 5003, 500, 500000, 20000, 50, 25, 25, 0 },
	{ "changes only", 1, 1000, 1, 0, 3000, 1, 0, 0, 0 },
	{ "duplicates only", 1, 1000, 2, 300000, 3000, 0, 1, 0, 0 },
	{ "withdraws only", 1, 1000, 3, 300000, 3000, 0, 0, 1, 0 },
	{ "a flapping peer", 1, 1000, 3, 300000, 3000, 60, 20, 20, 5 },
};

static struct load_plan plan_of(const struct plan_case *c, uint64_t seed)
{
	struct load_plan plan = LOAD_PLAN_INIT;

	plan.seed = seed;
	plan.peers = c->peers;
	plan.prefixes = c->prefixes;
	plan.per_update = c->per_update;
	plan.v6_share = c->v6_share;
	plan.churn = c->churn;
	plan.changes = c->changes;
	plan.duplicates = c->duplicates;
	plan.withdraws = c->withdraws;
	plan.flaps = c->flaps;
	return plan;
}

static void test_a_session_is_what_was_asked_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plans); i++) {
		struct load_plan plan = plan_of(&plans[i], i + 1);
		uint64_t churned;
		struct model m;

		print_message("# %s\n", plans[i].what);
		read_router(&m, &plan, 0, 1 << 17);
		churned = m.counts.changes + m.counts.duplicates +
			  m.counts.withdraws + m.counts.returns;
		assert_in_range(churned, plan.churn,
				plan.churn + plan.per_update);
		assert_int_equal(m.counts.flaps, plan.flaps);
		assert_int_equal(m.type_counts[BMP_INITIATION], 1);
		assert_int_equal(m.type_counts[BMP_TERMINATION], 1);
		assert_int_equal(m.type_counts[BMP_PEER_UP],
				 plan.peers + plan.flaps);
		model_fini(&m);
	}
}

static void test_shares_of_the_churn_are_as_asked(void **state)
{
	struct load_plan plan = plan_of(&plans[3], 9);
	struct model m;

	(void)state;
	plan.churn = 100000;
	plan.changes = 60;
	plan.duplicates = 30;
	plan.withdraws = 10;
	read_router(&m, &plan, 0, 1 << 17);
	/* What fell on a withdrawn route brought it back instead. */
	assert_in_range(m.counts.changes * 100 / m.counts.duplicates, 190, 210);
	assert_in_range(m.counts.withdraws * 100 / m.counts.duplicates, 31, 36);
	model_fini(&m);
}

static uint64_t hash_of(const struct load_plan *plan, uint32_t router,
			size_t size)
{
	struct model m;

	read_router(&m, plan, router, size);
	model_fini(&m);
	return m.hash;
}

/*
 * The number is that of the bytes as they were first made. It may change only
 * with a reason, in the change log: recorded loads are compared by seed.
 */
static void test_a_seed_makes_the_same_bytes_for_ever(void **state)
{
	struct load_plan plan = plan_of(&plans[4], 42);

	(void)state;
	assert_true(hash_of(&plan, 0, 1 << 16) == UINT64_C(0x6004bf030e385056));
}

static void test_bytes_do_not_depend_on_the_buffer(void **state)
{
	struct load_plan plan = plan_of(&plans[4], 42);
	uint64_t hash = hash_of(&plan, 0, 1 << 20);

	(void)state;
	assert_true(hash == hash_of(&plan, 0, LOAD_MESSAGE_MAX));
	assert_true(hash == hash_of(&plan, 0, 3 * LOAD_MESSAGE_MAX + 1));
}

static void test_seeds_and_routers_differ(void **state)
{
	struct load_plan plan = plan_of(&plans[4], 42);
	uint64_t hash;

	(void)state;
	plan.routers = 2;
	hash = hash_of(&plan, 0, 1 << 16);
	assert_true(hash != hash_of(&plan, 1, 1 << 16));
	plan.seed++;
	assert_true(hash != hash_of(&plan, 0, 1 << 16));
}

static void test_updates_are_divided_among_routers(void **state)
{
	struct load_plan plan = plan_of(&plans[3], 42);
	uint64_t churned = 0;

	(void)state;
	plan.routers = 3;
	plan.churn = 1000;
	for (uint32_t i = 0; i < plan.routers; i++) {
		struct model m;

		read_router(&m, &plan, i, 1 << 16);
		churned += m.counts.changes + m.counts.duplicates +
			   m.counts.withdraws + m.counts.returns;
		model_fini(&m);
	}
	assert_int_equal(churned, plan.churn);
}

static void test_churn_goes_as_far_as_it_may(void **state)
{
	struct load_plan plan = plan_of(&plans[3], 42);
	static uint8_t buf[1 << 16];
	struct load_router *r;
	struct load_table *table;

	(void)state;
	plan.churn = LOAD_NO_END;
	plan.stay = true;
	assert_int_equal(load_table_new(&plan, &table), 0);
	assert_int_equal(load_router_new(table, 0, &r), 0);
	for (uint64_t until = 0; until < 5000; until += 777) {
		while (load_router_fill(r, until, buf, sizeof(buf)) > 0)
			;
		assert_int_equal(load_router_phase(r), LOAD_CHURN);
		assert_int_equal(load_router_churned(r), until);
	}
	load_router_stop(r);
	assert_true(load_router_fill(r, LOAD_NO_END, buf, sizeof(buf)) > 0);
	assert_int_equal(load_router_phase(r), LOAD_DONE);
	load_router_free(r);
	load_table_free(table);
}

static void test_a_given_time_is_in_the_headers(void **state)
{
	struct load_plan plan = plan_of(&plans[3], 42);
	static uint8_t buf[1 << 16];
	uint64_t now = UINT64_C(1800000000123456000);
	struct bmp_message msg;
	struct load_router *r;
	struct load_table *table;
	struct bmp_frame frame;
	size_t need, n;

	(void)state;
	assert_int_equal(load_table_new(&plan, &table), 0);
	assert_int_equal(load_router_new(table, 0, &r), 0);
	while (load_router_fill(r, 0, buf, sizeof(buf)) > 0)
		;
	load_router_time(r, now);
	n = load_router_fill(r, 100, buf, sizeof(buf));
	for (const uint8_t *p = buf; p < buf + n; p += frame.whole.len) {
		struct wire_view in = { p, (size_t)(buf + n - p) };

		assert_int_equal(bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT,
						&frame, &need),
				 BMP_FRAME_WHOLE);
		assert_int_equal(bmp_message_decode(&frame, BMP_V4_OFF, &msg),
				 BMP_OK);
		assert_int_equal(msg.peer.time_ns, now);
	}
	load_router_free(r);
	load_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_session_is_what_was_asked_for),
		cmocka_unit_test(test_shares_of_the_churn_are_as_asked),
		cmocka_unit_test(test_a_seed_makes_the_same_bytes_for_ever),
		cmocka_unit_test(test_bytes_do_not_depend_on_the_buffer),
		cmocka_unit_test(test_seeds_and_routers_differ),
		cmocka_unit_test(test_updates_are_divided_among_routers),
		cmocka_unit_test(test_churn_goes_as_far_as_it_may),
		cmocka_unit_test(test_a_given_time_is_in_the_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
