/*
 * egress/journal/file_ops.h - the file operations of the journal
 *
 * They are in one file, so that the journal can be tested with a disk that
 * fails at any step, and does not depend on which of them use the ring.
 *
 * Blocking	Everything here yields, and works only in a fiber.
 * Errors	A negative errno.
 */
#ifndef EGRESS_JOURNAL_FILE_OPS_H
#define EGRESS_JOURNAL_FILE_OPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct iovec;

/*
 * open(2) with O_CLOEXEC, mode 0640 if it creates. The descriptor; -ENXIO
 * without O_DIRECTORY if it is not a regular file.
 */
int file_open(int dir, const char *name, int flags);
void file_close(int fd);

/*
 * Create a folder, its missing parents, and make their names safe. @mode is
 * that of the folder; an existing one keeps its own.
 */
int file_make_dir(const char *path, mode_t mode);

/* The same with mode 0750, and open it. Returns the descriptor. */
int file_open_dir(const char *path);

/*
 * Lock the folder for as long as @dir is open; readers do not check the lock.
 * -EBUSY if another process holds it, even after a short wait.
 */
int file_lock(int dir);

/*
 * Read up to @len bytes at @offset: fewer only at the end of the file. Returns
 * the number.
 */
int64_t file_read(int fd, void *bytes, size_t len, uint64_t offset);

/*
 * Write all @count entries at @offset. On failure some may have been written.
 * @iov is modified.
 */
int file_write(int fd, struct iovec *iov, size_t count, uint64_t offset);

/* Data and the metadata needed to read it are on the disk. */
int file_sync(int fd);

int file_truncate(int fd, uint64_t size);
int64_t file_size(int fd);
int file_unlink(int dir, const char *name);

/* Rename within one folder; an existing file of the new name is replaced. */
int file_rename(int dir, const char *from, const char *to);

/*
 * Call @each for every name in the folder, in no particular order. A negative
 * errno from @each ends the walk and is returned.
 */
int file_list(int dir, int (*each)(const char *name, void *arg), void *arg);

#endif
