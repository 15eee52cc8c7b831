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
 * broken session is replayed broken. Only the per-peer headers have times, so
 * bytes whose header has no time, or an earlier one, go with the message
 * before. A packet capture has a track for each session, of whole messages,
 * with the times of the packets.
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
	struct capture_mark *marks; /* ascending in both; the first at 0 */
	size_t mark_count;
	size_t mark_size;
};

/* All zero is an empty recording. */
struct capture_recording {
	struct capture_track **tracks;
	size_t count;
	uint64_t first_ns; /* since 1970; 0 = no time found */
	uint64_t missing;  /* bytes missing from a packet capture */
	char error[160];   /* error text; empty if none */
};

/*
 * Read @source to its end and add its sessions. 0; -EBADMSG if it is damaged:
 * the readable part is kept and error has the text; -EINVAL if it has no BMP
 * session, with the reason in error; -ENOMEM.
 */
int capture_recording_read(struct capture_recording *recording,
			   struct capture_source *source);

/* The same for bytes that need not be BMP: one unchanged track. */
int capture_recording_read_raw(struct capture_recording *recording,
			       struct capture_source *source);

void capture_recording_fini(struct capture_recording *recording);

#endif
