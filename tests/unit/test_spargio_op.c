#include "runtime.h"

#include <spargio/op.h>
#include <spargio/pool.h>
#include <spargio/stats.h>

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct io {
	int fd;
	void *data;
	unsigned int len;
	uint64_t offset;
};

static void fill_nop(struct io_uring_sqe *sqe, void *arg)
{
	(void)arg;
	io_uring_prep_nop(sqe);
}

static void fill_read(struct io_uring_sqe *sqe, void *arg)
{
	struct io *io = arg;

	io_uring_prep_read(sqe, io->fd, io->data, io->len, io->offset);
}

static void fill_write(struct io_uring_sqe *sqe, void *arg)
{
	struct io *io = arg;

	io_uring_prep_write(sqe, io->fd, io->data, io->len, io->offset);
}

static void fill_fsync(struct io_uring_sqe *sqe, void *arg)
{
	struct io *io = arg;

	io_uring_prep_fsync(sqe, io->fd, 0);
}

static void fill_open(struct io_uring_sqe *sqe, void *arg)
{
	io_uring_prep_openat(sqe, AT_FDCWD, arg, O_RDWR | O_CREAT | O_CLOEXEC,
			     0600);
}

/* An opcode that no kernel has. */
static void fill_unknown(struct io_uring_sqe *sqe, void *arg)
{
	(void)arg;
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = 250;
}

static int file_body(void *arg)
{
	char path[] = "/tmp/spargio-op-XXXXXX";
	char text[] = "written by a ring", back[32] = "";
	struct io io = { .data = text, .len = sizeof(text) };
	int fd = mkstemp(path);
	int err;

	(void)arg;
	close(fd);
	fd = sp_op_raw(fill_open, path, NULL);
	EXPECT(fd >= 0);
	unlink(path);
	io.fd = fd;
	EXPECT_EQ(sp_op_raw(fill_nop, NULL, NULL), 0);
	EXPECT_EQ(sp_op_raw(fill_write, &io, NULL), sizeof(text));
	EXPECT_EQ(sp_op_raw(fill_fsync, &io, NULL), 0);
	io.data = back;
	EXPECT_EQ(sp_op_raw_on(1, fill_read, &io, SP_NEVER, NULL),
		  sizeof(text));
	EXPECT_EQ(sp_shard(), 0);
	EXPECT_EQ(strcmp(text, back), 0);
	io.fd = -1;
	EXPECT_EQ(sp_op_raw(fill_read, &io, NULL), -EBADF);
	err = sp_op_raw(fill_unknown, NULL, NULL);
	EXPECT(err == -EINVAL || err == -EOPNOTSUPP);
	close(fd);
	return 0;
}

static void test_raw_operations_on_a_file(void **state)
{
	(void)state;
	run_on(2, file_body, NULL);
	assert_int_equal(sp_op_raw(fill_nop, NULL, NULL), -EPERM);
}

/* Pipes: not ready now, ready later, closed underneath */

static int write_later(void *arg)
{
	struct io *io = arg;

	sp_sleep(2 * SP_MS);
	return (int)write(io->fd, "x", 1);
}

static int pipe_body(void *arg)
{
	struct io out, in;
	struct sp_task task;
	char c = 0;
	int fds[2];

	(void)arg;
	EXPECT_EQ(pipe(fds), 0);
	in = (struct io){
		.fd = fds[0], .data = &c, .len = 1, .offset = (uint64_t)-1
	};
	out = (struct io){ .fd = fds[1] };
	EXPECT_EQ(sp_go_on(NULL, 1, write_later, &out, &task), 0);
	EXPECT_EQ(sp_op_raw(fill_read, &in, NULL), 1);
	EXPECT_EQ(c, 'x');
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(sp_op_raw_until(fill_read, &in, sp_in(SP_MS), NULL),
		  -ETIMEDOUT);
	close(fds[1]);
	EXPECT_EQ(sp_op_raw(fill_read, &in, NULL), 0);
	close(fds[0]);
	return 0;
}

static void test_reading_a_pipe_waits_and_times_out(void **state)
{
	(void)state;
	run_on(2, pipe_body, NULL);
}

/* Bytes that arrive with the deadline are not lost */

static int race_body(void *arg)
{
	int got = 0, sent = 0;
	char c = 0;
	int fds[2];

	(void)arg;
	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	for (int i = 0; i < 300; i++) {
		struct io out = { .fd = fds[1] };
		struct io in = { .fd = fds[0], .data = &c, .len = 1 };
		struct sp_task task;
		int res;

		EXPECT_EQ(sp_go_on(NULL, 1, write_later, &out, &task), 0);
		res = sp_op_raw_until(fill_read, &in,
				      sp_in(2 * SP_MS + (i % 7) * 50 * SP_US),
				      NULL);
		EXPECT(res == 1 || res == -ETIMEDOUT);
		got += res == 1;
		EXPECT_EQ(sp_join(task, NULL), 0);
		sent++;
		/* What the deadline cut off is still there. */
		if (res == -ETIMEDOUT)
			got += sp_op_raw(fill_read, &in, NULL);
	}
	EXPECT_EQ(got, sent);
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static void test_a_deadline_loses_no_byte(void **state)
{
	(void)state;
	run_on(2, race_body, NULL);
}

/* Readiness, several waiters on one descriptor */

static int wait_in(void *arg)
{
	return sp_wait_fd(*(int *)arg, POLLIN);
}

static int ready_body(void *arg)
{
	struct sp_task tasks[8];
	int fds[2];

	(void)arg;
	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	EXPECT_EQ(sp_wait_fd(fds[0], POLLOUT), POLLOUT);
	EXPECT_EQ(sp_wait_fd_until(fds[0], POLLIN, sp_in(SP_MS)), -ETIMEDOUT);
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(sp_go_on(NULL, (uint32_t)i % 2, wait_in, &fds[0],
				   &tasks[i]),
			  0);
	sp_sleep(SP_MS);
	EXPECT_EQ(sp_wait_fd(fds[0], POLLOUT | POLLIN), POLLOUT);
	EXPECT_EQ(write(fds[1], "x", 1), 1);
	for (int i = 0; i < 8; i++) {
		int ret = 0;

		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		EXPECT_EQ(ret, POLLIN);
	}
	EXPECT_EQ(sp_wait_fd(-1, POLLIN), -EBADF);
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static void test_readiness_wakes_every_waiter(void **state)
{
	(void)state;
	run_on(2, ready_body, NULL);
}

/* More operations in flight than the queues hold */

static int flood_body(void *arg)
{
	enum {
		MANY = 600
	};
	static struct sp_task tasks[MANY];
	struct sp_shard_stats stats;
	int fds[2];

	(void)arg;
	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	for (int i = 0; i < MANY; i++)
		EXPECT_EQ(sp_go_on(NULL, 0, wait_in, &fds[0], &tasks[i]), 0);
	sp_sleep(20 * SP_MS);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.pending_ops, MANY);
	/* A third is cancelled, the rest is woken at once. */
	for (int i = 0; i < MANY; i += 3)
		EXPECT_EQ(sp_cancel(tasks[i]), 0);
	EXPECT_EQ(write(fds[1], "x", 1), 1);
	for (int i = 0; i < MANY; i++) {
		int ret = 0;

		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		EXPECT(ret == POLLIN || (i % 3 == 0 && ret == -ECANCELED));
	}
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.pending_ops, 0);
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static void test_more_operations_than_the_queues_hold(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 1;
	opts.ring_entries = 8;
	opts.cq_entries = 16;
	run_with(&opts, flood_body, NULL);
}

/* Dropped with operations in flight */

static int wait_shielded(void *arg)
{
	sp_shield_begin();
	return sp_wait_fd(*(int *)arg, POLLIN);
}

static void test_stop_sees_every_operation_through(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt;
	int fds[2];

	(void)state;
	opts.shards = 2;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(sp_start(&opts, &rt), 0);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(sp_go_on(rt, i % 2, wait_shielded, &fds[0],
					  NULL),
				 0);
	usleep(5000);
	assert_int_equal(sp_stop(rt, sp_in(5 * SP_MS)), -ETIMEDOUT);
	close(fds[0]);
	close(fds[1]);
}

/* Every ring mode */

static int mode_body(void *arg)
{
	(void)arg;
	EXPECT_EQ(sp_op_raw(fill_nop, NULL, NULL), 0);
	return ready_body(NULL);
}

static void test_ring_modes(void **state)
{
	static const enum sp_ring_mode modes[] = { SP_RING_DEFER, SP_RING_COOP,
						   SP_RING_SQPOLL };
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 2;
	for (size_t i = 0; i < COUNT(modes); i++) {
		opts.ring_mode = modes[i];
		run_with(&opts, mode_body, NULL);
	}
}

/* The pool */

static int add_one(void *arg)
{
	return (int)(intptr_t)arg + 1;
}

static atomic_int finished;
static atomic_bool release;

static int block_until_released(void *arg)
{
	(void)arg;
	while (!atomic_load(&release))
		usleep(100);
	atomic_fetch_add(&finished, 1);
	return 0;
}

static int block_worker(void *arg)
{
	int ret = 0;

	EXPECT_EQ(sp_block(add_one, arg, &ret), 0);
	EXPECT_EQ(ret, (intptr_t)arg + 1);
	return 0;
}

static int hold_pool(void *arg)
{
	(void)arg;
	return sp_block(block_until_released, NULL, NULL);
}

static int pool_body(void *arg)
{
	struct sp_stats stats;
	struct sp_task tasks[8];
	int ret, refused = 0;

	(void)arg;
	for (intptr_t i = 0; i < 5; i++)
		EXPECT_EQ(block_worker((void *)i), 0);
	/* Two run, three wait, the others are refused. */
	for (int i = 0; i < 8; i++) {
		EXPECT_EQ(sp_go_on(NULL, 0, hold_pool, NULL, &tasks[i]), 0);
		do {
			sp_yield();
			sp_stats_get(sp_runtime(), &stats);
		} while (i < 2 && stats.pool_queued > 0);
	}
	EXPECT_EQ(sp_block_until(add_one, NULL, sp_in(SP_MS), &ret), -EAGAIN);
	/* One that runs and one that waits: neither may be left dangling. */
	EXPECT_EQ(sp_cancel(tasks[0]), 0);
	EXPECT_EQ(sp_cancel(tasks[2]), 0);
	EXPECT_EQ(sp_join(tasks[0], &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(sp_join(tasks[2], &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(sp_block_until(add_one, NULL, sp_in(SP_MS), &ret),
		  -ETIMEDOUT);
	atomic_store(&release, true);
	for (int i = 1; i < 8; i++) {
		if (i == 2)
			continue;
		ret = 0;
		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		refused += ret == -EAGAIN;
	}
	EXPECT_EQ(refused, 3);
	return 0;
}

static void test_pool_is_bounded_and_may_be_abandoned(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 2;
	opts.pool_threads = 2;
	opts.pool_queue = 3;
	atomic_store(&finished, 0);
	atomic_store(&release, false);
	run_with(&opts, pool_body, NULL);
	/* Four began, one of them abandoned; the end waited for that one, too. */
	assert_int_equal(atomic_load(&finished), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw_operations_on_a_file),
		cmocka_unit_test(test_reading_a_pipe_waits_and_times_out),
		cmocka_unit_test(test_a_deadline_loses_no_byte),
		cmocka_unit_test(test_readiness_wakes_every_waiter),
		cmocka_unit_test(test_more_operations_than_the_queues_hold),
		cmocka_unit_test(test_stop_sees_every_operation_through),
		cmocka_unit_test(test_ring_modes),
		cmocka_unit_test(test_pool_is_bounded_and_may_be_abandoned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
