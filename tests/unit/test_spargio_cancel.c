/*
 * Cancellation, groups and tokens. Every place where a fiber can wait is a row
 * of one table and is cancelled there, from its own shard and from another.
 */
#include "runtime.h"

#include <spargio/group.h>
#include <spargio/message.h>
#include <spargio/op.h>
#include <spargio/pool.h>
#include <spargio/stats.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum {
	COUNTED = 3
};

static int pipe_fds[2];
static struct sp_token *never;
static struct sp_group *full;
static struct sp_timer *far_timer;
static struct sp_task endless;

static int wait_sleep(void)
{
	return sp_sleep_until(SP_NEVER);
}

static int wait_join(void)
{
	return sp_join(endless, NULL);
}

static int wait_message(void)
{
	struct sp_msg m;

	return sp_msg_recv(&m);
}

static int wait_hot(void)
{
	struct sp_msg m;

	return sp_msg_recv_hot(&m);
}

static int wait_count(void)
{
	uint64_t sum;

	return sp_count_wait(COUNTED, &sum);
}

static int wait_flush(void)
{
	/* To our own shard, where nobody takes it. */
	EXPECT_EQ(sp_msg_send(sp_shard(), 1, 1), 0);
	return sp_msg_flush(sp_shard());
}

static int wait_fd(void)
{
	return sp_wait_fd(pipe_fds[0], POLLIN);
}

static int wait_token(void)
{
	return sp_token_wait(never);
}

static int wait_group(void)
{
	return sp_group_wait(full);
}

static int wait_timer(void)
{
	return sp_timer_wait(far_timer);
}

static atomic_int released;

/* Until who called has given up: it is to be the first to do so. */
static int block_a_while(void *arg)
{
	int64_t until = sp_in(20 * SP_S);

	while (atomic_load(&released) == (int)(intptr_t)arg && sp_now() < until)
		usleep(100);
	return 0;
}

static int wait_pool(void)
{
	int turn = atomic_load(&released);
	int ret = sp_block(block_a_while, (void *)(intptr_t)turn, NULL);

	atomic_fetch_add(&released, 1);
	return ret;
}

static const struct {
	const char *name;
	int (*wait)(void);
} places[] = {
	{ "sleep", wait_sleep },     { "join", wait_join },
	{ "message", wait_message }, { "hot message", wait_hot },
	{ "count", wait_count },     { "flush", wait_flush },
	{ "fd", wait_fd },	     { "token", wait_token },
	{ "group", wait_group },     { "timer", wait_timer },
	{ "pool", wait_pool },
};

static int wait_there(void *arg)
{
	return places[(intptr_t)arg].wait();
}

/* What a row leaves behind for the next. */
static int empty_mailbox(void *arg)
{
	struct sp_msg m;

	(void)arg;
	while (sp_msg_try_recv(&m) == 0)
		;
	return 0;
}

static void cancel_one(intptr_t place, uint32_t shard, int64_t pause)
{
	struct sp_task task;
	int64_t began = sp_now();
	int ret = 0;

	EXPECT_EQ(sp_go_on(NULL, shard, wait_there, (void *)place, &task), 0);
	if (pause > 0)
		sp_sleep(pause);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT(ret == -ECANCELED);
	if (ret != -ECANCELED)
		fprintf(stderr, "%s returned %d\n", places[place].name, ret);
	EXPECT(sp_now() - began < 10 * SP_S);
	EXPECT_EQ(sp_call_on(NULL, shard, empty_mailbox, NULL, NULL), 0);
}

static int sleep_forever(void *arg)
{
	(void)arg;
	return sp_sleep_until(SP_NEVER);
}

static void setup_places(void)
{
	EXPECT_EQ(pipe(pipe_fds), 0);
	EXPECT_EQ(sp_token_new(NULL, &never), 0);
	EXPECT_EQ(sp_group_new(&full), 0);
	EXPECT_EQ(sp_group_go(full, sleep_forever, NULL), 0);
	EXPECT_EQ(sp_timer_new(SP_NEVER, &far_timer), 0);
	EXPECT_EQ(sp_go(sleep_forever, NULL, &endless), 0);
}

static void teardown_places(void)
{
	sp_token_free(never);
	sp_group_free(full);
	sp_timer_free(far_timer);
	EXPECT_EQ(sp_cancel(endless), 0);
	EXPECT_EQ(sp_join(endless, NULL), 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void run_places(int (*body)(void *))
{
	static const uint16_t counted[] = { COUNTED };
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	opts.counted_tags = counted;
	opts.counted_tag_count = 1;
	run_with(&opts, body, NULL);
}

static int places_body(void *arg)
{
	struct sp_shard_stats stats;

	(void)arg;
	setup_places();
	for (size_t i = 0; i < COUNT(places); i++)
		for (uint32_t shard = 0; shard < 2; shard++) {
			/* Before it waits, as it begins to, and well after. */
			cancel_one((intptr_t)i, shard, 0);
			cancel_one((intptr_t)i, shard, 5 * SP_US);
			cancel_one((intptr_t)i, shard, SP_MS);
		}
	for (uint32_t shard = 0; shard < 2; shard++) {
		EXPECT_EQ(sp_stats_shard(sp_runtime(), shard, &stats), 0);
		EXPECT_EQ(stats.pending_ops, 0);
	}
	teardown_places();
	return 0;
}

static void test_cancel_reaches_every_wait(void **state)
{
	(void)state;
	run_places(places_body);
}

static int deadline_body(void *arg)
{
	struct sp_scope scope;

	(void)arg;
	setup_places();
	for (size_t i = 0; i < COUNT(places); i++) {
		sp_deadline_push(&scope, sp_in(SP_MS));
		EXPECT_EQ(places[i].wait(), -ETIMEDOUT);
		sp_deadline_pop(&scope);
		empty_mailbox(NULL);
	}
	teardown_places();
	return 0;
}

static void test_a_deadline_reaches_every_wait(void **state)
{
	(void)state;
	run_places(deadline_body);
}

/* Shields and stickiness */

static int sticky(void *arg)
{
	(void)arg;
	EXPECT_EQ(sp_sleep_until(SP_NEVER), -ECANCELED);
	EXPECT(sp_cancelled());
	EXPECT_EQ(sp_sleep(SP_MS), -ECANCELED);
	sp_shield_begin();
	EXPECT(!sp_cancelled());
	EXPECT_EQ(sp_sleep(SP_MS), 0);
	sp_shield_end();
	EXPECT_EQ(sp_sleep(SP_MS), -ECANCELED);
	return 5;
}

static int sticky_body(void *arg)
{
	struct sp_task task;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_go(sticky, NULL, &task), 0);
	sp_sleep(SP_MS);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 5);
	return 0;
}

static void test_cancel_sticks_and_shields_hold(void **state)
{
	(void)state;
	run_on(2, sticky_body, NULL);
}

/* A fiber that will not take no for an answer must not lock its shard. */

static int stubborn(void *arg)
{
	atomic_bool *stop = arg;

	while (!atomic_load(stop))
		sp_sleep(SP_MS);
	return 0;
}

static int set_flag(void *arg)
{
	atomic_store((atomic_bool *)arg, true);
	return 0;
}

static int stubborn_body(void *arg)
{
	atomic_bool stop = false;
	struct sp_task bad, good;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 1, stubborn, &stop, &bad), 0);
	sp_sleep(SP_MS);
	EXPECT_EQ(sp_cancel(bad), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, set_flag, &stop, &good), 0);
	EXPECT_EQ(sp_join(good, NULL), 0);
	EXPECT_EQ(sp_join(bad, NULL), 0);
	return 0;
}

static void test_a_fiber_that_ignores_cancel_still_yields(void **state)
{
	(void)state;
	run_on(2, stubborn_body, NULL);
}

/* Groups */

static atomic_int ended;

static int end_soon(void *arg)
{
	sp_sleep((intptr_t)arg * SP_US);
	atomic_fetch_add(&ended, 1);
	return 0;
}

static int fail_with(void *arg)
{
	sp_yield();
	return (int)(intptr_t)arg;
}

static int group_body(void *arg)
{
	struct sp_group *group;

	(void)arg;
	atomic_store(&ended, 0);
	EXPECT_EQ(sp_group_new(&group), 0);
	EXPECT_EQ(sp_group_wait(group), 0);
	for (intptr_t i = 0; i < 100; i++)
		EXPECT_EQ(sp_group_go(group, end_soon, (void *)(i * 10)), 0);
	EXPECT_EQ(sp_group_wait(group), 0);
	EXPECT_EQ(atomic_load(&ended), 100);
	EXPECT_EQ(sp_group_go(group, fail_with, (void *)-7), 0);
	EXPECT_EQ(sp_group_go(group, fail_with, (void *)3), 0);
	EXPECT_EQ(sp_group_wait(group), -7);
	EXPECT_EQ(sp_group_wait(group), 0);
	EXPECT_EQ(sp_group_go(group, sleep_forever, NULL), 0);
	EXPECT_EQ(sp_group_wait_until(group, sp_in(SP_MS)), -ETIMEDOUT);
	sp_group_cancel(group);
	EXPECT_EQ(sp_group_wait(group), -ECANCELED);
	EXPECT_EQ(sp_group_go(group, end_soon, NULL), -ECANCELED);
	sp_group_free(group);
	sp_group_free(NULL);
	return 0;
}

static void test_groups_wait_fail_and_cancel(void **state)
{
	(void)state;
	run_on(1, group_body, NULL);
	run_on(2, group_body, NULL);
}

static int scope_body(void *arg)
{
	struct sp_group *group;

	(void)arg;
	atomic_store(&ended, 0);
	EXPECT_EQ(sp_group_new(&group), 0);
	for (int i = 0; i < 50; i++)
		EXPECT_EQ(sp_group_go(group, end_soon, (void *)1000000), 0);
	/* It does not outlive its scope. */
	sp_group_free(group);
	EXPECT_EQ(atomic_load(&ended), 50);
	return 0;
}

static void test_freeing_a_group_waits_for_its_fibers(void **state)
{
	(void)state;
	run_on(2, scope_body, NULL);
}

/* Tokens */

static int token_body(void *arg)
{
	struct sp_token *parent, *child;
	struct sp_attr attr = { .place = SP_PINNED, .shard = 1 };
	struct sp_task under_child, under_parent;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_token_new(NULL, &parent), 0);
	EXPECT_EQ(sp_token_new(parent, &child), 0);
	attr.token = child;
	EXPECT_EQ(sp_go_attr(NULL, &attr, sleep_forever, NULL, &under_child),
		  0);
	attr.token = parent;
	EXPECT_EQ(sp_go_attr(NULL, &attr, sleep_forever, NULL, &under_parent),
		  0);
	sp_token_cancel(child);
	EXPECT_EQ(sp_join(under_child, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT(!sp_token_cancelled(parent));
	EXPECT_EQ(sp_join_until(under_parent, sp_in(SP_MS), NULL), -ETIMEDOUT);
	sp_token_free(child);
	EXPECT_EQ(sp_token_new(parent, &child), 0);
	sp_token_cancel(parent);
	EXPECT(sp_token_cancelled(child));
	EXPECT_EQ(sp_token_wait(child), 0);
	EXPECT_EQ(sp_join(under_parent, NULL), 0);
	EXPECT_EQ(sp_go_attr(NULL, &attr, sleep_forever, NULL, NULL),
		  -ECANCELED);
	sp_token_free(child);
	sp_token_free(parent);
	return 0;
}

static void test_tokens_cancel_downwards(void **state)
{
	(void)state;
	run_on(2, token_body, NULL);
}

/* Storm: cancels from everywhere while fibers come and go */

static int short_life(void *arg)
{
	(void)arg;
	sp_sleep(20 * SP_US);
	sp_yield();
	sp_sleep(20 * SP_US);
	return 0;
}

static int cancel_storm(void *arg)
{
	(void)arg;
	for (int round = 0; round < 200; round++) {
		struct sp_task tasks[10];

		for (int i = 0; i < 10; i++)
			EXPECT_EQ(sp_go_on(NULL, (uint32_t)i % 2, short_life,
					   NULL, &tasks[i]),
				  0);
		if (round % 3 == 0)
			sp_sleep(30 * SP_US);
		for (int i = 0; i < 10; i++)
			EXPECT_EQ(sp_cancel(tasks[i]), 0);
		for (int i = 0; i < 10; i++)
			EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	}
	return 0;
}

static int storm_body(void *arg)
{
	struct sp_task tasks[4];

	(void)arg;
	for (uint32_t i = 0; i < 4; i++)
		EXPECT_EQ(sp_go_on(NULL, i % 2, cancel_storm, NULL, &tasks[i]),
			  0);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	return 0;
}

static void test_cancel_storm(void **state)
{
	(void)state;
	run_on(2, storm_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cancel_reaches_every_wait),
		cmocka_unit_test(test_a_deadline_reaches_every_wait),
		cmocka_unit_test(test_cancel_sticks_and_shields_hold),
		cmocka_unit_test(test_a_fiber_that_ignores_cancel_still_yields),
		cmocka_unit_test(test_groups_wait_fail_and_cancel),
		cmocka_unit_test(test_freeing_a_group_waits_for_its_fibers),
		cmocka_unit_test(test_tokens_cancel_downwards),
		cmocka_unit_test(test_cancel_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
