/*
 * A state store in a folder: write a temporary file, sync it, rename it and
 * sync the folder, so that a crash leaves the old file or the new one.
 */
#include "collector/checkpoint/state_store.h"

#include "collector/checkpoint/state_store_ops.h"
#include "egress/journal/file_ops.h"

#include <spargio/dir.h>
#include <spargio/file.h>
#include <spargio/path.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TEMPORARY ".tmp"
#define DAMAGED	  ".damaged"
#define NAME_MAX_ 256
/* Bytes buffered for one write. */
#define GATHER ((size_t)256 * 1024)

struct folder {
	struct state_store store;
	int fd;
};

struct folder_writer {
	struct state_store_writer writer;
	int fd;
	off_t written;
	size_t held;
	char name[NAME_MAX_];
	char beside[NAME_MAX_ + sizeof(TEMPORARY)];
	uint8_t gathered[GATHER];
};

struct folder_reader {
	struct state_store_reader reader;
	int fd;
	off_t at;
};

static struct folder *folder_of(struct state_store *store)
{
	return (struct folder *)store;
}

/* Writing */

/* Open the temporary file for @name. */
static int open_beside(int dir, const char *name)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	int fd = sp_open_regular(dir, name, flags, 0640);
	int err;

	if (fd != -ENXIO)
		return fd;
	/* -ENXIO: not a regular file, so no state store has made it. */
	err = sp_unlinkat(dir, name, 0);
	return err < 0 ? err : sp_open_regular(dir, name, flags, 0640);
}

static int folder_writer_begin(struct state_store *store, const char *name,
			       struct state_store_writer **out)
{
	struct folder_writer *w;

	if (strlen(name) >= NAME_MAX_)
		return -ENAMETOOLONG;
	w = malloc(sizeof(*w));
	if (w == NULL)
		return -ENOMEM;
	w->writer.store = store;
	w->written = 0;
	w->held = 0;
	snprintf(w->name, sizeof(w->name), "%s", name);
	snprintf(w->beside, sizeof(w->beside), "%s" TEMPORARY, name);
	w->fd = open_beside(folder_of(store)->fd, w->beside);
	if (w->fd < 0) {
		int err = w->fd;

		free(w);
		return err;
	}
	*out = &w->writer;
	return 0;
}

static int put_out(struct folder_writer *w, const void *bytes, size_t len)
{
	int err = sp_pwrite_all(w->fd, bytes, len, w->written);

	if (err == 0)
		w->written += (off_t)len;
	return err;
}

static int put_gathered(struct folder_writer *w)
{
	int err = put_out(w, w->gathered, w->held);

	w->held = 0;
	return err;
}

static int write_some(struct state_store_writer *writer, const void *bytes,
		      size_t len)
{
	struct folder_writer *w = (struct folder_writer *)writer;
	int err = 0;

	if (len > GATHER - w->held)
		err = put_gathered(w);
	if (err < 0)
		return err;
	if (len > GATHER)
		return put_out(w, bytes, len);
	memcpy(w->gathered + w->held, bytes, len);
	w->held += len;
	return 0;
}

static void folder_writer_abandon(struct state_store_writer *writer)
{
	struct folder_writer *w = (struct folder_writer *)writer;

	sp_close(w->fd);
	/*
	 * If the removal fails, the next writer of this name overwrites the
	 * temporary file, and a start ignores it.
	 */
	(void)sp_unlinkat(folder_of(writer->store)->fd, w->beside, 0);
	free(w);
}

static int folder_writer_commit(struct state_store_writer *writer)
{
	struct folder_writer *w = (struct folder_writer *)writer;
	int dir = folder_of(writer->store)->fd;
	int err = put_gathered(w);

	if (err == 0)
		err = sp_fdatasync(w->fd);
	if (err == 0)
		err = sp_renameat(dir, w->beside, dir, w->name, 0);
	if (err < 0) {
		folder_writer_abandon(writer);
		return err;
	}
	sp_close(w->fd);
	free(w);
	return sp_fsync(dir);
}

/* Reading */

static int open_one(struct state_store *store, const char *name,
		    struct state_store_reader **out)
{
	struct folder_reader *r = calloc(1, sizeof(*r));
	struct statx st;
	int err;

	if (r == NULL)
		return -ENOMEM;
	r->reader.store = store;
	r->fd = sp_open_regular(folder_of(store)->fd, name,
				O_RDONLY | O_CLOEXEC, 0);
	/*
	 * -ENXIO: not a regular file. The open succeeds, but reading the file
	 * fails, as if it were damaged.
	 */
	if (r->fd < 0 && r->fd != -ENXIO) {
		err = r->fd;
		free(r);
		return err;
	}
	if (r->fd >= 0 && sp_fstat(r->fd, &st) == 0)
		r->reader.size = st.stx_size;
	*out = &r->reader;
	return 0;
}

static ssize_t read_some(struct state_store_reader *reader, void *bytes,
			 size_t cap)
{
	struct folder_reader *r = (struct folder_reader *)reader;
	ssize_t n;

	if (r->fd < 0)
		return -EIO;
	n = sp_pread(r->fd, bytes, cap, r->at);
	if (n > 0)
		r->at += n;
	return n;
}

static void folder_reader_close(struct state_store_reader *reader)
{
	struct folder_reader *r = (struct folder_reader *)reader;

	if (r->fd >= 0)
		sp_close(r->fd);
	free(r);
}

/* Other operations */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static int folder_list(struct state_store *store,
		       int (*each)(void *arg, const char *name), void *arg)
{
	struct sp_dirent entry;
	struct sp_dir *dir;
	int err = sp_dir_open(AT_FDCWD, store->where, &dir);

	if (err < 0)
		return err;
	while ((err = sp_dir_next(dir, &entry)) > 0) {
		if (entry.type == DT_DIR || ends_with(entry.name, TEMPORARY) ||
		    ends_with(entry.name, DAMAGED))
			continue;
		err = each(arg, entry.name);
		if (err < 0)
			break;
	}
	sp_dir_close(dir);
	return err;
}

static int folder_remove(struct state_store *store, const char *name)
{
	int dir = folder_of(store)->fd;
	int err = sp_unlinkat(dir, name, 0);

	return err < 0 ? err : sp_fsync(dir);
}

static int set_aside(struct state_store *store, const char *name)
{
	int dir = folder_of(store)->fd;
	char to[NAME_MAX_ + sizeof(DAMAGED)];
	struct statx st;
	int err;

	snprintf(to, sizeof(to), "%s" DAMAGED, name);
	err = sp_renameat(dir, name, dir, to, 0);
	/*
	 * The Landlock rules of the sandbox permit renaming regular files, but
	 * not pipes, sockets, links or devices. None of these has content to
	 * keep, so delete what is not a regular file.
	 */
	if (err == -EACCES &&
	    sp_statx(dir, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) == 0 &&
	    !S_ISREG(st.stx_mode))
		err = sp_unlinkat(dir, name, 0);
	return err;
}

static void close_folder(struct state_store *store)
{
	sp_close(folder_of(store)->fd);
	free(store->where);
	free(folder_of(store));
}

int state_store_open_dir_readonly(const char *path, struct state_store **out)
{
	static const struct state_store_ops ops = {
		.close = close_folder,
		.begin = folder_writer_begin,
		.write = write_some,
		.commit = folder_writer_commit,
		.abandon = folder_writer_abandon,
		.open = open_one,
		.read = read_some,
		.done = folder_reader_close,
		.list = folder_list,
		.remove = folder_remove,
		.set_aside = set_aside,
	};
	struct folder *f = calloc(1, sizeof(*f));
	int err;

	if (f == NULL)
		return -ENOMEM;
	f->store.ops = &ops;
	f->store.where = strdup(path);
	err = f->fd =
		f->store.where == NULL
			? -ENOMEM
			: sp_openat(AT_FDCWD, path,
				    O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (err < 0) {
		free(f->store.where);
		free(f);
		return err;
	}
	*out = &f->store;
	return 0;
}

int state_store_open_dir(const char *path, struct state_store **out)
{
	int err = file_make_dir(path, 0700);
	struct state_store *store;

	if (err < 0)
		return err;
	err = state_store_open_dir_readonly(path, &store);
	if (err < 0)
		return err;
	/* Two collectors with one folder would overwrite each other's state. */
	err = file_lock(folder_of(store)->fd);
	if (err < 0)
		state_store_close(store);
	else
		*out = store;
	return err;
}
