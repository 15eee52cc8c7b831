#include "small_files.h"
#include "tempdir.h"

#include <spargio/dir.h>
#include <spargio/file.h>
#include <spargio/path.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static int make_file(int dir, const char *name)
{
	int fd = sp_openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	return fd < 0 ? fd : sp_close(fd);
}

static bool there(const char *name)
{
	struct statx st;

	return sp_stat(name, &st) == 0;
}

/* Names come and go */

static int names_body(void *arg)
{
	int dir;

	(void)arg;
	EXPECT_EQ(sp_mkdirat(AT_FDCWD, "d", 0755), 0);
	dir = sp_openat(AT_FDCWD, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	EXPECT(dir >= 0);
	EXPECT_EQ(make_file(dir, "a"), 0);
	EXPECT_EQ(sp_renameat(dir, "a", dir, "b", 0), 0);
	EXPECT(there("d/b") && !there("d/a"));
	EXPECT_EQ(sp_linkat(dir, "b", AT_FDCWD, "c", 0), 0);
	EXPECT_EQ(sp_renameat(dir, "b", AT_FDCWD, "c", RENAME_NOREPLACE),
		  -EEXIST);
	EXPECT_EQ(sp_unlinkat(AT_FDCWD, "d", AT_REMOVEDIR), -ENOTEMPTY);
	EXPECT_EQ(sp_unlinkat(dir, "b", 0), 0);
	EXPECT_EQ(sp_unlinkat(dir, "b", 0), -ENOENT);
	EXPECT_EQ(sp_unlinkat(AT_FDCWD, "d", 0), -EISDIR);
	EXPECT_EQ(sp_unlinkat(AT_FDCWD, "d", AT_REMOVEDIR), 0);
	EXPECT(!there("d") && there("c"));
	sp_close(dir);
	return 0;
}

static void test_names_come_and_go(void **state)
{
	(void)state;
	run_on(1, names_body, NULL);
}

/* Links */

static int links_body(void *arg)
{
	char text[PATH_MAX], real[PATH_MAX];

	(void)arg;
	EXPECT_EQ(make_file(AT_FDCWD, "file"), 0);
	EXPECT_EQ(sp_symlinkat("file", AT_FDCWD, "link"), 0);
	EXPECT_EQ(sp_symlinkat("file", AT_FDCWD, "link"), -EEXIST);
	EXPECT_EQ(sp_readlinkat(AT_FDCWD, "link", text, sizeof(text)), 4);
	EXPECT_EQ(strcmp(text, "file"), 0);
	EXPECT_EQ(sp_readlinkat(AT_FDCWD, "link", text, 5), 4);
	EXPECT_EQ(sp_readlinkat(AT_FDCWD, "link", text, 4), -ENAMETOOLONG);
	EXPECT_EQ(sp_readlinkat(AT_FDCWD, "file", text, sizeof(text)), -EINVAL);
	EXPECT_EQ(sp_realpath("./link", text), 0);
	EXPECT(realpath("file", real) != NULL);
	EXPECT_EQ(strcmp(text, real), 0);
	EXPECT_EQ(sp_realpath("none", text), -ENOENT);
	EXPECT_EQ(sp_symlinkat("loop", AT_FDCWD, "loop"), 0);
	EXPECT_EQ(sp_realpath("loop", text), -ELOOP);
	return 0;
}

static void test_links_say_where_they_go(void **state)
{
	(void)state;
	run_on(1, links_body, NULL);
}

/* What is known of a file */

static int stat_body(void *arg)
{
	struct statx st;

	(void)arg;
	EXPECT_EQ(make_file(AT_FDCWD, "file"), 0);
	EXPECT_EQ(sp_symlinkat("file", AT_FDCWD, "link"), 0);
	EXPECT_EQ(sp_fchmodat(AT_FDCWD, "link", 0604), 0);
	EXPECT_EQ(sp_fchmodat(AT_FDCWD, "none", 0604), -ENOENT);
	EXPECT_EQ(sp_stat("link", &st), 0);
	EXPECT_EQ(st.stx_mode, S_IFREG | 0604);
	EXPECT_EQ(sp_statx(AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW, STATX_TYPE,
			   &st),
		  0);
	EXPECT(S_ISLNK(st.stx_mode));
	EXPECT_EQ(sp_stat("none", &st), -ENOENT);
	return 0;
}

static void test_stat_and_permissions(void **state)
{
	(void)state;
	run_on(1, stat_body, NULL);
}

/* Directories, with all that is above them */

static int mkdir_body(void *arg)
{
	char path[PATH_MAX + 1];

	(void)arg;
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, "a/b//c/d", 0755), 0);
	EXPECT(there("a/b/c/d"));
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, "a/b/c/d", 0755), 0);
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, "a/x/", 0755), 0);
	EXPECT(there("a/x"));
	snprintf(path, sizeof(path), "%s/from/the/root", tempdir);
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, path, 0755), 0);
	EXPECT(there("from/the/root"));
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, "", 0755), -ENOENT);
	EXPECT_EQ(make_file(AT_FDCWD, "a/file"), 0);
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, "a/file", 0755), -ENOTDIR);
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, "a/file/b", 0755), -ENOTDIR);
	memset(path, 'x', PATH_MAX);
	path[PATH_MAX] = '\0';
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, path, 0755), -ENAMETOOLONG);
	return 0;
}

static void test_directories_and_all_above(void **state)
{
	(void)state;
	run_on(1, mkdir_body, NULL);
}

/* Whole files */

static int whole_body(void *arg)
{
	static char big[100000];
	size_t len = 0;
	void *data = NULL;
	struct statx st;

	(void)arg;
	memset(big, 'b', sizeof(big));
	EXPECT_EQ(sp_write_file(AT_FDCWD, "f", "old", 3, 0600), 0);
	EXPECT_EQ(sp_read_file(AT_FDCWD, "f", 100, &data, &len), 0);
	EXPECT_EQ(len, 3);
	EXPECT_EQ(strcmp(data, "old"), 0);
	free(data);
	EXPECT_EQ(sp_write_file(AT_FDCWD, "f", big, sizeof(big), 0640), 0);
	EXPECT_EQ(sp_stat("f", &st), 0);
	EXPECT_EQ(st.stx_mode & 0777, 0640);
	EXPECT_EQ(sp_read_file(AT_FDCWD, "f", sizeof(big), &data, &len), 0);
	EXPECT_EQ(len, sizeof(big));
	EXPECT_EQ(memcmp(data, big, len), 0);
	EXPECT_EQ(((char *)data)[len], 0);
	free(data);
	data = NULL;
	EXPECT_EQ(sp_read_file(AT_FDCWD, "f", sizeof(big) - 1, &data, &len),
		  -EFBIG);
	EXPECT(data == NULL);
	EXPECT_EQ(sp_append_file(AT_FDCWD, "f", "x", 1, 0), 0);
	EXPECT_EQ(sp_append_file(AT_FDCWD, "g", "new", 3, 0600), 0);
	EXPECT_EQ(sp_stat("f", &st), 0);
	EXPECT_EQ(st.stx_size, sizeof(big) + 1);
	EXPECT_EQ(sp_write_file(AT_FDCWD, "e", "", 0, 0600), 0);
	EXPECT_EQ(sp_read_file(AT_FDCWD, "e", 0, &data, &len), 0);
	EXPECT_EQ(len, 0);
	free(data);
	/* It says that it is empty, and is not. */
	EXPECT_EQ(sp_read_file(AT_FDCWD, "/proc/self/status", 1 << 20, &data,
			       &len),
		  0);
	EXPECT(len > 100);
	free(data);
	return 0;
}

static void test_whole_files(void **state)
{
	(void)state;
	umask(022);
	run_on(1, whole_body, NULL);
}

/* The directory holds @n names: nothing was left lying about. */
static void expect_names(const char *path, int n)
{
	struct sp_dirent e;
	struct sp_dir *d;
	int got = 0;

	EXPECT_EQ(sp_dir_open(AT_FDCWD, path, &d), 0);
	while (sp_dir_next(d, &e) == 1)
		got++;
	EXPECT_EQ(got, n);
	sp_dir_close(d);
}

static void expect_content(const char *path, const char *want)
{
	size_t len;
	void *data;

	EXPECT_EQ(sp_read_file(AT_FDCWD, path, 100, &data, &len), 0);
	EXPECT_EQ(strcmp(data, want), 0);
	free(data);
}

static int refused_body(void *arg)
{
	static char big[10000];
	char name[NAME_MAX + 1];
	void *data;
	size_t len;

	(void)arg;
	EXPECT_EQ(sp_mkdirat(AT_FDCWD, "d", 0700), 0);
	EXPECT_EQ(sp_write_file(AT_FDCWD, "d/f", "old", 3, 0600), 0);
	/* No room for it: the limit is 5000 bytes. */
	EXPECT_EQ(sp_write_file(AT_FDCWD, "d/f", big, sizeof(big), 0600),
		  -EFBIG);
	expect_content("d/f", "old");
	expect_names("d", 1);
	EXPECT_EQ(sp_write_file(AT_FDCWD, "d", "x", 1, 0600), -EISDIR);
	EXPECT_EQ(sp_write_file(AT_FDCWD, "d/", "x", 1, 0600), -EISDIR);
	EXPECT_EQ(sp_write_file(AT_FDCWD, "", "x", 1, 0600), -ENOENT);
	EXPECT_EQ(sp_write_file(AT_FDCWD, "no/f", "x", 1, 0600), -ENOENT);
	EXPECT_EQ(sp_append_file(AT_FDCWD, "d", "x", 1, 0600), -EISDIR);
	EXPECT_EQ(sp_append_file(AT_FDCWD, "/dev/full", "x", 1, 0600), -ENOSPC);
	EXPECT_EQ(sp_read_file(AT_FDCWD, "none", 1, &data, &len), -ENOENT);
	EXPECT_EQ(sp_read_file(AT_FDCWD, "d", 1, &data, &len), -EISDIR);
	/* The longest name there may be leaves room for one beside it. */
	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	EXPECT_EQ(sp_write_file(AT_FDCWD, name, "long", 4, 0600), 0);
	expect_content(name, "long");
	expect_names(".", 2);
	return 0;
}

static void test_what_cannot_be_replaced_stays(void **state)
{
	(void)state;
	run_with_small_files(refused_body);
}

/* Replaced again and again, read and cancelled meanwhile */

static int replace_for_ever(void *arg)
{
	char text[2] = "0";
	int err = 0;

	(void)arg;
	for (int i = 0; err == 0; i++) {
		text[0] = (char)('0' + i % 10);
		err = sp_write_file(AT_FDCWD, "d/f", text, 1, 0600);
	}
	return err;
}

static int race_body(void *arg)
{
	struct sp_task task;
	int ret;

	(void)arg;
	EXPECT_EQ(sp_mkdirat(AT_FDCWD, "d", 0700), 0);
	EXPECT_EQ(sp_write_file(AT_FDCWD, "d/f", "0", 1, 0600), 0);
	for (int i = 0; i < 30; i++) {
		EXPECT_EQ(sp_go_on(NULL, 1, replace_for_ever, NULL, &task), 0);
		for (int k = 0; k < i; k++) {
			void *data;
			size_t len;

			EXPECT_EQ(sp_read_file(AT_FDCWD, "d/f", 9, &data, &len),
				  0);
			EXPECT_EQ(len, 1);
			free(data);
		}
		EXPECT_EQ(sp_cancel(task), 0);
		EXPECT_EQ(sp_join(task, &ret), 0);
		EXPECT_EQ(ret, -ECANCELED);
		expect_names("d", 1);
	}
	return 0;
}

static void test_replacing_is_whole_or_not_at_all(void **state)
{
	(void)state;
	run_on(2, race_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TEMPDIR(test_names_come_and_go),
		IN_TEMPDIR(test_links_say_where_they_go),
		IN_TEMPDIR(test_stat_and_permissions),
		IN_TEMPDIR(test_directories_and_all_above),
		IN_TEMPDIR(test_whole_files),
		IN_TEMPDIR(test_what_cannot_be_replaced_stays),
		IN_TEMPDIR(test_replacing_is_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
