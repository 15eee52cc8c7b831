/*
 * spargio/frame.h - frames that begin with their length
 *
 *	[ length ][ that many bytes ][ length ][ ...
 *
 *	static const struct sp_frame_format format = {
 *		.width = 4, .max = 65536
 *	};
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
	SP_FRAME_BIG, /* most significant byte of the length first */
	SP_FRAME_LITTLE,
};

enum sp_frame_count {
	SP_FRAME_BODY, /* the length counts the bytes after it */
	SP_FRAME_ALL,  /* the length includes its own bytes */
};

struct sp_frame_format {
	uint8_t width; /* bytes of the length field: 1 to 8 */
	enum sp_frame_order order;
	enum sp_frame_count counts;
	size_t max; /* maximum bytes of a frame, without the length field */
};

/*
 * Read the next frame. Returns 1 if there is a frame: *@data points into the
 * reader's buffer and is valid until the next call on the reader. Returns 0 if
 * the stream ended between two frames. Yields.
 *
 *	-EPIPE		the stream ended within a frame
 *	-EMSGSIZE	the frame exceeds @format->max or the buffer
 *	-EBADMSG	SP_FRAME_ALL, and the length is less than @format->width
 *	-EINVAL		@format->width is not 1 to 8
 *
 * After -EMSGSIZE and -EBADMSG nothing is consumed, and the start of the next
 * frame is unknown.
 */
int sp_frame_read(struct sp_reader *r, const struct sp_frame_format *format,
		  const void **data, size_t *len);
int sp_frame_read_until(struct sp_reader *r,
			const struct sp_frame_format *format, int64_t deadline,
			const void **data, size_t *len);

/*
 * Write a frame to the writer's buffer. -EMSGSIZE if it is longer than
 * @format->max or than the length field can express; other errors as
 * sp_writer_write(). Yields.
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
