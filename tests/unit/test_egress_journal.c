/*
 * The journal on a disk that fails when it is told to. The tests run in a
 * fiber, because the journal has a lock; the disk itself does not wait.
 */
#include "disk_cases.h"

#include "egress/journal/journal.h"
#include "egress/journal/cursor.h"
#include "egress/journal/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SUBJECT "arancini.updates.v4_192_0_2_1.64500.1_1"

/* Records look different, so that a mixed-up one is noticed. */
static void payload_of(uint64_t seq, uint8_t out[256], uint32_t *len)
{
	*len = (uint32_t)(seq * 37 % 256);
	memset(out, (int)(seq & 0xff), *len);
}

static int put_at(struct journal *j, uint64_t seq, uint64_t time_ns)
{
	uint8_t bytes[256];
	struct journal_record r = {
		.time_ns = time_ns,
		.epoch = 7,
		.seq = seq,
		.updates = (uint32_t)seq,
		.encoding = 2,
		.subject = SUBJECT,
		.subject_len = sizeof(SUBJECT) - 1,
		.payload = bytes,
	};

	payload_of(seq, bytes, &r.len);
	return journal_append(j, &r, 1);
}

static int put(struct journal *j, uint64_t seq)
{
	return put_at(j, seq, 1000 + seq);
}

static void put_many(struct journal *j, uint64_t first, uint64_t last)
{
	for (uint64_t seq = first; seq <= last; seq++)
		assert_int_equal(put(j, seq), 1);
}

static void check_record(const struct journal_record *r, uint64_t seq)
{
	uint8_t bytes[256];
	uint32_t len;

	payload_of(seq, bytes, &len);
	assert_int_equal(r->seq, seq);
	assert_int_equal(r->epoch, 7);
	assert_int_equal(r->updates, seq);
	assert_int_equal(r->encoding, 2);
	assert_int_equal(r->subject_len, sizeof(SUBJECT) - 1);
	assert_memory_equal(r->subject, SUBJECT, r->subject_len);
	assert_int_equal(r->len, len);
	assert_memory_equal(r->payload, bytes, len);
}

/* The cursor gives @first to @last and then nothing. */
static void check_rest(struct journal_cursor *c, uint64_t first, uint64_t last)
{
	struct journal_record r;

	for (uint64_t seq = first; seq <= last; seq++) {
		assert_int_equal(journal_cursor_next(c, &r), 1);
		check_record(&r, seq);
	}
	assert_int_equal(journal_cursor_next(c, &r), 0);
}

static void check_holds(uint64_t first, uint64_t last)
{
	struct journal_cursor *c;

	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	check_rest(c, first, last);
	journal_cursor_close(c);
}

static struct journal *open_with(struct journal_options options)
{
	struct journal_fault fault;
	struct journal *j = NULL;

	options.dir = folder;
	assert_int_equal(journal_open(&options, &fault, &j), 0);
	return j;
}

/* Some eight records a segment. */
#define SMALL                          \
	((struct journal_options){     \
		.segment_bytes = 2048, \
	})

static size_t count_files(const char *suffix)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	size_t n = 0;

	while ((entry = readdir(d)) != NULL)
		n += strstr(entry->d_name, suffix) != NULL;
	closedir(d);
	return n;
}

static void newest_path(char out[256])
{
	char best[32] = "";
	DIR *d = opendir(folder);
	struct dirent *entry;

	while ((entry = readdir(d)) != NULL)
		if (strstr(entry->d_name, ".seg") != NULL &&
		    strcmp(entry->d_name, best) > 0)
			snprintf(best, sizeof(best), "%.31s", entry->d_name);
	closedir(d);
	snprintf(out, 256, "%s/%s", folder, best);
}

static off_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void overwrite(const char *path, off_t offset, size_t len)
{
	int fd = open(path, O_WRONLY);
	uint8_t zeroes[64] = { 0 };

	assert_int_equal(pwrite(fd, zeroes, len, offset), (ssize_t)len);
	close(fd);
}

static void test_round_trip(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_record last;
	uint64_t identity = journal_identity(j);
	uint64_t end;

	assert_false(journal_last(j, &last));
	put_many(j, 1, 100);
	assert_int_equal(journal_sync(j), 0);
	assert_int_equal(journal_synced(j), journal_end(j));
	end = journal_end(j);
	journal_close(j);
	assert_true(count_files(".seg") > 5);
	assert_int_equal(count_files(".idx"), count_files(".seg") - 1);
	check_holds(1, 100);

	j = open_with(SMALL);
	assert_true(journal_end(j) > end);
	assert_int_equal(journal_recovery(j)->cut, 0);
	assert_int_equal(journal_identity(j), identity);
	assert_true(journal_last(j, &last));
	assert_int_equal(last.seq, 100);
	put_many(j, 101, 120);
	journal_close(j);
	check_holds(1, 120);
	assert_int_equal(failing_disk.open_files, 0);
}

/* The other one may neither write nor cut; reading is for everybody. */
static void test_one_writer_at_a_time(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_options options = { .dir = folder };
	struct journal_fault fault;
	struct journal *other = NULL;
	int files = failing_disk.open_files;

	put_many(j, 1, 20);
	assert_int_equal(journal_open(&options, &fault, &other), -EBUSY);
	assert_null(other);
	assert_int_equal(failing_disk.open_files, files);
	check_holds(1, 20);
	put_many(j, 21, 40);
	journal_close(j);
	j = open_with(SMALL);
	journal_close(j);
	check_holds(1, 40);
}

static void test_many_at_once(void)
{
	struct journal *j = open_with((struct journal_options){ 0 });
	struct journal_record r[200];
	uint8_t bytes[200][256];

	for (uint64_t i = 0; i < COUNT(r); i++) {
		r[i] = (struct journal_record){
			.time_ns = i,
			.epoch = 7,
			.seq = i + 1,
			.updates = (uint32_t)(i + 1),
			.encoding = 2,
			.subject = SUBJECT,
			.subject_len = sizeof(SUBJECT) - 1,
			.payload = bytes[i],
		};
		payload_of(i + 1, bytes[i], &r[i].len);
	}
	assert_int_equal(journal_append(j, r, COUNT(r)), COUNT(r));
	assert_true(r[1].position > r[0].position);
	journal_close(j);
	check_holds(1, COUNT(r));
}

/* However much of the last record is missing, the others are there. */
static void test_torn_tail_is_cut(void)
{
	off_t whole = 1, before = 0;

	for (off_t missing = 1; missing < whole - before; missing++) {
		struct journal *j = open_with((struct journal_options){ 0 });
		const struct journal_recovery *found;
		char path[256];

		put_many(j, 1, 9);
		before = (off_t)journal_end(j);
		put_many(j, 10, 10);
		whole = (off_t)journal_end(j);
		journal_close(j);
		newest_path(path);
		assert_int_equal(truncate(path, whole - missing), 0);
		check_holds(1, 9);
		j = open_with((struct journal_options){ 0 });
		found = journal_recovery(j);
		assert_int_equal(found->cut, whole - missing - before);
		assert_string_equal(found->cut_at.name,
				    "00000000000000000000.seg");
		assert_int_equal(found->cut_at.offset, before);
		assert_int_equal(found->damaged, 0);
		assert_int_equal(size_of(path), before);
		/* Positions that were cut off are not used again. */
		assert_true(journal_end(j) > (uint64_t)whole);
		put_many(j, 10, 10);
		assert_true(journal_bytes(j) < 2 * (uint64_t)whole);
		journal_close(j);
		check_holds(1, 10);
		empty_folder();
	}
}

/* A segment is made with a header: a shorter one was cut. */
/* A segment of a terabyte, most of it a hole: it is not read into memory. */
static void test_a_segment_that_is_too_long_is_cut(void)
{
	struct journal *j = open_with((struct journal_options){ 0 });
	char path[256];
	off_t end;

	put_many(j, 1, 10);
	end = (off_t)journal_end(j);
	journal_close(j);
	newest_path(path);
	assert_int_equal(truncate(path, (off_t)1 << 40), 0);
	j = open_with((struct journal_options){ 0 });
	assert_int_equal(journal_recovery(j)->cut, ((off_t)1 << 40) - end);
	assert_int_equal(size_of(path), end);
	journal_close(j);
	check_holds(1, 10);
}

static void test_segment_without_header_is_dropped(void)
{
	static const off_t sizes[] = { 0, 1, 32, JOURNAL_HEADER - 1 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct journal *j = open_with(SMALL);
		struct journal_record last;
		char path[256];

		put_many(j, 1, 20);
		journal_close(j);
		newest_path(path);
		assert_int_equal(truncate(path, sizes[i]), 0);
		j = open_with(SMALL);
		assert_string_equal(journal_recovery(j)->cut_at.name,
				    strrchr(path, '/') + 1);
		assert_int_equal(journal_recovery(j)->damaged, 0);
		assert_int_equal(count_files(".damaged"), 0);
		assert_true(journal_last(j, &last));
		put_many(j, last.seq + 1, 20);
		journal_close(j);
		check_holds(1, 20);
		empty_folder();
	}
}

/* Pages of a write that was never synced arrive in any order. */
static void test_hole_in_unsynced_tail_is_cut(void)
{
	struct journal *j = open_with((struct journal_options){ 0 });
	char path[256];
	off_t hole;

	put_many(j, 1, 5);
	assert_int_equal(journal_sync(j), 0);
	hole = (off_t)journal_end(j);
	put_many(j, 6, 9);
	journal_close(j);
	newest_path(path);
	overwrite(path, hole + 8, 40);
	j = open_with((struct journal_options){ 0 });
	assert_true(journal_recovery(j)->cut > 0);
	journal_close(j);
	check_holds(1, 5);
}

static void test_damage_of_what_was_safe_is_set_aside(void)
{
	struct journal *j = open_with((struct journal_options){ 0 });
	const struct journal_recovery *found;
	uint64_t end;
	char path[256];
	off_t hole, size;

	put_many(j, 1, 5);
	hole = (off_t)journal_end(j);
	put_many(j, 6, 6);
	assert_int_equal(journal_sync(j), 0);
	put_many(j, 7, 9);
	end = journal_end(j);
	journal_close(j);
	newest_path(path);
	overwrite(path, hole + 8, 40);
	size = size_of(path);
	j = open_with((struct journal_options){ 0 });
	found = journal_recovery(j);
	assert_int_equal(found->damaged, 1);
	assert_string_equal(found->damaged_at.name, "00000000000000000000.seg");
	assert_int_equal(found->damaged_at.offset, hole);
	snprintf(path, sizeof(path), "%s/00000000000000000000.damaged", folder);
	assert_int_equal(size_of(path), size);
	assert_true(journal_end(j) > end);
	put_many(j, 10, 12);
	journal_close(j);
	check_holds(10, 12);
	assert_int_equal(failing_disk.open_files, 0);
}

static void flip(const char *path, off_t offset)
{
	int fd = open(path, O_RDWR);
	uint8_t byte;

	assert_int_equal(pread(fd, &byte, 1, offset), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
	close(fd);
}

/* Not one byte of the newest segment is deleted because a bit of it is wrong. */
static void test_newest_segment_with_a_damaged_header_is_set_aside(void)
{
	for (off_t offset = 0; offset < JOURNAL_HEADER; offset++) {
		struct journal *j = open_with(SMALL);
		struct journal_record last;
		uint64_t end, identity = journal_identity(j);
		char path[256], damaged[256];
		off_t size;

		put_many(j, 1, 20);
		end = journal_end(j);
		journal_close(j);
		newest_path(path);
		size = size_of(path);
		flip(path, offset);
		j = open_with(SMALL);
		assert_int_equal(journal_recovery(j)->damaged, 1);
		assert_string_equal(journal_recovery(j)->damaged_at.name,
				    strrchr(path, '/') + 1);
		snprintf(damaged, sizeof(damaged), "%.*s.damaged",
			 (int)strlen(path) - 4, path);
		assert_int_equal(size_of(damaged), size);
		assert_int_equal(journal_identity(j), identity);
		assert_true(journal_end(j) > end);
		assert_true(journal_last(j, &last));
		assert_true(last.seq < 20);
		put_many(j, last.seq + 1, 30);
		journal_close(j);
		/* It is no part of the journal any more. */
		check_holds(1, 30);
		j = open_with(SMALL);
		assert_int_equal(journal_recovery(j)->damaged, 0);
		journal_close(j);
		empty_folder();
	}
}

/* What may stand where a file is expected. Nobody writes to the FIFO. */
enum other_file {
	OTHER_FIFO,
	OTHER_FOLDER,
	OTHER_LINK,
	OTHER_DEVICE,
	OTHERS
};

static void put_other(const char *path, enum other_file kind)
{
	char fifo[256];

	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	if (kind == OTHER_FIFO)
		assert_int_equal(mkfifo(path, 0600), 0);
	else if (kind == OTHER_FOLDER)
		assert_int_equal(mkdir(path, 0700), 0);
	else if (kind == OTHER_DEVICE)
		assert_int_equal(symlink("/dev/zero", path), 0);
	else
		assert_true(mkfifo(fifo, 0600) == 0 &&
			    symlink("fifo", path) == 0);
}

static void test_a_segment_that_is_not_a_file_is_set_aside(void)
{
	for (enum other_file kind = 0; kind < OTHERS; kind++) {
		struct journal *j = open_with(SMALL);
		struct journal_record last;
		char path[256], damaged[256];

		put_many(j, 1, 20);
		journal_close(j);
		newest_path(path);
		assert_int_equal(unlink(path), 0);
		put_other(path, kind);
		j = open_with(SMALL);
		assert_int_equal(journal_recovery(j)->damaged, 1);
		assert_string_equal(journal_recovery(j)->damaged_at.name,
				    strrchr(path, '/') + 1);
		assert_true(journal_last(j, &last));
		put_many(j, last.seq + 1, 30);
		journal_close(j);
		check_holds(1, 30);
		snprintf(damaged, sizeof(damaged), "%.*s.damaged",
			 (int)strlen(path) - 4, path);
		assert_int_equal(remove(damaged), 0);
		empty_folder();
	}
}

static void test_a_new_segment_takes_the_place_of_what_is_not_a_file(void)
{
	struct journal_options options = { .dir = folder };
	struct journal_fault fault;
	char path[256];

	snprintf(path, sizeof(path), "%s/next.tmp", folder);
	for (enum other_file kind = 0; kind < OTHERS; kind++) {
		struct journal *j;

		assert_int_equal(mkdir(folder, 0700), 0);
		put_other(path, kind);
		if (kind == OTHER_FOLDER) {
			assert_int_equal(journal_open(&options, &fault, &j),
					 -EISDIR);
			assert_int_equal(rmdir(path), 0);
		} else {
			j = open_with(SMALL);
			put_many(j, 1, 20);
			journal_close(j);
			check_holds(1, 20);
		}
		empty_folder();
	}
}

/* Give the segment at @path another version, and a checksum that is right. */
static void set_version(const char *path, uint32_t version)
{
	uint8_t header[JOURNAL_HEADER];
	int fd = open(path, O_RDWR);
	uint64_t sum;

	assert_int_equal(pread(fd, header, sizeof(header), 0), sizeof(header));
	memcpy(header + 8, &version, sizeof(version));
	if (version == 1)
		memset(header + 40, 0, 16);
	sum = XXH3_64bits(header, 56);
	memcpy(header + 56, &sum, sizeof(sum));
	assert_int_equal(pwrite(fd, header, sizeof(header), 0), sizeof(header));
	close(fd);
}

static void test_a_later_version_is_refused_by_name(void)
{
	struct journal_options options = { .dir = folder };
	struct journal_fault fault = { .offset = 1 };
	struct journal *j = open_with(SMALL);
	struct journal_cursor *c;
	struct journal_record r;
	char path[256];
	size_t files;

	put_many(j, 1, 20);
	journal_close(j);
	newest_path(path);
	set_version(path, 3);
	files = count_files(".seg");
	assert_int_equal(journal_open(&options, &fault, &j), -EPROTONOSUPPORT);
	assert_string_equal(fault.name, strrchr(path, '/') + 1);
	assert_int_equal(count_files(".seg"), files);
	assert_int_equal(count_files(".damaged"), 0);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_NEWEST, &c), 0);
	assert_int_equal(journal_cursor_next(c, &r), -EPROTONOSUPPORT);
	assert_string_equal(journal_cursor_fault(c)->name,
			    strrchr(path, '/') + 1);
	journal_cursor_close(c);
	assert_int_equal(failing_disk.open_files, 0);
}

/* Version 1 has no previous: a segment begins where the one before it ends. */
static void test_version_1_is_read_and_gone_on_with(void)
{
	struct journal *j = open_with(SMALL);
	struct dirent *entry;
	char path[512];
	DIR *d;

	put_many(j, 1, 40);
	journal_close(j);
	d = opendir(folder);
	while ((entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (strstr(entry->d_name, ".seg") != NULL)
			set_version(path, 1);
	}
	closedir(d);
	check_holds(1, 40);
	j = open_with(SMALL);
	assert_int_equal(journal_recovery(j)->damaged, 0);
	put_many(j, 41, 50);
	journal_close(j);
	check_holds(1, 50);
}

static void test_damage_in_an_old_segment_is_found_by_reading(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_cursor *c;
	struct journal_record r;
	char path[256];
	int n = 0;
	int got;

	put_many(j, 1, 40);
	journal_close(j);
	snprintf(path, sizeof(path), "%s/00000000000000000000.seg", folder);
	overwrite(path, size_of(path) - 64, 64);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	while ((got = journal_cursor_next(c, &r)) == 1)
		check_record(&r, (uint64_t)++n);
	assert_int_equal(got, -EBADMSG);
	assert_string_equal(journal_cursor_fault(c)->name,
			    "00000000000000000000.seg");
	assert_true(journal_cursor_fault(c)->offset >= JOURNAL_HEADER);
	journal_cursor_close(c);
}

/*
 * Whatever step fails, once or from then on: what was reported as appended is
 * there afterwards, in order, and no file stays open.
 */
static void walk_failures(bool for_good)
{
	for (int fail_at = 1;; fail_at++) {
		struct journal_options options = SMALL;
		struct journal_fault fault;
		struct journal *j = NULL;
		uint64_t done = 0;
		int steps;

		empty_folder();
		failing_disk = (struct failing_disk){
			.fail_at = fail_at,
			.fail_with = EIO,
			.for_good = for_good,
		};
		options.dir = folder;
		if (journal_open(&options, &fault, &j) == 0) {
			while (done < 30 && put(j, done + 1) == 1)
				done++;
			(void)journal_sync(j);
			journal_close(j);
		}
		steps = failing_disk.steps;
		assert_int_equal(failing_disk.open_files, 0);
		failing_disk = (struct failing_disk){ 0 };
		j = open_with(SMALL);
		journal_close(j);
		check_holds(1, done);
		if (steps < fail_at)
			return; /* that step was never reached */
	}
}

static void test_each_step_fails(void)
{
	walk_failures(false);
	walk_failures(true);
}

static void test_reading_fails_at_each_step(void)
{
	struct journal *j = open_with(SMALL);

	put_many(j, 1, 30);
	journal_close(j);
	for (int fail_at = 1;; fail_at++) {
		struct journal_cursor *c = NULL;
		struct journal_record r;
		int n = 0;
		int got;

		failing_disk = (struct failing_disk){
			.fail_at = fail_at,
			.fail_with = EIO,
		};
		got = journal_cursor_open(folder, JOURNAL_OLDEST, &c);
		while (got == 0) {
			got = journal_cursor_next(c, &r);
			if (got != 1)
				break;
			check_record(&r, (uint64_t)++n);
			got = 0;
		}
		journal_cursor_close(c);
		assert_int_equal(failing_disk.open_files, 0);
		if (failing_disk.steps < fail_at) {
			assert_int_equal(n, 30);
			break;
		}
	}
}

static void test_sync_failed_and_appended_again(void)
{
	struct journal *j = open_with((struct journal_options){ 0 });

	put_many(j, 1, 3);
	assert_int_equal(journal_sync(j), 0);
	put_many(j, 4, 6);
	failing_disk.fail_at = failing_disk.steps + 1;
	failing_disk.fail_with = EIO;
	assert_int_equal(journal_sync(j), -EIO);
	assert_true(journal_synced(j) < journal_end(j));
	/* What the kernel has thrown away is not safe by syncing again. */
	assert_int_equal(journal_sync(j), -EIO);
	assert_true(journal_synced(j) < journal_end(j));
	assert_int_equal(journal_rewind(j), 0);
	assert_int_equal(journal_synced(j), journal_end(j));
	check_holds(1, 3);
	put_many(j, 4, 6);
	assert_int_equal(journal_sync(j), 0);
	journal_close(j);
	check_holds(1, 6);
}

/*
 * A power failure could bring back what a rewind cut off, and then it is in an
 * older segment: the cut is safe before another one begins.
 */
static void test_a_cut_is_synced_before_the_next_segment(void)
{
	struct journal *j = open_with((struct journal_options){ 0 });
	int steps;

	put_many(j, 1, 3);
	assert_int_equal(journal_sync(j), 0);
	put_many(j, 4, 6);
	failing_disk.fail_with = EIO;
	failing_disk.fail_at = failing_disk.steps + 1;
	assert_int_equal(journal_sync(j), -EIO);
	/* The second step of the rewind, behind the truncation. */
	steps = failing_disk.steps;
	failing_disk.fail_at = steps + 2;
	assert_int_equal(journal_rewind(j), -EIO);
	assert_int_equal(failing_disk.steps, steps + 2);
	assert_int_equal(journal_rewind(j), 0);
	put_many(j, 4, 6);
	assert_int_equal(journal_sync(j), 0);
	journal_close(j);
	check_holds(1, 6);
}

static void test_full_disk_keeps_what_is_there(void)
{
	struct journal *j = open_with(SMALL);
	uint64_t n = 0;

	failing_disk.room = 6000;
	while (put(j, n + 1) == 1)
		n++;
	assert_true(n > 10);
	assert_int_equal(put(j, n + 1), -ENOSPC);
	check_holds(1, n);
	failing_disk.room = 0;
	put_many(j, n + 1, n + 20);
	journal_close(j);
	check_holds(1, n + 20);
}

static void test_spool_refuses_and_releases(void)
{
	struct journal_options options = SMALL;
	struct journal_cursor *c;
	struct journal_record r;
	struct journal *j;
	uint64_t n = 0;

	options.spool = true;
	options.max_bytes = 10000;
	j = open_with(options);
	while (put(j, n + 1) == 1)
		n++;
	assert_int_equal(put(j, n + 1), -ENOSPC);
	assert_true(journal_bytes(j) <= 10000);
	check_holds(1, n);

	/* Half of it was published: there is room again, the rest is there. */
	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	for (uint64_t i = 1; i <= n / 2; i++)
		assert_int_equal(journal_cursor_next(c, &r), 1);
	assert_int_equal(journal_release(j, journal_cursor_position(c)), 0);
	put_many(j, n + 1, n + 4);
	check_rest(c, n / 2 + 1, n + 4);

	/* All of it was: one empty segment is left. */
	assert_int_equal(journal_release(j, journal_end(j)), 0);
	assert_int_equal(count_files(".seg"), 1);
	assert_int_equal(journal_bytes(j), JOURNAL_HEADER);
	put_many(j, n + 5, n + 9);
	check_rest(c, n + 5, n + 9);
	journal_cursor_close(c);
	journal_close(j);
	check_holds(n + 5, n + 9);
	assert_int_equal(journal_cursor_open(folder, /* position= */ 64, &c),
			 -ESTALE);
}

/* A limit is no reason to wait for ever for something that is longer. */
static void test_an_empty_spool_takes_one_record_of_any_length(void)
{
	struct journal_options options = { .spool = true, .max_bytes = 100 };
	struct journal *j = open_with(options);

	for (uint64_t seq = 1; seq <= 3; seq++) {
		assert_int_equal(put(j, seq), 1);
		assert_true(journal_bytes(j) > 100);
		assert_int_equal(put(j, seq + 1), -ENOSPC);
		check_holds(seq, seq);
		assert_int_equal(journal_release(j, journal_end(j)), 0);
	}
	journal_close(j);
}

static void test_all_is_released_on_a_full_disk(void)
{
	struct journal *j =
		open_with((struct journal_options){ .spool = true });
	uint64_t identity = journal_identity(j);
	struct journal_cursor *c;

	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	put_many(j, 1, 20);
	failing_disk.room = 1;
	assert_int_equal(put(j, 21), -ENOSPC);
	check_rest(c, 1, 20);
	assert_int_equal(journal_release(j, journal_end(j)), 0);
	assert_int_equal(count_files(".seg"), 1);
	put_many(j, 21, 25);
	check_rest(c, 21, 25);
	journal_cursor_close(c);
	journal_close(j);
	failing_disk.room = 0;
	j = open_with((struct journal_options){ .spool = true });
	assert_int_equal(journal_identity(j), identity);
	journal_close(j);
	check_holds(21, 25);
	assert_int_equal(failing_disk.open_files, 0);
}

/* What was let go is not written to, whoever has its room now. */
static void test_released_room_that_others_take(void)
{
	struct journal *j =
		open_with((struct journal_options){ .spool = true });
	struct journal_cursor *c;

	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	put_many(j, 1, 20);
	check_rest(c, 1, 20);
	failing_disk.room = 1;
	failing_disk.crowded = true;
	assert_int_equal(journal_release(j, journal_end(j)), -ENOSPC);
	assert_int_equal(journal_bytes(j), 0);
	assert_int_equal(journal_first(j), journal_end(j));
	assert_int_equal(put(j, 21), -ENOSPC);
	assert_int_equal(journal_sync(j), 0);
	assert_int_equal(journal_rewind(j), 0);
	assert_int_equal(journal_release(j, journal_end(j)), 0);
	failing_disk.room = 0;
	put_many(j, 21, 25);
	check_rest(c, 21, 25);
	journal_cursor_close(c);
	journal_close(j);
	check_holds(21, 25);
	assert_int_equal(failing_disk.open_files, 0);
}

static void test_retention(void)
{
	struct journal_options options = SMALL;
	struct journal_cursor *c;
	struct journal_record r;
	struct journal *j;

	options.max_bytes = 6000;
	options.max_age_ns = 1000000;
	j = open_with(options);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	put_many(j, 1, 60);
	assert_int_equal(journal_retain(j, 0), 0);
	assert_true(journal_bytes(j) <= 6000);
	assert_true(count_files(".seg") > 1);
	/* It reads the segment it has open, and then there is a gap. */
	while (journal_cursor_next(c, &r) == 1)
		;
	assert_int_equal(journal_cursor_next(c, &r), -ESTALE);
	journal_cursor_close(c);

	/* In the year 2200 only the newest is left. */
	assert_int_equal(journal_retain(j, 7258118400000000000u), 0);
	assert_int_equal(count_files(".seg"), 1);
	assert_int_equal(count_files(".idx"), 0);
	journal_close(j);
}

static void test_cursor_follows(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_cursor *c;
	struct journal_record r;

	assert_int_equal(journal_cursor_open(folder, journal_end(j), &c), 0);
	assert_int_equal(journal_cursor_next(c, &r), 0);
	for (uint64_t seq = 1; seq <= 50; seq++) {
		put_many(j, seq, seq);
		check_rest(c, seq, seq);
	}
	journal_cursor_close(c);
	journal_close(j);
	assert_int_equal(failing_disk.open_files, 0);
}

static void check_refused(uint64_t position, int error)
{
	struct journal_cursor *c;

	assert_int_equal(journal_cursor_open(folder, position, &c), error);
}

/* Where no record begins and no segment ends, there is nothing to read. */
static void test_positions_of_no_record_are_refused(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_gap *gaps;
	struct journal_cursor *c;
	uint64_t places[21] = { 0 };
	uint64_t end;
	char path[256];
	size_t count;

	for (uint64_t seq = 1; seq <= 20; seq++) {
		places[seq] = journal_end(j);
		put_many(j, seq, seq);
	}
	end = journal_end(j);
	for (uint64_t seq = 1; seq <= 20; seq++) {
		assert_int_equal(journal_cursor_open(folder, places[seq], &c),
				 0);
		check_rest(c, seq, 20);
		journal_cursor_close(c);
		check_refused(places[seq] + 8, -ERANGE);
	}
	check_refused(8, -ERANGE);
	check_refused(end + 8, -ERANGE);
	check_refused(UINT64_MAX / 2, -ERANGE);
	journal_close(j);

	/* The last record is torn: its end was a place, and is none now. */
	newest_path(path);
	assert_int_equal(truncate(path, size_of(path) - 8), 0);
	j = open_with(SMALL);
	put_many(j, 20, 60);
	check_refused(end, -ERANGE);
	check_refused(end - 8, -ERANGE);
	assert_int_equal(journal_cursor_open(folder, places[20], &c), 0);
	check_rest(c, 20, 60);
	journal_cursor_close(c);
	assert_int_equal(journal_gaps(j, &gaps, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(gaps[0].from, places[20]);
	assert_true(gaps[0].from < end && end < gaps[0].to);
	free(gaps);
	journal_close(j);
}

/* Whoever has read what was cut off is told, also after more was written. */
static void test_a_follower_is_told_of_a_cut(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_cursor *behind, *before;
	struct journal_record r;
	char path[256];

	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &behind),
			 0);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &before),
			 0);
	put_many(j, 1, 19);
	check_rest(behind, 1, 19);
	check_rest(before, 1, 19);
	put_many(j, 20, 20);
	check_rest(behind, 20, 20);
	journal_close(j);
	newest_path(path);
	assert_int_equal(truncate(path, size_of(path) - 8), 0);
	j = open_with(SMALL);
	put_many(j, 20, 60);
	assert_int_equal(journal_cursor_next(behind, &r), -ERANGE);
	check_rest(before, 20, 60);
	journal_cursor_close(behind);
	journal_cursor_close(before);
	journal_close(j);
}

/* A sync that failed takes records back that somebody may have read. */
static void test_a_follower_is_told_of_a_rewind(void)
{
	struct journal *j = open_with((struct journal_options){ 0 });
	struct journal_cursor *c;
	struct journal_record r;

	put_many(j, 1, 3);
	assert_int_equal(journal_sync(j), 0);
	put_many(j, 4, 6);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	check_rest(c, 1, 6);
	failing_disk.fail_at = failing_disk.steps + 1;
	failing_disk.fail_with = EIO;
	assert_int_equal(journal_sync(j), -EIO);
	assert_int_equal(journal_rewind(j), 0);
	put_many(j, 4, 9);
	assert_int_equal(journal_cursor_next(c, &r), -ERANGE);
	journal_cursor_close(c);
	journal_close(j);
	check_holds(1, 9);
}

static void test_a_follower_notices_another_journal(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_cursor *inside, *c;
	struct journal_record r;
	char old[80];

	put_many(j, 1, 20);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_NEWEST, &c), 0);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_NEWEST, &inside),
			 0);
	assert_int_equal(journal_cursor_next(c, &r), 0);
	journal_close(j);
	empty_folder();
	assert_int_equal(journal_cursor_next(c, &r), -ENOENT);
	j = open_with(SMALL);
	assert_int_equal(journal_cursor_next(c, &r), -EIDRM);
	put_many(j, 1, 40);
	assert_int_equal(journal_cursor_next(inside, &r), -EIDRM);
	journal_cursor_close(c);
	journal_cursor_close(inside);

	/* Moved away, as a person does, and not deleted. */
	assert_int_equal(journal_cursor_open(folder, JOURNAL_NEWEST, &c), 0);
	journal_close(j);
	snprintf(old, sizeof(old), "%s.old", folder);
	assert_int_equal(rename(folder, old), 0);
	j = open_with(SMALL);
	put_many(j, 1, 3);
	assert_int_equal(journal_cursor_next(c, &r), -EIDRM);
	journal_cursor_close(c);
	journal_close(j);
	empty_folder();
	assert_int_equal(rename(old, folder), 0);
}

static void test_new_is_behind_the_last_record(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_cursor *c;

	put_many(j, 1, 20);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_NEWEST, &c), 0);
	assert_int_equal(journal_cursor_position(c), journal_end(j));
	put_many(j, 21, 40);
	check_rest(c, 21, 40);
	journal_cursor_close(c);
	journal_close(j);
}

/* On a disk that is full of it, what a spool holds can still be drained. */
static void test_a_full_disk_does_not_prevent_opening(void)
{
	struct journal *j =
		open_with((struct journal_options){ .spool = true });

	put_many(j, 1, 20);
	journal_close(j);
	failing_disk.room = 1;
	j = open_with((struct journal_options){ .spool = true });
	check_holds(1, 20);
	assert_int_equal(put(j, 21), -ENOSPC);
	assert_int_equal(journal_sync(j), 0);
	assert_int_equal(journal_release(j, journal_end(j)), 0);
	assert_int_equal(count_files(".seg"), 0);
	put_many(j, 21, 25);
	check_holds(21, 25);
	journal_close(j);
}

/* What lies behind a damaged segment can be read all the same. */
static void test_a_cursor_skips_what_is_damaged(void)
{
	struct journal *j = open_with(SMALL);
	struct journal_cursor *c;
	struct journal_record r;
	uint64_t seq = 0;
	char path[256];
	int got;

	put_many(j, 1, 40);
	snprintf(path, sizeof(path), "%s/00000000000000000000.seg", folder);
	overwrite(path, size_of(path) - 64, 64);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	while ((got = journal_cursor_next(c, &r)) == 1)
		seq = r.seq;
	assert_int_equal(got, -EBADMSG);
	assert_int_equal(journal_cursor_skip(c), 0);
	check_rest(c, seq + 2, 40);
	assert_int_equal(journal_cursor_skip(c), -ENOENT);
	assert_int_equal(journal_leave(j), 0);
	assert_int_equal(journal_cursor_skip(c), 0);
	put_many(j, 41, 50);
	check_rest(c, 41, 50);
	journal_cursor_close(c);
	journal_close(j);
}

/* What who follows the journal may find at any moment. */
static void look_at_segments(void)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	char path[512];

	while (d != NULL && (entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (strstr(entry->d_name, ".seg") != NULL)
			assert_true(size_of(path) >= JOURNAL_HEADER);
	}
	if (d != NULL)
		closedir(d);
}

/*
 * A segment is there when it can be read: a follower that came between its
 * name and its header took the end of the one before it for damaged.
 */
static void test_a_segment_appears_with_its_header(void)
{
	struct journal *j;

	failing_disk.before = look_at_segments;
	j = open_with(SMALL);
	put_many(j, 1, 40);
	journal_close(j);
	failing_disk.before = NULL;
	assert_true(count_files(".seg") > 2);
}

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void check_seek(uint64_t time_ns, uint64_t first, uint64_t last)
{
	struct journal_cursor *c;

	assert_int_equal(journal_cursor_open_at(folder, time_ns, &c), 0);
	check_rest(c, first, last);
	journal_cursor_close(c);
}

static void test_seeking_by_time(void)
{
	struct journal *j = open_with(SMALL);
	uint64_t times[61] = { 0 };
	char path[256];

	for (uint64_t seq = 1; seq <= 60; seq++) {
		while ((times[seq] = wall_ns()) == times[seq - 1])
			;
		assert_int_equal(put_at(j, seq, times[seq]), 1);
	}
	journal_close(j);
	check_seek(1, 1, 60);
	for (uint64_t seq = 1; seq <= 60; seq++)
		check_seek(times[seq], seq, 60);
	check_seek(times[60] + 1, 1, 0); /* nothing yet */
	/* An index that cannot be read costs time, no more. */
	snprintf(path, sizeof(path), "%s/00000000000000000000.idx", folder);
	overwrite(path, 0, 8);
	check_seek(times[5], 5, 60);
	assert_int_equal(failing_disk.open_files, 0);
}

static void test_no_journal(void)
{
	struct journal_cursor *c;

	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c),
			 -ENOENT);
	assert_int_equal(mkdir(folder, 0750), 0);
	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c),
			 -ENOENT);
	assert_int_equal(journal_cursor_open_at(folder, 1, &c), -ENOENT);
	assert_int_equal(failing_disk.open_files, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_CASE(test_round_trip),
		DISK_CASE(test_one_writer_at_a_time),
		DISK_CASE(test_many_at_once),
		DISK_CASE(test_torn_tail_is_cut),
		DISK_CASE(test_a_segment_that_is_too_long_is_cut),
		DISK_CASE(test_segment_without_header_is_dropped),
		DISK_CASE(test_hole_in_unsynced_tail_is_cut),
		DISK_CASE(test_damage_of_what_was_safe_is_set_aside),
		DISK_CASE(
			test_newest_segment_with_a_damaged_header_is_set_aside),
		DISK_CASE(test_a_segment_that_is_not_a_file_is_set_aside),
		DISK_CASE(
			test_a_new_segment_takes_the_place_of_what_is_not_a_file),
		DISK_CASE(test_a_later_version_is_refused_by_name),
		DISK_CASE(test_version_1_is_read_and_gone_on_with),
		DISK_CASE(test_positions_of_no_record_are_refused),
		DISK_CASE(test_a_follower_is_told_of_a_cut),
		DISK_CASE(test_a_follower_is_told_of_a_rewind),
		DISK_CASE(test_a_cut_is_synced_before_the_next_segment),
		DISK_CASE(test_a_follower_notices_another_journal),
		DISK_CASE(test_new_is_behind_the_last_record),
		DISK_CASE(test_a_full_disk_does_not_prevent_opening),
		DISK_CASE(test_a_cursor_skips_what_is_damaged),
		DISK_CASE(test_damage_in_an_old_segment_is_found_by_reading),
		DISK_CASE(test_each_step_fails),
		DISK_CASE(test_reading_fails_at_each_step),
		DISK_CASE(test_sync_failed_and_appended_again),
		DISK_CASE(test_full_disk_keeps_what_is_there),
		DISK_CASE(test_spool_refuses_and_releases),
		DISK_CASE(test_an_empty_spool_takes_one_record_of_any_length),
		DISK_CASE(test_all_is_released_on_a_full_disk),
		DISK_CASE(test_released_room_that_others_take),
		DISK_CASE(test_retention),
		DISK_CASE(test_cursor_follows),
		DISK_CASE(test_a_segment_appears_with_its_header),
		DISK_CASE(test_seeking_by_time),
		DISK_CASE(test_no_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
