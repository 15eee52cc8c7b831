/*
 * egress/journal/file_ops.h - the file operations of the journal
 *
 * They are in one file, so that tests can make any of them fail, and so that
 * the journal does not depend on which of them use io_uring.
 *
 * Blocking	All functions yield; call them only in a fiber.
 * Errors	A negative errno.
 */
#ifndef EGRESS_JOURNAL_FILE_OPS_H
#define EGRESS_JOURNAL_FILE_OPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct iovec;

/*
 * Call open(2) with O_CLOEXEC and, for a new file, mode 0640. Returns the
 * descriptor; -ENXIO if the file is not a regular file and @flags lacks
 * O_DIRECTORY.
 */
int file_open(int dir, const char *name, int flags);
void file_close(int fd);

/*
 * Create a folder, its missing parents, and make their names safe. @mode is
 * that of the folder; an existing one keeps its own.
 */
int file_make_dir(const char *path, mode_t mode);

/*
 * As file_make_dir() with mode 0750, then open the folder. Returns the
 * descriptor.
 */
int file_open_dir(const char *path);

/*
 * Lock the folder until @dir is closed. Readers do not check the lock. -EBUSY
 * if another process still holds it after a short wait.
 */
int file_lock(int dir);

/*
 * Read @len bytes at @offset, or fewer if the file ends before. Returns the
 * number of bytes read.
 */
int64_t file_read(int fd, void *bytes, size_t len, uint64_t offset);

/*
 * Write all @count entries of @iov at @offset. After an error some of them may
 * have been written. @iov is modified.
 */
int file_write(int fd, struct iovec *iov, size_t count, uint64_t offset);

/*
 * Make the data of the file safe on disk, with the metadata needed to read it.
 */
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
