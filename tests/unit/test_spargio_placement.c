#include "waiting.h"

#include <spargio/op.h>
#include <spargio/stats.h>
#include <spargio/placement.h>

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define SHARDS 3

static void fill_nop(struct io_uring_sqe *sqe, void *arg)
{
	(void)arg;
	io_uring_prep_nop(sqe);
}

static void fill_poll(struct io_uring_sqe *sqe, void *arg)
{
	io_uring_prep_poll_add(sqe, *(int *)arg, POLLIN);
}

static uint32_t pending_on(uint32_t shard)
{
	struct sp_shard_stats stats;

	EXPECT_EQ(sp_stats_shard(sp_runtime(), shard, &stats), 0);
	return stats.pending_ops;
}

/* Load a shard with operations that wait */

struct load {
	int fds[2];
	struct sp_task tasks[32];
	int n;
};

static int wait_readable(void *arg)
{
	return sp_wait_fd(*(int *)arg, POLLIN);
}

static void load_begin(struct load *load)
{
	load->n = 0;
	EXPECT_EQ(pipe2(load->fds, O_CLOEXEC), 0);
}

static void load_add(struct load *load, uint32_t shard, uint32_t ops)
{
	uint32_t want = pending_on(shard) + ops;
	int64_t give_up = sp_in(10 * SP_S);

	for (uint32_t i = 0; i < ops; i++)
		EXPECT_EQ(sp_go_on(NULL, shard, wait_readable, &load->fds[0],
				   &load->tasks[load->n++]),
			  0);
	while (pending_on(shard) != want && sp_now() < give_up)
		sp_yield();
	EXPECT_EQ(pending_on(shard), want);
}

static void load_end(struct load *load)
{
	EXPECT_EQ(write(load->fds[1], "x", 1), 1);
	for (int i = 0; i < load->n; i++)
		EXPECT_EQ(sp_join(load->tasks[i], NULL), 0);
	close(load->fds[0]);
	close(load->fds[1]);
}

/* Where there is least to do, in turn where there is as little */

static int least_body(void *arg)
{
	const struct sp_placement weak = { 0, SP_LEASE_WEAK, SP_NO_SHARD };
	const struct sp_placement prefer = { 0, SP_LEASE_WEAK, 1 };
	const struct sp_placement nobody = { 0, SP_LEASE_WEAK, SHARDS };
	int seen[SHARDS] = { 0 };
	struct load load;

	(void)arg;
	load_begin(&load);
	for (int i = 0; i < 9; i++)
		seen[sp_lease_take(NULL, &weak)]++;
	for (int i = 0; i < SHARDS; i++)
		EXPECT_EQ(seen[i], 3);
	load_add(&load, 0, 2);
	load_add(&load, 1, 1);
	for (int i = 0; i < 9; i++)
		EXPECT_EQ(sp_lease_take(NULL, &weak), 2);
	/* A hint is followed, unless it costs too much. */
	EXPECT_EQ(sp_lease_take(NULL, &prefer), 1);
	load_add(&load, 1, 7);
	EXPECT_EQ(sp_lease_take(NULL, &prefer), 1);
	load_add(&load, 1, 1);
	EXPECT_EQ(sp_lease_take(NULL, &prefer), 2);
	EXPECT_EQ(sp_lease_take(NULL, &nobody), -EINVAL);
	/* A weak lease is none. */
	EXPECT_EQ(sp_lease_shard(NULL, 0), SP_NO_SHARD);
	load_end(&load);
	return 0;
}

static void test_the_least_busy_shard_is_taken(void **state)
{
	(void)state;
	run_on(SHARDS, least_body, NULL);
	assert_int_equal(sp_lease_take(NULL, &(struct sp_placement){ 0 }),
			 -EPERM);
	assert_int_equal(sp_lease_shard(NULL, 0), SP_NO_SHARD);
}

/* A stream stays while it is in use, and is free when it is idle */

static int stream_body(void *arg)
{
	const struct sp_placement stream = { 7, SP_LEASE_STRONG, SP_NO_SHARD };
	const struct sp_placement here = { 7, SP_LEASE_STRONG, 0 };
	struct load load;
	int64_t give_up = sp_in(10 * SP_S);
	int64_t began;
	int shard;

	(void)arg;
	load_begin(&load);
	load_add(&load, 0, 1);
	load_add(&load, 1, 1);
	EXPECT_EQ(sp_lease_take(NULL, &stream), 2);
	EXPECT_EQ(sp_lease_shard(NULL, 7), 2);
	/* Now others have less to do, and still it stays. */
	load_add(&load, 2, 12);
	EXPECT_EQ(sp_lease_take(NULL, &here), 2);
	sp_lease_drop(NULL, &stream);
	EXPECT_EQ(sp_lease_take(NULL, &stream), 2);
	sp_lease_drop(NULL, &stream);
	began = sp_now();
	sp_lease_drop(NULL, &stream);
	/* Nothing is in flight, and for a moment it is still held. */
	shard = sp_lease_take(NULL, &here);
	EXPECT(shard == 2 || sp_now() - began > 8 * SP_MS);
	sp_lease_drop(NULL, &here);
	while (sp_lease_shard(NULL, 7) != SP_NO_SHARD && sp_now() < give_up)
		sp_sleep(SP_MS);
	EXPECT_EQ(sp_lease_shard(NULL, 7), SP_NO_SHARD);
	EXPECT_EQ(sp_lease_take(NULL, &here), 0);
	sp_lease_drop(NULL, &here);
	/* Once too often does no harm. */
	sp_lease_drop(NULL, &here);
	load_end(&load);
	return 0;
}

static void test_a_stream_stays_while_it_is_in_use(void **state)
{
	(void)state;
	run_on(SHARDS, stream_body, NULL);
}

/* A hard lease ends when it is dropped, not later */

static int hard_body(void *arg)
{
	const struct sp_placement hard = { 9, SP_LEASE_HARD, 1 };
	const struct sp_placement other = { 9, SP_LEASE_HARD, 2 };
	const struct sp_placement far = { 1 << 30, SP_LEASE_HARD, 2 };
	const struct sp_placement bad = { -1, SP_LEASE_HARD, 2 };

	(void)arg;
	EXPECT_EQ(sp_lease_take(NULL, &hard), 1);
	EXPECT_EQ(sp_lease_take(NULL, &other), 1);
	sp_lease_drop(NULL, &other);
	EXPECT_EQ(sp_lease_shard(NULL, 9), 1);
	sp_lease_drop(NULL, &hard);
	EXPECT_EQ(sp_lease_shard(NULL, 9), SP_NO_SHARD);
	EXPECT_EQ(sp_lease_take(NULL, &other), 2);
	sp_lease_drop(NULL, &other);
	EXPECT_EQ(sp_lease_take(NULL, &bad), -EBADF);
	EXPECT_EQ(sp_lease_take(NULL, &far), -ENOMEM);
	sp_lease_drop(NULL, &far);
	EXPECT_EQ(sp_lease_shard(NULL, -1), SP_NO_SHARD);
	return 0;
}

static void test_a_hard_lease_ends_when_it_is_dropped(void **state)
{
	(void)state;
	run_on(SHARDS, hard_body, NULL);
}

/* Operations, counted where they were asked for and where they ran */

static int pinned_op(void *arg)
{
	const struct sp_placement there = { 0, SP_LEASE_WEAK, 2 };
	const struct sp_placement here = { 0, SP_LEASE_WEAK, 0 };

	(void)arg;
	EXPECT_EQ(sp_place_op(NULL, &there, fill_nop, NULL, SP_NEVER, NULL), 0);
	EXPECT_EQ(sp_shard(), 0);
	EXPECT_EQ(sp_place_op(NULL, &here, fill_nop, NULL, SP_NEVER, NULL), 0);
	return 0;
}

static int free_op(void *arg)
{
	const struct sp_placement there = { 0, SP_LEASE_WEAK,
					    (sp_shard() + 1) % SHARDS };
	const struct sp_placement nobody = { 0, SP_LEASE_WEAK, SHARDS };

	(void)arg;
	EXPECT_EQ(sp_place_op(NULL, &there, fill_nop, NULL, SP_NEVER, NULL), 0);
	/* No need to go back. */
	EXPECT_EQ(sp_shard(), there.prefer);
	EXPECT_EQ(sp_place_op(NULL, &nobody, fill_nop, NULL, SP_NEVER, NULL),
		  -EINVAL);
	EXPECT_EQ(sp_op_raw_on(SHARDS, fill_nop, NULL, SP_NEVER, NULL),
		  -EINVAL);
	return 0;
}

/* The function that describes an operation runs where the operation does. */

static void fill_and_look(struct io_uring_sqe *sqe, void *arg)
{
	*(uint32_t *)arg = sp_shard();
	fill_nop(sqe, NULL);
}

static int where_body(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < SHARDS; i++) {
		struct sp_placement how = { -1, SP_LEASE_WEAK, i };
		uint32_t on = SP_NO_SHARD;

		EXPECT_EQ(sp_op_raw_on(i, fill_and_look, &on, SP_NEVER, NULL),
			  0);
		EXPECT_EQ(on, i);
		on = SP_NO_SHARD;
		EXPECT_EQ(sp_place_op(NULL, &how, fill_and_look, &on, SP_NEVER,
				      NULL),
			  0);
		EXPECT_EQ(on, i);
	}
	return 0;
}

static void test_the_shard_of_an_operation_is_known(void **state)
{
	struct sp_placement how = { -1, SP_LEASE_WEAK, 1 };
	struct sp_opts opts = SP_OPTS_INIT;
	uint32_t on = SP_NO_SHARD;
	struct sp_rt *rt;

	(void)state;
	run_on(SHARDS, where_body, NULL);
	/* For a thread, too. */
	opts.shards = SHARDS;
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_place_op(rt, &how, fill_and_look, &on, SP_NEVER,
				     NULL),
			 0);
	assert_int_equal(on, 1);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);
}

static int counts_body(void *arg)
{
	struct sp_shard_stats stats;
	uint64_t local = 0, remote = 0, refused = 0;
	struct sp_task task;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 0, pinned_op, NULL, &task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(sp_go(free_op, NULL, &task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	for (uint32_t i = 0; i < SHARDS; i++) {
		EXPECT_EQ(sp_stats_shard(sp_runtime(), i, &stats), 0);
		local += stats.local_ops;
		remote += stats.remote_ops;
		refused += stats.refused_ops;
	}
	EXPECT_EQ(local, 1);
	EXPECT_EQ(remote, 2);
	EXPECT_EQ(refused, 2);
	return 0;
}

static void test_submissions_are_counted(void **state)
{
	(void)state;
	run_on(SHARDS, counts_body, NULL);
}

/* The operations of a stream are all on one shard while it is in use */

struct waiters {
	int fds[2];
	struct sp_placement how;
	atomic_int began;
};

static int stream_waiter(void *arg)
{
	struct waiters *w = arg;
	struct sp_placement how = w->how;

	how.prefer = (uint32_t)atomic_fetch_add(&w->began, 1) % SHARDS;
	return sp_place_op(NULL, &how, fill_poll, &w->fds[0], SP_NEVER, NULL);
}

static void together_once(void)
{
	struct waiters w = { .how.lease = SP_LEASE_STRONG };
	struct sp_task tasks[12];
	int64_t give_up = sp_in(10 * SP_S);
	uint32_t on[SHARDS], all, at;
	int ret = 0;

	EXPECT_EQ(pipe2(w.fds, O_CLOEXEC), 0);
	w.how.fd = w.fds[0];
	for (int i = 0; i < 12; i++)
		EXPECT_EQ(sp_go(stream_waiter, &w, &tasks[i]), 0);
	do {
		sp_yield();
		all = 0;
		for (uint32_t i = 0; i < SHARDS; i++) {
			on[i] = pending_on(i);
			all += on[i];
		}
	} while (all != 12 && sp_now() < give_up);
	/* It can be asked where they are. */
	at = sp_lease_shard(NULL, w.fds[0]);
	EXPECT(at < SHARDS);
	EXPECT_EQ(on[at % SHARDS], 12);
	EXPECT_EQ(write(w.fds[1], "x", 1), 1);
	for (int i = 0; i < 12; i++) {
		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		EXPECT_EQ(ret, POLLIN);
	}
	close(w.fds[0]);
	close(w.fds[1]);
}

static int together_body(void *arg)
{
	(void)arg;
	/* Idle shards try to take fibers away that are on their way. */
	for (int i = 0; i < 50; i++)
		together_once();
	return 0;
}

static void test_a_stream_is_on_one_shard(void **state)
{
	(void)state;
	run_on(SHARDS, together_body, NULL);
}

/* A thread without a ring has operations, too */

struct thread {
	struct sp_rt *rt;
	int fds[2];
	int nop, late, ready;
};

static void *thread_main(void *arg)
{
	const struct sp_placement weak = { 0, SP_LEASE_WEAK, SP_NO_SHARD };
	struct thread *t = arg;

	t->nop = sp_place_op(t->rt, &weak, fill_nop, NULL, SP_NEVER, NULL);
	t->late = sp_place_op(t->rt, &weak, fill_poll, &t->fds[0], sp_in(SP_MS),
			      NULL);
	if (write(t->fds[1], "x", 1) != 1)
		return NULL;
	t->ready = sp_place_op(t->rt, &weak, fill_poll, &t->fds[0], SP_NEVER,
			       NULL);
	return NULL;
}

static void test_threads_have_operations_too(void **state)
{
	const struct sp_placement nobody = { 0, SP_LEASE_WEAK, SHARDS };
	struct sp_opts opts = SP_OPTS_INIT;
	struct thread threads[4];
	pthread_t ids[4];
	struct sp_stats stats;
	struct sp_rt *rt;

	(void)state;
	opts.shards = SHARDS;
	assert_int_equal(sp_start(&opts, &rt), 0);
	for (int i = 0; i < 4; i++) {
		threads[i] = (struct thread){ .rt = rt };
		assert_int_equal(pipe2(threads[i].fds, O_CLOEXEC), 0);
		assert_int_equal(pthread_create(&ids[i], NULL, thread_main,
						&threads[i]),
				 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(ids[i], NULL);
		assert_int_equal(threads[i].nop, 0);
		assert_int_equal(threads[i].late, -ETIMEDOUT);
		assert_int_equal(threads[i].ready, POLLIN);
		close(threads[i].fds[0]);
		close(threads[i].fds[1]);
	}
	assert_int_equal(sp_place_op(rt, &nobody, fill_nop, NULL, SP_NEVER,
				     NULL),
			 -EINVAL);
	sp_stats_get(rt, &stats);
	assert_int_equal(stats.refused_ops, 1);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);
	assert_int_equal(sp_place_op(NULL, &nobody, fill_nop, NULL, SP_NEVER,
				     NULL),
			 -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_least_busy_shard_is_taken),
		cmocka_unit_test(test_a_stream_stays_while_it_is_in_use),
		cmocka_unit_test(test_a_hard_lease_ends_when_it_is_dropped),
		cmocka_unit_test(test_submissions_are_counted),
		cmocka_unit_test(test_a_stream_is_on_one_shard),
		cmocka_unit_test(test_threads_have_operations_too),
		cmocka_unit_test(test_the_shard_of_an_operation_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
