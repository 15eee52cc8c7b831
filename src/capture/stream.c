#include "capture/stream.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Initial size of a buffer; small, because a capture may have thousands of
 * sessions.
 */
#define FIRST_SIZE 4096

void capture_stream_fini(struct capture_stream *stream)
{
	free(stream->bytes);
	*stream = (struct capture_stream){ 0 };
}

void capture_stream_reset(struct capture_stream *stream)
{
	stream->offset += stream->end - stream->at;
	stream->at = 0;
	stream->end = 0;
}

/*
 * Move the bytes that were not taken yet to the front. They are shorter than
 * one message, so this is cheap.
 */
static void stream_compact(struct capture_stream *stream)
{
	if (stream->at == 0)
		return;
	memmove(stream->bytes, stream->bytes + stream->at,
		stream->end - stream->at);
	stream->end -= stream->at;
	stream->at = 0;
}

int capture_stream_space(struct capture_stream *stream, size_t min,
			 uint8_t **to, size_t *room)
{
	size_t size = stream->size > 0 ? stream->size : FIRST_SIZE;
	uint8_t *bytes;

	stream_compact(stream);
	while (size - stream->end < min)
		size *= 2;
	if (size > stream->size) {
		bytes = realloc(stream->bytes, size);
		if (bytes == NULL)
			return -ENOMEM;
		stream->bytes = bytes;
		stream->size = size;
	}
	*to = stream->bytes + stream->end;
	*room = stream->size - stream->end;
	return 0;
}

void capture_stream_filled(struct capture_stream *stream, size_t len)
{
	stream->end += len;
}

int capture_stream_push(struct capture_stream *stream, struct wire_view bytes)
{
	uint8_t *to;
	size_t room;
	int err;

	if (bytes.len == 0)
		return 0;
	err = capture_stream_space(stream, bytes.len, &to, &room);
	if (err < 0)
		return err;
	memcpy(to, bytes.p, bytes.len);
	capture_stream_filled(stream, bytes.len);
	return 0;
}

enum bmp_frame_status capture_stream_next(struct capture_stream *stream,
					  struct bmp_frame *out, size_t *need)
{
	enum bmp_frame_status status =
		bmp_frame_next(capture_stream_rest(stream),
			       BMP_MAX_FRAME_DEFAULT, out, need);

	if (status == BMP_FRAME_WHOLE) {
		stream->at += out->whole.len;
		stream->offset += out->whole.len;
	}
	return status;
}
