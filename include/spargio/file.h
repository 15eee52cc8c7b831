/*
 * spargio/file.h - files, and reading and writing of descriptors
 *
 *	fd = sp_openat(AT_FDCWD, "journal", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
 *	err = sp_pwrite_all(fd, record, len, offset);
 *	err = sp_fdatasync(fd);
 *	sp_close(fd);
 *
 * The functions are those of POSIX with a prefix. They do not block the shard:
 * io_uring executes the operation or, if it lacks the operation, a thread of
 * the blocking pool does.
 *
 * Threads	Any fiber of any shard; -EPERM elsewhere. Operations on one
 *		file may run at the same time, also on several shards.
 * Blocking	All functions yield.
 * Ownership	The caller keeps buffers, paths and vectors, which may be on the
 *		fiber's stack: no call returns while the kernel still uses them,
 *		even if the call is cancelled or its deadline has passed.
 * Errors	A negative errno: that of the system call, -ECANCELED, or
 *		-ETIMEDOUT. Only interrupted calls (EINTR) are repeated. If an
 *		operation cannot be stopped, the call waits for its end and
 *		returns its result, so no descriptor and no byte is lost.
 * Deadlines	A call ..._until() has a deadline; sp_deadline_push() sets a
 *		deadline for all calls.
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
 * <linux/openat2.h>; with RESOLVE_BENEATH a path cannot leave @dir.
 * Open a FIFO with O_NONBLOCK: without it the back ends differ in whether the
 * call waits for the other end.
 */
int sp_openat(int dir, const char *path, int flags, mode_t mode);
int sp_openat_until(int dir, const char *path, int flags, mode_t mode,
		    int64_t deadline);
int sp_openat2(int dir, const char *path, const struct open_how *how);

/*
 * As sp_openat(), but -ENXIO if @path, or the target of a symbolic link, is
 * not a regular file. Does not wait for the other end of a FIFO.
 */
int sp_open_regular(int dir, const char *path, int flags, mode_t mode);

/*
 * Close @fd. May be called in a cancelled fiber and in any thread. @fd is
 * closed even if an error is returned: -EIO, or -ENOSPC of a network file
 * system, means that earlier writes failed. -EBADF if @fd was not open.
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
 * ..._full() reads until @len bytes are read or the file ends, and returns the
 * number of bytes. ..._all() writes all bytes and returns 0; after an error a
 * part of them may have been written.
 */
ssize_t sp_pread_full(int fd, void *data, size_t len, off_t offset);
ssize_t sp_preadv_full(int fd, const struct iovec *iov, int n, off_t offset);
int sp_pwrite_all(int fd, const void *data, size_t len, off_t offset);
int sp_pwritev_all(int fd, const struct iovec *iov, int n, off_t offset);

/* A read or a write, for sp_pread_many() or sp_pwrite_many(). */
struct sp_transfer {
	int fd;
	void *data;
	size_t len;
	off_t offset;
	ssize_t res; /* the result, as of sp_pread() or sp_pwrite() */
};

/*
 * Run several transfers at the same time, in no particular order, and set res
 * of each. The call returns 0, or -EPERM, -EINVAL (a negative offset), -ENOMEM
 * or -ECANCELED if no transfer was started. If a later cancel or deadline stops
 * a transfer, the error is stored in res of that transfer.
 */
int sp_pread_many(struct sp_transfer *transfers, size_t n);
int sp_pwrite_many(struct sp_transfer *transfers, size_t n);

/*
 * Read and write at the file position; with O_APPEND write at the end. Also
 * for pipes and terminals. If two fibers share a file position, the order of
 * their calls is not defined, as with two threads.
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
 * Write the file to the disk, as fsync(2) and fdatasync(2). sp_fsync() writes
 * the data and all metadata, sp_fdatasync() the data and only the metadata
 * that is needed to read the data.
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
