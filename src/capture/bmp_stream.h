/*
 * capture/bmp_stream.h - read a file that is a raw BMP stream
 *
 * The file has the bytes that a router sent over one TCP connection.
 */
#ifndef CAPTURE_BMP_STREAM_H
#define CAPTURE_BMP_STREAM_H

#include "capture/source.h"
#include "capture/stream.h"

enum capture_bmp_stream_status {
	CAPTURE_BMP_STREAM_FRAME,
	CAPTURE_BMP_STREAM_END,
	CAPTURE_BMP_STREAM_DAMAGED, /* the rest is unreadable; see error */
};

struct capture_bmp_stream {
	struct capture_source *source; /* borrowed */
	struct capture_stream stream;
	uint64_t offset; /* offset of the last frame returned */
	char error[128];
};

void capture_bmp_stream_init(struct capture_bmp_stream *reader,
			     struct capture_source *source);

void capture_bmp_stream_fini(struct capture_bmp_stream *reader);

/* Set *@out to the next message, which is valid until the next call. */
enum capture_bmp_stream_status capture_bmp_stream_next(
	struct capture_bmp_stream *reader, struct bmp_frame *out);

#endif
