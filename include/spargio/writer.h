/*
 * spargio/writer.h - write through a buffer
 *
 *	sp_writer_new(fd, 0, &w);
 *	err = sp_writer_printf(w, "%s: %d\n", name, value);
 *	err = sp_writer_flush(w);
 *	sp_writer_free(w);
 *
 * For sockets, pipes, terminals, files and other streams, as reader.h. If the
 * peer has closed, a write to a socket or pipe returns -EPIPE; only a pipe also
 * raises SIGPIPE.
 *
 * Threads	Any fiber, one at a time.
 * Blocking	Calls marked "yields" wait only if they write to the descriptor.
 *		Each of them has a form with a deadline, ..._until().
 * Ownership	The caller keeps the descriptor or stream, unless it was given
 *		to sp_split().
 * Errors	0 or a negative errno. Bytes that were not written stay in the
 *		buffer, in order, so the flush can be repeated.
 */
#ifndef SPARGIO_WRITER_H
#define SPARGIO_WRITER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_stream;
struct sp_writer;

/*
 * Make a writer with a buffer of @capacity bytes; 0 = 16 KiB. -EBADF, -ENOMEM.
 */
int sp_writer_new(int fd, size_t capacity, struct sp_writer **out);
int sp_writer_new_stream(const struct sp_stream *to, size_t capacity,
			 struct sp_writer **out);

/* Free the writer; bytes that were not flushed are lost. NULL is fine. */
void sp_writer_free(struct sp_writer *w);

/*
 * Append @data to the buffer. If the buffer is too small, its content and @data
 * are written to the descriptor. After an error no byte of @data was accepted,
 * except if @data exceeds the buffer: then an unknown part of @data was.
 * Yields.
 */
int sp_writer_write(struct sp_writer *w, const void *data, size_t len);
int sp_writer_write_until(struct sp_writer *w, const void *data, size_t len,
			  int64_t deadline);

/* Append formatted text. -EMSGSIZE if it does not fit into an empty buffer. */
int sp_writer_printf(struct sp_writer *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int sp_writer_printf_until(struct sp_writer *w, int64_t deadline,
			   const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Write the whole buffer to the descriptor. Yields. */
int sp_writer_flush(struct sp_writer *w);
int sp_writer_flush_until(struct sp_writer *w, int64_t deadline);

/* The number of bytes in the buffer. */
size_t sp_writer_buffered(const struct sp_writer *w);

/*
 * Copy from descriptor @from to descriptor @to, of any kinds, until the end of
 * @from or @max bytes. Returns the number of bytes or a negative errno. After
 * an error a part may have been copied; bytes that were read but not written
 * are lost. Other streams are copied by sp_stream_copy(). Yields.
 */
int64_t sp_copy(int from, int to, int64_t max);
int64_t sp_copy_until(int from, int to, int64_t max, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
