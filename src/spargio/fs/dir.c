#include "spargio/fs/dir.h"
#include "spargio/io/op.h"
#include "spargio/io/sync_ops.h"

#include <spargio/file.h>
#include <spargio/time.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct sp_dir {
	int fd;
	uint32_t next; /* offset in data of the next record */
	uint32_t len;  /* bytes in data */
	_Alignas(struct dirent64) char data[8192];
};

int sp__dir_open(int dir, const char *path, int flags, struct sp_dir **out)
{
	struct sp_dir *d = malloc(sizeof(*d));

	if (d == NULL)
		return -ENOMEM;
	d->next = d->len = 0;
	d->fd = sp_openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags,
			  0);
	if (d->fd < 0) {
		int err = d->fd;

		free(d);
		return err;
	}
	*out = d;
	return 0;
}

int sp_dir_open(int dir, const char *path, struct sp_dir **out)
{
	return sp__dir_open(dir, path, 0, out);
}

static int read_entries(struct sp_dir *d)
{
	struct sp__op op = { 0 };
	int len;

	io_uring_prep_rw(SP__OP_GETDENTS, &op.sqe, d->fd, d->data,
			 sizeof(d->data), 0);
	len = sp__op_call(&op, SP_NEVER, "read directory");
	if (len < 0)
		return len;
	d->next = 0;
	d->len = (uint32_t)len;
	return len;
}

int sp_dir_next(struct sp_dir *d, struct sp_dirent *out)
{
	for (;;) {
		const struct dirent64 *e;

		if (d->next == d->len) {
			int len = read_entries(d);

			if (len <= 0)
				return len;
		}
		e = (const struct dirent64 *)(const void *)(d->data + d->next);
		d->next += e->d_reclen;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		*out = (struct sp_dirent){ e->d_name, e->d_ino, e->d_type };
		return 1;
	}
}

int sp_dir_fd(const struct sp_dir *d)
{
	return d->fd;
}

void sp_dir_close(struct sp_dir *d)
{
	if (d == NULL)
		return;
	sp_close(d->fd);
	free(d);
}
