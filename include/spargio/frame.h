/*
 * spargio/frame.h - frames that begin with their length
 *
 *	[ length ][ that many bytes ][ length ][ ...
 *
 *	static const struct sp_frame_format format = { .width = 4, .max = 65536 };
 *
 *	while ((err = sp_frame_read(r, &format, &data, &len)) > 0)
 *		handle(data, len);
 *
 * Threads, blocking, ownership as in reader.h and writer.h.
 */
#ifndef SPARGIO_FRAME_H
#define SPARGIO_FRAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_reader;
struct sp_writer;

enum sp_frame_order {
	SP_FRAME_BIG, /* the most significant byte of a length comes first */
	SP_FRAME_LITTLE,
};

enum sp_frame_count {
	SP_FRAME_BODY, /* a length counts what follows it */
	SP_FRAME_ALL,  /* a length counts itself, too */
};

struct sp_frame_format {
	uint8_t width; /* bytes of a length: 1 to 8 */
	enum sp_frame_order order;
	enum sp_frame_count counts;
	size_t max; /* bytes that a frame may hold, its length apart */
};

/*
 * The next frame: 1, and *@data in the reader's buffer, good until its next
 * call. 0: the end came between two frames. Yields.
 *
 * -EPIPE	the end came within one.
 * -EMSGSIZE	it is longer than @format->max, or than the buffer holds.
 * -EBADMSG	its length counts itself and is too small for that.
 * -EINVAL	a width that there is not.
 *
 * These leave everything where it is; there is no next frame to be found.
 */
int sp_frame_read(struct sp_reader *r, const struct sp_frame_format *format,
		  const void **data, size_t *len);
int sp_frame_read_until(struct sp_reader *r,
			const struct sp_frame_format *format, int64_t deadline,
			const void **data, size_t *len);

/*
 * Put a frame into the writer. -EMSGSIZE if it is longer than @format->max, or
 * than its length can say; other errors as sp_writer_write(). Yields.
 */
int sp_frame_write(struct sp_writer *w, const struct sp_frame_format *format,
		   const void *data, size_t len);
int sp_frame_write_until(struct sp_writer *w,
			 const struct sp_frame_format *format, const void *data,
			 size_t len, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
