/*
 * capture/stream.h - BMP messages out of bytes that arrive in pieces
 *
 *	push or fill --> [ taken | messages ... | incomplete rest ] --> next
 *
 * The buffer grows to the largest message and is then reused. A frame handed
 * out is a view into it, dead at the next push, space or reset.
 */
#ifndef CAPTURE_STREAM_H
#define CAPTURE_STREAM_H

#include "bmp/frame.h"

/* All zero is an empty stream. */
struct capture_stream {
	uint8_t *bytes;
	size_t size;
	size_t at;	 /* where the next message begins */
	size_t end;	 /* where the bytes end */
	uint64_t offset; /* of bytes[at], counted from the stream's start */
};

void capture_stream_fini(struct capture_stream *stream);

/* Forget what is buffered, keep the memory; the offset goes on counting. */
void capture_stream_reset(struct capture_stream *stream);

/*
 * Room for at least @min further bytes, to be read into and then declared with
 * capture_stream_filled(). -ENOMEM leaves the stream as it was.
 */
int capture_stream_space(struct capture_stream *stream, size_t min,
			 uint8_t **to, size_t *room);

void capture_stream_filled(struct capture_stream *stream, size_t len);

/* Copy @bytes in. 0 or -ENOMEM. */
int capture_stream_push(struct capture_stream *stream, struct wire_view bytes);

/* Bytes that are waiting, taken messages not among them. */
static inline struct wire_view capture_stream_rest(
	const struct capture_stream *stream)
{
	struct wire_view rest = { NULL, stream->end - stream->at };

	if (rest.len > 0)
		rest.p = stream->bytes + stream->at;
	return rest;
}

/*
 * The next message, as bmp_frame_next() judges it: BMP_FRAME_WHOLE takes it,
 * any other answer takes nothing.
 */
enum bmp_frame_status capture_stream_next(struct capture_stream *stream,
					  struct bmp_frame *out, size_t *need);

#endif
