/*
 * egress/codec.h - compress batches, and read them whatever they are
 *
 *	worker		egress_codec_close()	when a batch closes
 *	tail, restore	egress_codec_open()	before egress/encode/decode.h
 *
 * A codec holds what compression needs again and again: contexts and a buffer.
 * After the first few batches it allocates nothing more.
 *
 * Threads	One codec for each thread that uses one.
 */
#ifndef EGRESS_CODEC_H
#define EGRESS_CODEC_H

#include "bmp/wire.h"
#include "egress/batch.h"

/* A plain batch is never longer: more is not ours, or not honest. */
#define EGRESS_PLAIN_MAX (8u << 20)

/* zstd's level; beyond it the worker's time grows faster than the gain. */
#define EGRESS_ZSTD_LEVEL 1

struct egress_codec;

/* -ENOMEM. */
int egress_codec_new(struct egress_codec **out);

/* NULL is fine. */
void egress_codec_free(struct egress_codec *codec);

/*
 * Compress the plain bytes of @batch. One that would not become smaller stays
 * plain. -ENOMEM or -EINVAL (not whole messages): as it was.
 */
int egress_codec_close(struct egress_codec *codec, enum egress_encoding how,
		       struct egress_batch *batch);

/*
 * The plain bytes of @in, which live until the next call (or as long as @in).
 * -EBADMSG, -E2BIG (more than EGRESS_PLAIN_MAX), -ENOTSUP, -ENOMEM.
 */
int egress_codec_open(struct egress_codec *codec, enum egress_encoding how,
		      struct wire_view in, struct wire_view *out);

/* For the header Content-Encoding and --batch-compress: "none", "packed" … */
const char *egress_encoding_name(enum egress_encoding encoding);

/* -ENOENT if there is no such. */
int egress_encoding_find(const char *name, size_t len,
			 enum egress_encoding *out);

#endif
