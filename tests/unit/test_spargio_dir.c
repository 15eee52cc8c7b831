#include "runtime.h"
#include "tempdir.h"

#include <spargio/dir.h>
#include <spargio/file.h>
#include <spargio/path.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void touch(const char *path)
{
	close(open(path, O_WRONLY | O_CREAT, 0600));
}

/* Every entry once, however many */

static int list_body(void *arg)
{
	enum {
		MANY = 1000
	};
	static bool seen[MANY];
	struct sp_dirent e;
	struct sp_dir *d;
	char name[300];
	int n = 0, err;

	(void)arg;
	/* Long names: several buffers full. */
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%0200d", i);
		touch(name);
	}
	EXPECT_EQ(sp_dir_open(AT_FDCWD, ".", &d), 0);
	while ((err = sp_dir_next(d, &e)) == 1) {
		int i = (int)strtol(e.name, NULL, 10);

		EXPECT(i >= 0 && i < MANY && !seen[i]);
		EXPECT(e.type == DT_REG || e.type == DT_UNKNOWN);
		EXPECT(e.inode != 0);
		seen[i] = true;
		n++;
	}
	EXPECT_EQ(err, 0);
	EXPECT_EQ(n, MANY);
	EXPECT_EQ(sp_dir_next(d, &e), 0);
	sp_dir_close(d);
	sp_dir_close(NULL);
	EXPECT_EQ(sp_dir_open(AT_FDCWD, "none", &d), -ENOENT);
	EXPECT_EQ(sp_dir_open(AT_FDCWD, name, &d), -ENOTDIR);
	return 0;
}

static void test_every_entry_is_listed_once(void **state)
{
	(void)state;
	run_on(1, list_body, NULL);
}

/* A tree, in order */

struct trace {
	char text[1024];
	const char *skip;
	int stop_at; /* with -EXDEV, when so many have been seen */
	int seen;
};

static int note(const struct sp_walk_entry *e, void *arg)
{
	static const char marks[] = { 'f', '>', '<' };
	struct trace *t = arg;
	size_t at = strlen(t->text);
	struct statx st;

	snprintf(t->text + at, sizeof(t->text) - at, "%c%u:%s ",
		 marks[e->event], e->depth, e->path);
	/* The directory it is in is open, and the name is in it. */
	EXPECT_EQ(sp_statx(e->dir, e->name, AT_SYMLINK_NOFOLLOW, STATX_TYPE,
			   &st),
		  0);
	EXPECT_EQ(IFTODT(st.stx_mode), e->type);
	if (t->stop_at != 0 && ++t->seen == t->stop_at)
		return -EXDEV;
	if (t->skip != NULL && strcmp(e->path, t->skip) == 0)
		return SP_WALK_SKIP;
	return 0;
}

static int walk_body(void *arg)
{
	struct trace t = { 0 };

	(void)arg;
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, "root/a/b", 0700), 0);
	touch("root/a/b/file");
	EXPECT_EQ(sp_walk(AT_FDCWD, "root", note, &t), 0);
	EXPECT_EQ(strcmp(t.text, ">1:a >2:a/b f3:a/b/file <2:a/b <1:a "), 0);
	EXPECT_EQ(unlink("root/a/b/file"), 0);
	/* A link that leads back would never end if it were followed. */
	EXPECT_EQ(symlink("../../a", "root/a/b/link"), 0);
	t = (struct trace){ 0 };
	EXPECT_EQ(sp_walk(AT_FDCWD, "root", note, &t), 0);
	EXPECT_EQ(strcmp(t.text, ">1:a >2:a/b f3:a/b/link <2:a/b <1:a "), 0);
	t = (struct trace){ .skip = "a/b" };
	EXPECT_EQ(sp_walk(AT_FDCWD, "root", note, &t), 0);
	EXPECT_EQ(strcmp(t.text, ">1:a >2:a/b <1:a "), 0);
	t = (struct trace){ .stop_at = 3 };
	EXPECT_EQ(sp_walk(AT_FDCWD, "root", note, &t), -EXDEV);
	EXPECT_EQ(strcmp(t.text, ">1:a >2:a/b f3:a/b/link "), 0);
	EXPECT_EQ(sp_walk(AT_FDCWD, "none", note, &t), -ENOENT);
	EXPECT_EQ(sp_walk(AT_FDCWD, "root/a/b/none", note, &t), -ENOENT);
	return 0;
}

static void test_a_tree_is_walked_in_order(void **state)
{
	(void)state;
	run_on(1, walk_body, NULL);
}

/* A visitor may remove what it is shown, and others what it was not */

static int remove_it(const struct sp_walk_entry *e, void *arg)
{
	(void)arg;
	if (e->event == SP_WALK_ENTER)
		return 0;
	return sp_unlinkat(e->dir, e->name,
			   e->event == SP_WALK_LEAVE ? AT_REMOVEDIR : 0);
}

static int vanish(const struct sp_walk_entry *e, void *arg)
{
	int *visits = arg;

	(*visits)++;
	if (e->event != SP_WALK_ENTER)
		return 0;
	if (strcmp(e->name, "gone") == 0)
		return sp_unlinkat(e->dir, e->name, AT_REMOVEDIR);
	/* A directory that becomes a link out of the tree. */
	EXPECT_EQ(sp_unlinkat(e->dir, e->name, AT_REMOVEDIR), 0);
	return sp_symlinkat("/", e->dir, e->name);
}

static int change_body(void *arg)
{
	char path[64];
	int visits = 0;

	(void)arg;
	for (int i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "root/%d/x", i);
		EXPECT_EQ(sp_mkdir_all(AT_FDCWD, path, 0700), 0);
		snprintf(path, sizeof(path), "root/%d/f", i);
		touch(path);
	}
	EXPECT_EQ(sp_walk(AT_FDCWD, "root", remove_it, NULL), 0);
	EXPECT_EQ(sp_mkdirat(AT_FDCWD, "root/gone", 0700), 0);
	EXPECT_EQ(sp_mkdirat(AT_FDCWD, "root/link", 0700), 0);
	EXPECT_EQ(sp_walk(AT_FDCWD, "root", vanish, &visits), 0);
	EXPECT_EQ(visits, 2);
	return 0;
}

static void test_a_tree_that_changes_meanwhile(void **state)
{
	(void)state;
	run_on(1, change_body, NULL);
}

/* Want of descriptors, cancelled */

static int count(const struct sp_walk_entry *e, void *arg)
{
	(void)e;
	(*(int *)arg)++;
	return 0;
}

static int deep_body(void *arg)
{
	char path[PATH_MAX] = "root";
	struct rlimit old, few;
	int n = 0, fd;

	(void)arg;
	for (int i = 0; i < 60; i++)
		memcpy(path + 4 + 2 * i, "/d", 3);
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, path, 0700), 0);
	EXPECT_EQ(sp_walk(AT_FDCWD, "root", count, &n), 0);
	EXPECT_EQ(n, 120);
	fd = open("/", O_RDONLY);
	EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ (rlim_t)fd + 30, old.rlim_max };
	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	EXPECT_EQ(sp_walk(AT_FDCWD, "root", count, &n), -EMFILE);
	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
	/* All descriptors are back. */
	close(fd);
	EXPECT_EQ(open("/", O_RDONLY), fd);
	close(fd);
	return 0;
}

static void test_a_walk_gives_its_descriptors_back(void **state)
{
	(void)state;
	run_on(1, deep_body, NULL);
}

static int cancel_self(const struct sp_walk_entry *e, void *arg)
{
	(void)e;
	(void)arg;
	return sp_cancel(sp_self());
}

static int cancelled_walker(void *arg)
{
	(void)arg;
	return sp_walk(AT_FDCWD, "root", cancel_self, NULL);
}

static int cancelled_body(void *arg)
{
	struct sp_task task;
	int ret = 0, fd = open("/", O_RDONLY);

	(void)arg;
	close(fd);
	EXPECT_EQ(sp_mkdir_all(AT_FDCWD, "root/a/b", 0700), 0);
	EXPECT_EQ(sp_go(cancelled_walker, NULL, &task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(open("/", O_RDONLY), fd);
	close(fd);
	return 0;
}

static void test_a_cancelled_walk_ends(void **state)
{
	(void)state;
	run_on(1, cancelled_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TEMPDIR(test_every_entry_is_listed_once),
		IN_TEMPDIR(test_a_tree_is_walked_in_order),
		IN_TEMPDIR(test_a_tree_that_changes_meanwhile),
		IN_TEMPDIR(test_a_walk_gives_its_descriptors_back),
		IN_TEMPDIR(test_a_cancelled_walk_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
