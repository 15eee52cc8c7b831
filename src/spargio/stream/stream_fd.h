/*
 * spargio/stream/stream_fd.h - a descriptor that is read or written in order
 *
 * A socket wants recv(2) and send(2), for there is no signal then; all else
 * wants read(2) and write(2).
 */
#ifndef SPARGIO_STREAM_STREAM_FD_H
#define SPARGIO_STREAM_STREAM_FD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* A descriptor that a reader and a writer own together. */
struct sp__halves {
	_Atomic int left;
};

struct sp__stream_fd {
	int fd;
	bool is_socket;
	struct sp__halves *halves; /* or NULL: the caller's */
};

/* -EBADF */
int sp__stream_fd_init(struct sp__stream_fd *e, int fd);

/* Close it if it is ours to close and the other half is gone. May yield. */
void sp__stream_fd_fini(struct sp__stream_fd *e);

/* Some bytes, at least one; 0: the end. Yields. */
ssize_t sp__stream_fd_read(const struct sp__stream_fd *e, void *data,
			   size_t len, int64_t deadline);

/*
 * All bytes: 0. *@put is how many have gone out, also after an error. Yields.
 */
int sp__stream_fd_write_all(const struct sp__stream_fd *e,
			    const struct iovec *iov, int n, int64_t deadline,
			    size_t *put);

#endif
