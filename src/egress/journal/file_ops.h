/*
 * egress/journal/file_ops.h - the file calls that the journal stands on
 *
 * One place for them, so that the journal can be tested on a disk that fails
 * at any step, and so that it does not matter to it which of them go through
 * the ring.
 *
 * Blocking	Everything here yields, and works only in a fiber.
 * Errors	A negative errno.
 */
#ifndef EGRESS_JOURNAL_FILE_OPS_H
#define EGRESS_JOURNAL_FILE_OPS_H

#include <stddef.h>
#include <stdint.h>

struct iovec;

/*
 * open(2) with O_CLOEXEC, mode 0640 if it creates. The descriptor; -ENXIO
 * without O_DIRECTORY if it is not a regular file.
 */
int file_open(int dir, const char *name, int flags);
void file_close(int fd);

/* Make a folder, unless it is there, and open it. The descriptor. */
int file_open_dir(const char *path);

/*
 * Have the folder to ourselves for as long as @dir is open, however the
 * process ends; readers do not ask. -EBUSY: somebody else has it, also after a
 * moment.
 */
int file_lock(int dir);

/* Up to @len bytes at @offset: fewer only at the end of the file. How many. */
int64_t file_read(int fd, void *bytes, size_t len, uint64_t offset);

/*
 * All of @count pieces at @offset. On failure some may have been written.
 * @iov is used up.
 */
int file_write(int fd, struct iovec *iov, size_t count, uint64_t offset);

/* The data, and what is needed to find it again, is on the disk. */
int file_sync(int fd);

int file_truncate(int fd, uint64_t size);
int64_t file_size(int fd);
int file_unlink(int dir, const char *name);

/* In one folder; a file that has the new name is replaced. */
int file_rename(int dir, const char *from, const char *to);

/*
 * Call @each for every name in the folder, in no order. A negative errno that
 * it returns ends the walk and is returned.
 */
int file_list(int dir, int (*each)(const char *name, void *arg), void *arg);

#endif
