#include "spargio/io/iov.h"

void sp__iov_init(struct sp__iov *v, const struct iovec *iov, int n)
{
	v->iov = iov;
	v->n = n;
	v->done = 0;
}

bool sp__iov_left(struct sp__iov *v)
{
	while (v->n > 0 && v->iov->iov_len == v->done) {
		v->iov++;
		v->n--;
		v->done = 0;
	}
	return v->n > 0;
}

int sp__iov_next(struct sp__iov *v)
{
	int n = v->n < SP__IOV_SOME ? v->n : SP__IOV_SOME;

	for (int i = 0; i < n; i++)
		v->some[i] = v->iov[i];
	if (n > 0) {
		v->some[0].iov_base = (char *)v->some[0].iov_base + v->done;
		v->some[0].iov_len -= v->done;
	}
	return n;
}

void sp__iov_advance(struct sp__iov *v, size_t bytes)
{
	while (v->n > 0 && bytes >= v->iov->iov_len - v->done) {
		bytes -= v->iov->iov_len - v->done;
		v->iov++;
		v->n--;
		v->done = 0;
	}
	v->done += bytes;
}
