/*
 * Operations on files, directories and paths.
 *
 * An operation happens as a whole at a random virtual time after its start. So
 * operations that are in flight at the same time happen in any order.
 */
#include "spargio/sim/disk.h"
#include "spargio/io/sync_ops.h"
#include "spargio/io/sys.h"
#include "spargio/sim/inode.h"
#include "spargio/sim/socket.h"

#include <spargio/time.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/falloc.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAST_MIN (10 * SP_US)
#define FAST_MAX (1 * SP_MS)
#define SYNC_MIN (100 * SP_US)
#define SYNC_MAX (10 * SP_MS)
#define SLOW_MAX (1 * SP_S)

struct disk_file {
	struct sp__sim_file file; /* must be the first member */
	struct sp__sim_inode *inode;
	size_t position;
	uint32_t refs; /* references: descriptor and operations in flight */
};

/* An operation in flight. */
struct pending {
	struct sp__op *op;
	struct disk_file *file; /* open file of sqe.fd, or NULL */
};

/* Open files */

static void put_file(struct disk_file *f)
{
	if (--f->refs > 0)
		return;
	sp__sim_inode_put(f->inode);
	free(f);
}

static void close_file(struct sp__sim_file *file, bool abrupt)
{
	(void)abrupt;
	put_file((struct disk_file *)file);
}

static int attempt_nothing(struct sp__sim_file *file,
			   const struct io_uring_sqe *sqe)
{
	(void)file;
	(void)sqe;
	return -ENOTSOCK;
}

static uint32_t always_ready(const struct sp__sim_file *file)
{
	(void)file;
	return POLLIN | POLLOUT;
}

static const struct sp__sim_kind file_kind = {
	.name = "file",
	.mode = S_IFREG | 0644,
	.attempt = attempt_nothing,
	.events = always_ready,
	.close = close_file,
};

static const struct sp__sim_kind folder_kind = {
	.name = "folder",
	.mode = S_IFDIR | 0755,
	.attempt = attempt_nothing,
	.events = always_ready,
	.close = close_file,
};

static int open_inode(struct sp_sim_host *host, struct sp__sim_inode *inode,
		      int flags)
{
	struct disk_file *f = sp__sim_calloc(1, sizeof(*f));
	int fd;

	if (f == NULL)
		return -ENOMEM;
	f->file.kind = S_ISDIR(inode->mode) ? &folder_kind : &file_kind;
	f->file.host = host;
	f->file.flags = flags;
	f->refs = 1;
	fd = sp__sim_fd_new(host, &f->file);
	if (fd < 0) {
		free(f);
		return fd;
	}
	inode->refs++;
	f->inode = inode;
	return fd;
}

/* Paths */

static struct disk_file *disk_file_at(struct sp_sim_host *host, int fd)
{
	struct sp__sim_file *file = sp__sim_fd_get(host, fd);

	return file != NULL && (file->kind == &file_kind ||
				file->kind == &folder_kind)
		       ? (struct disk_file *)file
		       : NULL;
}

/* The result of looking up a path. */
struct place {
	struct sp__sim_inode *parent;
	char name[NAME_MAX + 1];     /* empty for "/", "." and ".." */
	struct sp__sim_inode *inode; /* NULL if the name does not exist */
};

static int step_into(struct place *at, const char *name, size_t len)
{
	if (at->inode == NULL)
		return -ENOENT;
	if (!S_ISDIR(at->inode->mode))
		return -ENOTDIR;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	if (len == 1 && name[0] == '.') {
		at->name[0] = '\0';
	} else if (len == 2 && memcmp(name, "..", 2) == 0) {
		at->name[0] = '\0';
		if (at->inode->parent != NULL)
			at->inode = at->inode->parent;
	} else {
		at->parent = at->inode;
		memcpy(at->name, name, len);
		at->name[len] = '\0';
		at->inode = sp__sim_inode_find(at->parent, name, len);
	}
	return 0;
}

static int walk_path(struct sp_sim_host *host, int dir, const char *path,
		     struct place *at)
{
	struct disk_file *f = disk_file_at(host, dir);

	*at = (struct place){ .inode = host->disk->root };
	if (path[0] == '\0')
		return -ENOENT;
	if (path[0] != '/' && dir != AT_FDCWD) {
		if (f == NULL)
			return -EBADF;
		at->inode = f->inode;
	}
	while (*path != '\0') {
		size_t len = strcspn(path, "/");
		int err = len == 0 ? 0 : step_into(at, path, len);

		if (err < 0)
			return err;
		path += len + (path[len] == '/');
	}
	return 0;
}

static const char *path_of(const struct io_uring_sqe *sqe)
{
	return (const char *)(uintptr_t)sqe->addr;
}

static void *second_of(const struct io_uring_sqe *sqe)
{
	return (void *)(uintptr_t)sqe->off;
}

/* Operations on paths */

static int make_inode(struct sp_sim_host *host, struct place *at, mode_t mode)
{
	int err;

	if (at->name[0] == '\0')
		return -EEXIST;
	at->inode = sp__sim_inode_new(host, mode);
	if (at->inode == NULL)
		return -ENOMEM;
	err = sp__sim_inode_add(at->parent, at->name, at->inode);
	sp__sim_inode_put(at->inode);
	return err;
}

static int open_path(struct sp_sim_host *host, int dir, const char *path,
		     int flags, mode_t mode)
{
	struct place at;
	int err = walk_path(host, dir, path, &at);

	if (err < 0)
		return err;
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return sp__sim_refuse("O_TMPFILE");
	if (at.inode != NULL && (flags & O_CREAT) && (flags & O_EXCL))
		return -EEXIST;
	if (at.inode == NULL && !(flags & O_CREAT))
		return -ENOENT;
	if (at.inode == NULL)
		err = make_inode(host, &at, S_IFREG | (mode & 07777));
	if (err < 0)
		return err;
	if (S_ISDIR(at.inode->mode) && (flags & O_ACCMODE) != O_RDONLY)
		return -EISDIR;
	if (!S_ISDIR(at.inode->mode) && (flags & O_DIRECTORY))
		return -ENOTDIR;
	if (flags & O_TRUNC)
		err = sp__sim_inode_truncate(host, at.inode, 0);
	return err < 0 ? err : open_inode(host, at.inode, flags);
}

static int run_openat(struct sp_sim_host *host, const struct io_uring_sqe *sqe)
{
	return open_path(host, sqe->fd, path_of(sqe), (int)sqe->open_flags,
			 sqe->len);
}

static int run_openat2(struct sp_sim_host *host, const struct io_uring_sqe *sqe)
{
	const struct open_how *how = second_of(sqe);
	const char *path = path_of(sqe);

	if ((how->resolve & RESOLVE_BENEATH) &&
	    (path[0] == '/' || strstr(path, "..") != NULL))
		return -EXDEV;
	return open_path(host, sqe->fd, path, (int)how->flags,
			 (mode_t)how->mode);
}

static void fill_statx(const struct sp__sim_inode *inode, struct statx *out)
{
	*out = (struct statx){
		.stx_mask = STATX_BASIC_STATS,
		.stx_blksize = 4096,
		.stx_nlink = inode->links,
		.stx_mode = (uint16_t)inode->mode,
		.stx_ino = inode->number,
		.stx_size = inode->seen.len,
		.stx_blocks = (inode->seen.len + 511) / 512,
		.stx_mtime = { .tv_sec = inode->changed / SP_S,
			       .tv_nsec = (uint32_t)(inode->changed % SP_S) },
	};
	out->stx_ctime = out->stx_atime = out->stx_mtime;
}

static int run_statx(struct sp_sim_host *host, const struct io_uring_sqe *sqe)
{
	struct disk_file *f = disk_file_at(host, sqe->fd);
	struct place at = { 0 };
	int err = 0;

	if (path_of(sqe)[0] == '\0' && (sqe->statx_flags & AT_EMPTY_PATH)) {
		if (f == NULL)
			return -EBADF;
		at.inode = f->inode;
	} else {
		err = walk_path(host, sqe->fd, path_of(sqe), &at);
	}
	if (err == 0 && at.inode == NULL)
		err = -ENOENT;
	if (err == 0)
		fill_statx(at.inode, second_of(sqe));
	return err;
}

static int run_mkdirat(struct sp_sim_host *host, const struct io_uring_sqe *sqe)
{
	struct place at;
	int err = walk_path(host, sqe->fd, path_of(sqe), &at);

	if (err == 0 && at.inode != NULL)
		err = -EEXIST;
	return err < 0 ? err
		       : make_inode(host, &at, S_IFDIR | (sqe->len & 07777));
}

static int run_unlinkat(struct sp_sim_host *host,
			const struct io_uring_sqe *sqe)
{
	bool folder = sqe->unlink_flags & AT_REMOVEDIR;
	struct place at;
	int err = walk_path(host, sqe->fd, path_of(sqe), &at);

	if (err < 0)
		return err;
	if (at.inode == NULL)
		return -ENOENT;
	if (at.name[0] == '\0')
		return -EBUSY;
	if (S_ISDIR(at.inode->mode) != folder)
		return folder ? -ENOTDIR : -EISDIR;
	if (folder && at.inode->entries != NULL)
		return -ENOTEMPTY;
	if (!folder && at.inode->links == 1)
		host->disk->used -= at.inode->seen.len;
	return sp__sim_inode_remove(at.parent, at.name);
}

static bool is_below(const struct sp__sim_inode *inode,
		     const struct sp__sim_inode *dir)
{
	for (; inode != NULL; inode = inode->parent)
		if (inode == dir)
			return true;
	return false;
}

/* 0 if a rename may replace the inode at @to, else an error. */
static int check_target(const struct place *from, const struct place *to)
{
	if (to->inode == NULL)
		return 0;
	if (S_ISDIR(to->inode->mode) != S_ISDIR(from->inode->mode))
		return S_ISDIR(to->inode->mode) ? -EISDIR : -ENOTDIR;
	return to->inode->entries != NULL ? -ENOTEMPTY : 0;
}

static int run_renameat(struct sp_sim_host *host,
			const struct io_uring_sqe *sqe)
{
	struct place from, to;
	int err = walk_path(host, sqe->fd, path_of(sqe), &from);

	if (err < 0)
		return err;
	err = walk_path(host, (int)sqe->len, second_of(sqe), &to);
	if (err < 0)
		return err;
	if (sqe->rename_flags & ~(unsigned int)RENAME_NOREPLACE)
		return sp__sim_refuse("RENAME_EXCHANGE");
	if (from.inode == NULL)
		return -ENOENT;
	if (from.name[0] == '\0' || to.name[0] == '\0')
		return -EBUSY;
	if (to.inode != NULL && (sqe->rename_flags & RENAME_NOREPLACE))
		return -EEXIST;
	if (from.inode == to.inode)
		return 0;
	if (S_ISDIR(from.inode->mode) && is_below(to.parent, from.inode))
		return -EINVAL;
	err = check_target(&from, &to);
	if (err == 0 && to.inode != NULL && to.inode->links == 1)
		host->disk->used -= to.inode->seen.len;
	if (err == 0)
		err = sp__sim_inode_add(to.parent, to.name, from.inode);
	return err < 0 ? err : sp__sim_inode_remove(from.parent, from.name);
}

static int run_linkat(struct sp_sim_host *host, const struct io_uring_sqe *sqe)
{
	struct place from, to;
	int err = walk_path(host, sqe->fd, path_of(sqe), &from);

	if (err < 0)
		return err;
	err = walk_path(host, (int)sqe->len, second_of(sqe), &to);
	if (err < 0)
		return err;
	if (from.inode == NULL)
		return -ENOENT;
	if (S_ISDIR(from.inode->mode))
		return -EPERM;
	if (to.inode != NULL || to.name[0] == '\0')
		return -EEXIST;
	return sp__sim_inode_add(to.parent, to.name, from.inode);
}

static int run_fchmodat(struct sp_sim_host *host,
			const struct io_uring_sqe *sqe)
{
	struct place at;
	int err = walk_path(host, sqe->fd, path_of(sqe), &at);

	if (err == 0 && at.inode == NULL)
		err = -ENOENT;
	if (err == 0)
		at.inode->mode = (at.inode->mode & S_IFMT) | (sqe->len & 07777);
	return err;
}

/* Operations on descriptors */

static size_t offset_of(const struct disk_file *f,
			const struct io_uring_sqe *sqe)
{
	return sqe->off == UINT64_MAX ? f->position : (size_t)sqe->off;
}

static size_t shorten_transfer(struct sp_sim *sim, size_t n)
{
	if (n > 1 && sp__sim_strikes(sim, SP__SIM_DISK, SP_SIM_SHORT_IO))
		return 1 + sp__sim_below(sim, SP__SIM_DISK, n);
	return n;
}

static int run_read(struct sp_sim_host *host, struct disk_file *f,
		    const struct io_uring_sqe *sqe)
{
	const struct sp__sim_content *c = &f->inode->seen;
	size_t offset = offset_of(f, sqe);
	struct sp__sim_bytes b;
	size_t n;

	if ((f->file.flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	if (S_ISDIR(f->inode->mode))
		return -EISDIR;
	sp__sim_bytes_of(sqe, &b);
	n = offset >= c->len ? 0 : c->len - offset;
	n = shorten_transfer(host->sim, n < b.len ? n : b.len);
	if (n > 0)
		sp__sim_bytes_put(&b, c->data + offset, n);
	if (sqe->off == UINT64_MAX)
		f->position = offset + n;
	return (int)n;
}

static int run_write(struct sp_sim_host *host, struct disk_file *f,
		     const struct io_uring_sqe *sqe)
{
	size_t offset = offset_of(f, sqe);
	struct sp__sim_bytes b;
	uint8_t *data;
	size_t n;
	int err;

	if ((f->file.flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	if (sp__sim_strikes(host->sim, SP__SIM_DISK, SP_SIM_ENOSPC))
		return -ENOSPC;
	if (f->file.flags & O_APPEND)
		offset = f->inode->seen.len;
	sp__sim_bytes_of(sqe, &b);
	n = shorten_transfer(host->sim, b.len);
	data = sp__sim_malloc(n + 1);
	if (data == NULL)
		return -ENOMEM;
	sp__sim_bytes_get(&b, data, n);
	err = sp__sim_inode_write(host, f->inode, data, n, offset);
	free(data);
	if (err < 0)
		return err;
	if (sqe->off == UINT64_MAX)
		f->position = offset + n;
	return (int)n;
}

static int run_fsync(struct sp_sim_host *host, struct disk_file *f,
		     const struct io_uring_sqe *sqe)
{
	(void)host;
	(void)sqe;
	return sp__sim_inode_sync(f->inode);
}

static int run_ftruncate(struct sp_sim_host *host, struct disk_file *f,
			 const struct io_uring_sqe *sqe)
{
	if (S_ISDIR(f->inode->mode) || (f->file.flags & O_ACCMODE) == O_RDONLY)
		return -EINVAL;
	return sp__sim_inode_truncate(host, f->inode, (size_t)sqe->off);
}

static int run_fallocate(struct sp_sim_host *host, struct disk_file *f,
			 const struct io_uring_sqe *sqe)
{
	size_t end = (size_t)sqe->off + (size_t)sqe->addr;

	if (sqe->addr == 0 || end < sqe->off)
		return -EINVAL;
	if (sqe->len == FALLOC_FL_KEEP_SIZE)
		return 0;
	if (sqe->len != 0)
		return sp__sim_refuse("fallocate() with a mode");
	if (end <= f->inode->seen.len)
		return 0;
	return sp__sim_inode_truncate(host, f->inode, end);
}

static int run_fchmod(struct sp_sim_host *host, struct disk_file *f,
		      const struct io_uring_sqe *sqe)
{
	(void)host;
	f->inode->mode = (f->inode->mode & S_IFMT) | (sqe->len & 07777);
	return 0;
}

/*
 * Simulate getdents64(2). The position of a directory is the number of entries
 * that were returned before.
 */
static int run_getdents(struct sp_sim_host *host, struct disk_file *f,
			const struct io_uring_sqe *sqe)
{
	struct sp__sim_entry *entry = f->inode->entries;
	char *out = (char *)(uintptr_t)sqe->addr;
	size_t used = 0;

	(void)host;
	if (!S_ISDIR(f->inode->mode))
		return -ENOTDIR;
	for (size_t i = 0; i < f->position && entry != NULL; i++)
		entry = entry->next;
	for (; entry != NULL; entry = entry->next) {
		size_t name = strlen(entry->name) + 1;
		size_t len = (offsetof(struct dirent64, d_name) + name + 7) &
			     ~(size_t)7;
		struct dirent64 *d = (struct dirent64 *)(void *)(out + used);

		if (used + len > sqe->len)
			break;
		d->d_ino = entry->inode->number;
		d->d_off = (off64_t)++f->position;
		d->d_reclen = (unsigned short)len;
		d->d_type = S_ISDIR(entry->inode->mode) ? DT_DIR : DT_REG;
		memcpy(d->d_name, entry->name, name);
		used += len;
	}
	return (int)used;
}

/*
 * Operations on names, and on the file of the descriptor. Rows of sync_ops.c
 * that are not simulated are in tests/unit/test_spargio_sync_ops.c.
 */
/* clang-format off */
static const struct row {
	int (*path)(struct sp_sim_host *, const struct io_uring_sqe *);
	int (*file)(struct sp_sim_host *, struct disk_file *,
		    const struct io_uring_sqe *);
} rows[256] = {
	[IORING_OP_READ]	= { .file = run_read },
	[IORING_OP_READV]	= { .file = run_read },
	[IORING_OP_WRITE]	= { .file = run_write },
	[IORING_OP_WRITEV]	= { .file = run_write },
	[IORING_OP_FSYNC]	= { .file = run_fsync },
	[IORING_OP_FALLOCATE]	= { .file = run_fallocate },
	[SP__OP_FTRUNCATE]	= { .file = run_ftruncate },
	[SP__OP_FCHMOD]		= { .file = run_fchmod },
	[SP__OP_GETDENTS]	= { .file = run_getdents },
	[IORING_OP_OPENAT]	= { .path = run_openat },
	[IORING_OP_OPENAT2]	= { .path = run_openat2 },
	[IORING_OP_STATX]	= { .path = run_statx },
	[IORING_OP_RENAMEAT]	= { .path = run_renameat },
	[IORING_OP_UNLINKAT]	= { .path = run_unlinkat },
	[IORING_OP_MKDIRAT]	= { .path = run_mkdirat },
	[IORING_OP_LINKAT]	= { .path = run_linkat },
	[SP__OP_FCHMODAT]	= { .path = run_fchmodat },
};
/* clang-format on */

bool sp__sim_disk_knows(uint8_t opcode)
{
	return rows[opcode].path != NULL || rows[opcode].file != NULL;
}

static int run_op(struct sp_sim_host *host, struct pending *p)
{
	const struct io_uring_sqe *sqe = &p->op->sqe;
	const struct row *row = &rows[sqe->opcode];

	if (row->file != NULL && p->file == NULL)
		return -EBADF;
	if ((sqe->opcode == IORING_OP_READV ||
	     sqe->opcode == IORING_OP_WRITEV) &&
	    sqe->len > IOV_MAX)
		return -EINVAL;
	if (sp__sim_strikes(host->sim, SP__SIM_DISK, SP_SIM_EIO)) {
		if (sqe->opcode == IORING_OP_FSYNC)
			sp__sim_inode_lose(host->sim, p->file->inode);
		return -EIO;
	}
	return row->path != NULL ? row->path(host, sqe)
				 : row->file(host, p->file, sqe);
}

static void free_pending(void *arg)
{
	struct pending *p = arg;

	if (p->file != NULL)
		put_file(p->file);
	free(p);
}

static void finish_op(struct sp_sim *sim, void *arg)
{
	struct pending *p = arg;
	struct sp__sim_shard *io = p->op->shard->io;

	(void)sim;
	sp__sim_complete(p->op, run_op(io->host, p));
	free_pending(p);
}

static int64_t duration_of(struct sp_sim *sim, uint8_t opcode)
{
	bool sync = opcode == IORING_OP_FSYNC;
	int64_t time =
		sp__sim_between(sim, SP__SIM_DISK, sync ? SYNC_MIN : FAST_MIN,
				sync ? SYNC_MAX : FAST_MAX);

	if (sp__sim_strikes(sim, SP__SIM_DISK, SP_SIM_SLOW_DISK))
		time += sp__sim_between(sim, SP__SIM_DISK, 0, SLOW_MAX);
	return time;
}

void sp__sim_disk_start(struct sp_sim_host *host, struct sp__op *op)
{
	struct sp_sim *sim = host->sim;
	struct pending *p = sp__sim_malloc(sizeof(*p));

	if (p == NULL) {
		sp__sim_complete(op, -ENOMEM);
		return;
	}
	p->op = op;
	p->file = disk_file_at(host, op->sqe.fd);
	if (p->file != NULL)
		p->file->refs++;
	sp__sim_schedule(sim, &(struct sp__sim_event){
				      .when = sim->now +
					      duration_of(sim, op->sqe.opcode),
				      .fire = finish_op,
				      .drop = free_pending,
				      .arg = p,
				      .owner = host });
}

/* The disk */

int sp__sim_disk_new(struct sp_sim_host *host)
{
	host->disk = sp__sim_calloc(1, sizeof(*host->disk));
	if (host->disk == NULL)
		return -ENOMEM;
	host->disk->root = sp__sim_inode_new(host, S_IFDIR | 0755);
	if (host->disk->root == NULL) {
		free(host->disk);
		return -ENOMEM;
	}
	host->disk->root->links = 1;
	return 0;
}

void sp__sim_disk_free(struct sp_sim_host *host)
{
	sp__sim_inode_put(host->disk->root);
	free(host->disk);
}

void sp__sim_disk_crash(struct sp_sim_host *host)
{
	host->disk->used = 0;
	sp__sim_inode_crash(host, host->disk->root);
}
