/*
 * A state store in a folder, on a disk that fails when it is told to. The files are
 * real; only the calls of spargio that reach them are ours, so that each can
 * fail, or be the last before a crash.
 */
#include "check.h"
#include "tempdir.h"

#include "collector/checkpoint/state_store.h"
#include "egress/journal/file_ops.h"

#include <spargio/dir.h>
#include <spargio/file.h>
#include <spargio/path.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "v4_192_0_2_1.snap"

static struct {
	int steps;
	int fail_at; /* 0: never */
	bool crash;  /* nothing works from there on */
	int open;    /* descriptors */
	bool synced; /* all that was written */
	bool folder_synced;
} disk;

static int step(void)
{
	disk.steps++;
	if (disk.fail_at != 0 && (disk.steps == disk.fail_at ||
				  (disk.crash && disk.steps > disk.fail_at)))
		return -EIO;
	return 0;
}

static int result(long ret)
{
	return ret < 0 ? -errno : (int)ret;
}

int sp_openat(int dir, const char *path, int flags, mode_t mode)
{
	int err = step();

	if (err == 0)
		err = result(openat(dir, path, flags, mode));
	disk.open += err >= 0;
	return err;
}

int sp_open_regular(int dir, const char *path, int flags, mode_t mode)
{
	int fd = sp_openat(dir, path, flags | O_NONBLOCK, mode);
	struct stat st;

	if (fd < 0)
		return fd == -EISDIR ? -ENXIO : fd;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	sp_close(fd);
	return -ENXIO;
}

int file_make_dir(const char *path, mode_t mode)
{
	return sp_mkdir_all(AT_FDCWD, path, mode);
}

int file_lock(int dir)
{
	return result(flock(dir, LOCK_EX | LOCK_NB));
}

int sp_statx(int dir, const char *path, int flags, unsigned int mask,
	     struct statx *out)
{
	return result(statx(dir, path, flags, mask, out));
}

int sp_fstat(int fd, struct statx *out)
{
	return result(statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, out));
}

int sp_close(int fd)
{
	disk.open--;
	return result(close(fd));
}

ssize_t sp_pread(int fd, void *data, size_t len, off_t offset)
{
	int err = step();

	/* A disk may give less than was asked for. */
	if (len > 1000)
		len = 1000;
	return err < 0 ? err : result(pread(fd, data, len, offset));
}

int sp_pwrite_all(int fd, const void *data, size_t len, off_t offset)
{
	int err = step();

	disk.synced = false;
	/* What fails has written half of it. */
	if (pwrite(fd, data, err < 0 ? len / 2 : len, offset) < 0)
		return -errno;
	return err;
}

int sp_fdatasync(int fd)
{
	int err = step();

	(void)fd;
	disk.synced = err == 0;
	return err;
}

int sp_fsync(int fd)
{
	int err = step();

	(void)fd;
	disk.folder_synced = err == 0;
	return err;
}

int sp_renameat(int from_dir, const char *from, int to_dir, const char *to,
		unsigned int flags)
{
	int err = step();

	assert_int_equal(flags, 0);
	if (err < 0)
		return err;
	/* A name for what is not on the disk would be a lie after a crash. */
	if (strstr(from, ".tmp") != NULL)
		assert_true(disk.synced);
	disk.folder_synced = false;
	return result(renameat(from_dir, from, to_dir, to));
}

int sp_unlinkat(int dir, const char *path, int flags)
{
	int err = step();

	return err < 0 ? err : result(unlinkat(dir, path, flags));
}

int sp_mkdir_all(int dir, const char *path, mode_t mode)
{
	int err = step();

	if (err == 0 && mkdirat(dir, path, mode) < 0 && errno != EEXIST)
		err = -errno;
	return err;
}

struct sp_dir {
	DIR *dir;
};

int sp_dir_open(int dir, const char *path, struct sp_dir **out)
{
	int err = step();

	assert_int_equal(dir, AT_FDCWD);
	if (err < 0)
		return err;
	*out = malloc(sizeof(**out));
	(*out)->dir = opendir(path);
	return 0;
}

int sp_dir_next(struct sp_dir *d, struct sp_dirent *out)
{
	struct dirent *e;
	int err = step();

	if (err < 0)
		return err;
	do
		e = readdir(d->dir);
	while (e != NULL && e->d_name[0] == '.');
	if (e == NULL)
		return 0;
	*out = (struct sp_dirent){ .name = e->d_name, .type = e->d_type };
	return 1;
}

void sp_dir_close(struct sp_dir *d)
{
	if (d == NULL)
		return;
	closedir(d->dir);
	free(d);
}

/* The tests */

static struct state_store *open_shelf(void)
{
	struct state_store *store;

	memset(&disk, 0, sizeof(disk));
	assert_int_equal(state_store_open_dir("shelf", &store), 0);
	assert_string_equal(state_store_where(store), "shelf");
	return store;
}

static void close_shelf(struct state_store *store)
{
	state_store_close(store);
	assert_int_equal(disk.open, 0);
}

/* @n bytes that depend on where they are. */
static char *pattern(size_t n, unsigned salt)
{
	char *p = malloc(n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = (char)(i * 31 + i / 251 + salt);
	return p;
}

/* In pieces of many sizes, some larger than what is gathered. */
static int put_in_pieces(struct state_store *store, const char *name,
			 const char *bytes, size_t n)
{
	size_t piece = 1, at = 0;
	struct state_store_writer *w;
	int err = state_store_begin(store, name, &w);

	if (err < 0)
		return err;
	while (at < n && err == 0) {
		size_t len = piece < n - at ? piece : n - at;

		err = state_store_write(w, bytes + at, len);
		at += len;
		piece = piece * 3 + 1;
	}
	if (err == 0)
		return state_store_commit(w);
	state_store_abandon(w);
	return err;
}

static bool holds(struct state_store *store, const char *name,
		  const char *bytes, size_t n)
{
	void *got;
	size_t len;
	bool same;

	if (state_store_get(store, name, n + 10, &got, &len) < 0)
		return false;
	same = len == n && memcmp(got, bytes, n) == 0;
	free(got);
	return same;
}

static void test_what_was_put_is_got(void **state)
{
	static const size_t sizes[] = { 0,	1,	4096,	 262143,
					262144, 262145, 1000000, 3000000 };
	struct state_store *store = open_shelf();

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *bytes = pattern(sizes[i], (unsigned)i);
		void *got;
		size_t len;

		assert_int_equal(put_in_pieces(store, NAME, bytes, sizes[i]),
				 0);
		assert_true(disk.synced && disk.folder_synced);
		assert_true(holds(store, NAME, bytes, sizes[i]));
		if (sizes[i] > 0)
			assert_int_equal(state_store_get(store, NAME,
							 sizes[i] - 1, &got,
							 &len),
					 -EFBIG);
		free(bytes);
	}
	close_shelf(store);
}

static void test_until_the_commit_there_is_what_was_before(void **state)
{
	struct state_store *store = open_shelf();
	struct state_store_writer *w;
	struct state_store_reader *r;

	(void)state;
	assert_int_equal(state_store_open(store, NAME, &r), -ENOENT);
	assert_int_equal(state_store_put(store, NAME, "old", 3), 0);
	assert_int_equal(state_store_begin(store, NAME, &w), 0);
	assert_int_equal(state_store_write(w, "newer", 5), 0);
	assert_true(holds(store, NAME, "old", 3));
	state_store_abandon(w);
	assert_true(holds(store, NAME, "old", 3));
	assert_int_equal(access("shelf/" NAME ".tmp", F_OK), -1);
	close_shelf(store);
}

/* Every step of a commit fails once, and then again as if it were the last. */
static void test_a_failing_disk_leaves_the_old_or_the_new(void **state)
{
	size_t n = 600000;
	char *old = pattern(n / 2, 1), *new = pattern(n, 2);

	(void)state;
	for (int crash = 0; crash < 2; crash++) {
		bool reached_the_end = false;

		for (int at = 1; !reached_the_end; at++) {
			struct state_store *store = open_shelf();
			int err;

			assert_int_equal(state_store_put(store, NAME, old,
							 n / 2),
					 0);
			disk.steps = 0;
			disk.fail_at = at;
			disk.crash = crash;
			err = put_in_pieces(store, NAME, new, n);
			reached_the_end = disk.steps < at;
			disk.fail_at = 0;
			CHECK(err == (reached_the_end ? 0 : -EIO), "%d: %d", at,
			      err);
			CHECK(holds(store, NAME, new, n) ||
				      (err < 0 &&
				       holds(store, NAME, old, n / 2)),
			      "step %d of a crash %d", at, crash);
			/* It can be written when the disk is well again. */
			assert_int_equal(put_in_pieces(store, NAME, new, n), 0);
			assert_true(holds(store, NAME, new, n));
			close_shelf(store);
		}
	}
	free(old);
	free(new);
}

static int note_name(void *names, const char *name)
{
	char *end = strchr(names, '\0');

	stpcpy(stpcpy(end, name), " ");
	return strcmp(name, "stop") == 0 ? -EPERM : 0;
}

static void test_the_list_has_what_is_there_and_whole(void **state)
{
	char names[1024] = "";
	struct state_store *store = open_shelf();
	struct state_store_writer *w;

	(void)state;
	assert_int_equal(state_store_list(store, note_name, names), 0);
	assert_string_equal(names, "");
	assert_int_equal(state_store_put(store, "good", "1", 1), 0);
	assert_int_equal(state_store_put(store, "bad", "2", 1), 0);
	assert_int_equal(state_store_set_aside(store, "bad"), 0);
	assert_int_equal(mkdir("shelf/folder", 0755), 0);
	assert_int_equal(state_store_begin(store, "half", &w), 0);
	assert_int_equal(state_store_list(store, note_name, names), 0);
	assert_string_equal(names, "good ");
	state_store_abandon(w);
	assert_int_equal(state_store_put(store, "stop", "3", 1), 0);
	assert_int_equal(state_store_list(store, note_name, names), -EPERM);
	close_shelf(store);
}

static void test_what_is_set_aside_is_kept(void **state)
{
	struct state_store *store = open_shelf();
	struct state_store_reader *r;

	(void)state;
	assert_int_equal(state_store_set_aside(store, NAME), -ENOENT);
	assert_int_equal(state_store_put(store, NAME, "damaged", 7), 0);
	assert_int_equal(state_store_set_aside(store, NAME), 0);
	assert_int_equal(state_store_open(store, NAME, &r), -ENOENT);
	assert_true(holds(store, NAME ".damaged", "damaged", 7));
	close_shelf(store);
}

static void test_what_is_removed_is_gone(void **state)
{
	struct state_store *store = open_shelf();
	struct state_store_reader *r;
	char names[100] = "";

	(void)state;
	assert_int_equal(state_store_remove(store, NAME), -ENOENT);
	assert_int_equal(state_store_put(store, NAME, "old", 3), 0);
	assert_int_equal(state_store_remove(store, NAME), 0);
	assert_int_equal(state_store_open(store, NAME, &r), -ENOENT);
	assert_int_equal(state_store_list(store, note_name, names), 0);
	assert_string_equal(names, "");
	close_shelf(store);
}

static void test_a_read_that_fails_is_said(void **state)
{
	struct state_store *store = open_shelf();
	char *bytes = pattern(5000, 0);
	void *got;
	size_t len;

	(void)state;
	assert_int_equal(state_store_put(store, NAME, bytes, 5000), 0);
	disk.steps = 0;
	disk.fail_at = 3;
	assert_int_equal(state_store_get(store, NAME, 5000, &got, &len), -EIO);
	disk.fail_at = 0;
	free(bytes);
	close_shelf(store);
}

static void test_a_fifo_is_not_waited_for(void **state)
{
	struct state_store *store = open_shelf();
	void *got;
	size_t len;

	(void)state;
	assert_int_equal(state_store_put(store, "first", "1", 1), 0);
	assert_int_equal(mkfifo("shelf/" NAME, 0600), 0);
	assert_int_equal(state_store_get(store, NAME, 100, &got, &len), -EIO);
	/* Nor is one beside the name that is written. */
	assert_int_equal(mkfifo("shelf/" NAME ".tmp", 0600), 0);
	assert_int_equal(state_store_put(store, NAME, "bytes", 5), 0);
	assert_true(holds(store, NAME, "bytes", 5));
	/* A folder is not removed. */
	assert_int_equal(mkdir("shelf/" NAME ".tmp", 0700), 0);
	assert_int_equal(state_store_put(store, NAME, "other", 5), -EISDIR);
	assert_true(holds(store, NAME, "bytes", 5));
	assert_int_equal(rmdir("shelf/" NAME ".tmp"), 0);
	close_shelf(store);
}

static void test_a_name_that_is_too_long_is_refused(void **state)
{
	struct state_store *store = open_shelf();
	struct state_store_writer *w;
	char name[300];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(state_store_begin(store, name, &w), -ENAMETOOLONG);
	close_shelf(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TEMPDIR(test_what_was_put_is_got),
		IN_TEMPDIR(test_until_the_commit_there_is_what_was_before),
		IN_TEMPDIR(test_a_failing_disk_leaves_the_old_or_the_new),
		IN_TEMPDIR(test_the_list_has_what_is_there_and_whole),
		IN_TEMPDIR(test_what_is_set_aside_is_kept),
		IN_TEMPDIR(test_what_is_removed_is_gone),
		IN_TEMPDIR(test_a_read_that_fails_is_said),
		IN_TEMPDIR(test_a_fifo_is_not_waited_for),
		IN_TEMPDIR(test_a_name_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
