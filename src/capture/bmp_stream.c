#include "capture/bmp_stream.h"

#include <inttypes.h>
#include <stdio.h>

/* bytes to read at once */
#define READ_SIZE (64 * 1024)

void capture_bmp_stream_init(struct capture_bmp_stream *reader,
			     struct capture_source *source)
{
	*reader = (struct capture_bmp_stream){ .source = source };
}

void capture_bmp_stream_fini(struct capture_bmp_stream *reader)
{
	capture_stream_fini(&reader->stream);
}

static enum capture_bmp_stream_status stream_damaged(
	struct capture_bmp_stream *reader, const char *what)
{
	snprintf(reader->error, sizeof(reader->error),
		 "at byte %" PRIu64 ": %s", reader->stream.offset, what);
	return CAPTURE_BMP_STREAM_DAMAGED;
}

static const char *frame_text(enum bmp_frame_status status)
{
	switch (status) {
	case BMP_FRAME_BAD_VERSION:
		return "not a BMP message: its version is neither 3 nor 4";
	case BMP_FRAME_TOO_SHORT:
		return "a message shorter than its own header";
	case BMP_FRAME_TOO_LONG:
		return "a message longer than 1 MiB";
	default:
		return "no BMP message";
	}
}

/*
 * Return the status if the source had no more bytes for the next message: the
 * end, or damage.
 */
static enum capture_bmp_stream_status stream_ended(
	struct capture_bmp_stream *reader, enum capture_source_status status)
{
	if (status != CAPTURE_SOURCE_END)
		return stream_damaged(reader, capture_source_text(status));
	if (capture_stream_rest(&reader->stream).len > 0)
		return stream_damaged(reader, "the last message is cut");
	return CAPTURE_BMP_STREAM_END;
}

enum capture_bmp_stream_status capture_bmp_stream_next(
	struct capture_bmp_stream *reader, struct bmp_frame *out)
{
	struct capture_stream *stream = &reader->stream;
	enum capture_source_status read;
	enum bmp_frame_status status;
	size_t need, room, got = 0;
	uint8_t *to;

	for (;;) {
		reader->offset = stream->offset;
		status = capture_stream_next(stream, out, &need);
		if (status == BMP_FRAME_WHOLE)
			return CAPTURE_BMP_STREAM_FRAME;
		if (status != BMP_FRAME_PARTIAL)
			return stream_damaged(reader, frame_text(status));

		need -= capture_stream_rest(stream).len;
		if (need < READ_SIZE)
			need = READ_SIZE;
		if (capture_stream_space(stream, need, &to, &room) < 0)
			return stream_damaged(reader, "out of memory");
		read = capture_source_read(reader->source, to, room, &got);
		if (read != CAPTURE_SOURCE_OK)
			return stream_ended(reader, read);
		capture_stream_filled(stream, got);
	}
}
