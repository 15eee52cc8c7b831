/*
 * bmp/frame.h - cut a BMP byte stream into messages
 *
 *	0        1                          5        6
 *	+--------+--------+--------+--------+--------+----------
 *	| version|  length, header included |  type  | body ...	RFC 7854 4.1
 *	+--------+--------+--------+--------+--------+----------
 *
 * Pure and stateless: bmp_frame_next() gets the bytes that have arrived so far.
 * It returns the message at their start, or the number of bytes to wait for, or
 * an error after which the stream cannot be read any more.
 */
#ifndef BMP_FRAME_H
#define BMP_FRAME_H

#include "bmp/wire.h"

#define BMP_HEADER_LEN 6

/*
 * The lowest limit: 48 bytes of headers and the largest BGP PDU (RFC 8654) fit.
 */
#define BMP_MAX_FRAME_FLOOR   66000
#define BMP_MAX_FRAME_DEFAULT (1024 * 1024)

enum bmp_frame_status {
	BMP_FRAME_WHOLE,
	BMP_FRAME_PARTIAL, /* more bytes are needed */
	/*
	 * After these errors the boundaries of messages are not known: close
	 * the session.
	 */
	BMP_FRAME_BAD_VERSION,
	BMP_FRAME_TOO_SHORT, /* the length is less than that of the header */
	BMP_FRAME_TOO_LONG,
	BMP_FRAME_STATUSES
};

struct bmp_frame {
	uint8_t version;
	uint8_t type;
	struct wire_view whole; /* header included */
	struct wire_view body;
};

/*
 * Find the message at the start of @in. BMP_FRAME_WHOLE sets *@out and does not
 * change *@need; BMP_FRAME_PARTIAL sets *@need to the number of bytes that @in
 * must have for the next call. @max_frame limits the length field.
 */
enum bmp_frame_status bmp_frame_next(struct wire_view in, uint32_t max_frame,
				     struct bmp_frame *out, size_t *need);

#endif
