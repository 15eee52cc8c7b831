#include "spargio/stream/writer.h"
#include "spargio/stream/stream.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CAPACITY = 16384
};

struct sp_writer {
	struct sp_stream to;
	struct sp__halves *halves; /* NULL if the caller owns the stream */
	size_t capacity;
	size_t len; /* buffered bytes, from the start of data */
	char data[];
};

int sp_writer_new(int fd, size_t capacity, struct sp_writer **out)
{
	struct sp_stream to;
	int err = sp_stream_fd(fd, &to);

	return err < 0 ? err : sp_writer_new_stream(&to, capacity, out);
}

int sp_writer_new_stream(const struct sp_stream *to, size_t capacity,
			 struct sp_writer **out)
{
	struct sp_writer *w;

	if (capacity == 0)
		capacity = CAPACITY;
	w = malloc(sizeof(*w) + capacity);
	if (w == NULL)
		return -ENOMEM;
	w->to = *to;
	w->halves = NULL;
	w->capacity = capacity;
	w->len = 0;
	*out = w;
	return 0;
}

void sp__writer_share(struct sp_writer *w, struct sp__halves *halves)
{
	w->halves = halves;
}

void sp_writer_free(struct sp_writer *w)
{
	if (w == NULL)
		return;
	/* The reader half may continue; tell the peer that we send no more. */
	if (w->halves != NULL)
		(void)sp_stream_shutdown(&w->to);
	sp__halves_put(w->halves);
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
	int err = sp__stream_write_parts(&w->to, both, 2, deadline, &put);

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
