/*
 * capture/stream.h - BMP messages out of bytes that arrive in pieces
 *
 *	push or fill --> [ taken | messages ... | incomplete rest ] --> next
 *
 * The buffer grows to the largest message and is then reused. A frame that is
 * returned points into the buffer: it is valid until the next push, space or
 * reset.
 */
#ifndef CAPTURE_STREAM_H
#define CAPTURE_STREAM_H

#include "bmp/frame.h"

/* All zero is an empty stream. */
struct capture_stream {
	uint8_t *bytes;
	size_t size;
	size_t at;	 /* index of the next message */
	size_t end;	 /* index behind the last byte */
	uint64_t offset; /* offset of bytes[at] from the start of the stream */
};

void capture_stream_fini(struct capture_stream *stream);

/* Clear the buffer, but keep its memory. The offset is not reset. */
void capture_stream_reset(struct capture_stream *stream);

/*
 * Reserve space for at least @min further bytes. The caller writes to *@to at
 * most *@room bytes, and reports their number with capture_stream_filled().
 * -ENOMEM; the stream is then unchanged.
 */
int capture_stream_space(struct capture_stream *stream, size_t min,
			 uint8_t **to, size_t *room);

void capture_stream_filled(struct capture_stream *stream, size_t len);

/* Append a copy of @bytes. Returns 0 or -ENOMEM. */
int capture_stream_push(struct capture_stream *stream, struct wire_view bytes);

/* The bytes in the buffer that were not taken as messages yet. */
static inline struct wire_view capture_stream_rest(
	const struct capture_stream *stream)
{
	struct wire_view rest = { NULL, stream->end - stream->at };

	if (rest.len > 0)
		rest.p = stream->bytes + stream->at;
	return rest;
}

/*
 * Get the next message. The result is that of bmp_frame_next(): the message is
 * taken only if it is BMP_FRAME_WHOLE.
 */
enum bmp_frame_status capture_stream_next(struct capture_stream *stream,
					  struct bmp_frame *out, size_t *need);

#endif
