/*
 * spargio/io/iov.h - the part of a vector that is still to be transferred
 *
 * The caller's vector is not changed; a short transfer only moves the mark.
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
	int n;	     /* entries left, the present one included */
	size_t done; /* bytes of the present one that are over */
	struct iovec some[SP__IOV_SOME]; /* what sp__iov_next() hands out */
};

void sp__iov_init(struct sp__iov *v, const struct iovec *iov, int n);

/* Bytes are left. */
bool sp__iov_left(struct sp__iov *v);

/* The next entries, at most SP__IOV_SOME: how many are in @v->some. */
int sp__iov_next(struct sp__iov *v);

/* @bytes of them were transferred. */
void sp__iov_advance(struct sp__iov *v, size_t bytes);

#endif
