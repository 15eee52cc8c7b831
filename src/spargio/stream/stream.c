#include "spargio/stream/stream.h"
#include "spargio/io/iov.h"

#include <spargio/time.h>
#include <spargio/writer.h>

#include <errno.h>
#include <stdlib.h>

enum {
	COPY_AT_ONCE = 65536
};

void sp__halves_put(struct sp__halves *halves)
{
	/*
	 * The atomic operation makes sure that all accesses of the other half
	 * come before the close.
	 */
	if (halves == NULL || atomic_fetch_sub(&halves->left, 1) > 1)
		return;
	sp_stream_close(&halves->stream);
	free(halves);
}

ssize_t sp_stream_read(const struct sp_stream *s, void *data, size_t len)
{
	return sp_stream_read_until(s, data, len, SP_NEVER);
}

ssize_t sp_stream_read_until(const struct sp_stream *s, void *data, size_t len,
			     int64_t deadline)
{
	ssize_t n;

	if (s->ops->read == NULL)
		return -EOPNOTSUPP;
	if (len == 0)
		return 0;
	n = s->ops->read(s->object, data, len, deadline);
	/* More bytes than requested: the object is faulty. */
	return n > 0 && (size_t)n > len ? -EIO : n;
}

static size_t count_bytes(const struct iovec *parts, int count)
{
	size_t all = 0;

	for (int i = 0; i < count; i++)
		all += parts[i].iov_len;
	return all;
}

ssize_t sp_stream_writev(const struct sp_stream *s, const struct iovec *parts,
			 int count)
{
	return sp_stream_writev_until(s, parts, count, SP_NEVER);
}

ssize_t sp_stream_writev_until(const struct sp_stream *s,
			       const struct iovec *parts, int count,
			       int64_t deadline)
{
	size_t all = count_bytes(parts, count);
	ssize_t n;

	if (s->ops->write == NULL)
		return -EOPNOTSUPP;
	if (all == 0)
		return 0;
	n = s->ops->write(s->object, parts, count, deadline);
	/* Without bytes and without an error a retry would loop forever. */
	return n == 0 || (n > 0 && (size_t)n > all) ? -EIO : n;
}

int sp__stream_write_parts(const struct sp_stream *s, const struct iovec *parts,
			   int count, int64_t deadline, size_t *put)
{
	struct sp__iov left;

	*put = 0;
	sp__iov_init(&left, parts, count);
	while (sp__iov_left(&left)) {
		int some = sp__iov_next(&left);
		ssize_t n =
			sp_stream_writev_until(s, left.some, some, deadline);

		if (n < 0)
			return (int)n;
		*put += (size_t)n;
		sp__iov_advance(&left, (size_t)n);
	}
	return 0;
}

int sp_stream_write_all(const struct sp_stream *s, const void *data, size_t len)
{
	return sp_stream_write_all_until(s, data, len, SP_NEVER);
}

int sp_stream_write_all_until(const struct sp_stream *s, const void *data,
			      size_t len, int64_t deadline)
{
	/* The cast is safe because the bytes are only read. */
	struct iovec part = { (void *)data, len };
	size_t put;

	return sp__stream_write_parts(s, &part, 1, deadline, &put);
}

int sp_stream_shutdown(const struct sp_stream *s)
{
	return sp_stream_shutdown_until(s, SP_NEVER);
}

int sp_stream_shutdown_until(const struct sp_stream *s, int64_t deadline)
{
	if (s->ops->shutdown == NULL)
		return -EOPNOTSUPP;
	return s->ops->shutdown(s->object, deadline);
}

void sp_stream_close(const struct sp_stream *s)
{
	if (s->ops->close != NULL)
		s->ops->close(s->object);
}

/* Copying */

static int64_t copy_bytes(const struct sp_stream *from,
			  const struct sp_stream *to, int64_t max,
			  int64_t deadline, char *data)
{
	int64_t copied = 0;

	while (copied < max) {
		size_t want = max - copied < COPY_AT_ONCE
				      ? (size_t)(max - copied)
				      : COPY_AT_ONCE;
		ssize_t n = sp_stream_read_until(from, data, want, deadline);
		int err;

		if (n <= 0)
			return n < 0 ? n : copied;
		err = sp_stream_write_all_until(to, data, (size_t)n, deadline);
		if (err < 0)
			return err;
		copied += n;
	}
	return copied;
}

int64_t sp_stream_copy(const struct sp_stream *from, const struct sp_stream *to,
		       int64_t max)
{
	return sp_stream_copy_until(from, to, max, SP_NEVER);
}

int64_t sp_stream_copy_until(const struct sp_stream *from,
			     const struct sp_stream *to, int64_t max,
			     int64_t deadline)
{
	char *data = malloc(COPY_AT_ONCE);
	int64_t copied;

	if (data == NULL)
		return -ENOMEM;
	copied = copy_bytes(from, to, max, deadline, data);
	free(data);
	return copied;
}

int64_t sp_copy(int from, int to, int64_t max)
{
	return sp_copy_until(from, to, max, SP_NEVER);
}

int64_t sp_copy_until(int from, int to, int64_t max, int64_t deadline)
{
	struct sp_stream source, target;
	int err = sp_stream_fd(from, &source);

	if (err == 0)
		err = sp_stream_fd(to, &target);
	if (err != 0)
		return err;
	return sp_stream_copy_until(&source, &target, max, deadline);
}
