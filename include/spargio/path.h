/*
 * spargio/path.h - file operations by path
 *
 * Threads, blocking, ownership and errors as in file.h. A relative path starts
 * from the directory with the descriptor @dir, or from the working directory
 * if @dir is AT_FDCWD. sp_deadline_push() sets a deadline; an operation that
 * cannot be stopped is completed even after the deadline.
 */
#ifndef SPARGIO_PATH_H
#define SPARGIO_PATH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct statx;

/* As statx(2). sp_stat() uses STATX_BASIC_STATS and follows links. */
int sp_statx(int dir, const char *path, int flags, unsigned int mask,
	     struct statx *out);
int sp_stat(const char *path, struct statx *out);

/* As fchmodat(2) without flags: links are followed. */
int sp_fchmodat(int dir, const char *path, mode_t mode);

int sp_mkdirat(int dir, const char *path, mode_t mode);
/* Create a directory and its missing parents. 0 if the directory exists. */
int sp_mkdir_all(int dir, const char *path, mode_t mode);

/* @flags: AT_REMOVEDIR for a directory, which must be empty. */
int sp_unlinkat(int dir, const char *path, int flags);

/* @flags as of renameat2(2): RENAME_NOREPLACE, RENAME_EXCHANGE. */
int sp_renameat(int from_dir, const char *from, int to_dir, const char *to,
		unsigned int flags);
int sp_linkat(int from_dir, const char *from, int to_dir, const char *to,
	      int flags);
int sp_symlinkat(const char *target, int dir, const char *path);

/*
 * Read the target of a symbolic link, with a terminating zero byte. Returns its
 * length. -ENAMETOOLONG if @size bytes are too few, -EINVAL if @path is not a
 * link.
 */
int sp_readlinkat(int dir, const char *path, char *out, size_t size);

/*
 * Write to @out the absolute path of @path without links, "." and "..", as
 * realpath(3). @out has PATH_MAX bytes.
 */
int sp_realpath(const char *path, char *out);

/* Whole files */

/*
 * Read a whole file into allocated memory, *@data; the caller frees *@data
 * with free(3). A zero byte, not counted in *@len, follows the content. -EFBIG
 * if the file is longer than @max.
 */
int sp_read_file(int dir, const char *path, size_t max, void **data,
		 size_t *len);

/*
 * Replace the content of a file atomically: after a crash at any moment the
 * file has its old content or @data, as a whole. When 0 is returned, @data is
 * on the disk. The function renames a new file with @mode to @path, so hard
 * links keep the old content, and a symbolic link is replaced, not followed.
 *
 * After an error, including -ECANCELED, the file has the old content or @data.
 */
int sp_write_file(int dir, const char *path, const void *data, size_t len,
		  mode_t mode);

/* Append @data. A missing file is created with @mode. */
int sp_append_file(int dir, const char *path, const void *data, size_t len,
		   mode_t mode);

#ifdef __cplusplus
}
#endif

#endif
