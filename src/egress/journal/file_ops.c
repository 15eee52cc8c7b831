/*
 * Frequent operations (read, write, sync) go through the ring. The others run
 * on a thread of the blocking pool.
 */
#include "egress/journal/file_ops.h"

#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/op.h>
#include <spargio/pool.h>
#include <spargio/time.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MODE	 0640
#define DIR_MODE 0750

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
	/* One word of a union: open_flags, fsync_flags and rw_flags. */
	sqe->open_flags = op->flags;
}

/*
 * Not cancellable: a cancelled fiber still completes its current step, so that
 * the state of the file is known.
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

/* Skip @n bytes that were written. Returns the entries that are left. */
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

/* Rare operations, in the pool */

struct job {
	int (*call)(struct job *job);
	int fd;
	const char *name;
	const char *new_name;
	uint64_t size;
	int64_t result;
	int (*each)(const char *name, void *arg);
	void *arg;
};

static int run_job(void *arg)
{
	struct job *job = arg;

	return job->call(job);
}

/* The job is on the caller's stack, so the caller must wait. */
static int job_run_blocking(struct job *job)
{
	int ret;
	int err;

	sp_shield_begin();
	do {
		err = sp_block(run_job, job, &ret);
		if (err == -EAGAIN)
			sp_yield();
	} while (err == -EAGAIN);
	sp_shield_end();
	return err != 0 ? err : ret;
}

static int call_open_dir(struct job *job)
{
	int fd;

	if (mkdir(job->name, DIR_MODE) < 0 && errno != EEXIST)
		return -errno;
	fd = open(job->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int file_open_dir(const char *path)
{
	return job_run_blocking(
		&(struct job){ .call = call_open_dir, .name = path });
}

static int call_lock(struct job *job)
{
	if (flock(job->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	/* A file system without locks does not prevent the start. */
	return errno == EWOULDBLOCK ? -EBUSY : 0;
}

/*
 * A killed process holds its lock until the kernel has completed its requests.
 */
int file_lock(int dir)
{
	int64_t until = sp_in(LOCK_NS);
	struct job job = { .call = call_lock, .fd = dir };
	int err = job_run_blocking(&job);

	while (err == -EBUSY && sp_now() < until && sp_sleep(LOCK_STEP_NS) == 0)
		err = job_run_blocking(&job);
	return err;
}

static int call_truncate(struct job *job)
{
	return ftruncate(job->fd, (off_t)job->size) < 0 ? -errno : 0;
}

int file_truncate(int fd, uint64_t size)
{
	return job_run_blocking(
		&(struct job){ .call = call_truncate, .fd = fd, .size = size });
}

static int call_size(struct job *job)
{
	struct stat st;

	if (fstat(job->fd, &st) < 0)
		return -errno;
	job->result = st.st_size;
	return 0;
}

int64_t file_size(int fd)
{
	struct job job = { .call = call_size, .fd = fd };
	int err = job_run_blocking(&job);

	return err < 0 ? err : job.result;
}

static int call_unlink(struct job *job)
{
	return unlinkat(job->fd, job->name, 0) < 0 ? -errno : 0;
}

int file_unlink(int dir, const char *name)
{
	return job_run_blocking(
		&(struct job){ .call = call_unlink, .fd = dir, .name = name });
}

static int call_rename(struct job *job)
{
	int res = renameat(job->fd, job->name, job->fd, job->new_name);

	return res < 0 ? -errno : 0;
}

int file_rename(int dir, const char *from, const char *to)
{
	return job_run_blocking(&(struct job){
		.call = call_rename, .fd = dir, .name = from, .new_name = to });
}

static int call_list(struct job *job)
{
	/*
	 * fdopendir() takes over its descriptor and would move the caller's
	 * position.
	 */
	int fd = openat(job->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (dir == NULL) {
		err = -errno;
		close(fd);
		return err;
	}
	while (err == 0 && (entry = readdir(dir)) != NULL)
		err = job->each(entry->d_name, job->arg);
	closedir(dir);
	return err;
}

int file_list(int dir, int (*each)(const char *name, void *arg), void *arg)
{
	return job_run_blocking(&(struct job){
		.call = call_list, .fd = dir, .each = each, .arg = arg });
}
