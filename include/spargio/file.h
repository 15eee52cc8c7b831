/*
 * spargio/file.h - files, and reading and writing descriptors
 *
 *	fd = sp_openat(AT_FDCWD, "journal", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
 *	err = sp_pwrite_all(fd, record, len, offset);
 *	err = sp_fdatasync(fd);
 *	sp_close(fd);
 *
 * The calls of POSIX under their own names. What they do to the disk they do
 * beside the fibers: by io_uring where it has the operation, by a thread of
 * the blocking pool where it does not.
 *
 * Threads	Any fiber of any shard; -EPERM elsewhere. Operations on one
 *		file may run at the same time, also on several shards.
 * Blocking	Everything here yields.
 * Ownership	Buffers, paths and vectors stay the caller's and may be on the
 *		fiber's stack: no call returns before the kernel has let go of
 *		them, also when it is cancelled or late.
 * Errors	A negative errno: that of the system call, -ECANCELED, or
 *		-ETIMEDOUT. Nothing is retried but what a signal interrupted.
 *		What has begun and cannot be stopped is seen through, and then
 *		its result counts; so no descriptor and no byte is lost.
 * Deadlines	..._until(), or for any call sp_deadline_push().
 */
#ifndef SPARGIO_FILE_H
#define SPARGIO_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iovec;
struct open_how;
struct statx;

/* Open and close */

/*
 * As openat(2) and openat2(2): a descriptor. @how is of <linux/openat2.h>; its
 * RESOLVE_BENEATH keeps a path that a stranger chose inside @dir. Open a FIFO
 * with O_NONBLOCK: whether it waits for the other end without depends on the
 * back end.
 */
int sp_openat(int dir, const char *path, int flags, mode_t mode);
int sp_openat_until(int dir, const char *path, int flags, mode_t mode,
		    int64_t deadline);
int sp_openat2(int dir, const char *path, const struct open_how *how);

/*
 * As sp_openat(), but -ENXIO if it is not a regular file: a FIFO, for whose
 * other end it does not wait, a folder, a socket or a device, also behind a
 * symbolic link.
 */
int sp_open_regular(int dir, const char *path, int flags, mode_t mode);

/*
 * Close it, also in a fiber that was cancelled, and in any thread. Whatever is
 * returned, @fd is closed: an error (-EIO, -ENOSPC of a network's file system)
 * is about what was written before. -EBADF if it was not open.
 *
 * Operations that other fibers of this shard wait for on @fd end with
 * -ECANCELED. Those on other shards are not looked for: cancel their fibers
 * first, or shut the socket down.
 */
int sp_close(int fd);

/*
 * Read and write at @offset, one buffer or several. Bytes read or written,
 * maybe fewer than asked for; 0 when reading is the end of the file. @offset
 * does not matter to what has no positions, such as a pipe.
 */
ssize_t sp_pread(int fd, void *data, size_t len, off_t offset);
ssize_t sp_pread_until(int fd, void *data, size_t len, off_t offset,
		       int64_t deadline);
ssize_t sp_preadv(int fd, const struct iovec *iov, int n, off_t offset);
ssize_t sp_preadv_until(int fd, const struct iovec *iov, int n, off_t offset,
			int64_t deadline);
ssize_t sp_pwrite(int fd, const void *data, size_t len, off_t offset);
ssize_t sp_pwrite_until(int fd, const void *data, size_t len, off_t offset,
			int64_t deadline);
ssize_t sp_pwritev(int fd, const struct iovec *iov, int n, off_t offset);
ssize_t sp_pwritev_until(int fd, const struct iovec *iov, int n, off_t offset,
			 int64_t deadline);

/*
 * The same until everything is read or the file ends: how many bytes. And
 * until everything is written: 0. An error may leave a part done.
 */
ssize_t sp_pread_full(int fd, void *data, size_t len, off_t offset);
ssize_t sp_preadv_full(int fd, const struct iovec *iov, int n, off_t offset);
int sp_pwrite_all(int fd, const void *data, size_t len, off_t offset);
int sp_pwritev_all(int fd, const struct iovec *iov, int n, off_t offset);

/*
 * Many at once: all of them are in flight together, in no order. Each has its
 * result in @res, as of sp_pread() and sp_pwrite(); the call returns 0, or
 * -EPERM, -EINVAL (a negative offset), -ENOMEM, -ECANCELED: then none has
 * begun. A cancel or a deadline that comes later is the result of those it has
 * hit.
 */
struct sp_transfer {
	int fd;
	void *data;
	size_t len;
	off_t offset;
	ssize_t res;
};
int sp_pread_many(struct sp_transfer *transfers, size_t n);
int sp_pwrite_many(struct sp_transfer *transfers, size_t n);

/*
 * Read and write where the file's position is, or, with O_APPEND, at its end;
 * pipes and terminals, too. Two fibers that share a position share it as two
 * threads would: not in any order.
 */
ssize_t sp_read(int fd, void *data, size_t len);
ssize_t sp_read_until(int fd, void *data, size_t len, int64_t deadline);
ssize_t sp_readv(int fd, const struct iovec *iov, int n);
ssize_t sp_readv_until(int fd, const struct iovec *iov, int n,
		       int64_t deadline);
ssize_t sp_write(int fd, const void *data, size_t len);
ssize_t sp_write_until(int fd, const void *data, size_t len, int64_t deadline);
ssize_t sp_writev(int fd, const struct iovec *iov, int n);
ssize_t sp_writev_until(int fd, const struct iovec *iov, int n,
			int64_t deadline);

ssize_t sp_read_full(int fd, void *data, size_t len);
int sp_write_all(int fd, const void *data, size_t len);
int sp_writev_all(int fd, const struct iovec *iov, int n);

/* To the disk: all of it, or the bytes and what is needed to find them. */
int sp_fsync(int fd);
int sp_fsync_until(int fd, int64_t deadline);
int sp_fdatasync(int fd);
int sp_fdatasync_until(int fd, int64_t deadline);

/* Size: as ftruncate(2) and fallocate(2), @mode being that of the latter. */
int sp_ftruncate(int fd, off_t len);
int sp_fallocate(int fd, int mode, off_t offset, off_t len);

/* What it is; @out as of statx(2) with STATX_BASIC_STATS. */
int sp_fstat(int fd, struct statx *out);
int sp_fchmod(int fd, mode_t mode);

#ifdef __cplusplus
}
#endif

#endif
