/*
 * Files: replaced whole, appended to, read by lines, written at many places
 * at once, and a tree walked and removed.
 */
#include <spargio/dir.h>
#include <spargio/file.h>
#include <spargio/path.h>
#include <spargio/reader.h>
#include <spargio/runtime.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A checkpoint: after a crash it is the old one or the new one, whole. */
static int save(int dir)
{
	static const char state[] = "position 42\n";

	return sp_write_file(dir, "state/checkpoint", state, sizeof(state) - 1,
			     0644); /* yields */
}

static int count_lines(int dir, const char *path)
{
	int fd = sp_openat(dir, path, O_RDONLY | O_CLOEXEC, 0); /* yields */
	struct sp_reader *r;
	char *line;
	size_t len;
	int err, n = 0;

	if (fd < 0)
		return fd;
	err = sp_reader_new(fd, 0, &r);
	if (err == 0) {
		while ((err = sp_reader_line(r, &line, &len)) > 0) /* yields */
			n++;
		sp_reader_free(r);
	}
	sp_close(fd);
	return err < 0 ? err : n;
}

/* A record at its place, and on the disk before anybody hears of it. */
static int store(int dir)
{
	int fd = sp_openat(dir, "journal", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	char record[64] = "record";
	int err;

	if (fd < 0)
		return fd;
	err = sp_fallocate(fd, 0, 0, 1 << 16);
	if (err == 0)
		err = sp_pwrite_all(fd, record, sizeof(record), 4096);
	if (err == 0)
		err = sp_fdatasync(fd);
	sp_close(fd); /* whatever happened, also when we were cancelled */
	return err;
}

static int remove_it(const struct sp_walk_entry *entry, void *arg)
{
	int *removed = arg;

	if (entry->event == SP_WALK_ENTER)
		return 0; /* it is removed on the way out, empty by then */
	(*removed)++;
	return sp_unlinkat(entry->dir, entry->name,
			   entry->event == SP_WALK_LEAVE ? AT_REMOVEDIR : 0);
}

static int use(int dir)
{
	int err = sp_mkdir_all(dir, "state/old/older", 0755);

	if (err == 0)
		err = save(dir);
	for (int i = 0; i < 3 && err == 0; i++)
		err = sp_append_file(dir, "log", "something happened\n", 19,
				     0644);
	if (err == 0)
		err = store(dir);
	if (err < 0)
		return err;
	err = count_lines(dir, "log");
	printf("%d lines\n", err);
	return err < 0 ? err : 0;
}

static int body(void *arg)
{
	char path[] = "/tmp/spargio-example-XXXXXX";
	int dir, err, removed = 0;

	(void)arg;
	if (mkdtemp(path) == NULL)
		return -1;
	dir = sp_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	err = dir < 0 ? dir : use(dir);
	if (err == 0)
		err = sp_walk(AT_FDCWD, path, remove_it, &removed); /* yields */
	printf("%d things removed\n", removed);
	if (dir >= 0)
		sp_close(dir);
	sp_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
	return err;
}

int main(void)
{
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
