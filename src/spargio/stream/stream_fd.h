/*
 * spargio/stream/stream_fd.h - a descriptor that is read or written in order
 *
 * Sockets use recv(2) and send(2), because send(2) can suppress SIGPIPE; other
 * descriptors use read(2) and write(2).
 */
#ifndef SPARGIO_STREAM_STREAM_FD_H
#define SPARGIO_STREAM_STREAM_FD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Shared by a reader and a writer that own a descriptor together. */
struct sp__halves {
	_Atomic int left; /* how many of the two have not been freed */
};

struct sp__stream_fd {
	int fd;
	bool is_socket;
	struct sp__halves *halves; /* NULL if the caller owns the descriptor */
};

/* -EBADF if @fd is not open. */
int sp__stream_fd_init(struct sp__stream_fd *e, int fd);

/* If two halves own the descriptor, close it with the last half. May yield. */
void sp__stream_fd_fini(struct sp__stream_fd *e);

/* Read some bytes, at least one; 0 at the end. Yields. */
ssize_t sp__stream_fd_read(const struct sp__stream_fd *e, void *data,
			   size_t len, int64_t deadline);

/*
 * Write all bytes; returns 0. *@put is the number of bytes written, also after
 * an error. Yields.
 */
int sp__stream_fd_write_all(const struct sp__stream_fd *e,
			    const struct iovec *iov, int n, int64_t deadline,
			    size_t *put);

#endif
