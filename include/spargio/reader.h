/*
 * spargio/reader.h - read through a buffer: bytes, lines
 *
 *	sp_reader_new(fd, 0, &r);
 *	while ((err = sp_reader_line(r, &line, &len)) > 0)
 *		handle(line, len);
 *	sp_reader_free(r);
 *
 * For sockets, pipes, terminals, files (read from the file position), and any
 * other stream (stream.h). See frame.h for frames and writer.h for writing.
 *
 *	 [ taken | buffered, not yet taken | room ]
 *
 * Threads	Any fiber, one at a time. A reader and a writer of the same
 *		descriptor are independent: two fibers may use them.
 * Blocking	Calls marked "yields" wait only if the buffer does not have the
 *		data. Each of them has a form with a deadline, ..._until().
 * Ownership	The caller keeps the descriptor or stream, unless it was given
 *		to sp_split(). Pointers into the buffer are valid until the next
 *		call.
 * Errors	A negative errno. Received bytes stay in the buffer, and after
 *		-ETIMEDOUT or -ECANCELED the call can be repeated.
 */
#ifndef SPARGIO_READER_H
#define SPARGIO_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_reader;
struct sp_stream;
struct sp_writer;

/*
 * Make a reader with a buffer of @capacity bytes; 0 = 16 KiB. -EBADF, -ENOMEM.
 */
int sp_reader_new(int fd, size_t capacity, struct sp_reader **out);
int sp_reader_new_stream(const struct sp_stream *from, size_t capacity,
			 struct sp_reader **out);

/* Free the reader; bytes in its buffer are dropped. NULL is fine. */
void sp_reader_free(struct sp_reader *r);

/*
 * Make a reader and a writer for two fibers; together they own the descriptor
 * @fd or the stream @s. Freeing the writer shuts it down for sending, if it is
 * a socket or a stream with a shutdown function; freeing the second of the two
 * closes it. After an error the caller still owns @fd or @s.
 */
int sp_split(int fd, size_t capacity, struct sp_reader **r,
	     struct sp_writer **w);
int sp_split_stream(const struct sp_stream *s, size_t capacity,
		    struct sp_reader **r, struct sp_writer **w);

/*
 * Read the available bytes, at most @len. 0 at the end of the stream. Yields.
 */
ssize_t sp_reader_read(struct sp_reader *r, void *data, size_t len);
ssize_t sp_reader_read_until(struct sp_reader *r, void *data, size_t len,
			     int64_t deadline);

/*
 * Read exactly @len bytes. Returns 1; 0 if the stream ended before the first
 * byte; -EPIPE if it ended later. Yields. After an error no bytes are consumed,
 * except if @len exceeds the buffer: then the bytes read so far are lost.
 */
int sp_reader_exact(struct sp_reader *r, void *data, size_t len);
int sp_reader_exact_until(struct sp_reader *r, void *data, size_t len,
			  int64_t deadline);

/*
 * Point *@data to the next bytes without consuming them: at least @want bytes,
 * fewer only at the end of the stream. Returns the number of bytes. -EMSGSIZE
 * if @want exceeds the buffer. Yields.
 */
ssize_t sp_reader_peek(struct sp_reader *r, size_t want, const void **data);
ssize_t sp_reader_peek_until(struct sp_reader *r, size_t want, int64_t deadline,
			     const void **data);

/* Consume @len of the bytes that sp_reader_peek() returned. */
void sp_reader_skip(struct sp_reader *r, size_t len);

/*
 * Read the next line. Returns 1, or 0 at the end of the stream. In *@line a
 * zero byte replaces the "\n" or "\r\n". Bytes after the last line end count
 * as a line. -EMSGSIZE if the line does not fit into the buffer; then nothing
 * is consumed. Yields.
 */
int sp_reader_line(struct sp_reader *r, char **line, size_t *len);
int sp_reader_line_until(struct sp_reader *r, int64_t deadline, char **line,
			 size_t *len);

#ifdef __cplusplus
}
#endif

#endif
