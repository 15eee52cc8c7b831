#include "small_files.h"
#include "tempdir.h"
#include "waiting.h"

#include <spargio/file.h>
#include <spargio/pool.h>

#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define NEW (O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC)

static int open_new(const char *name)
{
	return sp_openat(AT_FDCWD, name, NEW, 0644);
}

static off_t size_of(int fd)
{
	struct statx st;

	return sp_fstat(fd, &st) < 0 ? -1 : (off_t)st.stx_size;
}

/* What is written can be read back, one way or another */

static int transfer_body(void *arg)
{
	char back[16] = "", tail[8] = "";
	struct iovec two[] = { { back, 5 }, { tail, 8 } };
	int fd = open_new("f");

	(void)arg;
	EXPECT(fd >= 0);
	EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	EXPECT_EQ(sp_pwrite(fd, "hello world", 11, 3), 11);
	EXPECT_EQ(sp_pread(fd, back, 5, 3), 5);
	EXPECT_EQ(memcmp(back, "hello", 5), 0);
	EXPECT_EQ(sp_pread(fd, back, 16, 9), 5);
	EXPECT_EQ(memcmp(back, "world", 5), 0);
	EXPECT_EQ(sp_pread(fd, back, 16, 14), 0);
	EXPECT_EQ(sp_preadv(fd, two, 2, 0), 13);
	EXPECT_EQ(memcmp(back, "\0\0\0he", 5), 0);
	EXPECT_EQ(memcmp(tail, "llo worl", 8), 0);
	two[0] = (struct iovec){ (void *)"ab", 2 };
	two[1] = (struct iovec){ (void *)"cde", 3 };
	EXPECT_EQ(sp_pwritev(fd, two, 2, 1), 5);
	EXPECT_EQ(sp_pread(fd, back, 7, 0), 7);
	EXPECT_EQ(memcmp(back, "\0abcdel", 7), 0);
	/* The position was not touched so far. */
	EXPECT_EQ(sp_read(fd, back, 4), 4);
	EXPECT_EQ(sp_read(fd, back, 2), 2);
	EXPECT_EQ(memcmp(back, "de", 2), 0);
	EXPECT_EQ(sp_write(fd, "X", 1), 1);
	EXPECT_EQ(sp_pread(fd, back, 2, 6), 2);
	EXPECT_EQ(memcmp(back, "Xo", 2), 0);
	EXPECT_EQ(sp_close(fd), 0);
	EXPECT_EQ(sp_close(fd), -EBADF);
	return 0;
}

static void test_bytes_come_back_from_where_they_were_put(void **state)
{
	(void)state;
	run_on(2, transfer_body, NULL);
}

static int append_body(void *arg)
{
	int fd = sp_openat(AT_FDCWD, "log",
			   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	char back[8];

	(void)arg;
	EXPECT_EQ(sp_write_all(fd, "one", 3), 0);
	EXPECT_EQ(lseek(fd, 0, SEEK_SET), 0);
	EXPECT_EQ(sp_write_all(fd, "two", 3), 0);
	sp_close(fd);
	fd = sp_openat(AT_FDCWD, "log", O_RDONLY | O_CLOEXEC, 0);
	EXPECT_EQ(sp_read_full(fd, back, sizeof(back)), 6);
	EXPECT_EQ(memcmp(back, "onetwo", 6), 0);
	sp_close(fd);
	return 0;
}

static void test_append_goes_to_the_end(void **state)
{
	(void)state;
	run_on(1, append_body, NULL);
}

/* Sizes, syncing, what a file is */

static int size_body(void *arg)
{
	struct statx st;
	int fd = open_new("f");

	(void)arg;
	EXPECT_EQ(sp_ftruncate(fd, 5000), 0);
	EXPECT_EQ(size_of(fd), 5000);
	EXPECT_EQ(sp_fallocate(fd, 0, 0, 10000), 0);
	EXPECT_EQ(size_of(fd), 10000);
	EXPECT_EQ(sp_fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 20000), 0);
	EXPECT_EQ(size_of(fd), 10000);
	EXPECT_EQ(sp_ftruncate(fd, 7), 0);
	EXPECT_EQ(sp_fsync(fd), 0);
	EXPECT_EQ(sp_fdatasync(fd), 0);
	EXPECT_EQ(sp_fsync_until(fd, sp_in(10 * SP_S)), 0);
	EXPECT_EQ(sp_fdatasync_until(fd, sp_in(10 * SP_S)), 0);
	EXPECT_EQ(sp_fchmod(fd, 0640), 0);
	EXPECT_EQ(sp_fstat(fd, &st), 0);
	EXPECT_EQ(st.stx_size, 7);
	EXPECT_EQ(st.stx_mode, S_IFREG | 0640);
	sp_close(fd);
	return 0;
}

static void test_size_sync_and_stat(void **state)
{
	(void)state;
	run_on(1, size_body, NULL);
}

/* Every errno reaches the caller */

static int errors_body(void *arg)
{
	struct open_how beneath = { .flags = O_RDONLY,
				    .resolve = RESOLVE_BENEATH };
	struct iovec one = { &beneath, 1 };
	int fd = open_new("f");
	int ro = sp_openat(AT_FDCWD, "f", O_RDONLY, 0);
	int dir = sp_openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY, 0);
	struct statx st;
	char c = 0;

	(void)arg;
	EXPECT_EQ(sp_openat(AT_FDCWD, "none", O_RDONLY, 0), -ENOENT);
	EXPECT_EQ(sp_openat(AT_FDCWD, "f", NEW | O_EXCL, 0), -EEXIST);
	EXPECT_EQ(sp_openat(AT_FDCWD, "f/x", O_RDONLY, 0), -ENOTDIR);
	EXPECT_EQ(sp_openat(AT_FDCWD, ".", O_WRONLY, 0), -EISDIR);
	EXPECT_EQ(sp_openat(-1, "x", O_RDONLY, 0), -EBADF);
	EXPECT_EQ(sp_openat2(dir, "../x", &beneath), -EXDEV);
	EXPECT_EQ(sp_openat2(dir, "/etc/passwd", &beneath), -EXDEV);
	EXPECT_EQ(sp_pread(-1, &c, 1, 0), -EBADF);
	EXPECT_EQ(sp_pread(fd, &c, 1, -1), -EINVAL);
	EXPECT_EQ(sp_pwrite(fd, &c, 1, -1), -EINVAL);
	EXPECT_EQ(sp_preadv(fd, &one, -1, 0), -EINVAL);
	EXPECT_EQ(sp_pwritev(fd, &one, 2000, 0), -EINVAL);
	EXPECT_EQ(sp_pread(dir, &c, 1, 0), -EISDIR);
	EXPECT_EQ(sp_pwrite(ro, "x", 1, 0), -EBADF);
	EXPECT_EQ(sp_write_all(ro, "x", 1), -EBADF);
	EXPECT_EQ(sp_pread_full(dir, &c, 1, 0), -EISDIR);
	EXPECT_EQ(sp_ftruncate(ro, 1), -EINVAL);
	EXPECT_EQ(sp_ftruncate(-1, 1), -EBADF);
	EXPECT_EQ(sp_fallocate(fd, 0, 0, 0), -EINVAL);
	EXPECT_EQ(sp_fsync(-1), -EBADF);
	EXPECT_EQ(sp_fchmod(-1, 0), -EBADF);
	EXPECT_EQ(sp_fstat(-1, &st), -EBADF);
	EXPECT_EQ(sp_close(-1), -EBADF);
	sp_close(fd);
	sp_close(ro);
	sp_close(dir);
	return 0;
}

static void test_every_errno_reaches_the_caller(void **state)
{
	int fd = open("f", NEW, 0600);

	(void)state;
	run_on(1, errors_body, NULL);
	assert_int_equal(sp_pread(fd, &fd, 1, 0), -EPERM);
	assert_int_equal(sp_close(fd), 0);
	assert_int_equal(sp_close(fd), -EBADF);
}

/* Short transfers */

static int pipe_writer(void *arg)
{
	const int *fds = arg;
	char *data = malloc(300000);
	struct iovec parts[40];

	memset(data, 'x', 300000);
	data[299999] = '!';
	for (int i = 0; i < 40; i++)
		parts[i] = (struct iovec){ data + i * 7500, 7500 };
	/* Many times what the pipe holds: short writes all the way. */
	EXPECT_EQ(sp_writev_all(fds[1], parts, 40), 0);
	free(data);
	return sp_close(fds[1]);
}

static int short_body(void *arg)
{
	char *got = malloc(400000);
	struct sp_task task;
	int fds[2];

	(void)arg;
	EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, pipe_writer, fds, &task), 0);
	/* Each read is short as well: a pipe hands out what it has. */
	EXPECT_EQ(sp_read_full(fds[0], got, 400000), 300000);
	EXPECT_EQ(got[299998], 'x');
	EXPECT_EQ(got[299999], '!');
	EXPECT_EQ(sp_join(task, NULL), 0);
	sp_close(fds[0]);
	free(got);
	return 0;
}

static void test_short_transfers_are_taken_up_again(void **state)
{
	(void)state;
	run_on(2, short_body, NULL);
}

static int vector_body(void *arg)
{
	char data[100], back[100] = "";
	struct iovec parts[50], whole[] = {
		{ back, 0 }, { back, 60 }, { back, 0 }, { back + 60, 40 }
	};
	int fd = open_new("f");

	(void)arg;
	for (int i = 0; i < 100; i++)
		data[i] = (char)i;
	for (int i = 0; i < 50; i++)
		parts[i] = (struct iovec){ data + 2 * i, 2 };
	EXPECT_EQ(sp_pwritev_all(fd, parts, 50, 7), 0);
	EXPECT_EQ(size_of(fd), 107);
	EXPECT_EQ(sp_preadv_full(fd, whole, 4, 7), 100);
	EXPECT_EQ(memcmp(data, back, 100), 0);
	/* The end of the file ends it, too. */
	EXPECT_EQ(sp_preadv_full(fd, whole, 4, 57), 50);
	EXPECT_EQ(sp_pwritev_all(fd, parts, 0, 0), 0);
	EXPECT_EQ(sp_preadv_full(fd, whole, 1, 0), 0);
	sp_close(fd);
	return 0;
}

static void test_vectors_of_any_length(void **state)
{
	(void)state;
	run_on(1, vector_body, NULL);
}

/* A disk that is full */

static int full_body(void *arg)
{
	char data[8192];
	int full = sp_openat(AT_FDCWD, "/dev/full", O_WRONLY, 0);
	int fd = open_new("f");

	(void)arg;
	memset(data, 'x', sizeof(data));
	EXPECT_EQ(sp_write(full, "x", 1), -ENOSPC);
	EXPECT_EQ(sp_write_all(full, "x", 1), -ENOSPC);
	EXPECT_EQ(sp_pwrite_all(full, "x", 1, 0), -ENOSPC);
	/* Room for a part: a short write first, then the reason. */
	EXPECT_EQ(sp_pwrite(fd, data, sizeof(data), 0), 5000);
	EXPECT_EQ(sp_pwrite(fd, data, sizeof(data), 5000), -EFBIG);
	EXPECT_EQ(sp_pwrite_all(fd, data, sizeof(data), 0), -EFBIG);
	EXPECT_EQ(size_of(fd), 5000);
	EXPECT_EQ(sp_ftruncate(fd, 6000), -EFBIG);
	EXPECT_EQ(sp_fallocate(fd, 0, 0, 6000), -EFBIG);
	sp_close(full);
	sp_close(fd);
	return 0;
}

static void test_a_full_disk_is_told(void **state)
{
	(void)state;
	run_with_small_files(full_body);
}

/* Cancelled, late */

static int read_pipe(void *arg)
{
	char c;

	return (int)sp_read(*(int *)arg, &c, 1);
}

static int close_when_cancelled(void *arg)
{
	int *fd = arg;

	EXPECT_EQ(read_pipe(arg), -ECANCELED);
	EXPECT_EQ(sp_fsync(*fd), -ECANCELED);
	EXPECT_EQ(sp_openat(AT_FDCWD, ".", O_RDONLY, 0), -ECANCELED);
	return sp_close(*fd);
}

static int cancel_body(void *arg)
{
	struct sp_scope scope;
	struct sp_task task;
	int fds[2], ret = 0;
	char c;

	(void)arg;
	EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
	EXPECT_EQ(sp_read_until(fds[0], &c, 1, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_pread_until(fds[0], &c, 1, 0, sp_in(SP_MS)), -ETIMEDOUT);
	sp_deadline_push(&scope, sp_in(SP_MS));
	EXPECT_EQ(sp_read_full(fds[0], &c, 1), -ETIMEDOUT);
	sp_deadline_pop(&scope);
	EXPECT_EQ(sp_go(read_pipe, &fds[0], &task), 0);
	until_waiting(sp_runtime(), "read", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(sp_go(close_when_cancelled, &fds[0], &task), 0);
	until_waiting(sp_runtime(), "read", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(fcntl(fds[0], F_GETFD), -1);
	sp_close(fds[1]);
	return 0;
}

static void test_cancelled_and_late(void **state)
{
	(void)state;
	run_on(2, cancel_body, NULL);
}

/* Closed underneath */

static int closed_body(void *arg)
{
	struct sp_task tasks[2];
	int fds[2], again[2], ret;

	(void)arg;
	EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_go_on(NULL, 0, read_pipe, &fds[0], &tasks[i]), 0);
	until_waiting(sp_runtime(), "read", 2);
	EXPECT_EQ(sp_close(fds[0]), 0);
	/* The number is in use again before they hear of it. */
	EXPECT_EQ(pipe2(again, O_CLOEXEC), 0);
	EXPECT_EQ(again[0], fds[0]);
	EXPECT_EQ(sp_write(again[1], "mine", 4), 4);
	for (int i = 0; i < 2; i++) {
		ret = 0;
		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		EXPECT_EQ(ret, -ECANCELED);
	}
	sp_close(again[0]);
	sp_close(again[1]);
	sp_close(fds[1]);
	return 0;
}

static void test_closing_ends_what_waits_on_it(void **state)
{
	(void)state;
	run_on(1, closed_body, NULL);
}

/* Signals that hit whatever thread is at work */

static void on_signal(int signal)
{
	(void)signal;
}

static void signal_all_threads(void)
{
	long self = syscall(SYS_gettid);
	char path[64];

	for (long tid = self; tid < self + 64; tid++) {
		snprintf(path, sizeof(path), "/proc/self/task/%ld", tid);
		if (access(path, F_OK) == 0)
			syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
	}
}

static int open_fifo(void *arg)
{
	(void)arg;
	/* On epoll it blocks in open(2) until somebody writes. */
	return sp_openat(AT_FDCWD, "fifo", O_RDONLY | O_CLOEXEC, 0);
}

static int work(void *arg)
{
	int fd = open_new("f");

	EXPECT_EQ(fd < 0 ? fd : 0, 0);
	while (fd >= 0 && !atomic_load((atomic_bool *)arg)) {
		EXPECT_EQ(sp_pwrite_all(fd, "x", 1, 0), 0);
		EXPECT_EQ(sp_fdatasync(fd), 0);
		EXPECT_EQ(sp_fchmod(fd, 0600), 0);
	}
	return sp_close(fd);
}

static int signal_body(void *arg)
{
	struct sp_task opener, worker;
	atomic_bool stop = false;
	int writer, ret = 0;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 1, open_fifo, NULL, &opener), 0);
	if (strcmp(sp_backend_name(sp_runtime()), "epoll") == 0)
		until_waiting(sp_runtime(), "open", 1);
	EXPECT_EQ(sp_go_on(NULL, 1, work, &stop, &worker), 0);
	for (int i = 0; i < 50; i++) {
		signal_all_threads();
		sp_sleep(200 * SP_US);
	}
	atomic_store(&stop, true);
	EXPECT_EQ(sp_join(worker, &ret), 0);
	EXPECT_EQ(ret, 0);
	writer = open("fifo", O_RDWR | O_CLOEXEC);
	EXPECT_EQ(sp_join(opener, &ret), 0);
	EXPECT(ret >= 0);
	sp_close(ret);
	close(writer);
	return 0;
}

static void test_a_signal_interrupts_nothing(void **state)
{
	struct sigaction act = { .sa_handler = on_signal }, old;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	/* No SA_RESTART: system calls do return with EINTR. */
	assert_int_equal(sigaction(SIGUSR1, &act, &old), 0);
	run_on(2, signal_body, NULL);
	assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
}

/* What is not a regular file */

static int regular_body(void *arg)
{
	static const char *const others[] = { "fifo", "dir", "to-fifo",
					      "to-dir", "/dev/zero" };
	static const int flags[] = { O_RDONLY, O_WRONLY, O_RDWR,
				     O_RDWR | O_CREAT };
	int fd;

	(void)arg;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
			EXPECT_EQ(sp_open_regular(AT_FDCWD, others[i],
						  flags[k] | O_CLOEXEC, 0600),
				  -ENXIO);
	EXPECT_EQ(sp_open_regular(AT_FDCWD, "none", O_RDONLY, 0), -ENOENT);
	fd = sp_open_regular(AT_FDCWD, "r",
			     O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	EXPECT(fd >= 0);
	EXPECT_EQ(fcntl(fd, F_GETFL) & (O_APPEND | O_NONBLOCK), O_APPEND);
	EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	EXPECT_EQ(sp_write_all(fd, "text", 4), 0);
	sp_close(fd);
	fd = sp_open_regular(AT_FDCWD, "to-r", O_RDONLY | O_NONBLOCK, 0);
	EXPECT(fd >= 0);
	EXPECT_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	return sp_close(fd);
}

static void test_only_a_regular_file_is_opened(void **state)
{
	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkdir("dir", 0700), 0);
	assert_int_equal(symlink("fifo", "to-fifo"), 0);
	assert_int_equal(symlink("dir", "to-dir"), 0);
	assert_int_equal(symlink("r", "to-r"), 0);
	run_on(2, regular_body, NULL);
}

/* Many at once, from two shards */

enum {
	BLOCKS = 64,
	BLOCK = 4096,
};

static int block_worker(void *arg)
{
	int fd = *(int *)arg;
	static _Atomic int next;
	int block = atomic_fetch_add(&next, 1) % BLOCKS;
	char data[BLOCK], back[BLOCK];

	memset(data, 'a' + block % 26, sizeof(data));
	for (int i = 0; i < FEWER_IF_SANITIZED(50); i++) {
		EXPECT_EQ(sp_pwrite_all(fd, data, BLOCK, block * BLOCK), 0);
		EXPECT_EQ(sp_pread_full(fd, back, BLOCK, block * BLOCK), BLOCK);
		EXPECT_EQ(memcmp(data, back, BLOCK), 0);
	}
	return 0;
}

static int many_body(void *arg)
{
	struct sp_task tasks[BLOCKS];
	int fd = open_new("f");

	(void)arg;
	for (int i = 0; i < BLOCKS; i++)
		EXPECT_EQ(sp_go(block_worker, &fd, &tasks[i]), 0);
	for (int i = 0; i < BLOCKS; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	EXPECT_EQ(size_of(fd), BLOCKS * BLOCK);
	sp_close(fd);
	return 0;
}

static void test_many_blocks_at_once(void **state)
{
	(void)state;
	run_on(2, many_body, NULL);
}

/* Many by one call */

static int batch_body(void *arg)
{
	enum {
		N = 600 /* more than the queues hold */
	};
	static struct sp_transfer t[N];
	static char data[N][8], back[N][8];
	int fd = open_new("f");

	(void)arg;
	for (int i = 0; i < N; i++) {
		memcpy(data[i], &i, sizeof(i));
		t[i] = (struct sp_transfer){ fd, data[i], 8, 8 * i, 0 };
	}
	EXPECT_EQ(sp_pwrite_many(t, N), 0);
	for (int i = 0; i < N; i++) {
		EXPECT_EQ(t[i].res, 8);
		t[i].data = back[i];
	}
	/* Errors and the end of the file are told one by one. */
	t[3].fd = -1;
	t[4].offset = 8 * N;
	EXPECT_EQ(sp_pread_many(t, N), 0);
	for (int i = 0; i < N; i++) {
		EXPECT_EQ(t[i].res, i == 3 ? -EBADF : i == 4 ? 0 : 8);
		EXPECT(i == 3 || i == 4 || memcmp(data[i], back[i], 8) == 0);
	}
	t[0].offset = -1;
	EXPECT_EQ(sp_pread_many(t, 1), -EINVAL);
	EXPECT_EQ(sp_pread_many(t, 0), 0);
	sp_close(fd);
	return 0;
}

static void test_many_by_one_call(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_transfer none = { 0 };

	(void)state;
	opts.shards = 1;
	opts.ring_entries = 8;
	opts.cq_entries = 16;
	run_with(&opts, batch_body, NULL);
	assert_int_equal(sp_pread_many(&none, 1), -EPERM);
}

/* Some of many wait for ever */

static struct sp_transfer slow[3];

static int read_slow(void *arg)
{
	(void)arg;
	return sp_pread_many(slow, 3);
}

static int batch_cancel_body(void *arg)
{
	volatile char data[3] = { 0 };
	int fd = open_new("f"), fds[2], ret = 0;
	struct sp_scope scope;
	struct sp_task task;

	(void)arg;
	EXPECT_EQ(sp_pwrite_all(fd, "x", 1, 0), 0);
	EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
	for (int i = 0; i < 3; i++)
		slow[i] = (struct sp_transfer){ i == 1 ? fd : fds[0],
						(void *)&data[i], 1, 0, 0 };
	sp_deadline_push(&scope, sp_in(50 * SP_MS));
	EXPECT_EQ(sp_pread_many(slow, 3), 0);
	sp_deadline_pop(&scope);
	EXPECT_EQ(slow[0].res, -ETIMEDOUT);
	EXPECT_EQ(slow[1].res, 1);
	EXPECT_EQ(slow[2].res, -ETIMEDOUT);
	data[1] = 0;
	EXPECT_EQ(sp_go(read_slow, NULL, &task), 0);
	until_waiting(sp_runtime(), "reads", 1);
	/* It waits before the kernel has read: a cancel would be in time. */
	while (data[1] == 0)
		sp_sleep(SP_MS);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(slow[0].res, -ECANCELED);
	EXPECT_EQ(slow[1].res, 1);
	EXPECT_EQ(slow[2].res, -ECANCELED);
	sp_close(fd);
	sp_close(fds[0]);
	sp_close(fds[1]);
	return 0;
}

static void test_many_are_cancelled_one_by_one(void **state)
{
	(void)state;
	run_on(2, batch_cancel_body, NULL);
}

/* The pool is full of other things, and still nothing is refused */

static atomic_bool release;

static int hold(void *arg)
{
	(void)arg;
	while (!atomic_load(&release))
		usleep(100);
	return 0;
}

static int hold_pool(void *arg)
{
	(void)arg;
	return sp_block(hold, NULL, NULL);
}

static int chmod_file(void *arg)
{
	return sp_fchmod(*(int *)arg, 0600);
}

static int busy_body(void *arg)
{
	struct sp_task holders[2], tasks[4];
	struct sp_stats stats;
	int fd = open_new("f");
	int ret = 0;

	(void)arg;
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(sp_go(hold_pool, NULL, &holders[i]), 0);
		until_waiting(sp_runtime(), "blocking call", i + 1);
		/* One runs, the other fills the queue. */
		do
			sp_stats_get(sp_runtime(), &stats);
		while (stats.pool_queued != (uint32_t)i);
	}
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(sp_go(chmod_file, &fd, &tasks[i]), 0);
	until_waiting(sp_runtime(), "permissions", 4);
	/* What has not begun can be called off. */
	EXPECT_EQ(sp_cancel(tasks[1]), 0);
	EXPECT_EQ(sp_join(tasks[1], &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	atomic_store(&release, true);
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			continue;
		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		EXPECT_EQ(ret, 0);
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(sp_join(holders[i], &ret), 0);
		EXPECT_EQ(ret, 0);
	}
	sp_close(fd);
	return 0;
}

static void test_a_full_pool_only_makes_it_wait(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 2;
	opts.pool_threads = 1;
	opts.pool_queue = 1;
	atomic_store(&release, false);
	run_with(&opts, busy_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TEMPDIR(test_bytes_come_back_from_where_they_were_put),
		IN_TEMPDIR(test_append_goes_to_the_end),
		IN_TEMPDIR(test_size_sync_and_stat),
		IN_TEMPDIR(test_every_errno_reaches_the_caller),
		IN_TEMPDIR(test_short_transfers_are_taken_up_again),
		IN_TEMPDIR(test_vectors_of_any_length),
		IN_TEMPDIR(test_a_full_disk_is_told),
		IN_TEMPDIR(test_cancelled_and_late),
		IN_TEMPDIR(test_closing_ends_what_waits_on_it),
		IN_TEMPDIR(test_a_signal_interrupts_nothing),
		IN_TEMPDIR(test_only_a_regular_file_is_opened),
		IN_TEMPDIR(test_many_blocks_at_once),
		IN_TEMPDIR(test_many_by_one_call),
		IN_TEMPDIR(test_many_are_cancelled_one_by_one),
		IN_TEMPDIR(test_a_full_pool_only_makes_it_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
