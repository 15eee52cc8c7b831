#include "random.h"
#include "runtime.h"
#include "tempdir.h"

#include "egress/publisher/acked_tail.h"
#include "egress/publisher/word_delta.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define SUBJECT "arancini.updates.v4_192_0_2_1.64500.1_1"
#define WORDS	4096
#define CREATED 1700000000

/* Words left out */

/* Messages that repeat much of each other. How many bytes. */
static size_t batch_draw(struct draws *d, uint8_t *out, size_t words)
{
	size_t at = 0;

	while (at < words) {
		size_t n = 1 + draw_below(d, 150);
		uint64_t word;

		if (n > words - at)
			n = words - at;
		word = (uint64_t)(n - 1) << 32;
		memcpy(out + 8 * at, &word, 8);
		for (size_t i = 1; i < n; i++) {
			word = draw_below(d, 4) == 0 ? draw(d) : i;
			memcpy(out + 8 * (at + i), &word, 8);
		}
		at += n;
	}
	return 8 * words;
}

static void test_words_come_back(void **state)
{
	static uint8_t in[8 * WORDS], back[8 * WORDS];
	static uint8_t out[16 * WORDS + 8];
	struct draws d = draws_start("word_delta");

	(void)state;
	for (int i = 0; i < 300; i++) {
		size_t len = batch_draw(&d, in, 1 + draw_below(&d, WORDS));
		size_t got =
			word_delta_encode((struct wire_view){ in, len }, out);
		struct wire_view stored = { out, got };

		assert_true(got > 0 && got <= word_delta_bound(len));
		assert_true(word_delta_decode(stored, back, len));
		assert_memory_equal(in, back, len);
		/* Neither too much nor too little. */
		assert_false(word_delta_decode(stored, back, len - 8));
		stored.len -= 8;
		assert_false(word_delta_decode(stored, back, len));
	}
}

static void test_bytes_that_are_no_messages(void **state)
{
	uint8_t out[256], in[64] = { 0 };

	(void)state;
	in[4] = 7; /* eight words: all of it */
	assert_int_not_equal(word_delta_encode((struct wire_view){ in, 64 },
					       out),
			     0);
	assert_int_equal(word_delta_encode((struct wire_view){ in, 63 }, out),
			 0);
	in[4] = 8; /* one more than there are */
	assert_int_equal(word_delta_encode((struct wire_view){ in, 64 }, out),
			 0);
	in[0] = 1; /* two segments */
	assert_int_equal(word_delta_encode((struct wire_view){ in, 64 }, out),
			 0);
}

static void test_spoiled_words_are_bounded(void **state)
{
	static uint8_t in[8 * 256], back[8 * 256], out[16 * 256 + 8];
	struct draws d = draws_start("word_delta, spoiled");

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t len = batch_draw(&d, in, 1 + draw_below(&d, 256));
		size_t got =
			word_delta_encode((struct wire_view){ in, len }, out);

		out[draw_below(&d, (uint32_t)got)] ^=
			(uint8_t)(1 << draw_below(&d, 8));
		/* Whatever it is: nothing is read or written outside. */
		(void)word_delta_decode((struct wire_view){ out, got }, back,
					len);
	}
}

/* The tail */

struct made {
	char text[64];
	struct acked_message m;
};

/* The message at @seq. */
static void message_make(uint64_t seq, struct made *out)
{
	int len = snprintf(out->text, sizeof(out->text), "message %llu",
			   (unsigned long long)seq);

	out->m = (struct acked_message){
		.id = { 7, { 7, seq, 0 } },
		.has_after = seq % 3 == 0,
		.after = { 6, seq, 5 },
		.encoding = seq % 5 == 0 ? EGRESS_ZSTD : EGRESS_PLAIN,
		.subject = SUBJECT,
		.subject_len = sizeof(SUBJECT) - 1,
		.bytes = { (uint8_t *)out->text, (size_t)len },
	};
}

static void tail_add(struct acked_tail *t, uint64_t from, uint64_t to)
{
	for (uint64_t seq = from; seq <= to; seq++) {
		struct made one = { 0 };

		message_make(seq, &one);
		acked_tail_add(t, seq, &one.m);
	}
}

/* All from @seq to @last are there, and no more. */
static void tail_expect(struct acked_tail *t, uint64_t seq, uint64_t last)
{
	struct acked_message got;

	EXPECT_EQ(acked_tail_seek(t, seq), 0);
	for (; seq <= last; seq++) {
		struct made want = { 0 };

		message_make(seq, &want);
		EXPECT_EQ(acked_tail_next(t, &got), 1);
		EXPECT(got.bytes.len == want.m.bytes.len &&
		       memcmp(got.bytes.p, want.m.bytes.p, got.bytes.len) == 0);
		EXPECT(got.id.record.seq == seq && got.id.epoch == 7);
		EXPECT(got.has_after == want.m.has_after);
		EXPECT(!got.has_after || got.after.upto == 5);
		EXPECT(got.encoding == want.m.encoding);
		EXPECT(strcmp(got.subject, SUBJECT) == 0);
	}
	EXPECT_EQ(acked_tail_next(t, &got), 0);
}

static int only_what_was_acknowledged(void *arg)
{
	struct acked_tail *t = NULL;

	(void)arg;
	EXPECT_EQ(acked_tail_open("tail", 1 << 20, &t), 0);
	acked_tail_set_end(t, CREATED, 100, 100);
	tail_add(t, 101, 400);
	acked_tail_ack(t, 300);
	tail_expect(t, 101, 300);
	tail_expect(t, 250, 300);
	EXPECT_EQ(acked_tail_seek(t, 100), -ENOENT);
	EXPECT_EQ(acked_tail_seek(t, 301), -ENOENT);
	/* The stream had the rest as well, up to 310. */
	acked_tail_set_end(t, CREATED, 300, 300);
	tail_add(t, 301, 310);
	acked_tail_set_end(t, CREATED, 310, 310);
	tail_expect(t, 101, 310);
	acked_tail_close(t);
	return 0;
}

static int another_run(void *arg)
{
	struct acked_tail *t = NULL;

	(void)arg;
	EXPECT_EQ(acked_tail_open("tail", 1 << 20, &t), 0);
	acked_tail_set_end(t, CREATED, 100, 100);
	tail_add(t, 101, 200);
	acked_tail_ack(t, 200);
	acked_tail_close(t);
	EXPECT_EQ(acked_tail_open("tail", 1 << 20, &t), 0);
	EXPECT_EQ(acked_tail_created(t), CREATED);
	EXPECT_EQ(acked_tail_acked(t), 200);
	EXPECT(acked_tail_complete(t));
	tail_expect(t, 150, 200);
	/* It goes on where the other one ended. */
	acked_tail_set_end(t, CREATED, 200, 200);
	tail_add(t, 201, 250);
	acked_tail_ack(t, 250);
	tail_expect(t, 101, 250);
	acked_tail_close(t);
	/* Another stream, or one that went on without us. */
	EXPECT_EQ(acked_tail_open("tail", 1 << 20, &t), 0);
	acked_tail_set_end(t, CREATED + 1, 250, 250);
	EXPECT_EQ(acked_tail_seek(t, 250), -ENOENT);
	acked_tail_close(t);
	/* Off: nothing stays on disk. */
	EXPECT_EQ(acked_tail_open("tail", 0, &t), 0);
	EXPECT_EQ(acked_tail_bytes(t), 0);
	acked_tail_close(t);
	return 0;
}

static int a_run_that_was_killed(void *arg)
{
	struct acked_tail *t = NULL, *next = NULL;

	(void)arg;
	EXPECT_EQ(acked_tail_open("tail", 1 << 20, &t), 0);
	acked_tail_set_end(t, CREATED, 100, 100);
	tail_add(t, 101, 200);
	acked_tail_ack(t, 150);
	tail_expect(t, 101, 150); /* which writes */
	/* As a process that starts before the other one has closed it. */
	EXPECT_EQ(acked_tail_open("tail", 1 << 20, &next), 0);
	EXPECT(!acked_tail_complete(next));
	EXPECT_EQ(acked_tail_acked(next), 150);
	tail_expect(next, 101, 150);
	acked_tail_close(next);
	acked_tail_close(t);
	/* Killed before anything was written but that it began. */
	EXPECT_EQ(acked_tail_open("young", 1 << 20, &t), 0);
	acked_tail_set_end(t, CREATED, 100, 103);
	EXPECT_EQ(acked_tail_open("young", 1 << 20, &next), 0);
	EXPECT_EQ(acked_tail_acked(next), 103);
	EXPECT(!acked_tail_complete(next));
	EXPECT_EQ(acked_tail_seek(next, 100), -ENOENT);
	acked_tail_close(next);
	acked_tail_close(t);
	return 0;
}

static uint64_t folder_bytes(void)
{
	DIR *dir = opendir("tail");
	struct dirent *entry;
	uint64_t sum = 0;

	while ((entry = readdir(dir)) != NULL) {
		struct stat st;

		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 &&
		    S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_size;
	}
	closedir(dir);
	return sum;
}

static int within_its_limit(void *arg)
{
	enum {
		LIMIT = 1 << 20,
		LEN = 5000
	};
	static uint8_t bytes[LEN];
	struct acked_message m = {
		.encoding = EGRESS_ZSTD, /* stored as it is */
		.subject = SUBJECT,
		.subject_len = sizeof(SUBJECT) - 1,
		.bytes = { bytes, LEN },
	};
	struct acked_message got;
	struct acked_tail *t = NULL;
	uint64_t seq = 0;

	(void)arg;
	EXPECT_EQ(acked_tail_open("tail", LIMIT, &t), 0);
	acked_tail_set_end(t, CREATED, 0, 0);
	while (seq < 4000) {
		acked_tail_add(t, ++seq, &m);
		if (!acked_tail_full(t) && seq % 50 != 0)
			continue;
		acked_tail_ack(t, seq);
		EXPECT_EQ(acked_tail_write(t, sp_now()), 0);
		EXPECT(!acked_tail_full(t));
		EXPECT(folder_bytes() <= LIMIT);
		EXPECT_EQ(acked_tail_bytes(t), folder_bytes());
	}
	acked_tail_ack(t, seq);
	/* Most of it is of use. */
	EXPECT_EQ(acked_tail_seek(t, 1), -ENOENT);
	EXPECT_EQ(acked_tail_seek(t, 4000 - LIMIT / LEN / 2), 0);
	EXPECT_EQ(acked_tail_next(t, &got), 1);
	acked_tail_close(t);
	return 0;
}

static int a_gap_begins_it_anew(void *arg)
{
	struct acked_tail *t = NULL;

	(void)arg;
	EXPECT_EQ(acked_tail_open("tail", 1 << 20, &t), 0);
	acked_tail_set_end(t, CREATED, 10, 10);
	tail_add(t, 11, 20);
	acked_tail_ack(t, 20);
	tail_expect(t, 11, 20);
	tail_add(t, 31, 40);
	acked_tail_ack(t, 40);
	tail_expect(t, 31, 40);
	EXPECT_EQ(acked_tail_seek(t, 20), -ENOENT);
	/* Acknowledged, and never seen here. */
	acked_tail_ack(t, 45);
	EXPECT_EQ(acked_tail_seek(t, 40), -ENOENT);
	acked_tail_close(t);
	return 0;
}

/* Flip one byte of the only file. */
static void file_spoil(long offset)
{
	DIR *dir = opendir("tail");
	struct dirent *entry;

	while ((entry = readdir(dir)) != NULL) {
		char path[300];
		uint8_t byte;
		int fd;

		snprintf(path, sizeof(path), "tail/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (pread(fd, &byte, 1, offset) == 1) {
			byte ^= 0x10;
			EXPECT_EQ(pwrite(fd, &byte, 1, offset), 1);
		}
		close(fd);
	}
	closedir(dir);
}

static int damage_is_noticed(void *arg)
{
	(void)arg;
	for (long offset = 0; offset < 400; offset += 7) {
		struct acked_tail *t = NULL;
		struct acked_message m;
		int got;

		EXPECT_EQ(acked_tail_open("tail", 0, &t), 0);
		acked_tail_close(t);
		EXPECT_EQ(acked_tail_open("tail", 1 << 20, &t), 0);
		acked_tail_set_end(t, CREATED, 10, 10);
		tail_add(t, 11, 60);
		acked_tail_ack(t, 60);
		acked_tail_close(t);
		file_spoil(offset);
		EXPECT_EQ(acked_tail_open("tail", 1 << 20, &t), 0);
		EXPECT(acked_tail_acked(t) < 60 || !acked_tail_complete(t));
		got = acked_tail_seek(t, 20) == 0;
		while (got == 1)
			got = acked_tail_next(t, &m);
		acked_tail_close(t);
	}
	return 0;
}

static void fiber_run(int (*fn)(void *))
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 1;
	opts.stack_size = 256 << 10;
	atomic_store(&expect_failures, 0);
	assert_int_equal(sp_run(&opts, fn, NULL), 0);
	assert_int_equal(atomic_load(&expect_failures), 0);
}

#define IN_FIBER(name)                        \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		fiber_run(name);              \
	}

IN_FIBER(only_what_was_acknowledged)
IN_FIBER(another_run)
IN_FIBER(a_run_that_was_killed)
IN_FIBER(within_its_limit)
IN_FIBER(a_gap_begins_it_anew)
IN_FIBER(damage_is_noticed)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_come_back),
		cmocka_unit_test(test_bytes_that_are_no_messages),
		cmocka_unit_test(test_spoiled_words_are_bounded),
		IN_TEMPDIR(test_only_what_was_acknowledged),
		IN_TEMPDIR(test_another_run),
		IN_TEMPDIR(test_a_run_that_was_killed),
		IN_TEMPDIR(test_within_its_limit),
		IN_TEMPDIR(test_a_gap_begins_it_anew),
		IN_TEMPDIR(test_damage_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
