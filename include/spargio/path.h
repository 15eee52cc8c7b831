/*
 * spargio/path.h - what is done to a file by its name
 *
 * Threads, blocking, ownership and errors as in file.h. A @dir is a directory's
 * descriptor that a relative path counts from, or AT_FDCWD. A deadline is set
 * by sp_deadline_push(); what has begun is seen through.
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

/* As statx(2). The short form: STATX_BASIC_STATS, links are followed. */
int sp_statx(int dir, const char *path, int flags, unsigned int mask,
	     struct statx *out);
int sp_stat(const char *path, struct statx *out);

/* As fchmodat(2), without flags: links are followed. */
int sp_fchmodat(int dir, const char *path, mode_t mode);

int sp_mkdirat(int dir, const char *path, mode_t mode);
/* With all that is missing above it. 0 also if it is there already. */
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
 * What a link says, ended by a zero byte: its length. -ENAMETOOLONG if @size
 * bytes do not hold it, -EINVAL if @path is no link.
 */
int sp_readlinkat(int dir, const char *path, char *out, size_t size);

/*
 * The absolute path of the same file without links, "." and "..", as
 * realpath(3). @out holds PATH_MAX bytes.
 */
int sp_realpath(const char *path, char *out);

/* The whole of a file */

/*
 * Read all of it: *@data is allocated, to be given to free(3), and ends with a
 * zero byte that *@len does not count. -EFBIG if it is longer than @max.
 */
int sp_read_file(int dir, const char *path, size_t max, void **data,
		 size_t *len);

/*
 * Make @data all that the file holds, so that a crash at any moment leaves it
 * with what it held before or with @data, whole. After 0 it is on the disk. It
 * is a new file of @mode under the old name, so links to the old one keep that,
 * and a symbolic link is replaced, not followed.
 *
 * After an error, -ECANCELED included, the file holds the one or the other.
 */
int sp_write_file(int dir, const char *path, const void *data, size_t len,
		  mode_t mode);

/* Add @data at its end; it is made with @mode if it is not there. */
int sp_append_file(int dir, const char *path, const void *data, size_t len,
		   mode_t mode);

#ifdef __cplusplus
}
#endif

#endif
