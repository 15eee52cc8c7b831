#include "spargio/stream/writer.h"

#include <spargio/frame.h>
#include <spargio/reader.h>
#include <spargio/time.h>

#include <errno.h>

static uint64_t get_length(const struct sp_frame_format *f,
			   const uint8_t *bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < f->width; i++) {
		int at = f->order == SP_FRAME_BIG ? i : f->width - 1 - i;

		value = value << 8 | bytes[at];
	}
	return value;
}

/* Encode @value. -EMSGSIZE if it does not fit into the length field. */
static int put_length(const struct sp_frame_format *f, uint64_t value,
		      uint8_t *bytes)
{
	for (int i = 0; i < f->width; i++) {
		int at = f->order == SP_FRAME_BIG ? f->width - 1 - i : i;

		bytes[at] = (uint8_t)value;
		value >>= 8;
	}
	return value == 0 ? 0 : -EMSGSIZE;
}

static int width_error(const struct sp_frame_format *f)
{
	return f->width >= 1 && f->width <= 8 ? 0 : -EINVAL;
}

int sp_frame_read(struct sp_reader *r, const struct sp_frame_format *format,
		  const void **data, size_t *len)
{
	return sp_frame_read_until(r, format, SP_NEVER, data, len);
}

int sp_frame_read_until(struct sp_reader *r,
			const struct sp_frame_format *format, int64_t deadline,
			const void **data, size_t *len)
{
	size_t width = format->width;
	const void *bytes;
	uint64_t body;
	ssize_t n;
	int err = width_error(format);

	if (err < 0)
		return err;
	n = sp_reader_peek_until(r, width, deadline, &bytes);
	if (n < (ssize_t)width)
		return n > 0 ? -EPIPE : (int)n;
	body = get_length(format, bytes);
	if (format->counts == SP_FRAME_ALL) {
		if (body < width)
			return -EBADMSG;
		body -= width;
	}
	if (body > format->max || body > SIZE_MAX - width)
		return -EMSGSIZE;
	n = sp_reader_peek_until(r, width + (size_t)body, deadline, &bytes);
	if (n < 0)
		return (int)n;
	if ((size_t)n < width + body)
		return -EPIPE;
	/*
	 * The frame is consumed, but its bytes stay in the buffer until the
	 * next call on the reader.
	 */
	sp_reader_skip(r, width + (size_t)body);
	*data = (const char *)bytes + width;
	*len = (size_t)body;
	return 1;
}

int sp_frame_write(struct sp_writer *w, const struct sp_frame_format *format,
		   const void *data, size_t len)
{
	return sp_frame_write_until(w, format, data, len, SP_NEVER);
}

int sp_frame_write_until(struct sp_writer *w,
			 const struct sp_frame_format *format, const void *data,
			 size_t len, int64_t deadline)
{
	uint64_t value = len;
	uint8_t head[8];
	int err = width_error(format);

	if (err < 0)
		return err;
	if (len > format->max)
		return -EMSGSIZE;
	if (format->counts == SP_FRAME_ALL)
		value += format->width;
	err = put_length(format, value, head);
	/*
	 * Reserve space for the length and the data, so that no length is
	 * written without its data.
	 */
	if (err == 0)
		err = sp__writer_reserve(w, format->width + len, deadline);
	if (err == 0)
		err = sp_writer_write_until(w, head, format->width, deadline);
	if (err == 0)
		err = sp_writer_write_until(w, data, len, deadline);
	return err;
}
