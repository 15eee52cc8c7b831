#include "spargio/stream/stream.h"
#include "spargio/stream/writer.h"

#include <spargio/reader.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CAPACITY = 16384
};

struct sp_reader {
	struct sp_stream from;
	struct sp__halves *halves; /* NULL if the caller owns the stream */
	size_t capacity;
	size_t begin; /* start of the buffered bytes */
	size_t end;
	/* One byte more than the capacity, for the zero byte after a line. */
	char data[];
};

/* Life cycle */

int sp_reader_new(int fd, size_t capacity, struct sp_reader **out)
{
	struct sp_stream from;
	int err = sp_stream_fd(fd, &from);

	return err < 0 ? err : sp_reader_new_stream(&from, capacity, out);
}

int sp_reader_new_stream(const struct sp_stream *from, size_t capacity,
			 struct sp_reader **out)
{
	struct sp_reader *r;

	if (capacity == 0)
		capacity = CAPACITY;
	r = malloc(sizeof(*r) + capacity + 1);
	if (r == NULL)
		return -ENOMEM;
	r->from = *from;
	r->halves = NULL;
	r->capacity = capacity;
	r->begin = r->end = 0;
	*out = r;
	return 0;
}

void sp_reader_free(struct sp_reader *r)
{
	if (r == NULL)
		return;
	sp__halves_put(r->halves);
	free(r);
}

int sp_split(int fd, size_t capacity, struct sp_reader **r,
	     struct sp_writer **w)
{
	struct sp_stream s;
	int err = sp_stream_fd(fd, &s);

	return err < 0 ? err : sp_split_stream(&s, capacity, r, w);
}

int sp_split_stream(const struct sp_stream *s, size_t capacity,
		    struct sp_reader **r, struct sp_writer **w)
{
	struct sp__halves *halves = malloc(sizeof(*halves));
	struct sp_reader *reader = NULL;
	struct sp_writer *writer = NULL;
	int err;

	if (halves == NULL)
		return -ENOMEM;
	err = sp_reader_new_stream(s, capacity, &reader);
	if (err == 0)
		err = sp_writer_new_stream(s, capacity, &writer);
	if (err < 0) {
		sp_reader_free(reader);
		free(halves);
		return err;
	}
	atomic_init(&halves->left, 2);
	halves->stream = *s;
	reader->halves = halves;
	sp__writer_share(writer, halves);
	*r = reader;
	*w = writer;
	return 0;
}

/* The buffer */

static size_t buffered_bytes(const struct sp_reader *r)
{
	return r->end - r->begin;
}

/* Move buffered bytes to the front, to make space behind them. */
static void make_room(struct sp_reader *r)
{
	memmove(r->data, r->data + r->begin, buffered_bytes(r));
	r->end -= r->begin;
	r->begin = 0;
}

/* Read more bytes into the buffer. 0 at the end of the stream. */
static ssize_t fill_buffer(struct sp_reader *r, int64_t deadline)
{
	ssize_t n;

	if (r->begin == r->end || r->end == r->capacity)
		make_room(r);
	n = sp_stream_read_until(&r->from, r->data + r->end,
				 r->capacity - r->end, deadline);
	if (n > 0)
		r->end += (size_t)n;
	return n;
}

static size_t take_bytes(struct sp_reader *r, void *data, size_t len)
{
	if (len > buffered_bytes(r))
		len = buffered_bytes(r);
	memcpy(data, r->data + r->begin, len);
	r->begin += len;
	return len;
}

/* Bytes */

ssize_t sp_reader_read(struct sp_reader *r, void *data, size_t len)
{
	return sp_reader_read_until(r, data, len, SP_NEVER);
}

ssize_t sp_reader_read_until(struct sp_reader *r, void *data, size_t len,
			     int64_t deadline)
{
	if (buffered_bytes(r) == 0 && len > 0) {
		ssize_t n;

		/*
		 * If @data is not smaller than the buffer, read directly into
		 * @data.
		 */
		if (len >= r->capacity)
			return sp_stream_read_until(&r->from, data, len,
						    deadline);
		n = fill_buffer(r, deadline);
		if (n <= 0)
			return n;
	}
	return (ssize_t)take_bytes(r, data, len);
}

/* For @len larger than the buffer: read directly into @data. */
static int exact_big(struct sp_reader *r, char *data, size_t len,
		     int64_t deadline)
{
	size_t got = take_bytes(r, data, len);

	while (got < len) {
		ssize_t n = sp_stream_read_until(&r->from, data + got,
						 len - got, deadline);

		if (n < 0)
			return (int)n;
		if (n == 0)
			return got == 0 ? 0 : -EPIPE;
		got += (size_t)n;
	}
	return 1;
}

int sp_reader_exact(struct sp_reader *r, void *data, size_t len)
{
	return sp_reader_exact_until(r, data, len, SP_NEVER);
}

int sp_reader_exact_until(struct sp_reader *r, void *data, size_t len,
			  int64_t deadline)
{
	const void *bytes;
	ssize_t n;

	if (len > r->capacity)
		return exact_big(r, data, len, deadline);
	n = sp_reader_peek_until(r, len, deadline, &bytes);
	if (n < 0)
		return (int)n;
	if ((size_t)n < len)
		return n == 0 ? 0 : -EPIPE;
	take_bytes(r, data, len);
	return 1;
}

ssize_t sp_reader_peek(struct sp_reader *r, size_t want, const void **data)
{
	return sp_reader_peek_until(r, want, SP_NEVER, data);
}

ssize_t sp_reader_peek_until(struct sp_reader *r, size_t want, int64_t deadline,
			     const void **data)
{
	if (want > r->capacity)
		return -EMSGSIZE;
	while (buffered_bytes(r) < want) {
		ssize_t n = fill_buffer(r, deadline);

		if (n < 0)
			return n;
		if (n == 0)
			break;
	}
	*data = r->data + r->begin;
	return (ssize_t)buffered_bytes(r);
}

void sp_reader_skip(struct sp_reader *r, size_t len)
{
	r->begin += len < buffered_bytes(r) ? len : buffered_bytes(r);
}

/* Lines */

/* Return @len bytes as a line, and consume @all bytes. */
static int hand_line(struct sp_reader *r, size_t len, size_t all, char **line,
		     size_t *out)
{
	char *text = r->data + r->begin;

	r->begin += all;
	if (all > len && len > 0 && text[len - 1] == '\r')
		len--;
	text[len] = '\0';
	*line = text;
	*out = len;
	return 1;
}

int sp_reader_line(struct sp_reader *r, char **line, size_t *len)
{
	return sp_reader_line_until(r, SP_NEVER, line, len);
}

int sp_reader_line_until(struct sp_reader *r, int64_t deadline, char **line,
			 size_t *len)
{
	size_t looked = 0; /* bytes already searched for the end of the line */

	for (;;) {
		char *text = r->data + r->begin;
		char *end =
			memchr(text + looked, '\n', buffered_bytes(r) - looked);
		ssize_t n;

		if (end != NULL)
			return hand_line(r, (size_t)(end - text),
					 (size_t)(end - text) + 1, line, len);
		looked = buffered_bytes(r);
		if (looked == r->capacity)
			return -EMSGSIZE;
		n = fill_buffer(r, deadline);
		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
	}
	if (looked == 0)
		return 0;
	return hand_line(r, looked, looked, line, len);
}
