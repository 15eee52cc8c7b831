/*
 * File operations by system calls. None of them has a non-blocking form, so the
 * pool executes all of them.
 */
#include "spargio/io/sync_ops.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sys_result(long ret)
{
	return ret < 0 ? -errno : (int)ret;
}

static const char *path_of(const struct io_uring_sqe *sqe)
{
	return (const char *)(uintptr_t)sqe->addr;
}

/*
 * The pointer in the field off of the SQE: the second path, or the output
 * buffer.
 */
static char *second_of(const struct io_uring_sqe *sqe)
{
	return (char *)(uintptr_t)sqe->off;
}

int sp__block_fsync(const struct io_uring_sqe *sqe)
{
	if (sqe->fsync_flags & IORING_FSYNC_DATASYNC)
		return sys_result(fdatasync(sqe->fd));
	return sys_result(fsync(sqe->fd));
}

int sp__block_openat(const struct io_uring_sqe *sqe)
{
	return sys_result(
		openat(sqe->fd, path_of(sqe), (int)sqe->open_flags, sqe->len));
}

int sp__block_openat2(const struct io_uring_sqe *sqe)
{
	return sys_result(syscall(SYS_openat2, sqe->fd, path_of(sqe),
				  second_of(sqe), (size_t)sqe->len));
}

int sp__block_close(const struct io_uring_sqe *sqe)
{
	return sys_result(close(sqe->fd));
}

int sp__block_fallocate(const struct io_uring_sqe *sqe)
{
	return sys_result(fallocate(sqe->fd, (int)sqe->len, (off_t)sqe->off,
				    (off_t)sqe->addr));
}

int sp__block_ftruncate(const struct io_uring_sqe *sqe)
{
	return sys_result(ftruncate(sqe->fd, (off_t)sqe->off));
}

int sp__block_statx(const struct io_uring_sqe *sqe)
{
	return sys_result(statx(sqe->fd, path_of(sqe), (int)sqe->statx_flags,
				sqe->len, (struct statx *)second_of(sqe)));
}

int sp__block_renameat(const struct io_uring_sqe *sqe)
{
	return sys_result(renameat2(sqe->fd, path_of(sqe), (int)sqe->len,
				    second_of(sqe), sqe->rename_flags));
}

int sp__block_unlinkat(const struct io_uring_sqe *sqe)
{
	return sys_result(
		unlinkat(sqe->fd, path_of(sqe), (int)sqe->unlink_flags));
}

int sp__block_mkdirat(const struct io_uring_sqe *sqe)
{
	return sys_result(mkdirat(sqe->fd, path_of(sqe), sqe->len));
}

int sp__block_linkat(const struct io_uring_sqe *sqe)
{
	return sys_result(linkat(sqe->fd, path_of(sqe), (int)sqe->len,
				 second_of(sqe), (int)sqe->hardlink_flags));
}

int sp__block_symlinkat(const struct io_uring_sqe *sqe)
{
	return sys_result(symlinkat(path_of(sqe), sqe->fd, second_of(sqe)));
}

int sp__block_fchmod(const struct io_uring_sqe *sqe)
{
	return sys_result(fchmod(sqe->fd, sqe->len));
}

int sp__block_fchmodat(const struct io_uring_sqe *sqe)
{
	return sys_result(fchmodat(sqe->fd, path_of(sqe), sqe->len, 0));
}

int sp__block_readlinkat(const struct io_uring_sqe *sqe)
{
	return sys_result(
		readlinkat(sqe->fd, path_of(sqe), second_of(sqe), sqe->len));
}

int sp__block_realpath(const struct io_uring_sqe *sqe)
{
	return realpath(path_of(sqe), second_of(sqe)) == NULL ? -errno : 0;
}

int sp__block_getdents(const struct io_uring_sqe *sqe)
{
	return sys_result(
		getdents64(sqe->fd, (void *)(uintptr_t)sqe->addr, sqe->len));
}
