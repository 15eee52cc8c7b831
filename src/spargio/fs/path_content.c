/*
 * Whole files. To replace a file, write the new content to a temporary file in
 * the same directory, sync it, rename it over the old name and sync the
 * directory. The name never refers to a partial file.
 */
#include "spargio/io/sys.h"

#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/path.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

/* Reading */

/*
 * The size of the first buffer: the size that statx(2) returns, but at least
 * 4096, and at most @max. statx(2) returns 0 for generated files such as those
 * of /proc.
 */
static size_t guess_size(int fd, size_t max)
{
	struct statx st;

	if (sp_fstat(fd, &st) < 0 || st.stx_size < 4096)
		return max < 4096 ? max : 4096;
	return st.stx_size < max ? (size_t)st.stx_size : max;
}

/* Read to the end. *@data has @room bytes, and one more for the zero byte. */
static int read_to_end(int fd, size_t room, size_t max, char **data,
		       size_t *len)
{
	size_t got = 0;

	for (;;) {
		/*
		 * Ask for one byte more than expected, to see the end of the
		 * file.
		 */
		ssize_t n = sp_read_full(fd, *data + got, room + 1 - got);
		char *grown;

		if (n < 0)
			return (int)n;
		got += (size_t)n;
		if (got <= room) {
			(*data)[got] = '\0';
			*len = got;
			return 0;
		}
		if (room == max)
			return -EFBIG;
		room = room < max / 2 ? 2 * room : max;
		grown = realloc(*data, room + 1);
		if (grown == NULL)
			return -ENOMEM;
		*data = grown;
	}
}

int sp_read_file(int dir, const char *path, size_t max, void **data,
		 size_t *len)
{
	int fd = sp_openat(dir, path, O_RDONLY | O_CLOEXEC, 0);
	char *content = NULL;
	size_t room;
	int err = 0;

	if (fd < 0)
		return fd;
	if (max > SSIZE_MAX - 1)
		max = SSIZE_MAX - 1;
	room = guess_size(fd, max);
	content = malloc(room + 1);
	err = content == NULL ? -ENOMEM
			      : read_to_end(fd, room, max, &content, len);
	sp_close(fd);
	if (err < 0)
		free(content);
	else
		*data = content;
	return err;
}

/* Writing */

struct replacement {
	int parent;	  /* descriptor of the directory */
	const char *name; /* file name in that directory */
	char temp[NAME_MAX + 1];
	int fd; /* descriptor of temp */
};

/* Open the directory that contains @path; @r->name is the last component. */
static int open_parent(struct replacement *r, int dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX] = ".";

	r->name = slash == NULL ? path : slash + 1;
	/*
	 * Refuse an empty name here. Otherwise only rename(2) would fail, when
	 * the content has been written.
	 */
	if (r->name[0] == '\0')
		return path[0] == '\0' ? -ENOENT : -EISDIR;
	if (slash != NULL) {
		/* The parent of "/x" is "/". */
		size_t len = slash == path ? 1 : (size_t)(slash - path);

		if (len >= sizeof(parent))
			return -ENAMETOOLONG;
		memcpy(parent, path, len);
		parent[len] = '\0';
	}
	r->parent =
		sp_openat(dir, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	return r->parent < 0 ? r->parent : 0;
}

/* Choose a unique name that contains the target's name. */
static int open_temp(struct replacement *r, mode_t mode)
{
	uint64_t random;

	if (sp__sys()->getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -errno;
	snprintf(r->temp, sizeof(r->temp), ".%.200s.%016" PRIx64, r->name,
		 random);
	r->fd = sp_openat(r->parent, r->temp,
			  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return r->fd < 0 ? r->fd : 0;
}

static int write_temp(struct replacement *r, const void *data, size_t len)
{
	int err = sp_pwrite_all(r->fd, data, len, 0);
	int closed;

	if (err == 0)
		err = sp_fsync(r->fd);
	closed = sp_close(r->fd);
	r->fd = -1;
	return err == 0 ? closed : err;
}

/* Remove the temporary file, also in a cancelled fiber. */
static void discard_temp(struct replacement *r)
{
	sp_shield_begin();
	sp_unlinkat(r->parent, r->temp, 0);
	sp_shield_end();
}

static int replace_file(struct replacement *r, const void *data, size_t len,
			mode_t mode)
{
	int err = open_temp(r, mode);

	if (err < 0)
		return err;
	err = write_temp(r, data, len);
	if (err == 0)
		err = sp_renameat(r->parent, r->temp, r->parent, r->name, 0);
	if (err < 0) {
		discard_temp(r);
		return err;
	}
	/* Without this sync the file could be the old one after a crash. */
	return sp_fsync(r->parent);
}

int sp_write_file(int dir, const char *path, const void *data, size_t len,
		  mode_t mode)
{
	struct replacement r = { .parent = -1, .fd = -1 };
	int err = open_parent(&r, dir, path);

	if (err < 0)
		return err;
	err = replace_file(&r, data, len, mode);
	sp_close(r.parent);
	return err;
}

int sp_append_file(int dir, const char *path, const void *data, size_t len,
		   mode_t mode)
{
	int fd = sp_openat(dir, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			   mode);
	int err, closed;

	if (fd < 0)
		return fd;
	err = sp_write_all(fd, data, len);
	closed = sp_close(fd);
	return err == 0 ? closed : err;
}
