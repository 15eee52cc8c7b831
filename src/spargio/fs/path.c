#include "spargio/io/op.h"
#include "spargio/io/sync_ops.h"

#include <spargio/path.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

int sp_statx(int dir, const char *path, int flags, unsigned int mask,
	     struct statx *out)
{
	struct sp__op op = { 0 };

	io_uring_prep_statx(&op.sqe, dir, path, flags, mask, out);
	return sp__op_call(&op, SP_NEVER, "stat");
}

int sp_stat(const char *path, struct statx *out)
{
	return sp_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, out);
}

int sp_fchmodat(int dir, const char *path, mode_t mode)
{
	struct sp__op op = { 0 };

	io_uring_prep_rw(SP__OP_FCHMODAT, &op.sqe, dir, path, mode, 0);
	return sp__op_call(&op, SP_NEVER, "permissions");
}

int sp_mkdirat(int dir, const char *path, mode_t mode)
{
	struct sp__op op = { 0 };

	io_uring_prep_mkdirat(&op.sqe, dir, path, mode);
	return sp__op_call(&op, SP_NEVER, "make directory");
}

/* Returns 0 if @path is a directory, else an error. */
static int is_directory(int dir, const char *path)
{
	struct statx st;
	int err = sp_statx(dir, path, 0, STATX_TYPE, &st);

	if (err < 0)
		return err;
	return S_ISDIR(st.stx_mode) ? 0 : -ENOTDIR;
}

static int mkdir_or_there(int dir, const char *path, mode_t mode)
{
	int err = sp_mkdirat(dir, path, mode);

	return err == -EEXIST ? is_directory(dir, path) : err;
}

int sp_mkdir_all(int dir, const char *path, mode_t mode)
{
	char part[PATH_MAX];
	size_t len = strnlen(path, sizeof(part));
	int err;

	if (len >= sizeof(part))
		return -ENAMETOOLONG;
	/* Usually all parents exist: try without making them. */
	err = mkdir_or_there(dir, path, mode);
	if (err != -ENOENT || len == 0)
		return err;
	memcpy(part, path, len + 1);
	for (size_t i = 1; i < len; i++) {
		if (part[i] != '/' || part[i - 1] == '/')
			continue;
		part[i] = '\0';
		err = mkdir_or_there(dir, part, mode);
		if (err < 0)
			return err;
		part[i] = '/';
	}
	return mkdir_or_there(dir, path, mode);
}

int sp_unlinkat(int dir, const char *path, int flags)
{
	struct sp__op op = { 0 };

	io_uring_prep_unlinkat(&op.sqe, dir, path, flags);
	return sp__op_call(&op, SP_NEVER, "unlink");
}

int sp_renameat(int from_dir, const char *from, int to_dir, const char *to,
		unsigned int flags)
{
	struct sp__op op = { 0 };

	io_uring_prep_renameat(&op.sqe, from_dir, from, to_dir, to, flags);
	return sp__op_call(&op, SP_NEVER, "rename");
}

int sp_linkat(int from_dir, const char *from, int to_dir, const char *to,
	      int flags)
{
	struct sp__op op = { 0 };

	io_uring_prep_linkat(&op.sqe, from_dir, from, to_dir, to, flags);
	return sp__op_call(&op, SP_NEVER, "link");
}

int sp_symlinkat(const char *target, int dir, const char *path)
{
	struct sp__op op = { 0 };

	io_uring_prep_symlinkat(&op.sqe, target, dir, path);
	return sp__op_call(&op, SP_NEVER, "link");
}

int sp_readlinkat(int dir, const char *path, char *out, size_t size)
{
	struct sp__op op = { 0 };
	int len;

	if (size > INT_MAX)
		size = INT_MAX;
	io_uring_prep_rw(SP__OP_READLINKAT, &op.sqe, dir, path,
			 (unsigned int)size, (uint64_t)(uintptr_t)out);
	len = sp__op_call(&op, SP_NEVER, "read link");
	if (len < 0)
		return len;
	/* The buffer is full, so the target may be longer. */
	if ((size_t)len == size)
		return -ENAMETOOLONG;
	out[len] = '\0';
	return len;
}

int sp_realpath(const char *path, char *out)
{
	struct sp__op op = { 0 };

	io_uring_prep_rw(SP__OP_REALPATH, &op.sqe, -1, path, 0,
			 (uint64_t)(uintptr_t)out);
	return sp__op_call(&op, SP_NEVER, "canonical path");
}
