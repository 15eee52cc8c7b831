/*
 * spargio/io/iov.h - the part of a vector that is still to be transferred
 *
 * The caller's vector is not changed; a short transfer only advances the
 * position.
 */
#ifndef SPARGIO_IO_IOV_H
#define SPARGIO_IO_IOV_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

enum {
	SP__IOV_SOME = 16
};

struct sp__iov {
	const struct iovec *iov;
	int n;	     /* entries left, including the current one */
	size_t done; /* bytes of the current entry already transferred */
	/* the entries that sp__iov_next() returns */
	struct iovec some[SP__IOV_SOME];
};

void sp__iov_init(struct sp__iov *v, const struct iovec *iov, int n);

/* True if bytes are left. */
bool sp__iov_left(struct sp__iov *v);

/*
 * Copy the next entries, at most SP__IOV_SOME, to @v->some. Returns the number
 * of entries.
 */
int sp__iov_next(struct sp__iov *v);

/* Advance the position by @bytes, which were transferred. */
void sp__iov_advance(struct sp__iov *v, size_t bytes);

#endif
