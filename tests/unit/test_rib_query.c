/*
 * The work of queries grows with routers, peers, tables and routes, not with a
 * product of two of them, and a call does no more than its budget.
 * test_rib_random compares the answers with a model.
 */
#include "check.h"

#include "rib/query.h"
#include "rib/restore.h"
#include "rib/rib.h"

#include "bmp/peer.h"
#include "bmp/wire.h"

#include <string.h>

#define BUDGET 1024

/*
 * The most steps for each peer or router: both stages visit it, its peer and
 * its table, and read its two routes, twice for paths, and look them up.
 */
#define STEPS 16

static const uint32_t sizes[] = { 1000, 5000, 20000 };

/* Besides its budget a call tries each length of a covering prefix. */
#define SLACK 129

static void ignore_change(void *arg, const struct rib_change *c)
{
	(void)arg;
	(void)c;
}

static void ignore_event(void *arg, const struct rib_event *e)
{
	(void)arg;
	(void)e;
}

static struct rib *new_rib(void)
{
	static const struct rib_sink sink = { .change = ignore_change,
					      .event = ignore_event };
	struct rib_config config;
	struct rib *rib;

	rib_config_defaults(&config);
	assert_int_equal(rib_new(&config, &sink, &rib), 0);
	return rib;
}

static struct rib_router *new_router(struct rib *rib, uint32_t number)
{
	struct rib_identity id = { 0 };
	struct rib_router *router;

	wire_put_u32(id.address + 12, number);
	assert_int_equal(rib_router_get(rib, &id, &router), 0);
	return router;
}

static struct rib_peer *new_peer(struct rib_router *router, uint32_t number)
{
	struct rib_peer_state state = { .as = 64500 };
	struct rib_peer *peer;

	wire_put_u32(state.address + 12, number);
	assert_int_equal(rib_restore_peer(router, &state, &peer), 0);
	return peer;
}

/* Add the IPv4 route @address/@len, with path identifier @path unless 0. */
static void add_route(struct rib_peer *peer, uint32_t address, uint8_t len,
		      uint32_t path)
{
	uint8_t key[5] = { len };
	struct rib_stored route = {
		.has_path_id = path != 0,
		.path_id = path,
		.key = { key, 1 + (len + 7u) / 8 },
	};
	struct rib_table *table;

	wire_put_u32(key + 1, address);
	assert_int_equal(rib_restore_table(peer, BMP_VIEW_IN_PRE, 1, 1, 1,
					   &table),
			 0);
	assert_int_equal(rib_restore_route(table, &route), 0);
}

/* Each peer has a default route, one /24 of its own, and as a path. */
static void add_routes(struct rib_peer *peer, uint32_t number, bool paths)
{
	add_route(peer, 0, 0, paths);
	add_route(peer, 0x0a000000 + (number << 8), 24, paths * number);
}

static bool count_answer(void *arg, const struct rib_answer *answer)
{
	(void)answer;
	++*(uint64_t *)arg;
	return true;
}

struct outcome {
	uint64_t work;
	uint64_t answers;
};

static struct outcome ask_all(const struct rib *rib, const struct rib_query *q)
{
	struct rib_query_cursor cursor = { 0 };
	struct outcome out = { 0 };
	struct rib_query_page page = { BUDGET, SIZE_MAX, count_answer,
				       &out.answers };
	uint64_t before = 0;
	bool more = true;

	while (more) {
		more = rib_query(rib, q, &cursor, &page);
		assert_true(cursor.work - before <= BUDGET + SLACK);
		assert_true(!more || cursor.work > before);
		before = cursor.work;
	}
	out.work = cursor.work;
	return out;
}

static struct rib_query query_of(enum rib_match match, uint32_t address,
				 uint8_t len)
{
	struct rib_query q = { .match = (uint8_t)match, .prefix_len = len };

	q.address[10] = q.address[11] = 0xff;
	wire_put_u32(q.address + 12, address);
	return q;
}

/* At most STEPS for each of @n routers or peers. */
static void check_linear(const struct rib *rib, const struct rib_query *q,
			 uint32_t n, uint64_t answers)
{
	struct outcome out = ask_all(rib, q);

	assert_int_equal(out.answers, answers);
	if (out.work > (uint64_t)STEPS * n + SLACK)
		fail_msg("match %u: %llu steps for %u", q->match,
			 (unsigned long long)out.work, n);
}

/* Every question, also those whose answer is far back or nowhere. */
static void check_questions(struct rib *rib, uint32_t n,
			    struct rib_router *last, uint32_t peer)
{
	struct bmp_peer header = { 0 };
	struct rib_query q;

	q = query_of(RIB_MATCH_LONGEST, 0xc0000201, 32);
	check_linear(rib, &q, n, n);
	q.views = 1u << BMP_VIEW_LOC_RIB;
	check_linear(rib, &q, n, 0);
	q.views = 0;
	wire_put_u32(header.address + 12, peer);
	q.peer = &header;
	check_linear(rib, &q, n, 1);
	wire_put_u32(header.address + 12, UINT32_MAX);
	check_linear(rib, &q, n, 0);
	q.peer = NULL;
	q.router = last;
	check_linear(rib, &q, n, rib_router_routes(last) / 2);
	q = query_of(RIB_MATCH_EXACT, 0, 0);
	check_linear(rib, &q, n, n);
	/* Keys times tables would be n * n. */
	q = query_of(RIB_MATCH_MORE_SPECIFIC, 0x0a000000, 8);
	check_linear(rib, &q, n, n);
	q = query_of(RIB_MATCH_MORE_SPECIFIC, 0, 0);
	check_linear(rib, &q, n, 2 * n);
	q = query_of(RIB_MATCH_MORE_SPECIFIC, 0x0a000100, 24);
	check_linear(rib, &q, n, 1);
}

static void test_work_is_linear_in_peers(void **state)
{
	(void)state;
	for (unsigned paths = 0; paths < 2; paths++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			struct rib *rib = new_rib();
			struct rib_router *router = new_router(rib, 1);

			for (uint32_t p = 1; p <= sizes[i]; p++)
				add_routes(new_peer(router, p), p, paths != 0);
			assert_true(rib_validate(rib));
			check_questions(rib, sizes[i], router, sizes[i]);
			rib_free(rib);
		}
}

static void test_work_is_linear_in_routers(void **state)
{
	(void)state;
	for (unsigned paths = 0; paths < 2; paths++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			struct rib *rib = new_rib();
			struct rib_router *router = NULL;

			for (uint32_t r = 1; r <= sizes[i]; r++) {
				router = new_router(rib, r);
				add_routes(new_peer(router, r), r, paths != 0);
			}
			assert_true(rib_validate(rib));
			check_questions(rib, sizes[i], router, sizes[i]);
			rib_free(rib);
		}
}

/* A scan compares 32 keys for a step. */
static void test_keys_are_scanned(void **state)
{
	struct rib *rib = new_rib();
	struct rib_peer *peer = new_peer(new_router(rib, 1), 1);
	struct rib_query q;
	struct outcome out;

	(void)state;
	for (uint32_t i = 0; i < 65536; i++)
		add_route(peer, (i << 16) + (i * 7 % 256 << 8), 24, 0);
	q = query_of(RIB_MATCH_MORE_SPECIFIC, 0xff000000, 12);
	out = ask_all(rib, &q);
	assert_int_equal(out.answers, 16);
	assert_true(out.work < 65536 / 32 + 16 * 8);
	rib_free(rib);
}

/* A cursor continues behind routers and peers that were removed. */
static void test_cursor_survives_removal(void **state)
{
	static const struct rib_time when = { 1, 1 };
	struct rib_query q = query_of(RIB_MATCH_LONGEST, 0xc0000201, 32);
	struct rib_query_cursor cursor = { 0 };
	uint64_t answers = 0;
	struct rib_query_page page = { 20, SIZE_MAX, count_answer, &answers };
	struct rib_router *routers[100];
	struct rib *rib = new_rib();

	(void)state;
	for (uint32_t r = 0; r < 100; r++) {
		routers[r] = new_router(rib, r + 1);
		add_routes(new_peer(routers[r], r + 1), r + 1, false);
	}
	assert_true(rib_query(rib, &q, &cursor, &page));
	/* Those that were answered, the one of the cursor, and some more. */
	for (uint32_t r = 0; r < 60; r++)
		rib_router_purge(routers[r], &when);
	page.budget = SIZE_MAX;
	assert_false(rib_query(rib, &q, &cursor, &page));
	assert_true(answers >= 40 && answers <= 40 + 20);
	rib_free(rib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_is_linear_in_peers),
		cmocka_unit_test(test_work_is_linear_in_routers),
		cmocka_unit_test(test_keys_are_scanned),
		cmocka_unit_test(test_cursor_survives_removal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
