#include "runtime.h"

#include <spargio/channel.h>
#include <spargio/group.h>
#include <spargio/op.h>
#include <spargio/stats.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static void burn(int64_t ns)
{
	int64_t until = sp_in(ns);

	while (sp_now() < until)
		;
}

static uint64_t stolen_in_all(void)
{
	struct sp_shard_stats stats;
	uint64_t stolen = 0;

	for (uint32_t i = 0; i < sp_shard_count(sp_runtime()); i++) {
		EXPECT_EQ(sp_stats_shard(sp_runtime(), i, &stats), 0);
		EXPECT_EQ(stats.affinity_violations, 0);
		stolen += stats.stolen;
	}
	return stolen;
}

/* Work queued on one shard is shared out, each piece done once. */

enum {
	PIECES = 400
};

static atomic_uint done_on[3];
static atomic_uchar done_times[PIECES];

static void forget_pieces(void)
{
	memset(done_times, 0, sizeof(done_times));
	for (size_t i = 0; i < COUNT(done_on); i++)
		atomic_store(&done_on[i], 0);
}

static int piece(void *arg)
{
	burn(200 * SP_US);
	atomic_fetch_add(&done_times[(intptr_t)arg], 1);
	atomic_fetch_add(&done_on[sp_shard()], 1);
	return 0;
}

static int share_body(void *arg)
{
	struct sp_task tasks[PIECES];
	int64_t give_up = sp_in(30 * SP_S);
	unsigned int rounds = 0;

	(void)arg;
	/* On a busy machine the other thread may not run for a while. */
	do {
		for (intptr_t i = 0; i < PIECES; i++)
			EXPECT_EQ(sp_go(piece, (void *)i, &tasks[i]), 0);
		for (int i = 0; i < PIECES; i++)
			EXPECT_EQ(sp_join(tasks[i], NULL), 0);
		rounds++;
		for (int i = 0; i < PIECES; i++)
			EXPECT_EQ(atomic_load(&done_times[i]), rounds);
	} while (atomic_load(&done_on[1]) == 0 && sp_now() < give_up);
	EXPECT(atomic_load(&done_on[1]) > 0);
	EXPECT(stolen_in_all() > 0);
	return 0;
}

static void test_an_idle_shard_takes_its_share(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	forget_pieces();
	opts.shards = 2;
	run_with(&opts, share_body, NULL);
}

/* The knobs of stealing, by what the counters say. */

static struct sp_shard_stats sum_of_steals(void)
{
	struct sp_shard_stats sum = { 0 };

	for (uint32_t i = 0; i < sp_shard_count(sp_runtime()); i++) {
		struct sp_shard_stats s;

		EXPECT_EQ(sp_stats_shard(sp_runtime(), i, &s), 0);
		sum.stolen += s.stolen;
		sum.steals += s.steals;
		sum.steal_probes += s.steal_probes;
		sum.steal_attempts += s.steal_attempts;
	}
	return sum;
}

/* Pieces of work until one search has stolen several, if it may. */
static int batch_body(void *arg)
{
	bool one = *(bool *)arg;
	int64_t give_up = sp_in(30 * SP_S);
	struct sp_shard_stats sum;

	do {
		forget_pieces();
		share_body(NULL);
		sum = sum_of_steals();
		EXPECT(sum.steals > 0);
		EXPECT(sum.steal_attempts >= sum.steals);
		EXPECT(sum.steal_probes >= sum.steals);
	} while (!one && sum.stolen == sum.steals && sp_now() < give_up);
	EXPECT(one ? sum.stolen == sum.steals : sum.stolen > sum.steals);
	return 0;
}

static void test_a_batch_bounds_what_is_stolen_at_once(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	bool one = false;

	(void)state;
	opts.shards = 2;
	run_with(&opts, batch_body, &one);
	opts.steal_batch = 1;
	one = true;
	run_with(&opts, batch_body, &one);
	opts.steal_batch = 129;
	assert_int_equal(sp_run(&opts, share_body, NULL), -EINVAL);
}

/*
 * With a stride of 3 each of three shards would come to its neighbour alone:
 * shard 1 to 2, and only shard 2 to 0. It computes, so shard 1 must help.
 */
static int burn_until(void *arg)
{
	while (!atomic_load((atomic_bool *)arg))
		burn(50 * SP_US);
	return 0;
}

static int stride_body(void *arg)
{
	atomic_bool stop = false;
	struct sp_task busy;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 2, burn_until, &stop, &busy), 0);
	share_body(NULL);
	EXPECT_EQ(atomic_load(&done_on[2]), 0);
	atomic_store(&stop, true);
	EXPECT_EQ(sp_join(busy, NULL), 0);
	return 0;
}

static void test_every_stride_reaches_every_shard(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 3;
	opts.steal_stride = 3;
	opts.steal_budget = 1;
	forget_pieces();
	run_with(&opts, stride_body, NULL);
}

/*
 * One fiber is queued on shard 0, which computes, while shard 1 spins and may
 * not steal except just after it ran out of work.
 */
static atomic_int lonely_on;

static int lonely(void *arg)
{
	(void)arg;
	atomic_store(&lonely_on, (int)sp_shard());
	return 0;
}

static int do_nothing(void *arg)
{
	(void)arg;
	return 0;
}

static int locality_body(void *arg)
{
	bool stays = *(bool *)arg;
	int64_t give_up = sp_in((stays ? 20 : 30000) * SP_MS);
	struct sp_task task;

	atomic_store(&lonely_on, -1);
	EXPECT_EQ(sp_go(lonely, NULL, &task), 0);
	/* Each of these gives shard 1 work, and then none. */
	while (atomic_load(&lonely_on) < 0 && sp_now() < give_up) {
		EXPECT_EQ(sp_go_on(NULL, 1, do_nothing, NULL, NULL), 0);
		burn(100 * SP_US);
	}
	EXPECT_EQ(atomic_load(&lonely_on), stays ? -1 : 1);
	EXPECT_EQ(sp_join(task, NULL), 0);
	return 0;
}

static void test_locality_leaves_single_fibers_where_they_are(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	bool stays = true;

	(void)state;
	opts.shards = 2;
	opts.spin_us = SP_SPIN_FOREVER;
	opts.steal_delay_us = 60 * 1000 * 1000;
	run_with(&opts, locality_body, &stays);
	stays = false;
	opts.steal_locality = 1;
	run_with(&opts, locality_body, &stays);
	/* With locality, but not for long. */
	opts.steal_locality = 2;
	opts.steal_delay_us = 1;
	run_with(&opts, locality_body, &stays);
}

/* How often shard 1 searches in vain while it spins for 2 ms. */
static int backoff_body(void *arg)
{
	bool pauses = *(bool *)arg;
	int64_t give_up = sp_in(30 * SP_S);
	struct sp_shard_stats s;
	uint64_t idle;

	do {
		burn(5 * SP_MS);
		EXPECT_EQ(sp_go_on(NULL, 1, do_nothing, NULL, NULL), 0);
		EXPECT_EQ(sp_stats_shard(sp_runtime(), 1, &s), 0);
		idle = s.parks + s.spins + 1;
	} while ((pauses ? s.steal_backoffs < 10
			 : s.steal_attempts <= 40 * idle) &&
		 sp_now() < give_up);
	/* 1, 2, 4, ... 512 us, and once more before it sleeps. */
	if (pauses)
		EXPECT(s.steal_attempts <= 20 * idle);
	else
		EXPECT(s.steal_attempts > 40 * idle);
	EXPECT(pauses ? s.steal_backoffs >= 10 : s.steal_backoffs == 0);
	return 0;
}

static void test_a_backoff_makes_searches_rare(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	bool pauses = false;

	(void)state;
	opts.shards = 2;
	opts.spin_us = 2000;
	run_with(&opts, backoff_body, &pauses);
	pauses = true;
	opts.steal_backoff_us = 1000;
	run_with(&opts, backoff_body, &pauses);
}

/* A fiber that has run before moves, too, and keeps its stack. */

static atomic_int moved;

static int wander(void *arg)
{
	uint32_t before = sp_shard();
	uint64_t canary[32];

	(void)arg;
	for (int i = 0; i < 32; i++)
		canary[i] = (uint64_t)(uintptr_t)&canary[i] * 31;
	for (int i = 0; i < 40; i++) {
		burn(50 * SP_US);
		sp_yield();
		if (sp_shard() != before) {
			before = sp_shard();
			atomic_fetch_add(&moved, 1);
		}
	}
	for (int i = 0; i < 32; i++)
		EXPECT_EQ(canary[i], (uint64_t)(uintptr_t)&canary[i] * 31);
	return 0;
}

static int wander_body(void *arg)
{
	struct sp_task tasks[20];
	int64_t give_up = sp_in(30 * SP_S);

	(void)arg;
	do {
		for (int i = 0; i < 20; i++)
			EXPECT_EQ(sp_go(wander, NULL, &tasks[i]), 0);
		for (int i = 0; i < 20; i++)
			EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	} while (atomic_load(&moved) == 0 && sp_now() < give_up);
	EXPECT(atomic_load(&moved) > 0);
	return 0;
}

static void test_fibers_that_ran_may_move(void **state)
{
	(void)state;
	atomic_store(&moved, 0);
	run_on(2, wander_body, NULL);
}

/* What has something in a ring does not move. */

static int stay_with_op(void *arg)
{
	int fd = *(int *)arg;

	for (int i = 0; i < 100; i++) {
		EXPECT_EQ(sp_wait_fd_until(fd, POLLIN, sp_in(100 * SP_US)),
			  -ETIMEDOUT);
		/* Runnable and stealable between its operations only. */
		burn(20 * SP_US);
	}
	return 0;
}

static int affine_body(void *arg)
{
	struct sp_task tasks[10];
	int fds[2];

	(void)arg;
	EXPECT_EQ(pipe(fds), 0);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(sp_go(stay_with_op, &fds[0], &tasks[i]), 0);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	(void)stolen_in_all();
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static void test_ring_affine_fibers_do_not_move(void **state)
{
	(void)state;
	run_on(2, affine_body, NULL);
}

/*
 * A preferred shard is where it begins, unless that shard does not get to it
 * for a millisecond; on a busy machine that happens. Without the preference
 * all of them would run here, where they are joined at once.
 */

static int where(void *arg)
{
	(void)arg;
	return (int)sp_shard();
}

static int prefer_body(void *arg)
{
	struct sp_attr attr = { .place = SP_PREFER, .shard = 1 };
	int64_t give_up = sp_in(30 * SP_S);
	int hits = 0;

	(void)arg;
	while (hits < 10 && sp_now() < give_up) {
		struct sp_task task;
		int ret = -1;

		EXPECT_EQ(sp_go_attr(NULL, &attr, where, NULL, &task), 0);
		EXPECT_EQ(sp_join(task, &ret), 0);
		hits += ret == 1;
	}
	EXPECT_EQ(hits, 10);
	return 0;
}

static void test_preferred_shard_is_tried_first(void **state)
{
	(void)state;
	run_on(2, prefer_body, NULL);
}

/* A fiber that blocks its shard, and waits for what is queued behind it. */

static int block_shard(void *arg)
{
	atomic_bool *ran = arg;
	int64_t give_up = sp_in(30 * SP_S);

	while (!atomic_load(ran) && sp_now() < give_up)
		;
	return atomic_load(ran) ? 0 : -ETIMEDOUT;
}

static int quick(void *arg)
{
	atomic_store((atomic_bool *)arg, true);
	return 0;
}

static int trapped_body(void *arg)
{
	atomic_bool ran = false;
	struct sp_task tasks[2];
	int ret = -1;

	(void)arg;
	EXPECT_EQ(sp_migrate(1), 0);
	/* Both on this shard; the first keeps it, the second is taken away. */
	EXPECT_EQ(sp_go_on(NULL, 1, block_shard, &ran, &tasks[0]), 0);
	EXPECT_EQ(sp_go(quick, &ran, &tasks[1]), 0);
	EXPECT_EQ(sp_join(tasks[0], &ret), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(sp_join(tasks[1], NULL), 0);
	return 0;
}

static void test_a_blocked_shard_does_not_trap_stealable_work(void **state)
{
	(void)state;
	run_on(2, trapped_body, NULL);
}

/* Nor what was woken meanwhile and waits in the inbox of that shard. */

struct trap {
	struct sp_token *token;
	atomic_bool waits, ran;
};

static int wait_then_run(void *arg)
{
	struct trap *trap = arg;

	EXPECT_EQ(sp_migrate(1), 0);
	atomic_store(&trap->waits, true);
	EXPECT_EQ(sp_token_wait(trap->token), 0);
	atomic_store(&trap->ran, true);
	return 0;
}

static int block_trap(void *arg)
{
	struct trap *trap = arg;

	return block_shard(&trap->ran);
}

static int inbox_body(void *arg)
{
	struct trap trap = { 0 };
	struct sp_task waiter, busy;
	int ret = -1;

	(void)arg;
	EXPECT_EQ(sp_token_new(NULL, &trap.token), 0);
	EXPECT_EQ(sp_go(wait_then_run, &trap, &waiter), 0);
	while (!atomic_load(&trap.waits))
		sp_yield();
	sp_sleep(SP_MS);
	EXPECT_EQ(sp_go_on(NULL, 1, block_trap, &trap, &busy), 0);
	sp_sleep(5 * SP_MS);
	sp_token_cancel(trap.token);
	EXPECT_EQ(sp_join(busy, &ret), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(sp_join(waiter, NULL), 0);
	sp_token_free(trap.token);
	return 0;
}

static void test_a_blocked_shard_does_not_trap_what_is_woken(void **state)
{
	(void)state;
	run_on(2, inbox_body, NULL);
}

/*
 * Nor what the fiber that runs there has woken, which is the one to run next.
 * An idle shard takes it when it has waited for 200 us and is looked at every
 * millisecond: 1.5 ms with waking up. On a busy machine a thread may not run
 * for long, so the best of some rounds counts, and five times as much.
 */

struct slot {
	struct sp_token *token;
	atomic_bool waits, ran;
	int64_t woken, late;
};

static int wait_in_slot(void *arg)
{
	struct slot *slot = arg;

	while (sp_shard() != 0)
		EXPECT_EQ(sp_migrate(0), 0);
	atomic_store(&slot->waits, true);
	EXPECT_EQ(sp_token_wait(slot->token), 0);
	slot->late = sp_now() - slot->woken;
	atomic_store(&slot->ran, true);
	return 0;
}

static int64_t wake_and_compute(void)
{
	struct slot slot = { 0 };
	struct sp_task waiter;

	EXPECT_EQ(sp_token_new(NULL, &slot.token), 0);
	EXPECT_EQ(sp_go(wait_in_slot, &slot, &waiter), 0);
	while (!atomic_load(&slot.waits))
		sp_yield();
	/* The others go to sleep, if they did not yet. */
	EXPECT_EQ(sp_sleep(5 * SP_MS), 0);
	slot.woken = sp_now();
	sp_token_cancel(slot.token);
	EXPECT_EQ(block_shard(&slot.ran), 0);
	EXPECT_EQ(sp_join(waiter, NULL), 0);
	sp_token_free(slot.token);
	return slot.late;
}

static int slot_body(void *arg)
{
	int64_t give_up = sp_in(30 * SP_S);
	int64_t best = SP_NEVER;

	(void)arg;
	do {
		int64_t late = wake_and_compute();

		if (late < best)
			best = late;
	} while (best > 5 * 1500 * SP_US && sp_now() < give_up);
	EXPECT(best <= 5 * 1500 * SP_US);
	return 0;
}

static void test_a_computing_fiber_does_not_trap_what_it_woke(void **state)
{
	(void)state;
	run_on(2, slot_body, NULL);
	run_on(4, slot_body, NULL);
}

/* The shard that looks after the others stops when all of them sleep. */

static uint64_t parks_of(uint32_t shard)
{
	struct sp_shard_stats stats;

	EXPECT_EQ(sp_stats_shard(sp_runtime(), shard, &stats), 0);
	return stats.parks;
}

struct echo {
	struct sp_chan *to, *from;
};

/* May be stolen, and is woken by the other fiber of its shard each time. */
static int echo_main(void *arg)
{
	struct echo *echo = arg;
	int item;

	while (sp_chan_recv(echo->to, &item) == 0) {
		while (sp_shard() != 0)
			EXPECT_EQ(sp_migrate(0), 0);
		EXPECT_EQ(sp_chan_send(echo->from, &item), 0);
	}
	return 0;
}

static void talk_on_one_shard(int64_t until)
{
	struct echo echo;
	struct sp_task task;
	int item = 0;

	EXPECT_EQ(sp_chan_new(sizeof(int), 1, &echo.to), 0);
	EXPECT_EQ(sp_chan_new(sizeof(int), 1, &echo.from), 0);
	EXPECT_EQ(sp_go(echo_main, &echo, &task), 0);
	while (sp_now() < until) {
		EXPECT_EQ(sp_chan_send(echo.to, &item), 0);
		EXPECT_EQ(sp_chan_recv(echo.from, &item), 0);
	}
	sp_chan_close(echo.to);
	EXPECT_EQ(sp_join(task, NULL), 0);
	sp_chan_free(echo.to);
	sp_chan_free(echo.from);
}

static int quiet_body(void *arg)
{
	uint64_t before;

	(void)arg;
	talk_on_one_shard(sp_in(100 * SP_MS));
	EXPECT_EQ(sp_sleep(50 * SP_MS), 0);
	before = parks_of(1);
	EXPECT_EQ(sp_sleep(300 * SP_MS), 0);
	EXPECT(parks_of(1) - before < 50); /* of 300 */
	return 0;
}

static void test_nobody_watches_while_all_sleep(void **state)
{
	(void)state;
	run_on(2, quiet_body, NULL);
}

/*
 * The same from a thread that is no shard: it finds a shard that has not been
 * blocked for long yet, and the other one asleep.
 */

struct outside {
	struct sp_rt *rt;
	atomic_bool blocked, ran;
};

static int block_outside(void *arg)
{
	struct outside *o = arg;

	atomic_store(&o->blocked, true);
	return block_shard(&o->ran);
}

static void test_a_blocked_shard_does_not_trap_what_threads_spawn(void **state)
{
	struct sp_attr attr = { .place = SP_PREFER, .shard = 1 };
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 2;
	opts.spin_us = 0;
	for (int i = 0; i < 20; i++) {
		struct outside o = { 0 };
		int64_t give_up = sp_in(30 * SP_S);
		struct sp_shard_stats stats;
		struct sp_task task;
		int ret = -1;

		assert_int_equal(sp_start(&opts, &o.rt), 0);
		do {
			assert_int_equal(sp_stats_shard(o.rt, 0, &stats), 0);
		} while (stats.parks == 0);
		assert_int_equal(sp_go_on(o.rt, 1, block_outside, &o, &task),
				 0);
		while (!atomic_load(&o.blocked))
			;
		assert_int_equal(sp_go_attr(o.rt, &attr, quick, &o.ran, NULL),
				 0);
		/* To join would wake the other shard. */
		while (!atomic_load(&o.ran) && sp_now() < give_up)
			usleep(100);
		assert_int_equal(sp_join_thread(o.rt, task, &ret), 0);
		assert_int_equal(ret, 0);
		assert_int_equal(sp_stop(o.rt, sp_in(30 * SP_S)), 0);
	}
}

/* A tree of joins over three shards on two CPUs */

static int tree(void *arg)
{
	intptr_t depth = (intptr_t)arg;
	struct sp_task left, right;
	int a = 0, b = 0;

	if (depth == 0)
		return 1;
	EXPECT_EQ(sp_go(tree, (void *)(depth - 1), &left), 0);
	EXPECT_EQ(sp_go(tree, (void *)(depth - 1), &right), 0);
	EXPECT_EQ(sp_join(left, &a), 0);
	EXPECT_EQ(sp_join(right, &b), 0);
	return a + b;
}

static int tree_body(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(tree((void *)9), 512);
	return 0;
}

static void test_a_tree_of_stealable_fibers_adds_up(void **state)
{
	(void)state;
	run_on(1, tree_body, NULL);
	run_on(2, tree_body, NULL);
	run_on(4, tree_body, NULL);
}

/*
 * Woken by their descriptors all at once, on a shard that one of them keeps
 * busy until another was taken over.
 */

enum {
	READERS = 4
};

static atomic_uint taken_over;

static int reads_then_computes(void *arg)
{
	int64_t give_up = sp_in(20 * SP_S);
	int fd = *(int *)arg;

	/* It may have been taken over before it began. */
	while (sp_shard() != 0)
		EXPECT_EQ(sp_migrate(0), 0);
	EXPECT_EQ(sp_wait_fd(fd, POLLIN), POLLIN);
	if (sp_shard() != 0)
		atomic_fetch_add(&taken_over, 1);
	while (atomic_load(&taken_over) == 0 && sp_now() < give_up)
		;
	return 0;
}

static int readers_body(void *arg)
{
	struct sp_attr attr = { .place = SP_PREFER, .shard = 0 };
	struct sp_task tasks[READERS];
	struct sp_shard_stats stats;
	int fds[READERS][2];

	(void)arg;
	atomic_store(&taken_over, 0);
	for (int i = 0; i < READERS; i++) {
		EXPECT_EQ(pipe(fds[i]), 0);
		EXPECT_EQ(sp_go_attr(NULL, &attr, reads_then_computes,
				     &fds[i][0], &tasks[i]),
			  0);
		do {
			sp_yield();
			EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
		} while (stats.pending_ops <= (uint32_t)i);
	}
	/* Without a wait in between: they are found ready together. */
	for (int i = 0; i < READERS; i++)
		EXPECT_EQ(write(fds[i][1], "x", 1), 1);
	for (int i = 0; i < READERS; i++) {
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
		close(fds[i][0]);
		close(fds[i][1]);
	}
	EXPECT(atomic_load(&taken_over) > 0);
	stolen_in_all();
	return 0;
}

static void test_what_a_descriptor_woke_may_be_taken_over(void **state)
{
	(void)state;
	run_on(2, readers_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_idle_shard_takes_its_share),
		cmocka_unit_test(test_a_batch_bounds_what_is_stolen_at_once),
		cmocka_unit_test(test_every_stride_reaches_every_shard),
		cmocka_unit_test(
			test_locality_leaves_single_fibers_where_they_are),
		cmocka_unit_test(test_a_backoff_makes_searches_rare),
		cmocka_unit_test(test_fibers_that_ran_may_move),
		cmocka_unit_test(test_ring_affine_fibers_do_not_move),
		cmocka_unit_test(test_preferred_shard_is_tried_first),
		cmocka_unit_test(
			test_a_blocked_shard_does_not_trap_stealable_work),
		cmocka_unit_test(
			test_a_blocked_shard_does_not_trap_what_is_woken),
		cmocka_unit_test(
			test_a_computing_fiber_does_not_trap_what_it_woke),
		cmocka_unit_test(test_nobody_watches_while_all_sleep),
		cmocka_unit_test(
			test_a_blocked_shard_does_not_trap_what_threads_spawn),
		cmocka_unit_test(test_a_tree_of_stealable_fibers_adds_up),
		cmocka_unit_test(test_what_a_descriptor_woke_may_be_taken_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
