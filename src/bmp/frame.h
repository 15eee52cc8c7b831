/*
 * bmp/frame.h - cut a BMP byte stream into messages
 *
 *	0        1                          5        6
 *	+--------+--------+--------+--------+--------+----------
 *	| version|  length, header included |  type  | body ...	RFC 7854 4.1
 *	+--------+--------+--------+--------+--------+----------
 *
 * Pure and stateless: give it what has arrived so far, and it says whether
 * that begins with a whole message, how many bytes to wait for, or that the
 * stream is past saving.
 */
#ifndef BMP_FRAME_H
#define BMP_FRAME_H

#include "bmp/wire.h"

#define BMP_HEADER_LEN 6

/* 48 bytes of headers and the largest BGP PDU (RFC 8654) must always fit. */
#define BMP_MAX_FRAME_FLOOR   66000
#define BMP_MAX_FRAME_DEFAULT (1024 * 1024)

enum bmp_frame_status {
	BMP_FRAME_WHOLE,
	BMP_FRAME_PARTIAL, /* more bytes are needed */
	/* From here on the boundaries are lost: close the session. */
	BMP_FRAME_BAD_VERSION,
	BMP_FRAME_TOO_SHORT, /* length smaller than the header itself */
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
 * Look at the start of @in. BMP_FRAME_WHOLE fills *@out and leaves *@need
 * alone; BMP_FRAME_PARTIAL sets *@need to the number of bytes that @in must
 * have before a call can say more. @max_frame bounds the length field.
 */
enum bmp_frame_status bmp_frame_next(struct wire_view in, uint32_t max_frame,
				     struct bmp_frame *out, size_t *need);

#endif
