/*
 * capture/recording.h - the BMP sessions of a capture, to be played back
 *
 *	track	| bytes of one session ...                       |
 *	marks	^ 0 ns	     ^ 1,200,000 ns	^ 3,000,000 ns
 *
 * All in memory, unpacked, so that a capture can be played by many routers at
 * once and again and again.
 *
 * A raw BMP stream is one track with every byte of the file, whether or not it
 * is a message: a broken session is to be played back broken. When a byte was
 * sent is known from the per-peer headers only, so it goes with the message
 * before it where those are silent or go back. A packet capture is a track for
 * each session in it, of its whole messages, with the times of the packets.
 */
#ifndef CAPTURE_RECORDING_H
#define CAPTURE_RECORDING_H

#include "capture/source.h"

/* From byte @at on, @ns after the recording's first moment. */
struct capture_mark {
	size_t at;
	uint64_t ns;
};

struct capture_track {
	uint8_t *bytes;
	size_t len;
	size_t size;
	struct capture_mark *marks; /* ascending in both; the first at 0 */
	size_t mark_count;
	size_t mark_size;
};

/* All zero is an empty recording. */
struct capture_recording {
	struct capture_track **tracks;
	size_t count;
	uint64_t first_ns; /* since 1970; 0: nothing was said */
	uint64_t missing;  /* bytes that a packet capture does not have */
	char error[160];   /* what is wrong, for people; empty: nothing */
};

/*
 * Read @source to its end and add what it holds. 0; -EBADMSG if it is damaged,
 * then what could be read is there and error says what is wrong; -EINVAL if it
 * holds no BMP session at all, and error says what it is; -ENOMEM.
 */
int capture_recording_read(struct capture_recording *recording,
			   struct capture_source *source);

/* The same for bytes that need not look like BMP: one track, as they are. */
int capture_recording_read_raw(struct capture_recording *recording,
			       struct capture_source *source);

void capture_recording_fini(struct capture_recording *recording);

#endif
