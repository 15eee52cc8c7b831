#include "pair.h"
#include "runtime.h"
#include "tempdir.h"

#include <spargio/file.h>
#include <spargio/frame.h>
#include <spargio/reader.h>
#include <spargio/writer.h>

#include <errno.h>
#include <string.h>

/* Lines, however they are cut */

struct feed {
	int fd;
	const char *text;
	size_t at_once;
};

static int feed_main(void *arg)
{
	struct feed *f = arg;
	size_t left = strlen(f->text);

	while (left > 0) {
		size_t n = left < f->at_once ? left : f->at_once;

		EXPECT_EQ(sp_write_all(f->fd, f->text, n), 0);
		f->text += n;
		left -= n;
		sp_yield();
	}
	return sp_close(f->fd);
}

static void expect_lines(enum pair_kind kind, size_t at_once)
{
	static const char *const want[] = { "one",   "",	"two\rtwo",
					    "three", "\r four", "last" };
	struct sp_task task;
	struct sp_reader *r;
	struct feed feed;
	int fds[2];
	char *line;
	size_t len;

	EXPECT_EQ(pair_open(kind, fds), 0);
	feed = (struct feed){ fds[1], "one\n\ntwo\rtwo\nthree\r\n\r four\nlast",
			      at_once };
	EXPECT_EQ(sp_reader_new(fds[0], 9, &r), 0);
	EXPECT_EQ(sp_go(feed_main, &feed, &task), 0);
	for (size_t i = 0; i < COUNT(want); i++) {
		EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
		EXPECT_EQ(len, strlen(want[i]));
		EXPECT_EQ(strcmp(line, want[i]), 0);
	}
	EXPECT_EQ(sp_reader_line(r, &line, &len), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	sp_reader_free(r);
	sp_close(fds[0]);
}

static int lines_body(void *arg)
{
	(void)arg;
	for (int kind = 0; kind < PAIR_KINDS; kind++)
		for (size_t at_once = 1; at_once < 40; at_once += 3)
			expect_lines((enum pair_kind)kind, at_once);
	return 0;
}

static void test_lines_of_every_kind_of_descriptor(void **state)
{
	(void)state;
	run_on(2, lines_body, NULL);
}

/* A line that is too long, and one that just fits */

static int long_body(void *arg)
{
	struct sp_reader *r;
	const void *data;
	int fds[2];
	char *line;
	size_t len;

	(void)arg;
	EXPECT_EQ(pair_open(PAIR_PIPE, fds), 0);
	EXPECT_EQ(sp_reader_new(fds[0], 8, &r), 0);
	EXPECT_EQ(sp_write_all(fds[1], "1234567\n123456789\n", 18), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
	EXPECT_EQ(strcmp(line, "1234567"), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), -EMSGSIZE);
	/* It is all still there. */
	EXPECT_EQ(sp_reader_peek(r, 8, &data), 8);
	EXPECT_EQ(memcmp(data, "12345678", 8), 0);
	EXPECT_EQ(sp_reader_peek(r, 9, &data), -EMSGSIZE);
	sp_reader_skip(r, 2);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
	EXPECT_EQ(strcmp(line, "3456789"), 0);
	sp_close(fds[1]);
	/* The last line of all fills the buffer, without an end. */
	sp_reader_free(r);
	sp_close(fds[0]);
	EXPECT_EQ(pair_open(PAIR_PIPE, fds), 0);
	EXPECT_EQ(sp_reader_new(fds[0], 8, &r), 0);
	EXPECT_EQ(sp_write_all(fds[1], "1234567", 7), 0);
	sp_close(fds[1]);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
	EXPECT_EQ(strcmp(line, "1234567"), 0);
	sp_reader_free(r);
	sp_close(fds[0]);
	return 0;
}

static void test_a_line_longer_than_the_buffer(void **state)
{
	(void)state;
	run_on(1, long_body, NULL);
}

/* Bytes: some, all, too few */

static int bytes_body(void *arg)
{
	struct sp_reader *r;
	char data[64] = "";
	const void *seen;
	int fds[2];

	(void)arg;
	EXPECT_EQ(pair_open(PAIR_SOCKET, fds), 0);
	EXPECT_EQ(sp_reader_new(fds[0], 10, &r), 0);
	EXPECT_EQ(sp_write_all(fds[1], "abcdefghijklmnopqrstuvwxyz", 26), 0);
	EXPECT_EQ(sp_reader_read(r, data, 3), 3);
	EXPECT_EQ(memcmp(data, "abc", 3), 0);
	EXPECT_EQ(sp_reader_read(r, data, 0), 0);
	/* Only what is buffered: there is no need to wait. */
	EXPECT_EQ(sp_reader_read(r, data, 64), 7);
	EXPECT_EQ(memcmp(data, "defghij", 7), 0);
	EXPECT_EQ(sp_reader_exact(r, data, 4), 1);
	EXPECT_EQ(memcmp(data, "klmn", 4), 0);
	/* More than the buffer holds. */
	EXPECT_EQ(sp_reader_exact(r, data, 11), 1);
	EXPECT_EQ(memcmp(data, "opqrstuvwxy", 11), 0);
	sp_close(fds[1]);
	EXPECT_EQ(sp_reader_exact(r, data, 2), -EPIPE);
	EXPECT_EQ(sp_reader_peek(r, 5, &seen), 1);
	EXPECT_EQ(sp_reader_exact(r, data, 1), 1);
	EXPECT_EQ(data[0], 'z');
	EXPECT_EQ(sp_reader_exact(r, data, 1), 0);
	EXPECT_EQ(sp_reader_exact(r, data, 11), 0);
	EXPECT_EQ(sp_reader_read(r, data, 64), 0);
	EXPECT_EQ(sp_reader_read(r, data, 1), 0);
	EXPECT_EQ(sp_reader_peek(r, 1, &seen), 0);
	sp_reader_free(r);
	sp_close(fds[0]);
	EXPECT_EQ(sp_reader_new(-1, 0, &r), -EBADF);
	sp_reader_free(NULL);
	return 0;
}

static void test_some_bytes_all_bytes_too_few(void **state)
{
	(void)state;
	run_on(1, bytes_body, NULL);
}

/* A deadline in the middle of something costs nothing */

/* Two bytes are there and no more will come. */
static void expect_late_calls(struct sp_reader *r)
{
	static const struct sp_frame_format frame = { .width = 4, .max = 100 };
	const void *bytes;
	char data[8], *line;
	size_t len;

	EXPECT_EQ(sp_reader_line_until(r, sp_in(SP_MS), &line, &len),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_reader_exact_until(r, data, 8, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_reader_peek_until(r, 3, sp_in(SP_MS), &bytes), -ETIMEDOUT);
	EXPECT_EQ(sp_frame_read_until(r, &frame, sp_in(SP_MS), &bytes, &len),
		  -ETIMEDOUT);
	/* A deadline that has passed does not matter to what is there. */
	EXPECT_EQ(sp_reader_peek_until(r, 2, 0, &bytes), 2);
}

static int late_body(void *arg)
{
	struct sp_scope scope;
	struct sp_reader *r;
	char data[8], *line;
	size_t len;
	int fds[2];

	(void)arg;
	for (int kind = 0; kind < PAIR_KINDS; kind++) {
		EXPECT_EQ(pair_open((enum pair_kind)kind, fds), 0);
		EXPECT_EQ(sp_reader_new(fds[0], 0, &r), 0);
		EXPECT_EQ(sp_write_all(fds[1], "ha", 2), 0);
		sp_deadline_push(&scope, sp_in(SP_MS));
		EXPECT_EQ(sp_reader_line(r, &line, &len), -ETIMEDOUT);
		EXPECT_EQ(sp_reader_exact(r, data, 8), -ETIMEDOUT);
		sp_deadline_pop(&scope);
		/* One of its own counts behind a shield, too. */
		sp_shield_begin();
		expect_late_calls(r);
		sp_shield_end();
		EXPECT_EQ(sp_write_all(fds[1], "lf\n", 3), 0);
		EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
		EXPECT_EQ(strcmp(line, "half"), 0);
		EXPECT_EQ(sp_reader_read_until(r, data, 8, sp_in(SP_MS)),
			  -ETIMEDOUT);
		sp_reader_free(r);
		sp_close(fds[0]);
		sp_close(fds[1]);
	}
	return 0;
}

static void test_a_deadline_costs_no_byte(void **state)
{
	(void)state;
	run_on(1, late_body, NULL);
}

/* Two halves in two fibers, on two shards */

static int count_half(void *arg)
{
	struct sp_reader *r = arg;
	char *line;
	size_t len;
	int lines = 0, err;

	while ((err = sp_reader_line(r, &line, &len)) == 1)
		EXPECT_EQ(strtol(line, NULL, 10), lines++);
	EXPECT_EQ(err, 0);
	sp_reader_free(r);
	return lines;
}

static int split_body(void *arg)
{
	struct sp_reader *readers[2];
	struct sp_writer *writers[2];
	struct sp_task tasks[2];
	int fds[2], ret = 0;

	(void)arg;
	EXPECT_EQ(pair_open(PAIR_SOCKET, fds), 0);
	EXPECT_EQ(sp_split(-1, 0, &readers[0], &writers[0]), -EBADF);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(sp_split(fds[i], 100, &readers[i], &writers[i]), 0);
		EXPECT_EQ(sp_go_on(NULL, 1, count_half, readers[i], &tasks[i]),
			  0);
	}
	for (int i = 0; i < 1000; i++)
		for (int k = 0; k < 2; k++)
			EXPECT_EQ(sp_writer_printf(writers[k], "%d\n", i), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(sp_writer_flush(writers[i]), 0);
		/* The end of what the other side reads. */
		sp_writer_free(writers[i]);
		EXPECT_EQ(sp_join(tasks[1 - i], &ret), 0);
		EXPECT_EQ(ret, 1000);
	}
	/* Both are closed. */
	EXPECT_EQ(sp_close(fds[0]), -EBADF);
	EXPECT_EQ(sp_close(fds[1]), -EBADF);
	return 0;
}

static void test_two_halves_end_one_after_the_other(void **state)
{
	(void)state;
	run_on(2, split_body, NULL);
}

/* A file is read from where it is */

static int file_body(void *arg)
{
	int fd = sp_openat(AT_FDCWD, "f", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct sp_reader *r;
	char *line;
	size_t len;

	(void)arg;
	EXPECT_EQ(sp_write_all(fd, "skipped\nfirst\nsecond\n", 21), 0);
	EXPECT_EQ(lseek(fd, 8, SEEK_SET), 8);
	EXPECT_EQ(sp_reader_new(fd, 0, &r), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
	EXPECT_EQ(strcmp(line, "first"), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
	EXPECT_EQ(strcmp(line, "second"), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 0);
	sp_reader_free(r);
	sp_close(fd);
	/* What reading says is what the reader says. */
	fd = sp_openat(AT_FDCWD, ".", O_RDONLY | O_CLOEXEC, 0);
	EXPECT_EQ(sp_reader_new(fd, 0, &r), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), -EISDIR);
	sp_reader_free(r);
	sp_close(fd);
	return 0;
}

static void test_a_file_is_read_from_its_position(void **state)
{
	(void)state;
	run_on(1, file_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_every_kind_of_descriptor),
		cmocka_unit_test(test_a_line_longer_than_the_buffer),
		cmocka_unit_test(test_some_bytes_all_bytes_too_few),
		cmocka_unit_test(test_a_deadline_costs_no_byte),
		cmocka_unit_test(test_two_halves_end_one_after_the_other),
		IN_TEMPDIR(test_a_file_is_read_from_its_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
