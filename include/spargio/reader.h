/*
 * spargio/reader.h - read a descriptor through a buffer: bytes, lines
 *
 *	sp_reader_new(fd, 0, &r);
 *	while ((err = sp_reader_line(r, &line, &len)) > 0)
 *		handle(line, len);
 *	sp_reader_free(r);
 *
 * For sockets, pipes, terminals, and files from where their position is: what
 * it is, is found out once. Frames are in frame.h, the way back in writer.h.
 *
 *	 [ taken | buffered, not yet taken | room ]
 *
 * Threads	Any fiber, one at a time. A reader and a writer of the same
 *		descriptor are two things: two fibers may use them.
 * Blocking	Calls marked "yields" wait, and only if the buffer does not
 *		have it. Each has a form with a deadline, ..._until().
 * Ownership	The descriptor stays the caller's, unless it came by
 *		sp_split(). What a call points out in the buffer is good until
 *		the next call.
 * Errors	A negative errno. What has come is in the buffer, and after
 *		-ETIMEDOUT or -ECANCELED the same call goes on where it was.
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
struct sp_writer;

/* A buffer of @capacity bytes; 0: 16 KiB. -EBADF, -ENOMEM. */
int sp_reader_new(int fd, size_t capacity, struct sp_reader **out);

/* What was buffered and not taken is dropped. NULL is fine. */
void sp_reader_free(struct sp_reader *r);

/*
 * A reader and a writer for two fibers, which together own @fd: freeing the
 * writer tells the peer of a socket that nothing more will come, freeing the
 * second of them closes it. After an error @fd is still yours.
 */
int sp_split(int fd, size_t capacity, struct sp_reader **r,
	     struct sp_writer **w);

/* What there is, at most @len bytes. 0: the end. Yields. */
ssize_t sp_reader_read(struct sp_reader *r, void *data, size_t len);
ssize_t sp_reader_read_until(struct sp_reader *r, void *data, size_t len,
			     int64_t deadline);

/*
 * All @len bytes: 1. 0 if the end came before the first. -EPIPE if it came
 * later. Yields. If @len is more than the buffer holds, an error costs what has
 * come of it; else it is all still there.
 */
int sp_reader_exact(struct sp_reader *r, void *data, size_t len);
int sp_reader_exact_until(struct sp_reader *r, void *data, size_t len,
			  int64_t deadline);

/*
 * Look at the next bytes without taking them: at least @want, fewer only if the
 * end comes before. How many *@data points to. -EMSGSIZE if the buffer cannot
 * hold so many. Yields.
 */
ssize_t sp_reader_peek(struct sp_reader *r, size_t want, const void **data);
ssize_t sp_reader_peek_until(struct sp_reader *r, size_t want, int64_t deadline,
			     const void **data);

/* Take @len of the bytes that were looked at. */
void sp_reader_skip(struct sp_reader *r, size_t len);

/*
 * The next line: 1, and *@line without its end, which is "\n" or "\r\n", but
 * with a zero byte behind it. What follows the last end is a line, too. 0: the
 * end. -EMSGSIZE if it does not fit into the buffer: nothing is taken. Yields.
 */
int sp_reader_line(struct sp_reader *r, char **line, size_t *len);
int sp_reader_line_until(struct sp_reader *r, int64_t deadline, char **line,
			 size_t *len);

#ifdef __cplusplus
}
#endif

#endif
