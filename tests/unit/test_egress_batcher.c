#include "runtime.h"

#include "egress/batcher.h"
#include "egress/codec.h"
#include "egress/batch_pool.h"
#include "egress/encode/decode.h"

#include "bmp/attr.h"
#include "bmp/decode_context.h"
#include "bmp/family.h"

#include <errno.h>
#include <string.h>

/* A worker with a bridge that we empty ourselves. */
struct fixture {
	struct egress_bridge *bridge;
	struct egress_batcher *batcher;
	struct rib_sink sink;
	struct egress_codec *codec;
};

static void fixture_init(struct fixture *f, uint32_t batches,
			 struct egress_batcher_opts opts)
{
	assert_int_equal(egress_bridge_new(1, batches, &f->bridge), 0);
	opts.bridge = f->bridge;
	opts.updates = "up";
	opts.events = "ev";
	opts.seed = 42;
	assert_int_equal(egress_batcher_new(&opts, &f->batcher), 0);
	f->sink = egress_batcher_sink(f->batcher);
	assert_int_equal(egress_codec_new(&f->codec), 0);
}

static void fixture_fini(struct fixture *f)
{
	egress_batcher_free(f->batcher);
	egress_codec_free(f->codec);
	egress_bridge_free(f->bridge);
}

static struct rib_router_info router_of(uint8_t last)
{
	return (struct rib_router_info){
		.address = { [10] = 0xff, 0xff, 192, 0, 2, last },
	};
}

static struct rib_table_info table_of(const struct rib_router_info *router,
				      uint32_t peer_as)
{
	return (struct rib_table_info){
		.router = router,
		.peer_as = peer_as,
		.afi = 1,
		.safi = 1,
		.family = BGP_IPV4_UNICAST,
	};
}

static void put_change(struct fixture *f, const struct rib_table_info *t,
		       uint64_t sequence, size_t count, bool subject_changed)
{
	static struct rib_route routes[RIB_CHANGE_MAX];
	struct rib_change c = {
		.table = t,
		.received_ns = 1,
		.subject_changed = subject_changed,
		.kind = BGP_NLRI_PREFIX,
		.count = count,
		.routes = routes,
	};

	for (size_t i = 0; i < count; i++)
		routes[i] = (struct rib_route){ .sequence = sequence + i };
	f->sink.change(f->sink.change_arg, &c);
}

/* Withdraw @count routes, numbered from @sequence on. */
static void put(struct fixture *f, const struct rib_table_info *t,
		uint64_t sequence, size_t count)
{
	put_change(f, t, sequence, count, /* subject_changed= */ false);
}

/* The same of a peer whose AS is another by now. */
static void put_moved(struct fixture *f, const struct rib_table_info *t,
		      uint64_t sequence, size_t count)
{
	put_change(f, t, sequence, count, /* subject_changed= */ true);
}

static void put_event(struct fixture *f, const struct rib_router_info *router,
		      enum rib_event_kind kind, uint64_t number)
{
	struct rib_event e = {
		.kind = kind,
		.received_ns = number,
		.router = router,
	};

	f->sink.event(f->sink.event_arg, &e);
}

/* The next batch, which must be of @subject; NULL: there must be none. */
static struct egress_batch *pop(struct fixture *f, const char *subject)
{
	struct egress_batch *batch = egress_bridge_pop(f->bridge);

	if (subject == NULL) {
		assert_null(batch);
		return NULL;
	}
	assert_non_null(batch);
	assert_string_equal(batch->subject, subject);
	assert_int_equal(batch->subject_len, strlen(subject));
	return batch;
}

/* Read the updates of @batch: they are numbered from *@sequence on. */
static void check_updates(struct fixture *f, struct egress_batch *batch,
			  uint64_t *sequence)
{
	struct egress_decoder r;
	struct egress_message m;
	struct egress_update u;
	struct wire_view plain;
	uint32_t updates = 0;

	assert_int_equal(egress_codec_open(f->codec, batch->encoding,
					   (struct wire_view){ batch->bytes,
							       batch->len },
					   &plain),
			 0);
	assert_int_equal(plain.len, batch->plain_len);
	r = egress_decode_start(plain);
	while (egress_decode_next(&r, &m) > 0) {
		assert_int_equal(egress_decode_update(&m, &u), 0);
		assert_int_equal(u.sequence, (*sequence)++);
		updates++;
	}
	assert_int_equal(r.c.left, 0);
	assert_int_equal(updates, batch->updates);
}

/* Pop one batch, check that it goes on at *@sequence, give it back. */
static void take(struct fixture *f, const char *subject, uint64_t *sequence)
{
	struct egress_batch *batch = pop(f, subject);

	assert_int_equal(batch->kind, EGRESS_BATCH_UPDATES);
	check_updates(f, batch, sequence);
	egress_bridge_give_back(f->bridge, batch);
}

static void take_event(struct fixture *f, const char *subject, uint32_t count)
{
	struct egress_batch *batch = pop(f, subject);

	assert_int_equal(batch->kind, EGRESS_BATCH_EVENTS);
	assert_int_equal(batch->updates, count);
	egress_bridge_give_back(f->bridge, batch);
}

static void test_updates_gather_until_the_input_is_dry(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info a = table_of(&router, 64500);
	struct rib_table_info b = table_of(&router, 64501);
	struct egress_batcher_stats stats;
	uint64_t next_a = 1, next_b = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 16, (struct egress_batcher_opts){ 0 });
	put(&f, &a, 1, 1);
	put(&f, &b, 1, 2);
	put(&f, &a, 2, 3);
	pop(&f, NULL);
	egress_batcher_stats(f.batcher, &stats);
	assert_int_equal(stats.open, 2);
	assert_int_equal(stats.updates, 6);
	egress_batcher_flush(f.batcher);
	take(&f, "up.v4_192_0_2_1.64500.1_1", &next_a);
	take(&f, "up.v4_192_0_2_1.64501.1_1", &next_b);
	pop(&f, NULL);
	assert_int_equal(next_a, 5);
	assert_int_equal(next_b, 3);
	egress_batcher_stats(f.batcher, &stats);
	assert_int_equal(stats.closed[EGRESS_FLUSH_IDLE], 2);
	assert_int_equal(stats.open, 0);
	fixture_fini(&f);
}

static void test_a_batch_is_closed_when_it_is_full(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 64500);
	const struct egress_batcher_opts cases[] = {
		{ .max_updates = 1 },
		{ .max_updates = 7 },
		{ .max_bytes = 1024 },
		{ .max_bytes = 4000 },
		{ .max_bytes = 65536 },
		{ .max_bytes = 4000, .max_updates = 5 },
		{ .max_bytes = 4000, .encoding = EGRESS_PACKED },
		{ .max_bytes = 20000, .encoding = EGRESS_ZSTD },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t put_next = 1, next = 1;
		struct egress_batch *batch;
		struct fixture f;

		fixture_init(&f, 1024, cases[i]);
		for (size_t count = 1; count <= RIB_CHANGE_MAX; count += 9) {
			put(&f, &t, put_next, count);
			put_next += count;
		}
		egress_batcher_flush(f.batcher);
		while ((batch = egress_bridge_pop(f.bridge)) != NULL) {
			check_updates(&f, batch, &next);
			CHECK(batch->plain_len <=
				      (cases[i].max_bytes == 0
					       ? EGRESS_BATCHER_BYTES
					       : cases[i].max_bytes),
			      "case %zu: %u bytes", i, batch->plain_len);
			CHECK(cases[i].max_updates == 0 ||
				      batch->updates <= cases[i].max_updates,
			      "case %zu: %u updates", i, batch->updates);
			assert_int_equal(batch->encoding, cases[i].encoding);
			egress_bridge_give_back(f.bridge, batch);
		}
		assert_int_equal(next, put_next);
		fixture_fini(&f);
	}
}

static void test_a_turn_closes_what_is_old(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 64500);
	uint64_t now = (uint64_t)sp_now(), next = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 16, (struct egress_batcher_opts){ 0 });
	put(&f, &t, 1, 1);
	egress_batcher_flush_aged(f.batcher,
				  now); /* from before it was opened */
	pop(&f, NULL);
	now = (uint64_t)sp_now();
	egress_batcher_flush_aged(f.batcher, now + EGRESS_BATCHER_AGE);
	take(&f, "up.v4_192_0_2_1.64500.1_1", &next);
	fixture_fini(&f);
}

/* Put @count updates, numbered from @first on, ten in a change. */
static void put_many(struct fixture *f, const struct rib_table_info *t,
		     uint64_t first, uint64_t count)
{
	for (uint64_t n = 0; n < count; n += 10)
		put(f, t, first + n, 10);
}

#define LINGER (10 * UINT64_C(1000000))

/* A busy stream fills its batches, a quiet one does not wait. */
static void test_batches_linger_while_updates_come_fast(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 64500);
	uint64_t start = (uint64_t)sp_now(), next = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 16,
		     (struct egress_batcher_opts){ .linger_ns = LINGER,
						   .max_bytes = 1 << 20 });
	egress_batcher_idle(f.batcher, start);
	/* The first updates after a pause. */
	put(&f, &t, 1, 2);
	egress_batcher_idle(f.batcher, start + 1000);
	take(&f, "up.v4_192_0_2_1.64500.1_1", &next);
	/* 220 in 10 ms: a pace of 22,000 a second. */
	put_many(&f, &t, 3, 220);
	egress_batcher_idle(f.batcher, start + LINGER);
	pop(&f, NULL);
	egress_batcher_idle(f.batcher, start + LINGER + 1000);
	pop(&f, NULL);
	assert_true(egress_batcher_due(f.batcher) <=
		    (uint64_t)sp_now() + LINGER);
	/* As old as it may become, at the pace as it was measured. */
	put_many(&f, &t, 223, 300);
	egress_batcher_flush_aged(f.batcher, egress_batcher_due(f.batcher));
	while (next < 523)
		take(&f, "up.v4_192_0_2_1.64500.1_1", &next);
	/* The stream has ended: nothing waits. */
	put(&f, &t, 523, 1);
	egress_batcher_idle(f.batcher, start + 100 * LINGER);
	take(&f, "up.v4_192_0_2_1.64500.1_1", &next);
	fixture_fini(&f);
}

static void test_batches_do_not_linger_without_the_option(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 64500);
	uint64_t start = (uint64_t)sp_now(), next = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 16, (struct egress_batcher_opts){ 0 });
	egress_batcher_idle(f.batcher, start);
	put_many(&f, &t, 1, 400);
	egress_batcher_idle(f.batcher, start + LINGER);
	while (next < 401)
		take(&f, "up.v4_192_0_2_1.64500.1_1", &next);
	fixture_fini(&f);
}

static void test_an_event_keeps_its_place(void **state)
{
	struct rib_router_info router = router_of(1), other = router_of(2);
	struct rib_table_info a = table_of(&router, 64500);
	struct rib_table_info b = table_of(&router, 64501);
	struct rib_table_info c = table_of(&other, 64500);
	uint64_t next_a = 1, next_b = 1, next_c = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 16, (struct egress_batcher_opts){ 0 });
	put(&f, &c, 1, 1);
	put(&f, &a, 1, 1);
	put(&f, &b, 1, 1);
	put_event(&f, &router, RIB_EVENT_PEER_DOWN, 1);
	put_event(&f, &router, RIB_EVENT_PEER_DOWN, 2);
	put(&f, &a, 2, 1); /* the synthetic withdraws come behind it */
	put_event(&f, &router, RIB_EVENT_SESSION_CLOSE, 3);
	put_event(&f, &router, RIB_EVENT_STALE, 4);
	put(&f, &c, 2, 1);
	egress_batcher_flush(f.batcher);

	take(&f, "up.v4_192_0_2_1.64500.1_1", &next_a);
	take(&f, "up.v4_192_0_2_1.64501.1_1", &next_b);
	take_event(&f, "ev.v4_192_0_2_1.peerDown", 2);
	take(&f, "up.v4_192_0_2_1.64500.1_1", &next_a);
	take_event(&f, "ev.v4_192_0_2_1.sessionClose", 1);
	/* The other router's was not disturbed. */
	take(&f, "up.v4_192_0_2_2.64500.1_1", &next_c);
	take_event(&f, "ev.v4_192_0_2_1.stale", 1);
	pop(&f, NULL);
	assert_int_equal(next_c, 3);
	fixture_fini(&f);
}

/* Nor do updates overtake it that fill their batches at once. */
static void test_an_event_is_not_overtaken(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 1);
	uint64_t next = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 16, (struct egress_batcher_opts){ .max_updates = 10 });
	put_event(&f, &router, RIB_EVENT_PEER_UP, 1);
	put(&f, &t, 1, 20);
	take_event(&f, "ev.v4_192_0_2_1.peerUp", 1);
	take(&f, "up.v4_192_0_2_1.1.1_1", &next);
	take(&f, "up.v4_192_0_2_1.1.1_1", &next);
	assert_int_equal(next, 21);
	fixture_fini(&f);
}

/*
 * Of one table, on two subjects: in the order in which they were said, however
 * soon the second is full.
 */
static void test_what_moved_is_not_overtaken(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info was = table_of(&router, 64500);
	struct rib_table_info is = table_of(&router, 64501);
	uint64_t next = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 16, (struct egress_batcher_opts){ .max_updates = 10 });
	put_moved(&f, &was, 1, 12);
	put(&f, &is, 13, 10);
	put_moved(&f, &was, 23, 10);
	put(&f, &is, 33, 1);
	egress_batcher_flush(f.batcher);
	take(&f, "up.v4_192_0_2_1.64500.1_1", &next);
	take(&f, "up.v4_192_0_2_1.64500.1_1", &next);
	take(&f, "up.v4_192_0_2_1.64501.1_1", &next);
	take(&f, "up.v4_192_0_2_1.64500.1_1", &next);
	take(&f, "up.v4_192_0_2_1.64501.1_1", &next);
	pop(&f, NULL);
	assert_int_equal(next, 34);
	fixture_fini(&f);
}

static void test_routers_are_known_by_name_first(void **state)
{
	struct rib_router_info one = router_of(1), two = router_of(1);
	struct rib_table_info a = table_of(&one, 1), b = table_of(&two, 1);
	uint64_t next_a = 1, next_b = 1;
	struct egress_batcher_stats stats;
	struct fixture f;

	(void)state;
	one.name = "core.1";
	two.name = "core.2";
	fixture_init(&f, 16, (struct egress_batcher_opts){ 0 });
	put(&f, &b, 1, 1);
	put(&f, &a, 1, 1);
	one.address[15] = 99; /* reconnected from elsewhere */
	put(&f, &a, 2, 1);
	put_event(&f, NULL, RIB_EVENT_EPOCH, 1);
	egress_batcher_flush(f.batcher);
	take(&f, "up.id_core_2e2.1.1_1", &next_b);
	take(&f, "up.id_core_2e1.1.1_1", &next_a);
	take_event(&f, "ev.collector.epoch", 1);
	assert_int_equal(next_a, 3);
	one.address[15] = 1; /* and from where it was before */
	put(&f, &a, 3, 1);
	egress_batcher_flush(f.batcher);
	take(&f, "up.id_core_2e1.1.1_1", &next_a);
	assert_int_equal(next_a, 4);
	egress_batcher_forget(f.batcher, &one);
	egress_batcher_stats(f.batcher, &stats);
	assert_int_equal(stats.routers, 2);
	fixture_fini(&f);
}

static void test_a_mark_is_behind_its_router(void **state)
{
	struct rib_router_info router = router_of(1), other = router_of(2);
	struct rib_table_info a = table_of(&router, 1), b = table_of(&other, 1);
	struct egress_batch *fence;
	uint64_t next_a = 1, next_b = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 16, (struct egress_batcher_opts){ 0 });
	put(&f, &b, 1, 1);
	put(&f, &a, 1, 1);
	assert_int_equal(egress_batcher_fence(f.batcher, &router, 77), 0);
	take(&f, "up.v4_192_0_2_1.1.1_1", &next_a);
	fence = egress_bridge_pop(f.bridge);
	assert_int_equal(fence->kind, EGRESS_BATCH_FENCE);
	assert_int_equal(fence->fence_number, 77);
	fence->position = 1234;
	egress_bridge_give_back(f.bridge, fence);
	fence = egress_bridge_take_fence(f.bridge, 0);
	assert_int_equal(fence->position, 1234);
	egress_batcher_put_fence(f.batcher, fence);
	pop(&f, NULL);

	assert_int_equal(egress_batcher_fence(f.batcher, NULL, 78), 0);
	take(&f, "up.v4_192_0_2_2.1.1_1", &next_b);
	fence = egress_bridge_pop(f.bridge);
	assert_int_equal(fence->fence_number, 78);
	assert_int_equal(fence->position, 0);
	egress_bridge_give_back(f.bridge, fence);
	fixture_fini(&f);
}

static void test_what_the_bridge_refuses_is_kept_in_order(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 1);
	struct egress_batcher_stats stats;
	struct fixture f;
	uint64_t next = 1;

	(void)state;
	fixture_init(&f, 4, (struct egress_batcher_opts){ .max_updates = 1 });
	put(&f, &t, 1, 4);
	assert_false(egress_batcher_blocked(f.batcher));
	put(&f, &t, 5, 20);
	assert_true(egress_batcher_blocked(f.batcher));
	egress_batcher_stats(f.batcher, &stats);
	assert_int_equal(stats.backlog, 20);
	while (next <= 20) {
		take(&f, "up.v4_192_0_2_1.1.1_1", &next);
		(void)egress_batcher_blocked(f.batcher);
	}
	put(&f, &t, 25, 1); /* behind those that were kept */
	while (next <= 25) {
		egress_batcher_flush_aged(f.batcher, 0);
		take(&f, "up.v4_192_0_2_1.1.1_1", &next);
	}
	assert_int_equal(next, 26);
	assert_false(egress_batcher_blocked(f.batcher));
	egress_batcher_stats(f.batcher, &stats);
	assert_int_equal(stats.backlog, 0);
	assert_int_equal(stats.lost, 0);
	fixture_fini(&f);
}

static void test_it_is_full_once_enough_is_kept(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 1);
	struct fixture f;
	uint64_t next = 1;

	(void)state;
	fixture_init(&f, 4, (struct egress_batcher_opts){ .max_updates = 1 });
	for (uint64_t n = 1; n < 4 + EGRESS_BATCHER_KEPT; n++)
		put(&f, &t, n, 1);
	assert_true(egress_batcher_blocked(f.batcher));
	assert_false(egress_batcher_full(f.batcher));
	put(&f, &t, 4 + EGRESS_BATCHER_KEPT, 1);
	assert_true(egress_batcher_full(f.batcher));
	take(&f, "up.v4_192_0_2_1.1.1_1", &next);
	assert_true(egress_batcher_blocked(f.batcher));
	assert_false(egress_batcher_full(f.batcher));
	fixture_fini(&f);
}

static void test_nobody_waits_for_a_closed_bridge(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 1);
	struct fixture f;

	(void)state;
	fixture_init(&f, 4, (struct egress_batcher_opts){ 0 });
	egress_bridge_close(f.bridge, 0);
	assert_int_equal(egress_batcher_wait(f.batcher, SP_NEVER), 0);
	put(&f, &t, 1, 1);
	egress_batcher_flush(f.batcher);
	assert_int_equal(egress_batcher_wait(f.batcher, SP_NEVER), -EPIPE);
	fixture_fini(&f); /* frees what is kept */
}

/* A worker that waits whenever it is told to, and a reader on its own. */

#define ROUNDS	    FEWER_IF_SANITIZED(1000)
#define PEERS_EACH  3
#define ROUTES_EACH 30

static int write_and_wait(void *arg)
{
	struct fixture *f = arg;
	struct rib_router_info router = router_of(1);
	int err = 0;

	for (uint64_t i = 0; i < ROUNDS && err == 0; i++) {
		for (uint32_t peer = 0; peer < PEERS_EACH; peer++) {
			struct rib_table_info t = table_of(&router, peer);

			put(f, &t, 1 + ROUTES_EACH * i, ROUTES_EACH);
		}
		err = egress_batcher_wait(f->batcher, SP_NEVER);
	}
	egress_batcher_flush(f->batcher);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(egress_batcher_wait(f->batcher, SP_NEVER), 0);
	egress_bridge_close(f->bridge, 0);
	return 0;
}

/* Each peer's updates come in order. */
static void expect_in_order(struct egress_batch *batch, uint64_t *last)
{
	struct egress_decoder r = egress_decode_start(
		(struct wire_view){ batch->bytes, batch->len });
	struct egress_message m;
	struct egress_update u;

	while (egress_decode_next(&r, &m) > 0) {
		EXPECT_EQ(egress_decode_update(&m, &u), 0);
		EXPECT(u.peer_asn < PEERS_EACH);
		EXPECT_EQ(u.sequence, ++last[u.peer_asn % PEERS_EACH]);
	}
}

static int read_all(void *arg)
{
	struct fixture *f = arg;
	uint64_t last[PEERS_EACH] = { 0 };
	struct egress_batch *batch;

	while (egress_bridge_wait(f->bridge, SP_NEVER) == 0) {
		while ((batch = egress_bridge_pop(f->bridge)) != NULL) {
			expect_in_order(batch, last);
			egress_bridge_give_back(f->bridge, batch);
		}
	}
	for (int i = 0; i < PEERS_EACH; i++)
		EXPECT_EQ(last[i], ROUNDS * ROUTES_EACH);
	return 0;
}

static void test_order_holds_under_pressure(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *worker = NULL, *publisher = NULL;
	struct egress_batcher_stats stats;
	struct sp_task writer;
	struct fixture f;
	int ret = -1;

	(void)state;
	opts.shards = 1;
	fixture_init(&f, 4, (struct egress_batcher_opts){ .max_updates = 4 });
	assert_int_equal(sp_start(&opts, &worker), 0);
	assert_int_equal(sp_start(&opts, &publisher), 0);
	assert_int_equal(sp_go_on(worker, 0, write_and_wait, &f, &writer), 0);
	assert_int_equal(sp_call_on(publisher, 0, read_all, &f, &ret), 0);
	assert_int_equal(ret, 0);
	assert_int_equal(sp_join_thread(worker, writer, &ret), 0);
	assert_int_equal(sp_stop(worker, sp_in(10 * SP_S)), 0);
	assert_int_equal(sp_stop(publisher, sp_in(10 * SP_S)), 0);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
	egress_batcher_stats(f.batcher, &stats);
	assert_int_equal(stats.lost, 0);
	CHECK(stats.allocated < 1000, "%lu batches for a ring of 4",
	      (unsigned long)stats.allocated);
	fixture_fini(&f);
}

/* An update that is larger than a batch goes alone. */
static void test_a_large_update_goes_alone(void **state)
{
	static uint8_t block[4 + 4 * 2000] = { 0xd0, 8, 0x1f, 0x40 };
	struct bgp_decode_opts opts = { .as_width = 4 };
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 1);
	struct rib_route route = { .sequence = 2 };
	struct bgp_attrs attrs;
	struct rib_change c = {
		.table = &t,
		.announced = true,
		.kind = BGP_NLRI_PREFIX,
		.attrs = &attrs,
		.count = 1,
		.routes = &route,
	};
	struct egress_batcher_stats stats;
	uint64_t next = 1;
	struct fixture f;

	(void)state;
	memset(block + 4, 1, sizeof(block) - 4);
	bgp_attrs_decode((struct wire_view){ block, sizeof(block) }, &opts,
			 &attrs);
	fixture_init(&f, 16, (struct egress_batcher_opts){ .max_bytes = 4096 });
	put(&f, &t, 1, 1);
	f.sink.change(f.sink.change_arg, &c);
	put(&f, &t, 3, 1);
	egress_batcher_flush(f.batcher);
	for (int i = 0; i < 3; i++)
		take(&f, "up.v4_192_0_2_1.1.1_1", &next);
	assert_int_equal(next, 4);
	egress_batcher_stats(f.batcher, &stats);
	assert_int_equal(stats.lost, 0);
	fixture_fini(&f);
}

/* Thousands may be open: each is small, and all are used again. */
static void test_open_batches_are_small_and_used_again(void **state)
{
	enum {
		PEERS = 5000
	};
	struct rib_router_info router = router_of(1);
	struct egress_batcher_stats stats;
	uint64_t allocated = 0;
	struct fixture f;

	(void)state;
	fixture_init(&f, 8192, (struct egress_batcher_opts){ 0 });
	for (int round = 0; round < 5; round++) {
		struct egress_batch *batch;
		uint64_t bytes = 0;

		for (uint32_t as = 0; as < PEERS; as++) {
			struct rib_table_info t = table_of(&router, as);

			put(&f, &t, 1, 1);
		}
		egress_batcher_stats(f.batcher, &stats);
		assert_int_equal(stats.open, PEERS);
		egress_batcher_flush(f.batcher);
		while ((batch = egress_bridge_pop(f.bridge)) != NULL) {
			bytes += batch->cap;
			egress_bridge_give_back(f.bridge, batch);
		}
		CHECK(bytes <= PEERS * 2048, "%lu bytes", (unsigned long)bytes);
		egress_batcher_stats(f.batcher, &stats);
		if (round == 0)
			allocated = stats.allocated;
		assert_int_equal(stats.allocated, allocated);
	}
	fixture_fini(&f);
}

static void test_sizes_are_checked(void **state)
{
	struct egress_batcher_opts opts = { .updates = "u", .events = "e" };
	struct egress_batcher *b = NULL;
	char prefix[SUBJECT_PREFIX_MAX + 2];

	(void)state;
	opts.max_bytes = 1023;
	assert_int_equal(egress_batcher_new(&opts, &b), -EINVAL);
	opts.max_bytes = UINT32_MAX;
	assert_int_equal(egress_batcher_new(&opts, &b), -EINVAL);
	opts.max_bytes = 0;
	memset(prefix, 'x', sizeof(prefix));
	prefix[sizeof(prefix) - 1] = '\0';
	opts.events = prefix;
	assert_int_equal(egress_batcher_new(&opts, &b), -ENAMETOOLONG);
	assert_null(b);
	egress_batcher_free(NULL);
}

static void test_the_limit_of_the_server_is_kept(void **state)
{
	struct rib_router_info router = router_of(1);
	struct rib_table_info t = table_of(&router, 1);
	struct egress_batch *batch;
	uint64_t next = 1;
	struct fixture f;

	(void)state;
	fixture_init(&f, 64, (struct egress_batcher_opts){ 0 });
	put(&f, &t, 1, 100); /* opens a large one */
	egress_batcher_limit(f.batcher, 2000);
	put(&f, &t, 101, 100);
	egress_batcher_flush(f.batcher);
	batch = egress_bridge_pop(f.bridge);
	check_updates(&f, batch, &next);
	egress_bridge_give_back(f.bridge, batch);
	while ((batch = egress_bridge_pop(f.bridge)) != NULL) {
		check_updates(&f, batch, &next);
		CHECK(batch->len <= 2000, "%u bytes", batch->len);
		egress_bridge_give_back(f.bridge, batch);
	}
	assert_int_equal(next, 201);
	fixture_fini(&f);
}

static void test_what_nobody_needs_is_given_up(void **state)
{
	struct egress_batch *batches[4 * EGRESS_POOL_KEEP];
	struct egress_bridge *bridge;
	struct egress_batch_pool pool;

	(void)state;
	assert_int_equal(egress_bridge_new(1, 16, &bridge), 0);
	egress_batch_pool_init(&pool, bridge, 0, 65536);
	for (size_t i = 0; i < COUNT(batches); i++)
		batches[i] = egress_batch_pool_take(&pool, 65536);
	for (size_t i = 0; i < COUNT(batches); i++)
		egress_batch_pool_put(&pool, batches[i]);
	/* All were needed since the last time, then a quarter of them. */
	egress_batch_pool_trim(&pool);
	assert_int_equal(pool.allocated, COUNT(batches));
	for (size_t i = 0; i < EGRESS_POOL_KEEP; i++)
		batches[i] = egress_batch_pool_take(&pool, 65536);
	for (size_t i = 0; i < EGRESS_POOL_KEEP; i++)
		egress_batch_pool_put(&pool, batches[i]);
	egress_batch_pool_trim(&pool);
	assert_int_equal(pool.allocated, 3 * EGRESS_POOL_KEEP);
	for (int i = 0; i < 10; i++)
		egress_batch_pool_trim(&pool);
	assert_int_equal(pool.allocated, EGRESS_POOL_KEEP);
	assert_int_equal(pool.made, COUNT(batches));
	egress_batch_pool_fini(&pool);
	egress_bridge_free(bridge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_updates_gather_until_the_input_is_dry),
		cmocka_unit_test(test_a_batch_is_closed_when_it_is_full),
		cmocka_unit_test(test_a_turn_closes_what_is_old),
		cmocka_unit_test(test_batches_linger_while_updates_come_fast),
		cmocka_unit_test(test_batches_do_not_linger_without_the_option),
		cmocka_unit_test(test_an_event_keeps_its_place),
		cmocka_unit_test(test_an_event_is_not_overtaken),
		cmocka_unit_test(test_what_moved_is_not_overtaken),
		cmocka_unit_test(test_routers_are_known_by_name_first),
		cmocka_unit_test(test_a_mark_is_behind_its_router),
		cmocka_unit_test(test_what_the_bridge_refuses_is_kept_in_order),
		cmocka_unit_test(test_it_is_full_once_enough_is_kept),
		cmocka_unit_test(test_nobody_waits_for_a_closed_bridge),
		cmocka_unit_test(test_order_holds_under_pressure),
		cmocka_unit_test(test_a_large_update_goes_alone),
		cmocka_unit_test(test_open_batches_are_small_and_used_again),
		cmocka_unit_test(test_sizes_are_checked),
		cmocka_unit_test(test_the_limit_of_the_server_is_kept),
		cmocka_unit_test(test_what_nobody_needs_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
