#include "egress/journal/file_ops.h"

#include <spargio/dir.h>
#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/op.h>
#include <spargio/path.h>
#include <spargio/pool.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define MODE	    0640
#define DIR_MODE    0750
#define PARENT_MODE 0755

#define LOCK_NS	     (1 * SP_S)
#define LOCK_STEP_NS (20 * SP_MS)

/* The arguments of one file operation. */
struct file_op {
	uint8_t opcode;
	int fd;
	uint64_t addr;
	uint32_t len;
	uint64_t offset;
	uint32_t flags;
};

static void sqe_fill(struct io_uring_sqe *sqe, void *arg)
{
	const struct file_op *op = arg;

	sqe->opcode = op->opcode;
	sqe->fd = op->fd;
	sqe->addr = op->addr;
	sqe->len = op->len;
	sqe->off = op->offset;
	/* open_flags, fsync_flags and rw_flags are the same word of a union. */
	sqe->open_flags = op->flags;
}

/*
 * Run an operation and return its result. It cannot be cancelled: a cancelled
 * fiber completes the operation, so that the state of the file is known.
 */
static int file_op_run(struct file_op op)
{
	int res;

	sp_shield_begin();
	do
		res = sp_op_raw(sqe_fill, &op, NULL);
	while (res == -EINTR || res == -EAGAIN);
	sp_shield_end();
	return res;
}

int file_open(int dir, const char *name, int flags)
{
	int fd;

	sp_shield_begin();
	do
		fd = (flags & O_DIRECTORY) != 0
			     ? sp_openat(dir, name, flags | O_CLOEXEC, 0)
			     : sp_open_regular(dir, name, flags | O_CLOEXEC,
					       MODE);
	while (fd == -EINTR || fd == -EAGAIN);
	sp_shield_end();
	return fd;
}

void file_close(int fd)
{
	if (fd >= 0)
		file_op_run((struct file_op){ .opcode = IORING_OP_CLOSE,
					      .fd = fd });
}

int64_t file_read(int fd, void *bytes, size_t len, uint64_t offset)
{
	size_t got = 0;

	while (got < len) {
		size_t want = len - got < INT_MAX ? len - got : INT_MAX;
		int n = file_op_run((struct file_op){
			.opcode = IORING_OP_READ,
			.fd = fd,
			.addr = (uintptr_t)((uint8_t *)bytes + got),
			.len = (uint32_t)want,
			.offset = offset + got });

		if (n < 0)
			return n;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (int64_t)got;
}

/* Skip @n bytes that were written. Returns the number of entries left. */
static size_t iovec_advance(struct iovec **iov, size_t count, size_t n)
{
	while (count > 0 && n >= (*iov)->iov_len) {
		n -= (*iov)->iov_len;
		(*iov)++;
		count--;
	}
	if (count > 0) {
		(*iov)->iov_base = (uint8_t *)(*iov)->iov_base + n;
		(*iov)->iov_len -= n;
	}
	return count;
}

int file_write(int fd, struct iovec *iov, size_t count, uint64_t offset)
{
	while (count > 0) {
		size_t now = count < IOV_MAX ? count : IOV_MAX;
		int n = file_op_run(
			(struct file_op){ .opcode = IORING_OP_WRITEV,
					  .fd = fd,
					  .addr = (uintptr_t)iov,
					  .len = (uint32_t)now,
					  .offset = offset });

		if (n < 0)
			return n;
		if (n == 0)
			return -EIO;
		offset += (uint64_t)n;
		count = iovec_advance(&iov, count, (size_t)n);
	}
	return 0;
}

int file_sync(int fd)
{
	return file_op_run((struct file_op){ .opcode = IORING_OP_FSYNC,
					     .fd = fd,
					     .flags = IORING_FSYNC_DATASYNC });
}

/* Rare operations, which cannot be cancelled either */

/* Sync the folder that contains @path, so that the names in it are safe. */
static int parent_sync(const char *path)
{
	char parent[PATH_MAX] = ".";
	size_t len = strlen(path);
	int fd, err;

	while (len > 1 && path[len - 1] == '/')
		len--;
	while (len > 0 && path[len - 1] != '/')
		len--;
	if (len >= sizeof(parent))
		return -ENAMETOOLONG;
	if (len > 0) {
		memcpy(parent, path, len);
		parent[len] = '\0';
	}
	fd = sp_openat(AT_FDCWD, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	/*
	 * We may not open the parent folder, or the sandbox hides it. Then this
	 * process did not create @path.
	 */
	if (fd == -EACCES)
		return 0;
	if (fd < 0)
		return fd;
	err = sp_fsync(fd);
	sp_close(fd);
	/* Some file systems have nothing to sync. */
	return err == -EINVAL || err == -EROFS ? 0 : err;
}

static int folder_make(const char *path, mode_t mode)
{
	int err = sp_mkdirat(AT_FDCWD, path, mode);

	return err < 0 && err != -EEXIST ? err : parent_sync(path);
}

/*
 * Also syncs the names of folders that exist already: a process that created
 * them may have been killed, or have failed, before it synced the names.
 */
int file_make_dir(const char *path, mode_t mode)
{
	char part[PATH_MAX];
	size_t len = strlen(path);
	int err = 0;

	if (len >= sizeof(part))
		return -ENAMETOOLONG;
	memcpy(part, path, len + 1);
	sp_shield_begin();
	for (size_t i = 1; err == 0 && i < len; i++) {
		if (part[i] != '/' || part[i - 1] == '/')
			continue;
		part[i] = '\0';
		err = folder_make(part, PARENT_MODE);
		part[i] = '/';
	}
	if (err == 0)
		err = folder_make(path, mode);
	sp_shield_end();
	return err;
}

int file_open_dir(const char *path)
{
	int err = file_make_dir(path, DIR_MODE);

	return err < 0 ? err
		       : file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
}

/*
 * Lock a folder. Runs on a thread of the pool: the runtime has no call for
 * flock(), which may block on a network file system even with LOCK_NB.
 */
static int run_lock(void *arg)
{
	const int *dir = arg;

	if (flock(*dir, LOCK_EX | LOCK_NB) == 0)
		return 0;
	/* If the file system does not support locks, start without a lock. */
	return errno == EWOULDBLOCK ? -EBUSY : 0;
}

static int lock_once(int dir)
{
	int ret = 0;
	int err;

	sp_shield_begin();
	do {
		err = sp_block(run_lock, &dir, &ret);
		if (err == -EAGAIN)
			sp_yield();
	} while (err == -EAGAIN);
	sp_shield_end();
	return err < 0 ? err : ret;
}

/*
 * After a process was killed, its lock stays until the kernel has completed the
 * requests of that process. So if the folder is locked, try again for a short
 * time.
 */
int file_lock(int dir)
{
	int64_t until = sp_in(LOCK_NS);
	int err = lock_once(dir);

	while (err == -EBUSY && sp_now() < until && sp_sleep(LOCK_STEP_NS) == 0)
		err = lock_once(dir);
	return err;
}

int file_truncate(int fd, uint64_t size)
{
	int err;

	sp_shield_begin();
	err = sp_ftruncate(fd, (off_t)size);
	sp_shield_end();
	return err;
}

int64_t file_size(int fd)
{
	struct statx st;
	int err;

	sp_shield_begin();
	err = sp_fstat(fd, &st);
	sp_shield_end();
	return err < 0 ? err : (int64_t)st.stx_size;
}

int file_unlink(int dir, const char *name)
{
	int err;

	sp_shield_begin();
	err = sp_unlinkat(dir, name, 0);
	sp_shield_end();
	return err;
}

int file_rename(int dir, const char *from, const char *to)
{
	int err;

	sp_shield_begin();
	err = sp_renameat(dir, from, dir, to, 0);
	sp_shield_end();
	return err;
}

int file_list(int dir, int (*each)(const char *name, void *arg), void *arg)
{
	struct sp_dirent entry;
	struct sp_dir *list;
	int err;

	sp_shield_begin();
	err = sp_dir_open(dir, ".", &list);
	if (err == 0) {
		while ((err = sp_dir_next(list, &entry)) > 0) {
			err = each(entry.name, arg);
			if (err < 0)
				break;
		}
		sp_dir_close(list);
	}
	sp_shield_end();
	return err;
}
