#include "pair.h"
#include "runtime.h"

#include <spargio/file.h>
#include <spargio/frame.h>
#include <spargio/reader.h>
#include <spargio/writer.h>

#include <errno.h>
#include <string.h>

/* What a format looks like on the wire */

struct wire {
	const char *name;
	struct sp_frame_format format;
	const uint8_t *bytes;
	size_t len;
};

static const struct wire wires[] = {
	{ "one byte", { .width = 1, .max = 255 }, BYTES(3, 'a', 'b', 'c') },
	{ "two, big", { .width = 2, .max = 255 }, BYTES(0, 3, 'a', 'b', 'c') },
	{ "two, little",
	  { .width = 2, .order = SP_FRAME_LITTLE, .max = 255 },
	  BYTES(3, 0, 'a', 'b', 'c') },
	{ "three, big",
	  { .width = 3, .max = 255 },
	  BYTES(0, 0, 3, 'a', 'b', 'c') },
	{ "four, counting itself",
	  { .width = 4, .counts = SP_FRAME_ALL, .max = 255 },
	  BYTES(0, 0, 0, 7, 'a', 'b', 'c') },
	{ "eight, little, counting itself",
	  { .width = 8,
	    .order = SP_FRAME_LITTLE,
	    .counts = SP_FRAME_ALL,
	    .max = 255 },
	  BYTES(11, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c') },
};

static int wire_body(void *arg)
{
	(void)arg;
	for (size_t i = 0; i < COUNT(wires); i++) {
		const struct wire *c = &wires[i];
		struct sp_reader *r;
		struct sp_writer *w;
		uint8_t sent[32];
		const void *data;
		size_t len;
		int fds[2];

		EXPECT_EQ(pair_open(PAIR_PIPE, fds), 0);
		EXPECT_EQ(sp_writer_new(fds[1], 0, &w), 0);
		EXPECT_EQ(sp_frame_write(w, &c->format, "abc", 3), 0);
		EXPECT_EQ(sp_writer_flush(w), 0);
		EXPECT_EQ(read(fds[0], sent, sizeof(sent)), c->len);
		EXPECT_EQ(memcmp(sent, c->bytes, c->len), 0);
		EXPECT_EQ(sp_write_all(fds[1], c->bytes, c->len), 0);
		sp_close(fds[1]);
		EXPECT_EQ(sp_reader_new(fds[0], 0, &r), 0);
		EXPECT_EQ(sp_frame_read(r, &c->format, &data, &len), 1);
		EXPECT_EQ(len, 3);
		EXPECT_EQ(memcmp(data, "abc", 3), 0);
		EXPECT_EQ(sp_frame_read(r, &c->format, &data, &len), 0);
		sp_reader_free(r);
		sp_writer_free(w);
		sp_close(fds[0]);
	}
	return 0;
}

static void test_formats_on_the_wire(void **state)
{
	(void)state;
	run_on(1, wire_body, NULL);
}

/* What is no frame */

struct bad {
	struct sp_frame_format format;
	const uint8_t *bytes;
	size_t len;
	int want;
};

static const struct bad bad[] = {
	{ { .width = 2, .max = 9 }, BYTES(0, 10), -EMSGSIZE },
	{ { .width = 2, .max = 100 }, BYTES(0, 15), -EMSGSIZE },
	{ { .width = 2, .max = 9 }, BYTES(0), -EPIPE },
	{ { .width = 2, .max = 9 }, BYTES(0, 9, 1), -EPIPE },
	{ { .width = 2, .counts = SP_FRAME_ALL, .max = 9 },
	  BYTES(0, 1, 1),
	  -EBADMSG },
	{ { .width = 0, .max = 9 }, BYTES(0, 1, 1), -EINVAL },
	{ { .width = 9, .max = 9 }, BYTES(0, 1, 1), -EINVAL },
	{ { .width = 8, .max = SIZE_MAX },
	  BYTES(255, 255, 255, 255, 255, 255, 255, 255),
	  -EMSGSIZE },
	{ { .width = 8, .max = SIZE_MAX },
	  BYTES(127, 255, 255, 255, 255, 255, 255, 255),
	  -EMSGSIZE },
	{ { .width = 2, .counts = SP_FRAME_ALL, .max = 9 }, BYTES(0, 2), 1 },
};

static int bad_body(void *arg)
{
	static const struct sp_frame_format byte = { .width = 1, .max = 300 };
	static const struct sp_frame_format all = { .width = 1,
						    .counts = SP_FRAME_ALL,
						    .max = 300 };
	struct sp_writer *w;
	char big[301] = "";
	int fds[2];

	(void)arg;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct sp_reader *r;
		const void *data;
		size_t len;

		EXPECT_EQ(pair_open(PAIR_SOCKET, fds), 0);
		EXPECT_EQ(sp_reader_new(fds[0], 16, &r), 0);
		EXPECT_EQ(sp_write_all(fds[1], bad[i].bytes, bad[i].len), 0);
		sp_close(fds[1]);
		for (int again = 0; again < (bad[i].want < 0 ? 2 : 1); again++)
			EXPECT_EQ(sp_frame_read(r, &bad[i].format, &data, &len),
				  bad[i].want);
		sp_reader_free(r);
		sp_close(fds[0]);
	}
	EXPECT_EQ(pair_open(PAIR_SOCKET, fds), 0);
	EXPECT_EQ(sp_writer_new(fds[1], 0, &w), 0);
	EXPECT_EQ(sp_frame_write(w, &byte, big, 256), -EMSGSIZE);
	EXPECT_EQ(sp_frame_write(w, &byte, big, 301), -EMSGSIZE);
	EXPECT_EQ(sp_frame_write(w, &all, big, 255), -EMSGSIZE);
	EXPECT_EQ(sp_frame_write(w, &bad[5].format, big, 1), -EINVAL);
	EXPECT_EQ(sp_writer_buffered(w), 0);
	EXPECT_EQ(sp_frame_write(w, &all, big, 254), 0);
	EXPECT_EQ(sp_writer_buffered(w), 255);
	sp_writer_free(w);
	sp_close(fds[0]);
	sp_close(fds[1]);
	return 0;
}

static void test_what_is_no_frame(void **state)
{
	(void)state;
	run_on(1, bad_body, NULL);
}

/* Many frames of all sizes through small buffers */

static const struct sp_frame_format stream = { .width = 4, .max = 3000 };

static size_t size_of(int i)
{
	return (size_t)(i * 7919 % 3001);
}

static int send_frames(void *arg)
{
	struct sp_writer *w;
	char data[3000];

	EXPECT_EQ(sp_writer_new(*(int *)arg, 1000, &w), 0);
	for (int i = 0; i < 500; i++) {
		memset(data, i, size_of(i));
		EXPECT_EQ(sp_frame_write(w, &stream, data, size_of(i)), 0);
	}
	EXPECT_EQ(sp_writer_flush(w), 0);
	sp_writer_free(w);
	return sp_close(*(int *)arg);
}

static int stream_body(void *arg)
{
	struct sp_task task;
	struct sp_reader *r;
	const void *data;
	size_t len;
	int fds[2];

	(void)arg;
	for (int kind = 0; kind < PAIR_KINDS; kind++) {
		EXPECT_EQ(pair_open((enum pair_kind)kind, fds), 0);
		EXPECT_EQ(sp_go_on(NULL, 1, send_frames, &fds[1], &task), 0);
		EXPECT_EQ(sp_reader_new(fds[0], 3004, &r), 0);
		for (int i = 0; i < 500; i++) {
			const char *bytes;

			EXPECT_EQ(sp_frame_read(r, &stream, &data, &len), 1);
			EXPECT_EQ(len, size_of(i));
			bytes = data;
			EXPECT(len == 0 || (bytes[0] == (char)i &&
					    bytes[len - 1] == (char)i));
		}
		EXPECT_EQ(sp_frame_read(r, &stream, &data, &len), 0);
		EXPECT_EQ(sp_join(task, NULL), 0);
		sp_reader_free(r);
		sp_close(fds[0]);
	}
	return 0;
}

static void test_many_frames_through_small_buffers(void **state)
{
	(void)state;
	run_on(2, stream_body, NULL);
}

/* A deadline never leaves a length without its frame */

static int read_numbers(void *arg)
{
	struct sp_reader *r;
	const void *data;
	size_t len;
	int n = 0, err;

	EXPECT_EQ(sp_reader_new(*(int *)arg, 0, &r), 0);
	while ((err = sp_frame_read(r, &stream, &data, &len)) == 1) {
		EXPECT_EQ(len, 600);
		EXPECT_EQ(((const char *)data)[599], (char)n);
		n++;
	}
	EXPECT_EQ(err, 0);
	sp_reader_free(r);
	return n;
}

static int torn_body(void *arg)
{
	char data[600];
	struct sp_scope scope;
	struct sp_writer *w;
	struct sp_task task;
	int fds[2], n, err, ret = 0;

	(void)arg;
	EXPECT_EQ(pair_open(PAIR_SOCKET, fds), 0);
	/* Room for a frame and the length of the next. */
	EXPECT_EQ(sp_writer_new(fds[1], 610, &w), 0);
	sp_deadline_push(&scope, sp_in(20 * SP_MS));
	for (n = 0;; n++) {
		memset(data, n, sizeof(data));
		err = sp_frame_write(w, &stream, data, sizeof(data));
		if (err < 0)
			break;
	}
	EXPECT_EQ(err, -ETIMEDOUT);
	sp_deadline_pop(&scope);
	EXPECT_EQ(sp_go(read_numbers, &fds[0], &task), 0);
	EXPECT_EQ(sp_frame_write(w, &stream, data, sizeof(data)), 0);
	EXPECT_EQ(sp_writer_flush(w), 0);
	sp_writer_free(w);
	sp_close(fds[1]);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, n + 1);
	sp_close(fds[0]);
	return 0;
}

static void test_no_length_without_its_frame(void **state)
{
	(void)state;
	run_on(1, torn_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats_on_the_wire),
		cmocka_unit_test(test_what_is_no_frame),
		cmocka_unit_test(test_many_frames_through_small_buffers),
		cmocka_unit_test(test_no_length_without_its_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
