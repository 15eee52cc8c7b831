#include "waiting.h"

#include <spargio/channel.h>
#include <spargio/message.h>
#include <spargio/op.h>
#include <spargio/pool.h>
#include <spargio/probe.h>
#include <spargio/select.h>
#include <spargio/stats.h>
#include <spargio/sync.h>

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int return_value(void *arg)
{
	return (int)(intptr_t)arg;
}

static int sleep_forever(void *arg)
{
	(void)arg;
	return sp_sleep_until(SP_NEVER);
}

static void test_run_returns_what_its_fiber_returns(void **state)
{
	(void)state;
	assert_int_equal(sp_run(NULL, return_value, (void *)17), 17);
	assert_int_equal(sp_run(NULL, return_value, (void *)-5), -5);
}

static int leave_others(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < 50; i++)
		EXPECT_EQ(sp_go_on(NULL, i % 2, sleep_forever, NULL, NULL), 0);
	return 0;
}

static void test_run_cancels_and_waits_for_the_rest(void **state)
{
	(void)state;
	run_on(2, leave_others, NULL);
}

static int run_inside(void *arg)
{
	(void)arg;
	EXPECT_EQ(sp_run(NULL, return_value, NULL), -EDEADLK);
	EXPECT_EQ(sp_stop(sp_runtime(), SP_NEVER), -EDEADLK);
	return 0;
}

static void test_run_inside_a_fiber_is_refused(void **state)
{
	(void)state;
	run_on(1, run_inside, NULL);
}

static void test_bad_options_are_refused(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt = NULL;

	(void)state;
	opts.shards = 100000;
	assert_int_equal(sp_start(&opts, &rt), -EINVAL);
	opts = SP_OPTS_INIT;
	opts.stack_size = 1 << 30;
	assert_int_equal(sp_start(&opts, &rt), -EINVAL);
	opts = SP_OPTS_INIT;
	opts.spin_us = -3;
	if (getenv("SP_SPIN") == NULL)
		assert_int_equal(sp_start(&opts, &rt), -EINVAL);
	assert_null(rt);
}

static void test_back_end_is_the_one_asked_for(void **state)
{
	const char *forced = getenv("SP_BACKEND");
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt;

	(void)state;
	opts.backend = SP_BACKEND_EPOLL;
	if (forced != NULL && strcmp(forced, "epoll") != 0)
		return; /* the environment wins, as it should */
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_string_equal(sp_backend_name(rt), "epoll");
	assert_int_equal(sp_backend_error(rt), 0);
	assert_int_equal(sp_stop(rt, SP_NEVER), 0);
}

/* What sp_start() says with a variable of the environment as given. */
static int start_with(const char *name, const char *value)
{
	char before[32] = "";
	const char *was = getenv(name);
	struct sp_rt *rt = NULL;
	int err;

	if (was != NULL)
		snprintf(before, sizeof(before), "%s", was);
	setenv(name, value, 1);
	err = sp_start(NULL, &rt);
	if (err == 0)
		assert_int_equal(sp_stop(rt, SP_NEVER), 0);
	if (was != NULL)
		setenv(name, before, 1);
	else
		unsetenv(name);
	return err;
}

static void test_bad_environment_is_refused(void **state)
{
	(void)state;
	assert_int_equal(start_with("SP_BACKEND", "nonsense"), -EINVAL);
	assert_int_equal(start_with("SP_BACKEND", "EPOLL"), -EINVAL);
	assert_int_equal(start_with("SP_BACKEND", "epoll "), -EINVAL);
	assert_int_equal(start_with("SP_BACKEND", "epoll"), 0);
	assert_int_equal(start_with("SP_BACKEND", "auto"), 0);
	assert_int_equal(start_with("SP_BACKEND", ""), 0);
	assert_int_equal(start_with("SP_SPIN", "much"), -EINVAL);
	assert_int_equal(start_with("SP_SPIN", "5us"), -EINVAL);
	assert_int_equal(start_with("SP_SPIN", "-3"), -EINVAL);
	assert_int_equal(start_with("SP_SPIN", "99999999999999999999"),
			 -EINVAL);
	assert_int_equal(start_with("SP_SPIN", "-2"), 0);
	assert_int_equal(start_with("SP_SPIN", ""), 0);
}

/* Stopping */

static void test_stopping_no_runtime_is_fine(void **state)
{
	(void)state;
	assert_int_equal(sp_stop(NULL, SP_NEVER), 0);
}

static int read_name(void *arg)
{
	return -pthread_getname_np(pthread_self(), arg, 16);
}

static int block_for_name(void *arg)
{
	int ret;
	int err = sp_block(read_name, arg, &ret);

	return err < 0 ? err : ret;
}

static void test_threads_are_named(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt;
	char name[16];
	int ret;

	(void)state;
	opts.shards = 2;
	opts.name = "reader";
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_call_on(rt, 1, read_name, name, &ret), 0);
	assert_int_equal(ret, 0);
	assert_string_equal(name, "reader/1");
	assert_int_equal(sp_call_on(rt, 1, block_for_name, name, &ret), 0);
	assert_int_equal(ret, 0);
	assert_string_equal(name, "pool");
	assert_int_equal(sp_stop(rt, SP_NEVER), 0);
}

static int shielded(void *arg)
{
	(void)arg;
	sp_shield_begin();
	sp_sleep_until(SP_NEVER);
	sp_shield_end();
	return 0;
}

static atomic_bool release;

static int busy_main(void *arg)
{
	(void)arg;
	while (!atomic_load(&release))
		;
	return 0;
}

static void test_stop_waits_drops_or_says_busy(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_stats stats;
	struct sp_rt *rt;

	(void)state;
	opts.shards = 2;
	assert_int_equal(sp_start(&opts, &rt), 0);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(sp_go_on(rt, i % 2, sleep_forever, NULL, NULL),
				 0);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);

	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_go_on(rt, 1, shielded, NULL, NULL), 0);
	assert_int_equal(sp_stop(rt, sp_in(20 * SP_MS)), -ETIMEDOUT);

	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_go_on(rt, 1, busy_main, NULL, NULL), 0);
	usleep(20000);
	assert_int_equal(sp_stop(rt, sp_in(SP_MS)), -EBUSY);
	assert_int_equal(sp_go_on(rt, 0, busy_main, NULL, NULL), -ESHUTDOWN);
	sp_stats_get(rt, &stats);
	assert_int_equal(stats.refused_spawns, 1);
	assert_int_equal(sp_msg_post(rt, 0, 1, 1), -ESHUTDOWN);
	atomic_store(&release, true);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);
}

/*
 * A fiber that is joined from another runtime wakes its joiner there. Both the
 * joiner and that runtime may be gone a moment later.
 */

static int end_soon(void *arg)
{
	(void)arg;
	return sp_sleep(20 * SP_US);
}

static int join_it(void *arg)
{
	return sp_join(*(struct sp_task *)arg, NULL);
}

static void test_joiner_may_end_with_its_runtime(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *joined, *rt;

	(void)state;
	opts.shards = 1;
	assert_int_equal(sp_start(&opts, &joined), 0);
	for (int i = 0; i < 100; i++) {
		struct sp_task task;
		int ret = -1;

		assert_int_equal(sp_start(&opts, &rt), 0);
		assert_int_equal(sp_go_on(joined, 0, end_soon, NULL, &task), 0);
		assert_int_equal(sp_call_on(rt, 0, join_it, &task, &ret), 0);
		assert_int_equal(ret, 0);
		assert_int_equal(sp_stop(rt, sp_in(20 * SP_S)), 0);
	}
	assert_int_equal(sp_stop(joined, sp_in(20 * SP_S)), 0);
}

/* What a dropped fiber waits in outlives it and its runtime. */

struct left {
	struct sp_chan *chan;
	struct sp_timer *timer;
	struct sp_mutex mutex;
};

static int wait_in_channel(void *arg)
{
	struct left *left = arg;
	int item;

	sp_shield_begin();
	return sp_chan_recv(left->chan, &item);
}

static int wait_for_mutex(void *arg)
{
	struct left *left = arg;

	sp_shield_begin();
	return sp_mutex_lock(&left->mutex);
}

static int wait_in_select(void *arg)
{
	struct left *left = arg;
	int item;
	struct sp_case cases[] = {
		sp_case_recv(left->chan, &item),
		sp_case_timer(left->timer),
	};

	sp_shield_begin();
	return sp_select(cases, COUNT(cases));
}

/* A job: a runtime whose fibers have to be dropped. */
static int strand(void *left)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt;

	opts.shards = 2;
	EXPECT_EQ(sp_start(&opts, &rt), 0);
	for (uint32_t i = 0; i < 2; i++) {
		EXPECT_EQ(sp_go_on(rt, i, wait_in_channel, left, NULL), 0);
		EXPECT_EQ(sp_go_on(rt, i, wait_for_mutex, left, NULL), 0);
		EXPECT_EQ(sp_go_on(rt, i, wait_in_select, left, NULL), 0);
	}
	until_waiting(rt, "channel receive", 2);
	until_waiting(rt, "mutex", 2);
	until_waiting(rt, "select", 2);
	EXPECT_EQ(sp_stop(rt, sp_in(20 * SP_MS)), -ETIMEDOUT);
	return 0;
}

static int left_body(void *arg)
{
	struct left left = { .mutex = SP_MUTEX_INIT };
	int item = 7;

	(void)arg;
	EXPECT_EQ(sp_chan_new(sizeof(int), 1, &left.chan), 0);
	EXPECT_EQ(sp_timer_new(SP_NEVER, &left.timer), 0);
	EXPECT_EQ(sp_mutex_lock(&left.mutex), 0);
	EXPECT_EQ(sp_block(strand, &left, NULL), 0);

	/* Nothing is given to those who are no more. */
	EXPECT_EQ(sp_chan_try_send(left.chan, &item), 0);
	EXPECT_EQ(sp_chan_length(left.chan), 1);
	EXPECT_EQ(sp_chan_recv(left.chan, &item), 0);
	EXPECT_EQ(item, 7);
	sp_timer_reset(left.timer, sp_now());
	EXPECT_EQ(sp_timer_wait(left.timer), 0);
	EXPECT_EQ(sp_mutex_unlock(&left.mutex), 0);
	EXPECT_EQ(sp_mutex_lock(&left.mutex), 0);
	EXPECT_EQ(sp_mutex_unlock(&left.mutex), 0);
	sp_timer_free(left.timer);
	sp_chan_free(left.chan);
	return 0;
}

static void test_dropped_fibers_leave_their_lists_usable(void **state)
{
	(void)state;
	run_on(1, left_body, NULL);
}

static int block_long(void *arg)
{
	(void)arg;
	usleep(100000);
	return 0;
}

static int call_blocking(void *arg)
{
	(void)arg;
	return sp_block(block_long, NULL, NULL);
}

/* What a library keeps for a thread, and lets go when the thread ends */

static pthread_key_t kept_key;

static void let_go(void *kept)
{
	usleep(20000);
	atomic_store((atomic_bool *)kept, true);
}

static int keep_for_thread(void *kept)
{
	return -pthread_setspecific(kept_key, kept);
}

static int block_to_keep(void *kept)
{
	int ret;
	int err = sp_block(keep_for_thread, kept, &ret);

	return err < 0 ? err : ret;
}

static void test_threads_of_the_pool_are_gone_with_it(void **state)
{
	atomic_bool gone = false;

	(void)state;
	assert_int_equal(pthread_key_create(&kept_key, let_go), 0);
	assert_int_equal(sp_run(NULL, block_to_keep, &gone), 0);
	assert_true(atomic_load(&gone));
	pthread_key_delete(kept_key);
}

/* A job that nobody waits for any more, and that spawns when it is told to */

struct late {
	struct sp_rt *rt;
	atomic_bool started, go;
	int err;
};

static int spawn_late(void *arg)
{
	struct late *late = arg;

	if (atomic_exchange(&late->started, true))
		return 0; /* another has begun in the meantime */
	while (!atomic_load(&late->go))
		;
	late->err = sp_go_on(late->rt, 0, return_value, NULL, NULL);
	return 0;
}

static int start_late(void *arg)
{
	struct late *late = arg;

	/* It may be withdrawn before it has begun. */
	while (!atomic_load(&late->started))
		(void)sp_block_until(spawn_late, late, sp_in(SP_MS), NULL);
	return 0;
}

/*
 * A spawn that is refused because the runtime closes is counted and taken back.
 * sp_stop() may look in between, when there is no fiber left to tell it later.
 */
static void test_stop_meets_a_spawn_from_outside(void **state)
{
	int64_t until = sp_in(60 * SP_S);
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 1;
	for (int i = 0; i < 200; i++) {
		struct late late = { 0 };

		assert_int_equal(sp_start(&opts, &late.rt), 0);
		assert_int_equal(sp_call_on(late.rt, 0, start_late, &late,
					    NULL),
				 0);
		atomic_store(&late.go, true);
		for (volatile int k = 0; k < 2 * i; k++)
			;
		assert_int_equal(sp_stop(late.rt, until), 0);
		assert_true(late.err == 0 || late.err == -ESHUTDOWN);
		assert_true(sp_now() < until);
	}
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

/*
 * Threads that spawn and post until they are told that the runtime ends. They
 * cannot know when it is freed: a call may be in it at that moment, or come
 * after it.
 */

enum {
	VISITORS = 3
};

static void *visit_until_told(void *arg)
{
	struct sp_rt *rt = arg;
	uint32_t i = 0;
	int err;

	do {
		i++;
		if (i % 2 == 0)
			err = sp_go_on(rt, i / 2 % 2, return_value, NULL, NULL);
		else
			err = sp_msg_post(rt, i / 2 % 2, 1, i);
	} while (err == 0 || err == -EAGAIN || err == -ENOMEM);
	EXPECT_EQ(err, -ESHUTDOWN);
	return NULL;
}

static void test_stop_meets_threads_that_know_nothing_of_it(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 2;
	for (int round = 0; round < 50; round++) {
		pthread_t threads[VISITORS];
		struct sp_rt *rt;

		assert_int_equal(sp_start(&opts, &rt), 0);
		for (int i = 0; i < VISITORS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL,
							visit_until_told, rt),
					 0);
		usleep((useconds_t)(round * 20));
		assert_int_equal(sp_stop(rt, sp_in(60 * SP_S)), 0);
		for (int i = 0; i < VISITORS; i++)
			pthread_join(threads[i], NULL);
	}
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

static int busy_tree(void *arg)
{
	int depth = (int)(intptr_t)arg;
	struct sp_task left, right;
	int err;

	if (depth == 0)
		return 0;
	err = sp_go(busy_tree, (void *)(intptr_t)(depth - 1), &left);
	if (err < 0)
		return err;
	err = sp_go(busy_tree, (void *)(intptr_t)(depth - 1), &right);
	sp_sleep(50 * SP_US);
	sp_shield_begin();
	sp_join(left, NULL);
	if (err == 0)
		sp_join(right, NULL);
	sp_shield_end();
	return 0;
}

/* Fibers spawning, sleeping, joining, blocking while the end comes. */
static void test_stop_with_work_in_flight(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 2;
	for (int round = 0; round < 50; round++) {
		struct sp_rt *rt;

		assert_int_equal(sp_start(&opts, &rt), 0);
		for (int i = 0; i < 4; i++) {
			struct sp_attr attr = { .place = SP_ROUND_ROBIN };

			assert_int_equal(sp_go_attr(rt, &attr, busy_tree,
						    (void *)6, NULL),
					 0);
		}
		if (round % 10 == 0)
			assert_int_equal(sp_go_on(rt, 0, call_blocking, NULL,
						  NULL),
					 0);
		usleep((useconds_t)(round * 40));
		assert_int_equal(sp_stop(rt, sp_in(20 * SP_S)), 0);
	}
}

/* Leaks */

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static int count_lines(const char *path)
{
	FILE *f = fopen(path, "r");
	int n = 0, c;

	while ((c = fgetc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static int touch_everything(void *arg)
{
	struct sp_task task;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 1, return_value, NULL, &task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(sp_sleep(SP_US), 0);
	return 0;
}

static void test_a_thousand_runtimes_leave_nothing_behind(void **state)
{
	int fds, maps, threads;

	(void)state;
	for (int i = 0; i < 20; i++)
		run_on(2, touch_everything, NULL);
	fds = count_fds();
	maps = count_lines("/proc/self/maps");
	threads = count_threads();
	for (int i = 0; i < 980; i++)
		run_on(2, touch_everything, NULL);
	assert_int_equal(count_fds(), fds);
	/* A thread that was joined is listed for a moment more. */
	for (int i = 0; i < 200 && count_threads() != threads; i++)
		usleep(10000);
	assert_int_equal(count_threads(), threads);
	/* malloc's arenas may come and go, a mapping a runtime may not. */
	assert_true(count_lines("/proc/self/maps") < maps + 50);
}

/* Looking inside */

static int dump_body(void *arg)
{
	struct sp_attr attr = { .place = SP_PINNED,
				.shard = 1,
				.name = "sleeper" };
	struct sp_stats stats;
	struct sp_task task;
	char text[4096] = "";
	int out[2];

	(void)arg;
	EXPECT_EQ(sp_go_attr(NULL, &attr, sleep_forever, NULL, &task), 0);
	sp_sleep(5 * SP_MS);
	EXPECT_EQ(pipe(out), 0);
	EXPECT_EQ(sp_dump(sp_runtime(), out[1]), 0);
	EXPECT(read(out[0], text, sizeof(text) - 1) > 0);
	EXPECT(strstr(text, "sleeper on shard 1 waiting for sleep") != NULL);
	EXPECT(strstr(text, "running") != NULL);
	close(out[0]);
	close(out[1]);
	sp_stats_get(sp_runtime(), &stats);
	EXPECT_EQ(stats.shards, 2);
	EXPECT_EQ(stats.live_fibers, 2);
	EXPECT(stats.stack_bytes > 0);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	return 0;
}

static void test_dump_shows_what_fibers_wait_for(void **state)
{
	(void)state;
	run_on(2, dump_body, NULL);
}

static atomic_int blocked_seen;

static void on_blocked_shard(const struct sp_blocked_shard *blocked, void *arg)
{
	EXPECT_EQ((intptr_t)arg, 5);
	EXPECT(blocked->name != NULL && strcmp(blocked->name, "busy") == 0);
	EXPECT(blocked->ms >= 20);
	atomic_fetch_add(&blocked_seen, 1);
}

/* Until it is seen, however late, and for long enough to be seen again. */
static int block_a_while(void *arg)
{
	int64_t until = sp_in(20 * SP_S);

	(void)arg;
	while (atomic_load(&blocked_seen) == 0 && sp_now() < until)
		;
	until = sp_in(100 * SP_MS);
	while (sp_now() < until)
		;
	return 0;
}

static int watchdog_body(void *arg)
{
	struct sp_attr attr = { .place = SP_PINNED,
				.shard = 1,
				.name = "busy" };
	struct sp_task task;

	(void)arg;
	EXPECT_EQ(sp_go_attr(NULL, &attr, block_a_while, NULL, &task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	return 0;
}

static void test_watchdog_names_a_fiber_that_blocks_its_shard(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 2;
	opts.watchdog_ms = 20;
	opts.on_blocked_shard = on_blocked_shard;
	opts.on_blocked_shard_arg = (void *)5;
	atomic_store(&blocked_seen, 0);
	run_with(&opts, watchdog_body, NULL);
	assert_int_equal(atomic_load(&blocked_seen), 1);
}

static int wait_for_a_pipe(void *arg)
{
	return sp_wait_fd(*(int *)arg, POLLIN) < 0;
}

/* Threads of the whole machine that count as waiting for a disk just now. */
static long threads_in_iowait(void)
{
	FILE *f = fopen("/proc/stat", "r");
	char line[8192];
	long n = -1;

	assert_non_null(f);
	while (n < 0 && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "procs_blocked ", 14) == 0)
			n = strtol(line + 14, NULL, 10);
	fclose(f);
	return n;
}

/*
 * A shard asleep with an operation in flight is idle, and an operator who
 * looks at top must see that. Other programs may wait for disks of theirs, so
 * one moment without is enough: both shards sleep all the time.
 */
static void test_a_sleeping_shard_shows_no_iowait(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	int64_t give_up = sp_in(20 * SP_S);
	struct sp_probe probe;
	struct sp_rt *rt;
	int fds[2];
	long n;

	(void)state;
	sp_probe_get(&probe);
	if (probe.error == 0 && !sp_probe_has(&probe, SP_FEATURE_NO_IOWAIT))
		return;
	assert_int_equal(pipe(fds), 0);
	opts.shards = 2;
	assert_int_equal(sp_start(&opts, &rt), 0);
	for (uint32_t i = 0; i < opts.shards; i++)
		assert_int_equal(sp_go_on(rt, i, wait_for_a_pipe, &fds[0],
					  NULL),
				 0);
	usleep(50000); /* to their sleep; too short, the test says less */
	while ((n = threads_in_iowait()) > 0 && sp_now() < give_up)
		usleep(1000);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(n, 0);
}

static uint64_t busy_of(uint32_t shard)
{
	struct sp_shard_stats stats;

	EXPECT_EQ(sp_stats_shard(sp_runtime(), shard, &stats), 0);
	return stats.busy_ns;
}

/* Sleeping is not busy, working is, and time never goes backwards. */
static int watch_busy(void *arg)
{
	uint64_t last = busy_of(0), other = busy_of(1), now;
	int64_t began;

	(void)arg;
	EXPECT_EQ(sp_sleep(300 * SP_MS), 0);
	now = busy_of(0);
	EXPECT(now >= last && now - last < 250 * SP_MS);
	last = now;
	began = sp_now();
	while (sp_now() - began < 50 * SP_MS) {
		now = busy_of(0);
		EXPECT(now >= last);
		EXPECT(busy_of(1) >= other);
		last = now;
		other = busy_of(1);
	}
	EXPECT(busy_of(0) >= 50 * SP_MS);
	return 0;
}

static void test_busy_time(void **state)
{
	(void)state;
	run_on(2, watch_busy, NULL);
}

/* Fibers that do not end when they are cancelled */

struct left_seen {
	atomic_int deaf, computing, others;
};

static void on_fiber_left(const struct sp_fiber_left *left, void *arg)
{
	struct left_seen *seen = arg;

	EXPECT(left->fiber != 0 && left->shard < 2);
	if (left->name != NULL && strcmp(left->name, "deaf") == 0)
		atomic_fetch_add(&seen->deaf, 1);
	else if (left->name != NULL && strcmp(left->name, "computing") == 0)
		atomic_fetch_add(&seen->computing, 1);
	else
		atomic_fetch_add(&seen->others, 1);
}

static struct sp_opts stop_opts(struct left_seen *seen)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	opts.stop_ms = 50;
	opts.on_fiber_left = on_fiber_left;
	opts.on_fiber_left_arg = seen;
	return opts;
}

static int ignore_cancel(void *arg)
{
	(void)arg;
	for (;;)
		(void)sp_sleep(SP_MS);
	return 0;
}

static int leave_deaf(void *shard)
{
	struct sp_attr attr = { .place = SP_PINNED,
				.shard = (uint32_t)(uintptr_t)shard,
				.name = "deaf" };

	EXPECT_EQ(sp_go_attr(NULL, &attr, ignore_cancel, NULL, NULL), 0);
	return 0;
}

static void test_run_ends_though_a_fiber_ignores_it(void **state)
{
	(void)state;
	for (uintptr_t shard = 0; shard < 2; shard++) {
		struct left_seen seen = { 0 };
		struct sp_opts opts = stop_opts(&seen);

		assert_int_equal(sp_run(&opts, leave_deaf, (void *)shard),
				 -ETIMEDOUT);
		assert_int_equal(atomic_load(&seen.deaf), 1);
		assert_int_equal(atomic_load(&seen.computing), 0);
	}
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

struct computing {
	atomic_bool started, stop, stopped;
};

static int compute_on(void *arg)
{
	struct computing *c = arg;

	atomic_store(&c->started, true);
	while (!atomic_load(&c->stop))
		;
	/* What it asks of the runtime is refused. */
	EXPECT_EQ(sp_go(return_value, NULL, NULL), -ESHUTDOWN);
	EXPECT_EQ(sp_sleep(SP_MS), -ECANCELED);
	atomic_store(&c->stopped, true);
	return 0;
}

static int leave_computing(void *arg)
{
	struct sp_attr attr = { .place = SP_PINNED,
				.shard = 1,
				.name = "computing" };
	struct computing *c = arg;

	EXPECT_EQ(sp_go_attr(NULL, &attr, compute_on, c, NULL), 0);
	while (!atomic_load(&c->started))
		sp_yield();
	return 0;
}

static void test_run_returns_though_a_fiber_computes_on(void **state)
{
	struct computing computing = { 0 };
	struct left_seen seen = { 0 };
	struct sp_opts opts = stop_opts(&seen);

	(void)state;
	assert_int_equal(sp_run(&opts, leave_computing, &computing), -EBUSY);
	assert_int_equal(atomic_load(&seen.computing), 1);
	assert_int_equal(atomic_load(&seen.deaf), 0);
	atomic_store(&computing.stop, true);
	while (!atomic_load(&computing.stopped))
		usleep(1000);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

static void test_stop_names_what_it_drops(void **state)
{
	struct left_seen seen = { 0 };
	struct sp_opts opts = stop_opts(&seen);
	struct sp_rt *rt;

	(void)state;
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_call_on(rt, 0, leave_deaf, (void *)1, NULL), 0);
	assert_int_equal(sp_stop(rt, sp_in(50 * SP_MS)), -ETIMEDOUT);
	assert_int_equal(atomic_load(&seen.deaf), 1);

	/* And nothing where nothing is left. */
	seen = (struct left_seen){ 0 };
	opts.stop_ms = 60000;
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_stop(rt, sp_in(60 * SP_S)), 0);
	assert_int_equal(sp_run(&opts, leave_others, NULL), 0);
	assert_int_equal(atomic_load(&seen.deaf) + atomic_load(&seen.others),
			 0);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_returns_what_its_fiber_returns),
		cmocka_unit_test(test_run_cancels_and_waits_for_the_rest),
		cmocka_unit_test(test_run_inside_a_fiber_is_refused),
		cmocka_unit_test(test_bad_options_are_refused),
		cmocka_unit_test(test_bad_environment_is_refused),
		cmocka_unit_test(test_stopping_no_runtime_is_fine),
		cmocka_unit_test(test_back_end_is_the_one_asked_for),
		cmocka_unit_test(test_threads_are_named),
		cmocka_unit_test(test_stop_waits_drops_or_says_busy),
		cmocka_unit_test(test_threads_of_the_pool_are_gone_with_it),
		cmocka_unit_test(test_joiner_may_end_with_its_runtime),
		cmocka_unit_test(test_dropped_fibers_leave_their_lists_usable),
		cmocka_unit_test(test_stop_meets_a_spawn_from_outside),
		cmocka_unit_test(
			test_stop_meets_threads_that_know_nothing_of_it),
		cmocka_unit_test(test_stop_with_work_in_flight),
		cmocka_unit_test(test_a_thousand_runtimes_leave_nothing_behind),
		cmocka_unit_test(test_dump_shows_what_fibers_wait_for),
		cmocka_unit_test(
			test_watchdog_names_a_fiber_that_blocks_its_shard),
		cmocka_unit_test(test_a_sleeping_shard_shows_no_iowait),
		cmocka_unit_test(test_busy_time),
		cmocka_unit_test(test_run_ends_though_a_fiber_ignores_it),
		cmocka_unit_test(test_run_returns_though_a_fiber_computes_on),
		cmocka_unit_test(test_stop_names_what_it_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
