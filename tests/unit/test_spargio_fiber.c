#include "runtime.h"

#include <spargio/stats.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int twice(void *arg)
{
	return 2 * (int)(intptr_t)arg;
}

static int spin_until(void *arg)
{
	atomic_bool *go = arg;

	while (!atomic_load(go))
		sp_yield();
	return 0;
}

static int sleep_forever(void *arg)
{
	(void)arg;
	return sp_sleep_until(SP_NEVER);
}

/* Joining */

static int join_body(void *arg)
{
	struct sp_task task;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_go(twice, (void *)21, &task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 42);
	EXPECT_EQ(sp_join(task, &ret), -ESRCH);
	EXPECT_EQ(sp_detach(task), -ESRCH);
	EXPECT_EQ(sp_cancel(task), -ESRCH);
	EXPECT_EQ(sp_join(sp_self(), NULL), -EDEADLK);
	EXPECT_EQ(sp_join((struct sp_task){ 0 }, NULL), -ESRCH);
	return 0;
}

static void test_join_gives_the_result_once(void **state)
{
	(void)state;
	run_on(1, join_body, NULL);
	run_on(2, join_body, NULL);
}

static int join_twice(void *arg)
{
	struct sp_task *task = arg;

	return sp_join(*task, NULL);
}

static int two_joiners_body(void *arg)
{
	struct sp_task task, first, second;
	int ret[2] = { 1, 1 };

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 0, sleep_forever, NULL, &task), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, join_twice, &task, &first), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, join_twice, &task, &second), 0);
	EXPECT_EQ(sp_join(second, &ret[1]), 0);
	EXPECT_EQ(ret[1], -EBUSY);
	EXPECT_EQ(sp_detach(task), -EBUSY);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(first, &ret[0]), 0);
	EXPECT_EQ(ret[0], 0);
	return 0;
}

static void test_only_one_may_join(void **state)
{
	(void)state;
	run_on(1, two_joiners_body, NULL);
}

static int join_deadline_body(void *arg)
{
	struct sp_task task;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_go(sleep_forever, NULL, &task), 0);
	EXPECT_EQ(sp_join_until(task, sp_in(2 * SP_MS), NULL), -ETIMEDOUT);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	return 0;
}

static void test_join_that_times_out_may_be_repeated(void **state)
{
	(void)state;
	run_on(2, join_deadline_body, NULL);
}

/* Placement */

static int where(void *arg)
{
	(void)arg;
	return (int)sp_shard();
}

static int place(enum sp_place place, uint32_t shard, uint64_t key)
{
	struct sp_attr attr = { .place = place, .shard = shard, .key = key };
	struct sp_task task;
	int ret = -1;

	EXPECT_EQ(sp_go_attr(NULL, &attr, where, NULL, &task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	return ret;
}

static int placement_body(void *arg)
{
	bool seen[3] = { false };

	(void)arg;
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(place(SP_PINNED, i, 0), i);
	for (int i = 0; i < 3; i++)
		seen[place(SP_ROUND_ROBIN, 0, 0)] = true;
	EXPECT(seen[0] && seen[1] && seen[2]);
	for (uint64_t key = 0; key < 50; key++)
		EXPECT_EQ(place(SP_BY_KEY, 0, key), place(SP_BY_KEY, 2, key));
	EXPECT_EQ(sp_go_on(NULL, 3, where, NULL, NULL), -EINVAL);
	return 0;
}

static void test_placement(void **state)
{
	(void)state;
	run_on(3, placement_body, NULL);
}

static int stay(void *arg)
{
	uint32_t home = sp_shard();

	(void)arg;
	for (int i = 0; i < 300; i++) {
		EXPECT_EQ(sp_shard(), home);
		if (i % 50 == 0)
			sp_sleep(SP_US);
		else
			sp_yield();
	}
	return 0;
}

static int pinned_body(void *arg)
{
	struct sp_task tasks[60];

	(void)arg;
	for (int i = 0; i < 60; i++)
		EXPECT_EQ(sp_go_on(NULL, (uint32_t)i % 3, stay, NULL,
				   &tasks[i]),
			  0);
	for (int i = 0; i < 60; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	return 0;
}

static void test_pinned_never_moves(void **state)
{
	(void)state;
	run_on(3, pinned_body, NULL);
}

static int hop_body(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < 300; i++) {
		EXPECT_EQ(sp_migrate(i % 3), 0);
		EXPECT_EQ(sp_shard(), i % 3);
	}
	EXPECT_EQ(sp_migrate(3), -EINVAL);
	return 0;
}

static void test_hop_goes_where_it_is_told(void **state)
{
	(void)state;
	run_on(3, hop_body, NULL);
}

static int set_flag(void *arg)
{
	atomic_store((atomic_bool *)arg, true);
	return 0;
}

/* A time slice that is over once made a yield return at once. */
static int yield_body(void *arg)
{
	(void)arg;
	for (int i = 0; i < 30; i++) {
		int64_t until = sp_in(300 * SP_US);
		atomic_bool ran = false;
		struct sp_task task;

		EXPECT_EQ(sp_go_on(NULL, 0, set_flag, &ran, &task), 0);
		while (sp_now() < until)
			;
		sp_yield();
		EXPECT(atomic_load(&ran));
		EXPECT_EQ(sp_join(task, NULL), 0);
	}
	return 0;
}

static void test_yield_lets_others_run_however_late(void **state)
{
	(void)state;
	run_on(1, yield_body, NULL);
}

/* Arguments, names, locals */

static int check_copy(void *arg)
{
	const char *text = arg;

	EXPECT(strcmp(text, "copied") == 0);
	EXPECT(sp_name() != NULL && strcmp(sp_name(), "copier") == 0);
	return 0;
}

static int copy_body(void *arg)
{
	struct sp_attr attr = { .name = "copier" };
	char text[SP_COPY_MAX + 1] = "copied";
	struct sp_task task;

	(void)arg;
	EXPECT_EQ(sp_go_copy(NULL, &attr, check_copy, text, SP_COPY_MAX, &task),
		  0);
	memset(text, 'x', sizeof(text));
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(sp_go_copy(NULL, &attr, check_copy, text, sizeof(text), NULL),
		  -E2BIG);
	return 0;
}

static void test_argument_is_copied(void **state)
{
	(void)state;
	run_on(1, copy_body, NULL);
}

static int check_default_attr(void *arg)
{
	EXPECT(arg == NULL || strcmp(arg, "copied") == 0);
	EXPECT(sp_name() == NULL);
	return arg == NULL ? 1 : 2;
}

/* No attributes are those of sp_go(), no data is no argument. */
static int default_attr_body(void *arg)
{
	struct sp_task task;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_go_copy(NULL, NULL, check_default_attr, "copied", 7,
			     &task),
		  0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 2);
	EXPECT_EQ(sp_go_copy(NULL, NULL, check_default_attr, NULL, 0, &task),
		  0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 1);
	EXPECT_EQ(sp_go_attr(NULL, NULL, check_default_attr, NULL, &task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 1);
	return 0;
}

static void test_attributes_may_be_left_out(void **state)
{
	(void)state;
	run_on(1, default_attr_body, NULL);
}

static atomic_int dropped;

static void drop(void *value)
{
	atomic_fetch_add(&dropped, (int)(intptr_t)value);
}

/* A fiber that is alone goes on in the same turn, unless it wants a poll. */
static int poll_body(void *arg)
{
	int same = 0;

	(void)arg;
	for (int i = 0; i < 100; i++) {
		uint64_t turn = sp_shard_turn();

		EXPECT(turn > 0);
		sp_yield();
		same += sp_shard_turn() == turn;
		turn = sp_shard_turn();
		sp_yield_poll();
		EXPECT(sp_shard_turn() > turn);
	}
	EXPECT(same > 0);
	return 0;
}

static void test_yield_polls_if_asked_to(void **state)
{
	(void)state;
	EXPECT_EQ(sp_shard_turn(), 0);
	sp_yield_poll();
	run_on(1, poll_body, NULL);
}

static int use_local(void *arg)
{
	uint32_t key = *(uint32_t *)arg;

	EXPECT(sp_local_get(key) == NULL);
	EXPECT_EQ(sp_local_set(key, (void *)7), 0);
	sp_yield();
	EXPECT_EQ((intptr_t)sp_local_get(key), 7);
	return 0;
}

static int locals_body(void *arg)
{
	uint32_t key = 0, more;
	struct sp_task a, b;

	(void)arg;
	EXPECT_EQ(sp_local_new(NULL, drop, &key), 0);
	EXPECT_EQ(sp_go(use_local, &key, &a), 0);
	EXPECT_EQ(sp_go(use_local, &key, &b), 0);
	EXPECT_EQ(sp_join(a, NULL), 0);
	EXPECT_EQ(sp_join(b, NULL), 0);
	EXPECT_EQ(atomic_load(&dropped), 14);
	EXPECT_EQ(sp_local_set(99, NULL), -EINVAL);
	for (int i = 1; i < 8; i++)
		EXPECT_EQ(sp_local_new(NULL, NULL, &more), 0);
	EXPECT_EQ(sp_local_new(NULL, NULL, &more), -ENOSPC);
	return 0;
}

static void test_locals_are_per_fiber_and_dropped(void **state)
{
	(void)state;
	atomic_store(&dropped, 0);
	run_on(2, locals_body, NULL);
}

/* Overload and misuse */

/* Does not even yield, so that its shard cannot steal. */
static int block_shard(void *arg)
{
	atomic_bool *go = arg;

	while (!atomic_load(go))
		;
	return 0;
}

static int overload_body(void *arg)
{
	uint32_t capacity = *(uint32_t *)arg;
	atomic_bool go = false;
	struct sp_task tasks[64], busy;
	struct sp_shard_stats stats;
	struct sp_stats all;
	uint32_t spawned = 0;
	bool two = sp_shard_count(sp_runtime()) == 2;

	if (two) {
		EXPECT_EQ(sp_go_on(NULL, 1, block_shard, &go, &busy), 0);
		sp_sleep(5 * SP_MS); /* until it runs */
	}
	while (spawned < 64 && sp_go(spin_until, &go, &tasks[spawned]) == 0)
		spawned++;
	EXPECT_EQ(spawned, capacity);
	EXPECT_EQ(sp_go(spin_until, &go, NULL), -EAGAIN);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.refused_spawns, spawned < 64 ? 2 : 1);
	sp_stats_get(sp_runtime(), &all);
	EXPECT_EQ(all.refused_spawns, 0);
	atomic_store(&go, true);
	for (uint32_t i = 0; i < spawned; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	if (two)
		EXPECT_EQ(sp_join(busy, NULL), 0);
	return 0;
}

static void test_full_queue_is_an_error_the_caller_sees(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	uint32_t capacity = 16;

	(void)state;
	opts.stealable_capacity = capacity;
	for (opts.shards = 1; opts.shards <= 2; opts.shards++)
		run_with(&opts, overload_body, &capacity);
}

static void test_outside_a_fiber_calls_fail_clearly(void **state)
{
	(void)state;
	assert_int_equal(sp_go(twice, NULL, NULL), -EPERM);
	assert_int_equal(sp_join((struct sp_task){ 0 }, NULL), -EPERM);
	assert_int_equal(sp_sleep(1), -EPERM);
	assert_int_equal(sp_migrate(0), -EPERM);
	assert_int_equal(sp_shard(), SP_NO_SHARD);
	assert_null(sp_self().fiber);
	assert_null(sp_name());
	assert_false(sp_cancelled());
	sp_yield();
}

#ifndef NDEBUG
static int hold_and_yield(void *arg)
{
	(void)arg;
	sp_no_yield_begin();
	sp_sleep(SP_MS);
	return 0;
}

static void test_yield_under_a_lock_aborts_in_debug_builds(void **state)
{
	pid_t pid = fork();
	int status = 0;

	(void)state;
	if (pid == 0) {
		struct sp_opts opts = SP_OPTS_INIT;

		close(STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		opts.shards = 1;
		_exit(sp_run(&opts, hold_and_yield, NULL) == 0 ? 0 : 3);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}
#endif

/* Stacks */

static int big_stack(void *arg)
{
	volatile char block[200 * 1024];

	(void)arg;
	for (size_t i = 0; i < sizeof(block); i += 4096)
		block[i] = 1;
	return block[4096];
}

static int stack_size_body(void *arg)
{
	struct sp_attr attr = { .stack_size = 256 * 1024 };
	struct sp_task task;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_go_attr(NULL, &attr, big_stack, NULL, &task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 1);
	attr.stack_size = 2 * 1024 * 1024;
	EXPECT_EQ(sp_go_attr(NULL, &attr, big_stack, NULL, &task), -EINVAL);
	return 0;
}

static void test_stack_size_is_per_fiber(void **state)
{
	(void)state;
	run_on(1, stack_size_body, NULL);
}

static int many_body(void *arg)
{
	enum {
		MANY = FEWER_IF_SANITIZED(5000)
	};
	static struct sp_task tasks[MANY];

	(void)arg;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++)
			EXPECT_EQ(sp_go_on(NULL, (uint32_t)i % 2, sleep_forever,
					   NULL, &tasks[i]),
				  0);
		for (int i = 0; i < MANY; i++)
			EXPECT_EQ(sp_cancel(tasks[i]), 0);
		for (int i = 0; i < MANY; i++)
			EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	}
	return 0;
}

static void test_thousands_of_fibers_come_and_go(void **state)
{
	(void)state;
	run_on(2, many_body, NULL);
}

/* From other threads */

static void *outside_main(void *arg)
{
	struct sp_rt *rt = arg;
	int ret = 0;

	for (int i = 0; i < 200; i++) {
		struct sp_task task;

		EXPECT_EQ(sp_call_on(rt, (uint32_t)i % 2, twice,
				     (void *)(intptr_t)i, &ret),
			  0);
		EXPECT_EQ(ret, 2 * i);
		EXPECT_EQ(sp_go_on(rt, 0, twice, (void *)4, &task), 0);
		EXPECT_EQ(sp_join_thread(rt, task, &ret), 0);
		EXPECT_EQ(ret, 8);
	}
	return NULL;
}

static void test_threads_spawn_call_and_join(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	pthread_t threads[3];
	struct sp_rt *rt;

	(void)state;
	opts.shards = 2;
	assert_int_equal(sp_start(&opts, &rt), 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, outside_main, rt);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join_gives_the_result_once),
		cmocka_unit_test(test_only_one_may_join),
		cmocka_unit_test(test_join_that_times_out_may_be_repeated),
		cmocka_unit_test(test_placement),
		cmocka_unit_test(test_pinned_never_moves),
		cmocka_unit_test(test_hop_goes_where_it_is_told),
		cmocka_unit_test(test_yield_lets_others_run_however_late),
		cmocka_unit_test(test_yield_polls_if_asked_to),
		cmocka_unit_test(test_argument_is_copied),
		cmocka_unit_test(test_attributes_may_be_left_out),
		cmocka_unit_test(test_locals_are_per_fiber_and_dropped),
		cmocka_unit_test(test_full_queue_is_an_error_the_caller_sees),
		cmocka_unit_test(test_outside_a_fiber_calls_fail_clearly),
#ifndef NDEBUG
		cmocka_unit_test(
			test_yield_under_a_lock_aborts_in_debug_builds),
#endif
		cmocka_unit_test(test_stack_size_is_per_fiber),
		cmocka_unit_test(test_thousands_of_fibers_come_and_go),
		cmocka_unit_test(test_threads_spawn_call_and_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
