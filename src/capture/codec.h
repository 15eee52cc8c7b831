/*
 * capture/codec.h - one compressed member, decompressed step by step
 *
 *	gzip member, bzip2 stream, xz stream, zstd frame
 *
 * A codec knows nothing of files: it takes the bytes it is given and writes as
 * much as fits. A file may hold several members one after another; finding the
 * next one is the caller's work (capture/source.c), capture_codec_restart()
 * makes the codec ready for it.
 *
 * Memory	Bounded: a file that asks for a larger window than
 *		CAPTURE_CODEC_MEMORY is refused by name, not tried.
 */
#ifndef CAPTURE_CODEC_H
#define CAPTURE_CODEC_H

#include "capture/format.h"

#define CAPTURE_CODEC_MEMORY (256 * 1024 * 1024)

enum capture_codec_status {
	CAPTURE_CODEC_MORE, /* give it input, or room for output */
	CAPTURE_CODEC_DONE, /* the member ended and its checksum holds */
	CAPTURE_CODEC_CORRUPT,
	CAPTURE_CODEC_MEMORY_LIMIT,
	CAPTURE_CODEC_STATUSES
};

/* What a step may use; both ends advance. */
struct capture_codec_io {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
};

struct capture_codec;

/* -EINVAL if @format is no compression, -ENOMEM. */
int capture_codec_new(enum capture_format format, struct capture_codec **out);

void capture_codec_free(struct capture_codec *codec);

/* Get ready for another member. -ENOMEM leaves a codec fit only for free. */
int capture_codec_restart(struct capture_codec *codec);

/*
 * What a damaged member gave before its damage is written first, so the bytes
 * that @io->out gained count whatever the answer is.
 */
enum capture_codec_status capture_codec_step(struct capture_codec *codec,
					     struct capture_codec_io *io);

#endif
