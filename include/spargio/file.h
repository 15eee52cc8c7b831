/*
 * spargio/file.h - files, and reading and writing of descriptors
 *
 *	fd = sp_openat(AT_FDCWD, "journal", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
 *	err = sp_pwrite_all(fd, record, len, offset);
 *	err = sp_fdatasync(fd);
 *	sp_close(fd);
 *
 * The calls of POSIX with a prefix. They do not block the shard: io_uring
 * executes them or, if it lacks the operation, a thread of the blocking pool.
 *
 * Threads	Any fiber of any shard; -EPERM elsewhere. Operations on one
 *		file may run at the same time, also on several shards.
 * Blocking	All functions yield.
 * Ownership	The caller keeps buffers, paths and vectors, which may be on the
 *		fiber's stack: no call returns before the kernel has finished
 *		with them, even if it is cancelled or late.
 * Errors	A negative errno: that of the system call, -ECANCELED, or
 *		-ETIMEDOUT. Only interrupted calls (EINTR) are repeated. An
 *		operation that cannot be stopped is completed and its result
 *		returned; so no descriptor and no byte is lost.
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
 * As openat(2) and openat2(2): returns a descriptor. @how is declared in
 * <linux/openat2.h>; its RESOLVE_BENEATH keeps an untrusted path inside @dir.
 * Open a FIFO with O_NONBLOCK: without it the back ends differ in whether the
 * call waits for the other end.
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
 * Operations on @fd for which other fibers of this shard wait end with
 * -ECANCELED. Operations of other shards are not cancelled: cancel their fibers
 * first, or shut the socket down.
 */
int sp_close(int fd);

/*
 * Read and write at @offset, with one buffer or several. Returns the number of
 * bytes, which may be less than requested; a read of 0 bytes means the end of
 * the file. @offset is ignored for a descriptor without positions, such as a
 * pipe.
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
 * _full reads until @len bytes are read or the file ends and returns the number
 * of bytes. _all writes everything and returns 0. After an error a part may
 * have been written.
 */
ssize_t sp_pread_full(int fd, void *data, size_t len, off_t offset);
ssize_t sp_preadv_full(int fd, const struct iovec *iov, int n, off_t offset);
int sp_pwrite_all(int fd, const void *data, size_t len, off_t offset);
int sp_pwritev_all(int fd, const struct iovec *iov, int n, off_t offset);

/*
 * Several transfers at the same time, in no particular order. @res of each is
 * its result, as of sp_pread() and sp_pwrite(). The call returns 0, or -EPERM,
 * -EINVAL (a negative offset), -ENOMEM or -ECANCELED if no transfer was
 * started. A later cancel or deadline is the result of each transfer that it
 * stopped.
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
 * Read and write at the file position, or at the end with O_APPEND; also for
 * pipes and terminals. Two fibers that share a file position use it in no
 * particular order, as two threads would.
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

/*
 * Write the file to the disk: data and all metadata, or data and the metadata
 * needed to read it, as fsync(2) and fdatasync(2).
 */
int sp_fsync(int fd);
int sp_fsync_until(int fd, int64_t deadline);
int sp_fdatasync(int fd);
int sp_fdatasync_until(int fd, int64_t deadline);

/*
 * Change the size, as ftruncate(2) and fallocate(2); @mode is that of
 * fallocate(2).
 */
int sp_ftruncate(int fd, off_t len);
int sp_fallocate(int fd, int mode, off_t offset, off_t len);

/* File status; @out as of statx(2) with STATX_BASIC_STATS. */
int sp_fstat(int fd, struct statx *out);
int sp_fchmod(int fd, mode_t mode);

#ifdef __cplusplus
}
#endif

#endif
