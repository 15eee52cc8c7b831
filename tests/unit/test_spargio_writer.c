#include "pair.h"
#include "runtime.h"
#include "tempdir.h"

#include <spargio/file.h>
#include <spargio/frame.h>
#include <spargio/reader.h>
#include <spargio/writer.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

/* Nothing goes out before it must, and then in order */

static int order_body(void *arg)
{
	struct sp_writer *w;
	char back[64] = "";
	int fds[2];

	(void)arg;
	EXPECT_EQ(pair_open(PAIR_PIPE_NONBLOCK, fds), 0);
	EXPECT_EQ(sp_writer_new(fds[1], 10, &w), 0);
	EXPECT_EQ(sp_writer_write(w, "abc", 3), 0);
	EXPECT_EQ(sp_writer_printf(w, "%d", 12345), 0);
	EXPECT_EQ(sp_writer_buffered(w), 8);
	EXPECT_EQ(read(fds[0], back, 64), -1);
	/* It does not fit: what is there goes first. */
	EXPECT_EQ(sp_writer_write(w, "def", 3), 0);
	EXPECT_EQ(read(fds[0], back, 64), 8);
	EXPECT_EQ(memcmp(back, "abc12345", 8), 0);
	EXPECT_EQ(sp_writer_buffered(w), 3);
	/* More than a buffer, at once and behind what was there. */
	EXPECT_EQ(sp_writer_write(w, "0123456789+", 11), 0);
	EXPECT_EQ(read(fds[0], back, 64), 14);
	EXPECT_EQ(memcmp(back, "def0123456789+", 14), 0);
	EXPECT_EQ(sp_writer_buffered(w), 0);
	EXPECT_EQ(sp_writer_flush(w), 0);
	EXPECT_EQ(sp_writer_printf(w, "%s", "123456789"), 0);
	EXPECT_EQ(sp_writer_printf(w, "%s", "1234567890"), -EMSGSIZE);
	EXPECT_EQ(sp_writer_printf(w, "%s", "x"), 0);
	EXPECT_EQ(sp_writer_flush(w), 0);
	EXPECT_EQ(read(fds[0], back, 64), 10);
	EXPECT_EQ(memcmp(back, "123456789x", 10), 0);
	sp_writer_free(w);
	sp_writer_free(NULL);
	sp_close(fds[0]);
	sp_close(fds[1]);
	EXPECT_EQ(sp_writer_new(-1, 0, &w), -EBADF);
	return 0;
}

static void test_what_goes_out_and_when(void **state)
{
	(void)state;
	run_on(1, order_body, NULL);
}

/* A reader that does not read: late, and then whole after all */

static int drain(void *arg)
{
	int fd = *(int *)arg;
	static char data[1 << 20];
	ssize_t len = sp_read_full(fd, data, sizeof(data));

	for (ssize_t i = 0; i < len; i++)
		EXPECT_EQ(data[i], (char)('a' + i / 1000 % 26));
	return (int)len;
}

static int slow_body(void *arg)
{
	char chunk[1000];
	struct sp_scope scope;
	struct sp_writer *w;
	struct sp_task task;
	int fds[2], ret = 0, err, chunks;

	(void)arg;
	for (int kind = 0; kind < PAIR_KINDS; kind++) {
		EXPECT_EQ(pair_open((enum pair_kind)kind, fds), 0);
		EXPECT_EQ(sp_writer_new(fds[1], 5000, &w), 0);
		sp_deadline_push(&scope, sp_in(100 * SP_MS));
		for (chunks = 0;; chunks++) {
			memset(chunk, 'a' + chunks % 26, sizeof(chunk));
			err = sp_writer_write(w, chunk, sizeof(chunk));
			if (err < 0)
				break;
		}
		EXPECT_EQ(err, -ETIMEDOUT);
		EXPECT(chunks > 5);
		sp_deadline_pop(&scope);
		EXPECT_EQ(sp_go(drain, &fds[0], &task), 0);
		/* None of the chunk was taken: the buffer could hold it. */
		EXPECT_EQ(sp_writer_write(w, chunk, sizeof(chunk)), 0);
		EXPECT_EQ(sp_writer_flush(w), 0);
		sp_writer_free(w);
		sp_close(fds[1]);
		EXPECT_EQ(sp_join(task, &ret), 0);
		EXPECT_EQ(ret, (chunks + 1) * 1000);
		sp_close(fds[0]);
	}
	return 0;
}

static void test_a_deadline_leaves_no_gap(void **state)
{
	(void)state;
	run_on(2, slow_body, NULL);
}

/* The same with the deadline of each call, also behind a shield */

static bool is_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) == 1;
}

static int late_body(void *arg)
{
	static const struct sp_frame_format frame = { .width = 4, .max = 2000 };
	char chunk[1000] = { 0 };
	struct sp_writer *w;
	int fds[2], source[2];

	(void)arg;
	sp_shield_begin();
	for (int kind = 0; kind < PAIR_KINDS; kind++) {
		EXPECT_EQ(pair_open((enum pair_kind)kind, fds), 0);
		EXPECT_EQ(sp_writer_new(fds[1], 1000, &w), 0);
		/*
		 * Until the buffer is before a full descriptor. A busy machine
		 * misses deadlines before it is full.
		 */
		while (sp_writer_write_until(w, chunk, sizeof(chunk),
					     sp_in(SP_MS)) == 0 ||
		       is_writable(fds[1]))
			;
		EXPECT(sp_writer_buffered(w) > 0);
		EXPECT_EQ(sp_writer_printf_until(w, sp_in(SP_MS), "%999d", 1),
			  -ETIMEDOUT);
		EXPECT_EQ(sp_writer_flush_until(w, sp_in(SP_MS)), -ETIMEDOUT);
		EXPECT_EQ(sp_frame_write_until(w, &frame, chunk, 996,
					       sp_in(SP_MS)),
			  -ETIMEDOUT);
		EXPECT(sp_writer_buffered(w) > 0);
		EXPECT_EQ(pair_open((enum pair_kind)kind, source), 0);
		EXPECT_EQ(sp_copy_until(source[0], fds[1], 1, sp_in(SP_MS)),
			  -ETIMEDOUT);
		sp_writer_free(w);
		sp_close(source[0]);
		sp_close(source[1]);
		sp_close(fds[0]);
		sp_close(fds[1]);
	}
	sp_shield_end();
	return 0;
}

static void test_each_call_has_its_deadline(void **state)
{
	(void)state;
	run_on(1, late_body, NULL);
}

/* The other end is gone, the disk is full */

static int broken_body(void *arg)
{
	struct sp_writer *w;
	int fds[2], full;

	(void)arg;
	for (int kind = 0; kind < PAIR_KINDS; kind++) {
		EXPECT_EQ(pair_open((enum pair_kind)kind, fds), 0);
		EXPECT_EQ(sp_writer_new(fds[1], 0, &w), 0);
		EXPECT_EQ(sp_writer_printf(w, "hello"), 0);
		sp_close(fds[0]);
		EXPECT_EQ(sp_writer_flush(w), -EPIPE);
		EXPECT_EQ(sp_writer_buffered(w), 5);
		sp_writer_free(w);
		sp_close(fds[1]);
	}
	full = sp_openat(AT_FDCWD, "/dev/full", O_WRONLY | O_CLOEXEC, 0);
	EXPECT_EQ(sp_writer_new(full, 0, &w), 0);
	EXPECT_EQ(sp_writer_printf(w, "hello"), 0);
	EXPECT_EQ(sp_writer_flush(w), -ENOSPC);
	EXPECT_EQ(sp_writer_flush(w), -ENOSPC);
	sp_writer_free(w);
	sp_close(full);
	return 0;
}

static void test_writing_to_who_is_gone(void **state)
{
	(void)state;
	/* Of pipes; a socket makes none. */
	signal(SIGPIPE, SIG_IGN);
	run_on(1, broken_body, NULL);
	signal(SIGPIPE, SIG_DFL);
}

static int no_signal_body(void *arg)
{
	struct sp_writer *w;
	int fds[2];

	(void)arg;
	EXPECT_EQ(pair_open(PAIR_SOCKET, fds), 0);
	EXPECT_EQ(sp_writer_new(fds[1], 0, &w), 0);
	EXPECT_EQ(sp_writer_printf(w, "hello"), 0);
	sp_close(fds[0]);
	EXPECT_EQ(sp_writer_flush(w), -EPIPE);
	sp_writer_free(w);
	sp_close(fds[1]);
	return 0;
}

static void test_a_socket_raises_no_signal(void **state)
{
	(void)state;
	run_on(1, no_signal_body, NULL);
}

/* Copying between kinds */

static int copy_out(void *arg)
{
	int *fds = arg;
	int64_t n = sp_copy(fds[0], fds[1], INT64_MAX);

	sp_close(fds[1]);
	return (int)n;
}

static int copy_body(void *arg)
{
	enum {
		LEN = 300001
	};
	char *data = malloc(LEN), *back = malloc(LEN + 1);
	int from, in[2], ends[2], job[2], ret = 0;
	struct sp_task task;

	(void)arg;
	for (int i = 0; i < LEN; i++)
		data[i] = (char)(i * 31 >> 3);
	from = sp_openat(AT_FDCWD, "f", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	EXPECT_EQ(sp_pwrite_all(from, data, LEN, 0), 0);
	for (int kind = 0; kind < PAIR_KINDS; kind++) {
		EXPECT_EQ(pair_open((enum pair_kind)kind, ends), 0);
		EXPECT_EQ(lseek(from, 0, SEEK_SET), 0);
		job[0] = from;
		job[1] = ends[1];
		EXPECT_EQ(sp_go(copy_out, job, &task), 0);
		EXPECT_EQ(sp_read_full(ends[0], back, LEN + 1), LEN);
		EXPECT_EQ(memcmp(data, back, LEN), 0);
		EXPECT_EQ(sp_join(task, &ret), 0);
		EXPECT_EQ(ret, LEN);
		sp_close(ends[0]);
	}
	/* Only so much, and errors of either side. */
	EXPECT_EQ(pair_open(PAIR_PIPE, in), 0);
	EXPECT_EQ(sp_write_all(in[1], "abcdef", 6), 0);
	EXPECT_EQ(sp_ftruncate(from, 0), 0);
	EXPECT_EQ(lseek(from, 0, SEEK_SET), 0);
	EXPECT_EQ(sp_copy(in[0], from, 4), 4);
	EXPECT_EQ(sp_copy(in[0], from, 0), 0);
	EXPECT_EQ(sp_pread_full(from, back, 10, 0), 4);
	EXPECT_EQ(memcmp(back, "abcd", 4), 0);
	EXPECT_EQ(sp_copy(in[0], in[0], 1), -EBADF);
	EXPECT_EQ(sp_copy(in[1], from, 1), -EBADF);
	EXPECT_EQ(sp_copy(-1, from, 1), -EBADF);
	EXPECT_EQ(sp_copy(from, -1, 1), -EBADF);
	sp_close(in[0]);
	sp_close(in[1]);
	sp_close(from);
	free(data);
	free(back);
	return 0;
}

static void test_copying_between_kinds(void **state)
{
	(void)state;
	run_on(2, copy_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_goes_out_and_when),
		cmocka_unit_test(test_a_deadline_leaves_no_gap),
		cmocka_unit_test(test_each_call_has_its_deadline),
		cmocka_unit_test(test_writing_to_who_is_gone),
		cmocka_unit_test(test_a_socket_raises_no_signal),
		IN_TEMPDIR(test_copying_between_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
