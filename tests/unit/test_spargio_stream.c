#include "pair.h"
#include "runtime.h"
#include "tempdir.h"

#include <spargio/file.h>
#include <spargio/frame.h>
#include <spargio/reader.h>
#include <spargio/stream.h>
#include <spargio/writer.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Memory */

static int memory_body(void *arg)
{
	struct sp_memory m;
	struct sp_stream s;
	char back[64];

	(void)arg;
	sp_memory_init(&m, 10);
	sp_stream_memory(&m, &s);
	EXPECT_EQ(sp_stream_read(&s, back, 64), 0);
	EXPECT_EQ(sp_stream_write_all(&s, "0123456", 7), 0);
	EXPECT_EQ(sp_stream_read(&s, back, 5), 5);
	EXPECT_EQ(memcmp(back, "01234", 5), 0);
	/* The limit is of what was not read yet. */
	EXPECT_EQ(sp_stream_write_all(&s, "abcdefgh", 8), 0);
	EXPECT_EQ(sp_stream_write_all(&s, "x", 1), -ENOSPC);
	EXPECT_EQ(sp_stream_write_all(&s, "", 0), 0);
	EXPECT_EQ(sp_stream_read(&s, back, 0), 0);
	EXPECT_EQ(sp_stream_read(&s, back, 64), 10);
	EXPECT_EQ(memcmp(back, "56abcdefgh", 10), 0);
	EXPECT_EQ(sp_stream_read(&s, back, 64), 0);
	/* A part that fits is taken. */
	EXPECT_EQ(sp_stream_write_all(&s, "0123456789ab", 12), -ENOSPC);
	EXPECT_EQ(m.end - m.begin, 10);
	EXPECT_EQ(sp_stream_shutdown(&s), -EOPNOTSUPP);
	sp_stream_close(&s);
	EXPECT(m.data == NULL && m.end == 0);
	sp_memory_fini(&m);
	return 0;
}

static void test_memory_is_a_bounded_queue(void **state)
{
	(void)state;
	run_on(1, memory_body, NULL);
}

/* Writes and reads of every size against a count: nothing is lost or moved. */
static int grow_body(void *arg)
{
	enum {
		LIMIT = 20000
	};
	static uint8_t data[700];
	uint64_t written = 0, taken = 0;
	struct sp_memory m;
	struct sp_stream s;
	uint32_t seed = 1;

	(void)arg;
	sp_memory_init(&m, LIMIT);
	sp_stream_memory(&m, &s);
	for (int round = 0; round < 5000; round++) {
		size_t len;
		ssize_t n;

		seed = seed * 1103515245 + 12345;
		len = seed >> 16 & 511;
		for (size_t i = 0; i < len; i++)
			data[i] = (uint8_t)((written + i) % 251);
		if (written - taken + len <= LIMIT) {
			EXPECT_EQ(sp_stream_write_all(&s, data, len), 0);
			written += len;
		}
		len = round < 2500 ? seed >> 8 & 255 : seed >> 7 & 511;
		n = sp_stream_read(&s, data, len);
		for (ssize_t i = 0; i < n; i++)
			EXPECT_EQ(data[i], (taken + (uint64_t)i) % 251);
		taken += (uint64_t)n;
		EXPECT_EQ(m.end - m.begin, written - taken);
		EXPECT(m.capacity <= LIMIT && m.end <= m.capacity);
	}
	EXPECT(written > 500000);
	sp_memory_fini(&m);
	return 0;
}

static void test_memory_grows_and_is_used_again(void **state)
{
	(void)state;
	run_on(1, grow_body, NULL);
}

static int view_body(void *arg)
{
	static const char text[] = "first\r\n\nlast";
	struct sp_reader *r = NULL;
	struct sp_memory m;
	struct sp_stream s;
	char *line;
	size_t len;

	(void)arg;
	sp_memory_view(&m, text, sizeof(text) - 1);
	sp_stream_memory(&m, &s);
	EXPECT_EQ(sp_stream_write_all(&s, "x", 1), -ENOSPC);
	EXPECT_EQ(sp_reader_new_stream(&s, 8, &r), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
	EXPECT_EQ(strcmp(line, "first"), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
	EXPECT_EQ(len, 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
	EXPECT_EQ(strcmp(line, "last"), 0);
	EXPECT_EQ(sp_reader_line(r, &line, &len), 0);
	sp_reader_free(r);
	sp_memory_fini(&m);
	EXPECT_EQ(strcmp(text, "first\r\n\nlast"), 0);
	sp_memory_view(&m, NULL, 0);
	EXPECT_EQ(sp_stream_read(&s, line, 1), 0);
	return 0;
}

static void test_lines_of_constant_text(void **state)
{
	(void)state;
	run_on(1, view_body, NULL);
}

static int frame_body(void *arg)
{
	static const struct sp_frame_format format = { .width = 2,
						       .max = 1000 };
	uint8_t sent[900];
	struct sp_writer *w = NULL;
	struct sp_reader *r = NULL;
	const void *data;
	struct sp_memory m;
	struct sp_stream s;
	size_t len;

	(void)arg;
	memset(sent, 7, sizeof(sent));
	sp_memory_init(&m, 1 << 20);
	sp_stream_memory(&m, &s);
	EXPECT_EQ(sp_writer_new_stream(&s, 64, &w), 0);
	EXPECT_EQ(sp_reader_new_stream(&s, 1002, &r), 0);
	for (size_t i = 0; i <= sizeof(sent); i += 100)
		EXPECT_EQ(sp_frame_write(w, &format, sent, i), 0);
	EXPECT_EQ(sp_writer_flush(w), 0);
	for (size_t i = 0; i <= sizeof(sent); i += 100) {
		EXPECT_EQ(sp_frame_read(r, &format, &data, &len), 1);
		EXPECT_EQ(len, i);
		EXPECT_EQ(memcmp(data, sent, len), 0);
	}
	EXPECT_EQ(sp_frame_read(r, &format, &data, &len), 0);
	sp_writer_free(w);
	sp_reader_free(r);
	sp_stream_close(&s);
	return 0;
}

static void test_frames_through_memory(void **state)
{
	(void)state;
	run_on(1, frame_body, NULL);
}

/* A full target: what a writer could not write stays with it. */
static int full_body(void *arg)
{
	struct sp_writer *w = NULL;
	struct sp_memory m;
	struct sp_stream s;
	char back[16];

	(void)arg;
	sp_memory_init(&m, 5);
	sp_stream_memory(&m, &s);
	EXPECT_EQ(sp_writer_new_stream(&s, 16, &w), 0);
	EXPECT_EQ(sp_writer_write(w, "0123456", 7), 0);
	EXPECT_EQ(sp_writer_flush(w), -ENOSPC);
	EXPECT_EQ(sp_writer_buffered(w), 2);
	EXPECT_EQ(sp_stream_read(&s, back, 16), 5);
	EXPECT_EQ(sp_writer_flush(w), 0);
	EXPECT_EQ(sp_stream_read(&s, back, 16), 2);
	EXPECT_EQ(memcmp(back, "56", 2), 0);
	sp_writer_free(w);
	sp_stream_close(&s);
	return 0;
}

static void test_a_writer_keeps_what_did_not_fit(void **state)
{
	(void)state;
	run_on(1, full_body, NULL);
}

/* Descriptors */

static int fd_body(void *arg)
{
	enum pair_kind kind = *(enum pair_kind *)arg;
	bool is_socket = kind == PAIR_SOCKET || kind == PAIR_SOCKET_NONBLOCK;
	const struct iovec parts[] = { { (void *)"ab", 2 },
				       { NULL, 0 },
				       { (void *)"cde", 3 } };
	struct sp_stream in, out;
	char back[8];
	int fds[2];

	EXPECT_EQ(pair_open(kind, fds), 0);
	EXPECT_EQ(sp_stream_fd(fds[0], &in), 0);
	EXPECT_EQ(sp_stream_fd(fds[1], &out), 0);
	EXPECT_EQ(sp_stream_read_until(&in, back, 8, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_stream_writev(&out, parts, 3), 5);
	EXPECT_EQ(sp_stream_writev(&out, parts, 0), 0);
	EXPECT_EQ(sp_stream_read(&in, back, 8), 5);
	EXPECT_EQ(memcmp(back, "abcde", 5), 0);
	EXPECT_EQ(sp_stream_shutdown(&out), is_socket ? 0 : -EOPNOTSUPP);
	if (!is_socket)
		sp_stream_close(&out);
	EXPECT_EQ(sp_stream_read(&in, back, 8), 0);
	if (is_socket)
		sp_stream_close(&out);
	sp_stream_close(&in);
	EXPECT_EQ(fcntl(fds[0], F_GETFD), -1);
	EXPECT_EQ(fcntl(fds[1], F_GETFD), -1);
	EXPECT_EQ(sp_stream_fd(-1, &in), -EBADF);
	return 0;
}

static void test_descriptors_of_every_kind(void **state)
{
	(void)state;
	for (int kind = 0; kind < PAIR_KINDS; kind++)
		run_on(1, fd_body, &kind);
}

/* From a file to memory, and from memory through a socket to a file. */

enum {
	FILE_SIZE = 300000
};

static int copy_to_file(void *arg)
{
	struct sp_stream *from = arg;
	struct sp_stream to;
	int fd = sp_openat(AT_FDCWD, "copy", O_WRONLY | O_CREAT | O_CLOEXEC,
			   0600);

	EXPECT(fd >= 0);
	EXPECT_EQ(sp_stream_fd(fd, &to), 0);
	EXPECT_EQ(sp_stream_copy(from, &to, INT64_MAX), FILE_SIZE);
	sp_stream_close(&to);
	return 0;
}

static int copy_body(void *arg)
{
	static uint8_t data[FILE_SIZE], back[FILE_SIZE + 1];
	struct sp_stream file, memory, in, out;
	struct sp_memory m;
	struct sp_task task;
	int fds[2];
	int fd;

	(void)arg;
	for (size_t i = 0; i < FILE_SIZE; i++)
		data[i] = (uint8_t)(i * i >> 3);
	fd = sp_openat(AT_FDCWD, "file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	EXPECT(fd >= 0);
	EXPECT_EQ(sp_pwrite_all(fd, data, FILE_SIZE, 0), 0);
	EXPECT_EQ(sp_stream_fd(fd, &file), 0);
	sp_memory_init(&m, 1 << 20);
	sp_stream_memory(&m, &memory);
	EXPECT_EQ(sp_stream_copy(&file, &memory, 1000), 1000);
	EXPECT_EQ(sp_stream_copy(&file, &memory, INT64_MAX), FILE_SIZE - 1000);
	EXPECT_EQ(memcmp(m.data + m.begin, data, FILE_SIZE), 0);
	sp_stream_close(&file);

	EXPECT_EQ(pair_open(PAIR_SOCKET, fds), 0);
	EXPECT_EQ(sp_stream_fd(fds[0], &in), 0);
	EXPECT_EQ(sp_stream_fd(fds[1], &out), 0);
	EXPECT_EQ(sp_go(copy_to_file, &in, &task), 0);
	EXPECT_EQ(sp_stream_copy(&memory, &out, INT64_MAX), FILE_SIZE);
	sp_stream_close(&out);
	EXPECT_EQ(sp_join(task, NULL), 0);
	sp_stream_close(&in);
	sp_stream_close(&memory);

	fd = sp_openat(AT_FDCWD, "copy", O_RDONLY | O_CLOEXEC, 0);
	EXPECT_EQ(sp_pread_full(fd, back, sizeof(back), 0), FILE_SIZE);
	EXPECT_EQ(memcmp(back, data, FILE_SIZE), 0);
	sp_close(fd);
	return 0;
}

static void test_copies_between_kinds(void **state)
{
	(void)state;
	run_on(2, copy_body, NULL);
}

/*
 * A stream of the program's own on top of another, as TLS would be: it changes
 * the bytes, writes a few at a time, and has an end of its own.
 */
struct cipher {
	struct sp_stream inner;
	int closed;
};

static ssize_t cipher_read(void *object, void *data, size_t len,
			   int64_t deadline)
{
	struct cipher *c = object;
	uint8_t *bytes = data;
	ssize_t n = sp_stream_read_until(&c->inner, data, len, deadline);

	for (ssize_t i = 0; i < n; i++)
		bytes[i] ^= 0x5a;
	return n;
}

static ssize_t cipher_write(void *object, const struct iovec *parts, int count,
			    int64_t deadline)
{
	struct cipher *c = object;
	uint8_t some[7];
	size_t len = 0;
	int err;

	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < parts[i].iov_len && len < 7; k++)
			some[len++] = ((uint8_t *)parts[i].iov_base)[k] ^ 0x5a;
	err = sp_stream_write_all_until(&c->inner, some, len, deadline);
	return err < 0 ? err : (ssize_t)len;
}

static int cipher_shutdown(void *object, int64_t deadline)
{
	struct cipher *c = object;

	return sp_stream_shutdown_until(&c->inner, deadline);
}

static void cipher_close(void *object)
{
	struct cipher *c = object;

	c->closed++;
	sp_stream_close(&c->inner);
}

static const struct sp_stream_ops cipher_ops = {
	.read = cipher_read,
	.write = cipher_write,
	.shutdown = cipher_shutdown,
	.close = cipher_close,
};

enum {
	LINES = 500
};

static int answer_lines(void *arg)
{
	struct sp_reader *r = NULL;
	struct sp_writer *w = NULL;
	char *line;
	size_t len;
	int lines = 0;

	EXPECT_EQ(sp_split_stream(arg, 64, &r, &w), 0);
	while (sp_reader_line(r, &line, &len) > 0) {
		EXPECT_EQ(sp_writer_printf(w, "%s!\n", line), 0);
		EXPECT_EQ(sp_writer_flush(w), 0);
		lines++;
	}
	EXPECT_EQ(lines, LINES);
	sp_writer_free(w); /* its end is seen there */
	sp_reader_free(r);
	return 0;
}

static int own_body(void *arg)
{
	struct cipher near = { 0 }, far = { 0 };
	struct sp_stream near_stream = { &cipher_ops, &near };
	struct sp_stream far_stream = { &cipher_ops, &far };
	struct sp_reader *r = NULL;
	struct sp_writer *w = NULL;
	char want[16], *line;
	struct sp_task task;
	size_t len;
	int fds[2];

	(void)arg;
	EXPECT_EQ(pair_open(PAIR_SOCKET, fds), 0);
	EXPECT_EQ(sp_stream_fd(fds[0], &near.inner), 0);
	EXPECT_EQ(sp_stream_fd(fds[1], &far.inner), 0);
	EXPECT_EQ(sp_go(answer_lines, &far_stream, &task), 0);
	EXPECT_EQ(sp_split_stream(&near_stream, 0, &r, &w), 0);
	for (int i = 0; i < LINES; i++)
		EXPECT_EQ(sp_writer_printf(w, "%d\n", i), 0);
	EXPECT_EQ(sp_writer_flush(w), 0);
	sp_writer_free(w);
	for (int i = 0; i < LINES; i++) {
		EXPECT_EQ(sp_reader_line(r, &line, &len), 1);
		snprintf(want, sizeof(want), "%d!", i);
		EXPECT_EQ(strcmp(line, want), 0);
	}
	EXPECT_EQ(sp_reader_line(r, &line, &len), 0);
	EXPECT_EQ(near.closed, 0);
	sp_reader_free(r);
	EXPECT_EQ(near.closed, 1);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(far.closed, 1);
	return 0;
}

static void test_a_stream_of_ones_own(void **state)
{
	(void)state;
	run_on(2, own_body, NULL);
}

/* Functions that break their promise, and none at all. */

static ssize_t read_too_much(void *object, void *data, size_t len,
			     int64_t deadline)
{
	(void)object;
	(void)data;
	(void)deadline;
	return (ssize_t)len + 1;
}

static ssize_t write_what_is_there(void *object, const struct iovec *parts,
				   int count, int64_t deadline)
{
	(void)parts;
	(void)count;
	(void)deadline;
	return *(ssize_t *)object;
}

static int broken_body(void *arg)
{
	static const struct sp_stream_ops broken = {
		.read = read_too_much,
		.write = write_what_is_there,
	};
	static const struct sp_stream_ops none = { 0 };
	ssize_t written = 0;
	struct sp_stream s = { &broken, &written };
	struct sp_reader *r = NULL;
	char back[8];

	(void)arg;
	EXPECT_EQ(sp_stream_read(&s, back, 8), -EIO);
	EXPECT_EQ(sp_reader_new_stream(&s, 16, &r), 0);
	EXPECT_EQ(sp_reader_read(r, back, 8), -EIO);
	sp_reader_free(r);
	EXPECT_EQ(sp_stream_write_all(&s, "abc", 3), -EIO);
	written = 4;
	EXPECT_EQ(sp_stream_write_all(&s, "abc", 3), -EIO);
	written = -EPROTO;
	EXPECT_EQ(sp_stream_write_all(&s, "abc", 3), -EPROTO);

	s.ops = &none;
	EXPECT_EQ(sp_stream_read(&s, back, 8), -EOPNOTSUPP);
	EXPECT_EQ(sp_stream_write_all(&s, "abc", 3), -EOPNOTSUPP);
	EXPECT_EQ(sp_stream_shutdown(&s), -EOPNOTSUPP);
	EXPECT_EQ(sp_stream_copy(&s, &s, 10), -EOPNOTSUPP);
	sp_stream_close(&s);
	return 0;
}

static void test_broken_functions_harm_nobody(void **state)
{
	(void)state;
	run_on(1, broken_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_a_bounded_queue),
		cmocka_unit_test(test_memory_grows_and_is_used_again),
		cmocka_unit_test(test_lines_of_constant_text),
		cmocka_unit_test(test_frames_through_memory),
		cmocka_unit_test(test_a_writer_keeps_what_did_not_fit),
		cmocka_unit_test(test_descriptors_of_every_kind),
		IN_TEMPDIR(test_copies_between_kinds),
		cmocka_unit_test(test_a_stream_of_ones_own),
		cmocka_unit_test(test_broken_functions_harm_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
