/*
 * The floating-point environment belongs to the fiber: what one does with
 * fesetround(3) is not seen by others, and it finds its own again after a wait.
 */
#include "runtime.h"

#include <spargio/pool.h>

#include <fenv.h>

static volatile double one = 1, three = 3;
static volatile long double long_one = 1, long_three = 3;

/* Of SSE and of the x87, which have a control word each. */
struct thirds {
	double third;
	long double long_third;
};

static struct thirds divide_now(void)
{
	return (struct thirds){ one / three, long_one / long_three };
}

static void expect_rounding(int mode, const struct thirds *want)
{
	struct thirds got = divide_now();

	EXPECT_EQ(fegetround(), mode);
	EXPECT(got.third == want->third);
	EXPECT(got.long_third == want->long_third);
}

static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
			     FE_TOWARDZERO };
static struct thirds expected[COUNT(modes)];

static int round_own_way(void *arg)
{
	size_t i = (size_t)arg;

	/* Not what another fiber has just set. */
	expect_rounding(FE_TONEAREST, &expected[0]);
	EXPECT_EQ(fesetround(modes[i]), 0);
	for (int turn = 0; turn < 100; turn++) {
		expect_rounding(modes[i], &expected[i]);
		sp_yield();
	}
	EXPECT_EQ(sp_sleep(SP_MS), 0);
	expect_rounding(modes[i], &expected[i]);
	if (i == 1) { /* pinned fibers of two shards, and of one */
		EXPECT_EQ(sp_migrate(1), 0);
		expect_rounding(modes[i], &expected[i]);
	}
	return 0;
}

static int expect_nearest(void *arg)
{
	(void)arg;
	expect_rounding(FE_TONEAREST, &expected[0]);
	return 0;
}

static int rounding_body(void *arg)
{
	struct sp_task tasks[COUNT(modes)];

	(void)arg;
	for (size_t i = 0; i < COUNT(modes); i++)
		EXPECT_EQ(sp_go_on(NULL, 0, round_own_way, (void *)i,
				   &tasks[i]),
			  0);
	for (size_t i = 0; i < COUNT(modes); i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	expect_rounding(FE_TONEAREST, &expected[0]);
	/* One that ends leaves nothing behind, nor does a new one inherit. */
	EXPECT_EQ(fesetround(FE_DOWNWARD), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, expect_nearest, NULL, &tasks[0]), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, expect_nearest, NULL, &tasks[1]), 0);
	EXPECT_EQ(sp_join(tasks[0], NULL), 0);
	EXPECT_EQ(sp_join(tasks[1], NULL), 0);
	expect_rounding(FE_DOWNWARD, &expected[2]);
	return 0;
}

static int expect_upward(void *arg)
{
	(void)arg;
	expect_rounding(FE_UPWARD, &expected[1]);
	EXPECT_EQ(fesetround(FE_DOWNWARD), 0);
	EXPECT_EQ(sp_sleep(SP_MS), 0);
	expect_rounding(FE_DOWNWARD, &expected[2]);
	return 0;
}

static int upward_body(void *arg)
{
	struct sp_task task;

	(void)arg;
	for (uint32_t shard = 0; shard < 2; shard++) {
		EXPECT_EQ(sp_go_on(NULL, shard, expect_upward, NULL, &task), 0);
		EXPECT_EQ(sp_join(task, NULL), 0);
		expect_rounding(FE_UPWARD, &expected[1]);
	}
	return 0;
}

/* Fibers begin with what the thread has that starts the runtime. */
static void test_the_thread_sets_the_default(void **state)
{
	(void)state;
	assert_int_equal(fesetround(FE_UPWARD), 0);
	run_on(2, upward_body, NULL);
	assert_int_equal(fegetround(), FE_UPWARD);
	assert_int_equal(fesetround(FE_TONEAREST), 0);
}

static void test_rounding_belongs_to_the_fiber(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(modes); i++) {
		assert_int_equal(fesetround(modes[i]), 0);
		expected[i] = divide_now();
	}
	assert_int_equal(fesetround(FE_TONEAREST), 0);
	run_on(2, rounding_body, NULL);
	/* The thread that was shard 0 has its own again. */
	assert_int_equal(fegetround(), FE_TONEAREST);
}

static int round_upward(void *arg)
{
	EXPECT_EQ(fegetround(), FE_TONEAREST);
	(void)arg;
	return fesetround(FE_UPWARD);
}

/* Neither of the fiber that made the thread, nor of the job before. */
static int jobs_body(void *arg)
{
	int ret = -1;

	EXPECT_EQ(fesetround(FE_DOWNWARD), 0);
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(sp_block(round_upward, arg, &ret), 0);
		EXPECT_EQ(ret, 0);
		EXPECT_EQ(fegetround(), FE_DOWNWARD);
	}
	return 0;
}

static void test_jobs_begin_with_the_default(void **state)
{
	(void)state;
	run_on(1, jobs_body, NULL);
	assert_int_equal(fegetround(), FE_TONEAREST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounding_belongs_to_the_fiber),
		cmocka_unit_test(test_the_thread_sets_the_default),
		cmocka_unit_test(test_jobs_begin_with_the_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
