/*
 * capture/recording.h - the BMP sessions of a capture, for replay
 *
 *	track	| bytes of one session ...                       |
 *	marks	^ 0 ns	     ^ 1,200,000 ns	^ 3,000,000 ns
 *
 * Everything is uncompressed in memory, so that many routers can replay a
 * capture at once and repeatedly.
 *
 * A raw BMP stream is one track with every byte of the file, valid or not: a
 * broken session is replayed broken. Only the per-peer headers have times. A
 * message without a time, or with an earlier time than the message before, is
 * sent together with the message before. A packet capture has a track for each
 * session, of whole messages, with the times of the packets.
 */
#ifndef CAPTURE_RECORDING_H
#define CAPTURE_RECORDING_H

#include "capture/source.h"

/* The bytes from @at on are sent @ns after the recording's start. */
struct capture_mark {
	size_t at;
	uint64_t ns;
};

struct capture_track {
	uint8_t *bytes;
	size_t len;
	size_t size;
	/* ascending in at and in ns; the first has at = 0 */
	struct capture_mark *marks;
	size_t mark_count;
	size_t mark_size;
};

/* All zero is an empty recording. */
struct capture_recording {
	struct capture_track **tracks;
	size_t count;
	/* first time found, in nanoseconds since 1970; 0 = no time found yet */
	uint64_t first_ns;
	uint64_t missing; /* bytes missing from a packet capture */
	char error[160];  /* error text; empty if none */
};

/*
 * Read @source to its end and add its sessions. Returns 0; -EBADMSG if the
 * source is damaged: the readable part was added and error has the text;
 * -EINVAL if there is no BMP session, with the reason in error; or -ENOMEM.
 */
int capture_recording_read(struct capture_recording *recording,
			   struct capture_source *source);

/*
 * Like capture_recording_read(), but the bytes need not be BMP: they are added
 * unchanged as one track.
 */
int capture_recording_read_raw(struct capture_recording *recording,
			       struct capture_source *source);

void capture_recording_fini(struct capture_recording *recording);

#endif
