/*
 * One reader passes items to all shards: they are applied at the same time, in
 * order, and what is under way is bounded.
 */
#include "runtime.h"

#include "collector/checkpoint/restore_feed.h"

#include <spargio/channel.h>

#include <errno.h>

#define SHARDS 2
/* An item of this size fills a chunk, so that it is passed on with the next. */
#define BIG (1024 * 1024)
/* In a chunk that is applied, in the queue, in the one that is filled. */
#define UNDER_WAY_MAX 6

struct job {
	struct sp_chan *wait_for; /* apply() waits for it, if there is one */
	struct sp_chan *tell;	  /* apply() tells it, if there is one */
	uint32_t applied;
	int result;
};

static struct world {
	struct job jobs[SHARDS];
	struct sp_chan *met;
	atomic_int under_way;
} world;

static const uint8_t zeroes[BIG];

static int apply(void *arg, struct wire_view chunk)
{
	struct job *job = arg;
	int one = 1;

	if (job->wait_for != NULL)
		EXPECT_EQ(sp_chan_recv_until(job->wait_for, &one,
					     sp_in(20 * SP_S)),
			  0);
	job->wait_for = NULL;
	if (job->tell != NULL)
		EXPECT_EQ(sp_chan_send(job->tell, &one), 0);
	job->tell = NULL;
	while (chunk.len > 0) {
		uint32_t n, len;

		memcpy(&n, chunk.p, sizeof(n));
		memcpy(&len, chunk.p + sizeof(n), sizeof(len));
		EXPECT_EQ(n, job->applied);
		job->applied++;
		chunk.p += sizeof(n) + sizeof(len) + len;
		chunk.len -= sizeof(n) + sizeof(len) + len;
		atomic_fetch_sub(&world.under_way, 1);
	}
	return job->result;
}

static int add(struct restore_feed *feed, uint32_t shard, uint32_t n,
	       uint32_t len)
{
	const struct wire_view parts[] = {
		{ (const uint8_t *)&n, sizeof(n) },
		{ (const uint8_t *)&len, sizeof(len) },
		{ zeroes, len },
	};

	atomic_fetch_add(&world.under_way, 1);
	return restore_feed_add(feed, shard, parts, 3);
}

static struct restore_feed *feed_open(void)
{
	struct restore_feed *feed = NULL;

	world = (struct world){ .met = NULL };
	EXPECT_EQ(restore_feed_open(NULL, SHARDS, apply, world.jobs,
				    sizeof(world.jobs[0]), &feed),
		  0);
	return feed;
}

/* Shard 0 cannot end its first chunk before shard 1 has begun a later one. */
static int parallel_main(void *arg)
{
	struct restore_feed *feed = feed_open();

	(void)arg;
	EXPECT_EQ(sp_chan_new(sizeof(int), 1, &world.met), 0);
	world.jobs[0].wait_for = world.met;
	world.jobs[1].tell = world.met;
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(add(feed, 0, i, BIG), 0);
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(add(feed, 1, i, BIG), 0);
	EXPECT_EQ(restore_feed_close(feed), 0);
	EXPECT_EQ(world.jobs[0].applied, 3);
	EXPECT_EQ(world.jobs[1].applied, 3);
	sp_chan_free(world.met);
	return 0;
}

static void test_shards_work_at_the_same_time(void **state)
{
	(void)state;
	run_on(SHARDS, parallel_main, NULL);
}

/* A reader that is faster than a shard waits for it. */
static int bounded_main(void *arg)
{
	struct restore_feed *feed = feed_open();

	(void)arg;
	for (uint32_t i = 0; i < 30; i++) {
		EXPECT_EQ(add(feed, 1, i, BIG), 0);
		EXPECT(atomic_load(&world.under_way) <= UNDER_WAY_MAX);
	}
	EXPECT_EQ(restore_feed_close(feed), 0);
	EXPECT_EQ(world.jobs[1].applied, 30);
	return 0;
}

static void test_what_is_under_way_is_bounded(void **state)
{
	(void)state;
	run_on(SHARDS, bounded_main, NULL);
}

/* Small items share a chunk; each shard gets its own. */
static int order_main(void *arg)
{
	struct restore_feed *feed = feed_open();

	(void)arg;
	for (uint32_t i = 0; i < 20000; i++)
		for (uint32_t shard = 0; shard < SHARDS; shard++)
			EXPECT_EQ(add(feed, shard, i, i % 300), 0);
	EXPECT_EQ(restore_feed_close(feed), 0);
	EXPECT_EQ(world.jobs[0].applied, 20000);
	EXPECT_EQ(world.jobs[1].applied, 20000);
	return 0;
}

static void test_items_stay_in_order(void **state)
{
	(void)state;
	run_on(SHARDS, order_main, NULL);
}

/* An error is returned at the end; the reader is not kept waiting by it. */
static int error_main(void *arg)
{
	struct restore_feed *feed = feed_open();

	(void)arg;
	world.jobs[1].result = -EBADMSG;
	for (uint32_t i = 0; i < 10; i++)
		EXPECT_EQ(add(feed, 1, i, BIG), 0);
	EXPECT_EQ(restore_feed_close(feed), -EBADMSG);
	EXPECT_EQ(world.jobs[1].applied, 1);
	return 0;
}

static void test_an_error_is_returned(void **state)
{
	(void)state;
	run_on(SHARDS, error_main, NULL);
}

/* The thread that starts the collector is no fiber. */
static void test_a_thread_may_read(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct restore_feed *feed;
	struct sp_rt *rt;

	(void)state;
	opts.shards = SHARDS;
	assert_int_equal(sp_start(&opts, &rt), 0);
	world = (struct world){ .met = NULL };
	assert_int_equal(restore_feed_open(rt, SHARDS, apply, world.jobs,
					   sizeof(world.jobs[0]), &feed),
			 0);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(add(feed, 1, i, BIG), 0);
	assert_int_equal(restore_feed_close(feed), 0);
	assert_int_equal(world.jobs[1].applied, 20);
	assert_int_equal(sp_stop(rt, sp_in(20 * SP_S)), 0);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shards_work_at_the_same_time),
		cmocka_unit_test(test_what_is_under_way_is_bounded),
		cmocka_unit_test(test_items_stay_in_order),
		cmocka_unit_test(test_an_error_is_returned),
		cmocka_unit_test(test_a_thread_may_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
