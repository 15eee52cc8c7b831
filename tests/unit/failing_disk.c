#include "failing_disk.h"

#include "egress/journal/file_ops.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct failing_disk failing_disk;

static int step(void)
{
	struct failing_disk *d = &failing_disk;

	d->steps++;
	if (d->before != NULL)
		d->before();
	if (d->fail_at != 0 &&
	    (d->steps == d->fail_at || (d->for_good && d->steps > d->fail_at)))
		return -d->fail_with;
	return 0;
}

static int opened(int fd)
{
	if (fd < 0)
		return -errno;
	failing_disk.open_files++;
	return fd;
}

int file_open(int dir, const char *name, int flags)
{
	int err = step();
	struct stat st;
	int fd;

	if (err < 0)
		return err;
	fd = openat(dir, name, flags | O_NONBLOCK, 0640);
	if (fd < 0)
		return errno == EISDIR ? -ENXIO : -errno;
	if ((flags & O_DIRECTORY) == 0 &&
	    (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -ENXIO;
	}
	return opened(fd);
}

void file_close(int fd)
{
	if (fd < 0)
		return;
	failing_disk.open_files--;
	close(fd);
}

int file_make_dir(const char *path, mode_t mode)
{
	int err = step();

	if (err < 0)
		return err;
	return mkdir(path, mode) < 0 && errno != EEXIST ? -errno : 0;
}

int file_open_dir(const char *path)
{
	int err = file_make_dir(path, 0750);

	if (err < 0)
		return err;
	return opened(open(path, O_RDONLY | O_DIRECTORY));
}

int file_lock(int dir)
{
	int err = step();

	if (err < 0)
		return err;
	return flock(dir, LOCK_EX | LOCK_NB) < 0 ? -EBUSY : 0;
}

int64_t file_read(int fd, void *bytes, size_t len, uint64_t offset)
{
	int err = step();
	ssize_t n;

	if (err < 0)
		return err;
	n = pread(fd, bytes, len, (off_t)offset);
	return n < 0 ? -errno : n;
}

int file_write(int fd, struct iovec *iov, size_t count, uint64_t offset)
{
	int err = step();
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += iov[i].iov_len;
	if (err == 0 && failing_disk.room > 0 && all > failing_disk.room)
		err = -ENOSPC;
	if (err < 0)
		count /= 2;
	else if (failing_disk.room > 0)
		failing_disk.room -= all;
	for (size_t i = 0; i < count; i++) {
		ssize_t n = pwrite(fd, iov[i].iov_base, iov[i].iov_len,
				   (off_t)offset);

		if (n != (ssize_t)iov[i].iov_len)
			return -errno;
		offset += iov[i].iov_len;
	}
	return err;
}

int file_sync(int fd)
{
	(void)fd;
	return step();
}

int file_truncate(int fd, uint64_t size)
{
	int err = step();

	return err < 0 ? err : ftruncate(fd, (off_t)size) < 0 ? -errno : 0;
}

int64_t file_size(int fd)
{
	int err = step();
	struct stat st;

	if (err < 0)
		return err;
	return fstat(fd, &st) < 0 ? -errno : st.st_size;
}

int file_unlink(int dir, const char *name)
{
	int err = step();
	struct stat st = { .st_size = 0 };

	if (err < 0)
		return err;
	if (failing_disk.before_unlink != NULL)
		failing_disk.before_unlink();
	(void)fstatat(dir, name, &st, 0);
	if (unlinkat(dir, name, 0) < 0)
		return -errno;
	if (failing_disk.room > 0 && !failing_disk.crowded)
		failing_disk.room += (uint64_t)st.st_size;
	return 0;
}

int file_rename(int dir, const char *from, const char *to)
{
	int err = step();

	return err < 0 ? err : renameat(dir, from, dir, to) < 0 ? -errno : 0;
}

int file_list(int dir, int (*each)(const char *name, void *arg), void *arg)
{
	int err = step();
	struct dirent *entry;
	DIR *d;

	if (err < 0)
		return err;
	d = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY));
	if (d == NULL)
		return -errno;
	while (err == 0 && (entry = readdir(d)) != NULL)
		err = each(entry->d_name, arg);
	closedir(d);
	return err;
}
