/*
 * egress/codec.h - compress and decompress batches
 *
 *	worker		egress_codec_close()	when a batch closes
 *	tail, restore	egress_codec_open()	before egress/encode/decode.h
 *
 * A codec keeps the contexts and the buffer of the compressors, so that it
 * allocates nothing after the first few batches.
 *
 * Threads	One codec for each thread that uses one.
 */
#ifndef EGRESS_CODEC_H
#define EGRESS_CODEC_H

#include "bmp/wire.h"
#include "egress/batch.h"

/* The maximum of an uncompressed batch; more is refused as invalid. */
#define EGRESS_PLAIN_MAX (8u << 20)

/*
 * zstd's level; at higher levels the worker's time grows faster than the gain.
 */
#define EGRESS_ZSTD_LEVEL 1

struct egress_codec;

/* -ENOMEM. */
int egress_codec_new(struct egress_codec **out);

/* NULL is fine. */
void egress_codec_free(struct egress_codec *codec);

/*
 * Compress the bytes of @batch. It stays uncompressed if the result would not
 * be smaller. -ENOMEM or -EINVAL (not whole messages): unchanged.
 */
int egress_codec_close(struct egress_codec *codec, enum egress_encoding how,
		       struct egress_batch *batch);

/*
 * The uncompressed bytes of @in, valid until the next call (or as long as @in).
 * -EBADMSG, -E2BIG (more than EGRESS_PLAIN_MAX), -ENOTSUP, -ENOMEM.
 */
int egress_codec_open(struct egress_codec *codec, enum egress_encoding how,
		      struct wire_view in, struct wire_view *out);

/* For the header Content-Encoding and --batch-compress: "none", "packed" … */
const char *egress_encoding_name(enum egress_encoding encoding);

/* -ENOENT if there is no such encoding. */
int egress_encoding_find(const char *name, size_t len,
			 enum egress_encoding *out);

#endif
