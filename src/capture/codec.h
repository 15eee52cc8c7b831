/*
 * capture/codec.h - decompress one compressed member step by step
 *
 *	gzip member, bzip2 stream, xz stream, zstd frame
 *
 * A codec does not know files: it takes input bytes and writes as much as fits.
 * A file may have several members one after another; the caller
 * (capture/source.c) finds the next one, and capture_codec_restart() prepares
 * the codec for it.
 *
 * Memory	Bounded: a file that needs a larger window than
 *		CAPTURE_CODEC_MEMORY is refused.
 */
#ifndef CAPTURE_CODEC_H
#define CAPTURE_CODEC_H

#include "capture/format.h"

#define CAPTURE_CODEC_MEMORY (256 * 1024 * 1024)

enum capture_codec_status {
	CAPTURE_CODEC_MORE, /* needs input, or space for output */
	CAPTURE_CODEC_DONE, /* the member ended and its checksum holds */
	CAPTURE_CODEC_CORRUPT,
	CAPTURE_CODEC_MEMORY_LIMIT,
	CAPTURE_CODEC_STATUSES
};

/* Input and output of a step; both are advanced. */
struct capture_codec_io {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
};

struct capture_codec;

/*
 * Make a codec for @format. Returns 0, -EINVAL if @format is not a compression,
 * or -ENOMEM.
 */
int capture_codec_new(enum capture_format format, struct capture_codec **out);

void capture_codec_free(struct capture_codec *codec);

/* Prepare for another member. After -ENOMEM the codec can only be freed. */
int capture_codec_restart(struct capture_codec *codec);

/*
 * Decompress some of @io->in to @io->out, and advance both. If the input is
 * damaged, the bytes before the damage are written to @io->out first: the
 * output is valid with every result.
 */
enum capture_codec_status capture_codec_step(struct capture_codec *codec,
					     struct capture_codec_io *io);

#endif
