/* The acked tail on a disk that fails or takes too long. */
#include "disk_cases.h"

#include "egress/publisher/acked_tail.h"

#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SUBJECT "arancini.updates.v4_192_0_2_1.64500.1_1"
#define CREATED 1700000000
#define LIMIT	(1 << 20)
#define AMPLE	(64 << 20) /* one file for a run of 100 messages */
#define LEN	4000
#define LATER	(60 * SP_S) /* than a disk that failed is left alone */

static uint8_t bytes[LEN];

static void tail_add(struct acked_tail *t, uint64_t seq)
{
	struct acked_message m = {
		.id = { 7, { 7, seq, 0 } },
		.encoding = EGRESS_ZSTD, /* stored as it is */
		.subject = SUBJECT,
		.subject_len = sizeof(SUBJECT) - 1,
		.bytes = { bytes, LEN },
	};

	acked_tail_add(t, seq, &m);
}

/* Messages @from to @to, acknowledged and written. */
static int tail_fill(struct acked_tail *t, uint64_t from, uint64_t to,
		     int64_t now)
{
	int err = 0;

	for (uint64_t seq = from; seq <= to; seq++) {
		tail_add(t, seq);
		acked_tail_ack(t, seq);
		if (seq % 40 == 0 && err == 0)
			err = acked_tail_write(t, now);
	}
	return err;
}

/* What it gives is from @seq on without a gap; how it ended. */
static int tail_walk(struct acked_tail *t, uint64_t seq)
{
	struct acked_message m;
	int got = acked_tail_seek(t, seq);

	if (got < 0)
		return got;
	while ((got = acked_tail_next(t, &m)) == 1) {
		assert_true(m.id.record.seq == seq++);
		assert_true(m.bytes.len == LEN &&
			    strcmp(m.subject, SUBJECT) == 0);
	}
	assert_true(got < 0 || seq == acked_tail_acked(t) + 1);
	return got;
}

/* A run with step @fail_at failing. False: there are not as many steps. */
static bool run_with_failure(int fail_at, bool for_good)
{
	struct acked_tail *t = NULL;
	bool failed;

	failing_disk.steps = 0;
	failing_disk.fail_at = fail_at;
	failing_disk.fail_with = ENOSPC;
	failing_disk.for_good = for_good;
	if (acked_tail_open(folder, LIMIT, &t) == 0) {
		acked_tail_set_end(t, CREATED, 0, 0);
		(void)tail_fill(t, 1, 400, sp_now());
		/* Nothing waits for the disk that could hold up sending. */
		assert_true(!acked_tail_full(t));
		assert_true(acked_tail_acked(t) == 400);
		(void)tail_walk(t, 390);
		failed = failing_disk.steps >= fail_at;
		(void)tail_fill(t, 401, 800, sp_now() + LATER);
		assert_true(!acked_tail_full(t));
		/* A disk that failed before, and only once, is used again. */
		if (failed && !for_good)
			assert_true(tail_walk(t, 790) == 0);
		acked_tail_close(t);
	}
	failed = failing_disk.steps >= fail_at;
	failing_disk.fail_at = 0;
	return failed;
}

static void test_every_step_fails(void)
{
	for (int at = 1; run_with_failure(at, false); at++) {
		struct acked_tail *t = NULL;

		/* What is left is whole, or known not to be. */
		assert_true(acked_tail_open(folder, LIMIT, &t) == 0);
		if (acked_tail_created(t) != 0 && acked_tail_complete(t))
			assert_true(acked_tail_acked(t) == 800 &&
				    tail_walk(t, 790) == 0);
		acked_tail_close(t);
		empty_folder();
	}
}

static void test_a_disk_that_stays_full(void)
{
	for (int at = 1; run_with_failure(at, true); at++)
		empty_folder();
}

/* One that says no to nothing, and does not come to an end. */

static struct acked_tail *stalled;
static uint64_t stalled_seq;
static bool stalled_once;

static void disk_stall(void)
{
	if (stalled_once)
		return;
	stalled_once = true;
	assert_true(acked_tail_give_up(stalled) ==
		    INT64_MAX); /* there is room */
	while (!acked_tail_full(stalled)) {
		tail_add(stalled, ++stalled_seq);
		acked_tail_ack(stalled, stalled_seq);
	}
	/* Sending waits, but not for ever. */
	assert_true(acked_tail_give_up(stalled) < sp_in(5 * SP_S));
	acked_tail_skip(stalled);
	assert_true(!acked_tail_full(stalled));
}

static void test_a_disk_that_takes_too_long(void)
{
	struct acked_tail *t = NULL;

	assert_true(acked_tail_open(folder, LIMIT, &t) == 0);
	acked_tail_set_end(t, CREATED, 0, 0);
	for (stalled_seq = 0; stalled_seq < 100;)
		tail_add(t, ++stalled_seq);
	acked_tail_ack(t, stalled_seq);
	stalled = t;
	stalled_once = false;
	failing_disk.before = disk_stall;
	assert_true(acked_tail_write(t, sp_now()) == 0);
	failing_disk.before = NULL;
	assert_true(stalled_once && acked_tail_give_up(t) == INT64_MAX);
	/* What was left out is not made up for; it begins behind that. */
	assert_true(tail_walk(t, stalled_seq) == -ENOENT);
	assert_true(tail_fill(t, stalled_seq + 1, stalled_seq + 80, sp_now()) ==
		    0);
	assert_true(tail_walk(t, stalled_seq) == -ENOENT);
	assert_true(tail_walk(t, stalled_seq + 1) == 0);
	acked_tail_close(t);
}

/* What older runs left */

static void file_of(uint64_t first, char out[128])
{
	snprintf(out, 128, "%s/%020llu.tail", folder,
		 (unsigned long long)first);
}

/* Two runs, of 1 to 100 and of 101 to 200; @offset of the second is spoiled. */
static struct acked_tail *tail_spoiled(long offset)
{
	struct acked_tail *t = NULL;
	char path[128];
	uint8_t byte = 0;
	int fd;

	for (uint64_t from = 1; from <= 101; from += 100) {
		assert_true(acked_tail_open(folder, AMPLE, &t) == 0);
		acked_tail_set_end(t, CREATED, from - 1, from - 1);
		assert_true(tail_fill(t, from, from + 99, sp_now()) == 0);
		acked_tail_close(t);
	}
	file_of(101, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0 && pread(fd, &byte, 1, offset) == 1);
	byte ^= 3;
	assert_true(pwrite(fd, &byte, 1, offset) == 1);
	close(fd);
	assert_true(acked_tail_open(folder, AMPLE, &t) == 0);
	return t;
}

static void test_only_the_damaged_file_is_dropped(void)
{
	struct acked_tail *t = tail_spoiled(20);
	char path[128];
	int err;

	assert_true(strstr(acked_tail_damage(t, &err), "101.tail") != NULL);
	assert_true(err == -EBADMSG);
	file_of(101, path);
	assert_true(access(path, F_OK) < 0);
	/* More was acknowledged than is known now. */
	assert_true(acked_tail_created(t) == CREATED &&
		    acked_tail_acked(t) == 100);
	assert_true(!acked_tail_complete(t));
	assert_true(tail_walk(t, 1) == 0);
	acked_tail_close(t);
}

static void test_another_version_is_named(void)
{
	struct acked_tail *t = tail_spoiled(7); /* "ARATAIL2" */
	int err;

	assert_true(acked_tail_damage(t, &err) != NULL && err == -EOPNOTSUPP);
	acked_tail_close(t);
	assert_true(acked_tail_open(folder, AMPLE, &t) == 0);
	assert_true(acked_tail_damage(t, &err) == NULL);
	acked_tail_close(t);
}

/* More files than a run leaves, and unlink(2) removes none of them. */
static void test_files_that_cannot_be_removed(void)
{
	struct acked_tail *t = NULL;
	char path[128];

	assert_true(mkdir(folder, 0750) == 0);
	for (uint64_t first = 1; first <= 100; first++) {
		file_of(first, path);
		assert_true(mkdir(path, 0750) == 0);
	}
	assert_true(acked_tail_open(folder, LIMIT, &t) == -EISDIR);
	for (uint64_t first = 1; first <= 100; first++) {
		file_of(first, path);
		assert_true(rmdir(path) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_CASE(test_every_step_fails),
		DISK_CASE(test_a_disk_that_stays_full),
		DISK_CASE(test_a_disk_that_takes_too_long),
		DISK_CASE(test_only_the_damaged_file_is_dropped),
		DISK_CASE(test_another_version_is_named),
		DISK_CASE(test_files_that_cannot_be_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
