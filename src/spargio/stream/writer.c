#include "spargio/stream/writer.h"
#include "spargio/stream/stream_fd.h"

#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	CAPACITY = 16384
};

struct sp_writer {
	struct sp__stream_fd to;
	size_t capacity;
	size_t len; /* buffered bytes, from the start of data */
	char data[];
};

int sp_writer_new(int fd, size_t capacity, struct sp_writer **out)
{
	struct sp__stream_fd to;
	struct sp_writer *w;
	int err = sp__stream_fd_init(&to, fd);

	if (err < 0)
		return err;
	if (capacity == 0)
		capacity = CAPACITY;
	w = malloc(sizeof(*w) + capacity);
	if (w == NULL)
		return -ENOMEM;
	w->to = to;
	w->capacity = capacity;
	w->len = 0;
	*out = w;
	return 0;
}

void sp__writer_share(struct sp_writer *w, struct sp__halves *halves)
{
	w->to.halves = halves;
}

void sp_writer_free(struct sp_writer *w)
{
	if (w == NULL)
		return;
	/* The reader half may continue; tell the peer that we send no more. */
	if (w->to.halves != NULL && w->to.is_socket)
		(void)sp_shutdown(w->to.fd, SHUT_WR);
	sp__stream_fd_fini(&w->to);
	free(w);
}

/*
 * Write the buffer and @len bytes of @data. Bytes of the buffer that could not
 * be written stay in the buffer.
 */
static int write_out(struct sp_writer *w, const void *data, size_t len,
		     int64_t deadline)
{
	const struct iovec both[] = { { w->data, w->len },
				      { (void *)data, len } };
	size_t put;
	int err = sp__stream_fd_write_all(&w->to, both, 2, deadline, &put);

	if (put > w->len)
		put = w->len;
	memmove(w->data, w->data + put, w->len - put);
	w->len -= put;
	return err;
}

int sp_writer_flush(struct sp_writer *w)
{
	return sp_writer_flush_until(w, SP_NEVER);
}

int sp_writer_flush_until(struct sp_writer *w, int64_t deadline)
{
	return w->len == 0 ? 0 : write_out(w, NULL, 0, deadline);
}

int sp__writer_reserve(struct sp_writer *w, size_t len, int64_t deadline)
{
	if (len <= w->capacity - w->len)
		return 0;
	return sp_writer_flush_until(w, deadline);
}

int sp_writer_write(struct sp_writer *w, const void *data, size_t len)
{
	return sp_writer_write_until(w, data, len, SP_NEVER);
}

int sp_writer_write_until(struct sp_writer *w, const void *data, size_t len,
			  int64_t deadline)
{
	int err;

	if (len > w->capacity)
		return write_out(w, data, len, deadline);
	err = sp__writer_reserve(w, len, deadline);
	if (err < 0)
		return err;
	memcpy(w->data + w->len, data, len);
	w->len += len;
	return 0;
}

__attribute__((format(printf, 3, 0))) static int writer_print(
	struct sp_writer *w, int64_t deadline, const char *format,
	va_list given)
{
	int err = 0;

	/*
	 * Use the free space of the buffer; if that is too small, flush and use
	 * the empty buffer.
	 */
	for (int round = 0; round < 2 && err == 0; round++) {
		size_t room = w->capacity - w->len;
		va_list args;
		int len;

		va_copy(args, given);
		len = vsnprintf(w->data + w->len, room, format, args);
		va_end(args);
		if (len < 0)
			return -EINVAL;
		if ((size_t)len < room) {
			w->len += (size_t)len;
			return 0;
		}
		err = sp_writer_flush_until(w, deadline);
	}
	return err < 0 ? err : -EMSGSIZE;
}

int sp_writer_printf(struct sp_writer *w, const char *format, ...)
{
	va_list args;
	int err;

	va_start(args, format);
	err = writer_print(w, SP_NEVER, format, args);
	va_end(args);
	return err;
}

int sp_writer_printf_until(struct sp_writer *w, int64_t deadline,
			   const char *format, ...)
{
	va_list args;
	int err;

	va_start(args, format);
	err = writer_print(w, deadline, format, args);
	va_end(args);
	return err;
}

size_t sp_writer_buffered(const struct sp_writer *w)
{
	return w->len;
}

/* Copying */

enum {
	COPY_AT_ONCE = 65536
};

static int64_t copy_bytes(const struct sp__stream_fd *from,
			  const struct sp__stream_fd *to, int64_t max,
			  int64_t deadline, char *data)
{
	int64_t copied = 0;

	while (copied < max) {
		size_t want = max - copied < COPY_AT_ONCE
				      ? (size_t)(max - copied)
				      : COPY_AT_ONCE;
		ssize_t n = sp__stream_fd_read(from, data, want, deadline);
		struct iovec part = { data, n > 0 ? (size_t)n : 0 };
		size_t put;
		int err;

		if (n <= 0)
			return n < 0 ? n : copied;
		err = sp__stream_fd_write_all(to, &part, 1, deadline, &put);
		if (err < 0)
			return err;
		copied += n;
	}
	return copied;
}

int64_t sp_copy(int from, int to, int64_t max)
{
	return sp_copy_until(from, to, max, SP_NEVER);
}

int64_t sp_copy_until(int from, int to, int64_t max, int64_t deadline)
{
	struct sp__stream_fd source = { 0 }, target = { 0 };
	char *data;
	int64_t copied;
	int err = sp__stream_fd_init(&source, from);

	if (err == 0)
		err = sp__stream_fd_init(&target, to);
	if (err < 0)
		return err;
	data = malloc(COPY_AT_ONCE);
	if (data == NULL)
		return -ENOMEM;
	copied = copy_bytes(&source, &target, max, deadline, data);
	free(data);
	return copied;
}
