/*
 * egress/codec.h - compress and decompress batches
 *
 *	worker		egress_codec_close()	when a batch closes
 *	tail, restore	egress_codec_open()	before egress/encode/decode.h
 *
 * A codec keeps the contexts and the buffer of the compressors, so that it
 * allocates nothing after the first few batches.
 *
 * Threads	Each thread uses a codec of its own.
 */
#ifndef EGRESS_CODEC_H
#define EGRESS_CODEC_H

#include "bmp/wire.h"
#include "egress/batch.h"

/*
 * The maximum size of an uncompressed batch; a larger one is refused as
 * invalid.
 */
#define EGRESS_PLAIN_MAX (8u << 20)

/*
 * Level of zstd. At higher levels the CPU time of the worker grows faster than
 * the compression improves.
 */
#define EGRESS_ZSTD_LEVEL 1

struct egress_codec;

/* Make a codec. -ENOMEM. */
int egress_codec_new(struct egress_codec **out);

/* @codec may be NULL. */
void egress_codec_free(struct egress_codec *codec);

/*
 * Compress the bytes of @batch with @how. The batch stays uncompressed if the
 * result would not be smaller. -ENOMEM or -EINVAL (the bytes are not whole
 * messages): the batch is unchanged.
 */
int egress_codec_close(struct egress_codec *codec, enum egress_encoding how,
		       struct egress_batch *batch);

/*
 * Decompress @in with @how. *@out is valid until the next call; for
 * EGRESS_PLAIN it is @in itself. -EBADMSG, -E2BIG (more than EGRESS_PLAIN_MAX),
 * -ENOTSUP, -ENOMEM.
 */
int egress_codec_open(struct egress_codec *codec, enum egress_encoding how,
		      struct wire_view in, struct wire_view *out);

/*
 * The name of the encoding in the header Content-Encoding and in
 * --batch-compress: "none", "packed" …
 */
const char *egress_encoding_name(enum egress_encoding encoding);

/* Find an encoding by its name. -ENOENT if no encoding has this name. */
int egress_encoding_find(const char *name, size_t len,
			 enum egress_encoding *out);

#endif
