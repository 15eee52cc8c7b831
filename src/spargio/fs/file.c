/*
 * Each call is one SQE and one wait. The ..._full() and ..._all() forms repeat
 * after short transfers.
 */
#include "spargio/io/iov.h"
#include "spargio/io/op.h"
#include "spargio/io/sync_ops.h"
#include "spargio/io/sys.h"
#include "spargio/io/uring_abi.h"
#include "spargio/net/socket.h"
#include "spargio/sched/current.h"

#include <spargio/file.h>
#include <spargio/path.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/* The offset of an SQE that means the file position. */
#define HERE ((off_t)-1)

/*
 * The maximum number of bytes that the kernel transfers in one call. Also fits
 * into the length of an SQE.
 */
#define TRANSFER_MAX 0x7ffff000U

static unsigned int clamp_length(size_t len)
{
	return len < TRANSFER_MAX ? (unsigned int)len : TRANSFER_MAX;
}

/* Open and close */

int sp_openat(int dir, const char *path, int flags, mode_t mode)
{
	return sp_openat_until(dir, path, flags, mode, SP_NEVER);
}

int sp_openat_until(int dir, const char *path, int flags, mode_t mode,
		    int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_openat(&op.sqe, dir, path, flags, mode);
	return sp__op_call(&op, deadline, "open");
}

int sp_openat2(int dir, const char *path, const struct open_how *how)
{
	struct sp__op op = { 0 };

	/* The cast is safe because the kernel only reads @how. */
	io_uring_prep_openat2(&op.sqe, dir, path, (struct open_how *)how);
	return sp__op_call(&op, SP_NEVER, "open");
}

int sp_open_regular(int dir, const char *path, int flags, mode_t mode)
{
	int fd = sp_openat(dir, path, flags | O_NONBLOCK | O_NOCTTY, mode);
	struct statx st;
	int err;

	if (fd < 0)
		return fd == -EISDIR ? -ENXIO : fd;
	err = sp_fstat(fd, &st);
	if (err == 0 && !S_ISREG(st.stx_mode))
		err = -ENXIO;
	/*
	 * Clear O_NONBLOCK: with it an io_uring operation fails with -EAGAIN
	 * if the file system would have to wait for the disk.
	 */
	if (err == 0 && (flags & O_NONBLOCK) == 0 &&
	    sp__sys()->fcntl(fd, F_SETFL, flags) < 0)
		err = -errno;
	if (err < 0) {
		sp_close(fd);
		return err;
	}
	return fd;
}

int sp_close(int fd)
{
	struct sp__op op = { 0 };
	int err;

	if (sp__fiber_self() == NULL) {
		err = sp__sys()->close(fd) < 0 ? -errno : 0;
	} else {
		io_uring_prep_close(&op.sqe, fd);
		/* A cancelled fiber still has to close its descriptors. */
		sp_shield_begin();
		err = sp__op_run(&op, SP_NEVER, "close");
		sp_shield_end();
	}
	/*
	 * After EINTR Linux has closed the descriptor. A second close could
	 * close a descriptor that another thread has opened since.
	 */
	return err == -EINTR ? 0 : err;
}

/* One transfer */

static ssize_t read_at(int fd, void *data, size_t len, off_t offset,
		       int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_read(&op.sqe, fd, data, clamp_length(len),
			   (uint64_t)offset);
	return sp__socket_run(&op, POLLIN, deadline, "read");
}

static ssize_t readv_at(int fd, const struct iovec *iov, int n, off_t offset,
			int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_readv(&op.sqe, fd, iov, (unsigned int)n,
			    (uint64_t)offset);
	return sp__socket_run(&op, POLLIN, deadline, "read");
}

static ssize_t write_at(int fd, const void *data, size_t len, off_t offset,
			int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_write(&op.sqe, fd, data, clamp_length(len),
			    (uint64_t)offset);
	return sp__socket_run(&op, POLLOUT, deadline, "write");
}

static ssize_t writev_at(int fd, const struct iovec *iov, int n, off_t offset,
			 int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_writev(&op.sqe, fd, iov, (unsigned int)n,
			     (uint64_t)offset);
	return sp__socket_run(&op, POLLOUT, deadline, "write");
}

/*
 * In an SQE the offset -1 means the file position, so a negative offset is
 * refused here.
 */

ssize_t sp_pread(int fd, void *data, size_t len, off_t offset)
{
	return sp_pread_until(fd, data, len, offset, SP_NEVER);
}

ssize_t sp_pread_until(int fd, void *data, size_t len, off_t offset,
		       int64_t deadline)
{
	if (offset < 0)
		return -EINVAL;
	return read_at(fd, data, len, offset, deadline);
}

ssize_t sp_preadv(int fd, const struct iovec *iov, int n, off_t offset)
{
	return sp_preadv_until(fd, iov, n, offset, SP_NEVER);
}

ssize_t sp_preadv_until(int fd, const struct iovec *iov, int n, off_t offset,
			int64_t deadline)
{
	if (offset < 0 || n < 0)
		return -EINVAL;
	return readv_at(fd, iov, n, offset, deadline);
}

ssize_t sp_pwrite(int fd, const void *data, size_t len, off_t offset)
{
	return sp_pwrite_until(fd, data, len, offset, SP_NEVER);
}

ssize_t sp_pwrite_until(int fd, const void *data, size_t len, off_t offset,
			int64_t deadline)
{
	if (offset < 0)
		return -EINVAL;
	return write_at(fd, data, len, offset, deadline);
}

ssize_t sp_pwritev(int fd, const struct iovec *iov, int n, off_t offset)
{
	return sp_pwritev_until(fd, iov, n, offset, SP_NEVER);
}

ssize_t sp_pwritev_until(int fd, const struct iovec *iov, int n, off_t offset,
			 int64_t deadline)
{
	if (offset < 0 || n < 0)
		return -EINVAL;
	return writev_at(fd, iov, n, offset, deadline);
}

ssize_t sp_read(int fd, void *data, size_t len)
{
	return read_at(fd, data, len, HERE, SP_NEVER);
}

ssize_t sp_read_until(int fd, void *data, size_t len, int64_t deadline)
{
	return read_at(fd, data, len, HERE, deadline);
}

ssize_t sp_readv(int fd, const struct iovec *iov, int n)
{
	return sp_readv_until(fd, iov, n, SP_NEVER);
}

ssize_t sp_readv_until(int fd, const struct iovec *iov, int n, int64_t deadline)
{
	return n < 0 ? -EINVAL : readv_at(fd, iov, n, HERE, deadline);
}

ssize_t sp_write(int fd, const void *data, size_t len)
{
	return write_at(fd, data, len, HERE, SP_NEVER);
}

ssize_t sp_write_until(int fd, const void *data, size_t len, int64_t deadline)
{
	return write_at(fd, data, len, HERE, deadline);
}

ssize_t sp_writev(int fd, const struct iovec *iov, int n)
{
	return sp_writev_until(fd, iov, n, SP_NEVER);
}

ssize_t sp_writev_until(int fd, const struct iovec *iov, int n,
			int64_t deadline)
{
	return n < 0 ? -EINVAL : writev_at(fd, iov, n, HERE, deadline);
}

/* Whole transfers */

static off_t move_offset(off_t offset, size_t by)
{
	return offset == HERE ? HERE : offset + (off_t)by;
}

static ssize_t read_full(int fd, const struct iovec *iov, int n, off_t offset)
{
	struct sp__iov left;
	size_t got = 0;

	sp__iov_init(&left, iov, n);
	while (sp__iov_left(&left)) {
		int some = sp__iov_next(&left);
		ssize_t ret = readv_at(fd, left.some, some,
				       move_offset(offset, got), SP_NEVER);

		if (ret <= 0)
			return ret < 0 ? ret : (ssize_t)got;
		got += (size_t)ret;
		sp__iov_advance(&left, (size_t)ret);
	}
	return (ssize_t)got;
}

static int write_all(int fd, const struct iovec *iov, int n, off_t offset)
{
	struct sp__iov left;
	size_t put = 0;

	sp__iov_init(&left, iov, n);
	while (sp__iov_left(&left)) {
		int some = sp__iov_next(&left);
		ssize_t ret = writev_at(fd, left.some, some,
					move_offset(offset, put), SP_NEVER);

		/*
		 * Nothing was written and there is no error: a retry would loop
		 * forever.
		 */
		if (ret <= 0)
			return ret < 0 ? (int)ret : -EIO;
		put += (size_t)ret;
		sp__iov_advance(&left, (size_t)ret);
	}
	return 0;
}

ssize_t sp_pread_full(int fd, void *data, size_t len, off_t offset)
{
	struct iovec one = { data, len };

	return offset < 0 ? -EINVAL : read_full(fd, &one, 1, offset);
}

ssize_t sp_preadv_full(int fd, const struct iovec *iov, int n, off_t offset)
{
	return offset < 0 || n < 0 ? -EINVAL : read_full(fd, iov, n, offset);
}

int sp_pwrite_all(int fd, const void *data, size_t len, off_t offset)
{
	struct iovec one = { (void *)data, len };

	return offset < 0 ? -EINVAL : write_all(fd, &one, 1, offset);
}

int sp_pwritev_all(int fd, const struct iovec *iov, int n, off_t offset)
{
	return offset < 0 || n < 0 ? -EINVAL : write_all(fd, iov, n, offset);
}

ssize_t sp_read_full(int fd, void *data, size_t len)
{
	struct iovec one = { data, len };

	return read_full(fd, &one, 1, HERE);
}

int sp_write_all(int fd, const void *data, size_t len)
{
	struct iovec one = { (void *)data, len };

	return write_all(fd, &one, 1, HERE);
}

int sp_writev_all(int fd, const struct iovec *iov, int n)
{
	return n < 0 ? -EINVAL : write_all(fd, iov, n, HERE);
}

/* Syncing, size and status */

static int sync_file(int fd, unsigned int flags, int64_t deadline)
{
	struct sp__op op = { 0 };

	io_uring_prep_fsync(&op.sqe, fd, flags);
	return sp__op_call(&op, deadline, "sync");
}

int sp_fsync(int fd)
{
	return sync_file(fd, 0, SP_NEVER);
}

int sp_fsync_until(int fd, int64_t deadline)
{
	return sync_file(fd, 0, deadline);
}

int sp_fdatasync(int fd)
{
	return sync_file(fd, IORING_FSYNC_DATASYNC, SP_NEVER);
}

int sp_fdatasync_until(int fd, int64_t deadline)
{
	return sync_file(fd, IORING_FSYNC_DATASYNC, deadline);
}

int sp_ftruncate(int fd, off_t len)
{
	struct sp__op op = { 0 };

	io_uring_prep_rw(SP__OP_FTRUNCATE, &op.sqe, fd, NULL, 0, (uint64_t)len);
	return sp__op_call(&op, SP_NEVER, "truncate");
}

int sp_fallocate(int fd, int mode, off_t offset, off_t len)
{
	struct sp__op op = { 0 };

	io_uring_prep_fallocate(&op.sqe, fd, mode, offset, len);
	return sp__op_call(&op, SP_NEVER, "allocate");
}

int sp_fstat(int fd, struct statx *out)
{
	return sp_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, out);
}

int sp_fchmod(int fd, mode_t mode)
{
	struct sp__op op = { 0 };

	io_uring_prep_rw(SP__OP_FCHMOD, &op.sqe, fd, NULL, mode, 0);
	return sp__op_call(&op, SP_NEVER, "permissions");
}
