/*
 * Adapts four libraries to one interface: start, step, stop. The table of these
 * functions is at the end of the adapters; the rest of the file uses only the
 * table.
 */
#include "capture/codec.h"

#include <bzlib.h>
#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* A window of 128 MiB: zstd's own default limit. */
#define ZSTD_WINDOW_LOG 27

/* 15 bits of window; 16 means with gzip header and checksum. */
#define GZIP_WINDOW_BITS (15 + 16)

struct codec_rules {
	int (*start)(struct capture_codec *codec);
	enum capture_codec_status (*step)(struct capture_codec *codec,
					  struct capture_codec_io *io);
	void (*stop)(struct capture_codec *codec);
};

struct capture_codec {
	const struct codec_rules *rules;
	bool started;
	union {
		z_stream gzip;
		bz_stream bzip2;
		lzma_stream xz;
		ZSTD_DCtx *zstd;
	};
};

/*
 * Limit a size to unsigned int, which the libraries use; a step may then take
 * less than it is given.
 */
static unsigned size_clamp(size_t n)
{
	return n > UINT_MAX ? UINT_MAX : (unsigned)n;
}

static void io_advance(struct capture_codec_io *io, size_t taken,
		       size_t written)
{
	io->in += taken;
	io->in_len -= taken;
	io->out += written;
	io->out_len -= written;
}

static int gzip_start(struct capture_codec *codec)
{
	codec->gzip = (z_stream){ 0 };
	return inflateInit2(&codec->gzip, GZIP_WINDOW_BITS) == Z_OK ? 0
								    : -ENOMEM;
}

static enum capture_codec_status gzip_step(struct capture_codec *codec,
					   struct capture_codec_io *io)
{
	z_stream *z = &codec->gzip;
	unsigned in = size_clamp(io->in_len);
	unsigned out = size_clamp(io->out_len);
	int got;

	z->next_in = (Bytef *)io->in;
	z->avail_in = in;
	z->next_out = io->out;
	z->avail_out = out;
	got = inflate(z, Z_NO_FLUSH);
	io_advance(io, in - z->avail_in, out - z->avail_out);

	switch (got) {
	case Z_OK:
	case Z_BUF_ERROR: /* no progress was possible; not an error */
		return CAPTURE_CODEC_MORE;
	case Z_STREAM_END:
		return CAPTURE_CODEC_DONE;
	case Z_MEM_ERROR:
		return CAPTURE_CODEC_MEMORY_LIMIT;
	default:
		return CAPTURE_CODEC_CORRUPT;
	}
}

static void gzip_stop(struct capture_codec *codec)
{
	inflateEnd(&codec->gzip);
}

static int bzip2_start(struct capture_codec *codec)
{
	codec->bzip2 = (bz_stream){ 0 };
	return BZ2_bzDecompressInit(&codec->bzip2, /* verbosity= */ 0,
				    /* small= */ 0) == BZ_OK
		       ? 0
		       : -ENOMEM;
}

static enum capture_codec_status bzip2_step(struct capture_codec *codec,
					    struct capture_codec_io *io)
{
	bz_stream *bz = &codec->bzip2;
	unsigned in = size_clamp(io->in_len);
	unsigned out = size_clamp(io->out_len);
	int got;

	bz->next_in = (char *)io->in;
	bz->avail_in = in;
	bz->next_out = (char *)io->out;
	bz->avail_out = out;
	got = BZ2_bzDecompress(bz);
	io_advance(io, in - bz->avail_in, out - bz->avail_out);

	switch (got) {
	case BZ_OK:
		return CAPTURE_CODEC_MORE;
	case BZ_STREAM_END:
		return CAPTURE_CODEC_DONE;
	case BZ_MEM_ERROR:
		return CAPTURE_CODEC_MEMORY_LIMIT;
	default:
		return CAPTURE_CODEC_CORRUPT;
	}
}

static void bzip2_stop(struct capture_codec *codec)
{
	BZ2_bzDecompressEnd(&codec->bzip2);
}

static int xz_start(struct capture_codec *codec)
{
	codec->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&codec->xz, CAPTURE_CODEC_MEMORY,
				   /* flags= */ 0) == LZMA_OK
		       ? 0
		       : -ENOMEM;
}

static enum capture_codec_status xz_step(struct capture_codec *codec,
					 struct capture_codec_io *io)
{
	lzma_stream *xz = &codec->xz;
	size_t in = io->in_len;
	size_t out = io->out_len;
	lzma_ret got;

	xz->next_in = io->in;
	xz->avail_in = in;
	xz->next_out = io->out;
	xz->avail_out = out;
	got = lzma_code(xz, LZMA_RUN);
	io_advance(io, in - xz->avail_in, out - xz->avail_out);

	switch (got) {
	case LZMA_OK:
	case LZMA_BUF_ERROR: /* no progress was possible; not an error */
		return CAPTURE_CODEC_MORE;
	case LZMA_STREAM_END:
		return CAPTURE_CODEC_DONE;
	case LZMA_MEM_ERROR:
	case LZMA_MEMLIMIT_ERROR:
		return CAPTURE_CODEC_MEMORY_LIMIT;
	default:
		return CAPTURE_CODEC_CORRUPT;
	}
}

static void xz_stop(struct capture_codec *codec)
{
	lzma_end(&codec->xz);
}

static int zstd_start(struct capture_codec *codec)
{
	codec->zstd = ZSTD_createDCtx();
	if (codec->zstd == NULL)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(codec->zstd, ZSTD_d_windowLogMax,
			       ZSTD_WINDOW_LOG);
	return 0;
}

static enum capture_codec_status zstd_step(struct capture_codec *codec,
					   struct capture_codec_io *io)
{
	ZSTD_inBuffer in = { io->in, io->in_len, 0 };
	ZSTD_outBuffer out = { io->out, io->out_len, 0 };
	size_t got = ZSTD_decompressStream(codec->zstd, &out, &in);

	io_advance(io, in.pos, out.pos);
	if (!ZSTD_isError(got))
		return got == 0 ? CAPTURE_CODEC_DONE : CAPTURE_CODEC_MORE;
	switch (ZSTD_getErrorCode(got)) {
	case ZSTD_error_memory_allocation:
	case ZSTD_error_frameParameter_windowTooLarge:
		return CAPTURE_CODEC_MEMORY_LIMIT;
	default:
		return CAPTURE_CODEC_CORRUPT;
	}
}

static void zstd_stop(struct capture_codec *codec)
{
	ZSTD_freeDCtx(codec->zstd);
}

static const struct codec_rules rules[CAPTURE_FORMATS] = {
	[CAPTURE_GZIP] = { gzip_start, gzip_step, gzip_stop },
	[CAPTURE_BZIP2] = { bzip2_start, bzip2_step, bzip2_stop },
	[CAPTURE_XZ] = { xz_start, xz_step, xz_stop },
	[CAPTURE_ZSTD] = { zstd_start, zstd_step, zstd_stop },
};

int capture_codec_new(enum capture_format format, struct capture_codec **out)
{
	struct capture_codec *codec;
	int err;

	if (format >= CAPTURE_FORMATS || rules[format].start == NULL)
		return -EINVAL;
	codec = calloc(1, sizeof(*codec));
	if (codec == NULL)
		return -ENOMEM;
	codec->rules = &rules[format];
	err = capture_codec_restart(codec);
	if (err < 0) {
		capture_codec_free(codec);
		return err;
	}
	*out = codec;
	return 0;
}

void capture_codec_free(struct capture_codec *codec)
{
	if (codec == NULL)
		return;
	if (codec->started)
		codec->rules->stop(codec);
	free(codec);
}

int capture_codec_restart(struct capture_codec *codec)
{
	int err;

	if (codec->started)
		codec->rules->stop(codec);
	err = codec->rules->start(codec);
	codec->started = err == 0;
	return err;
}

enum capture_codec_status capture_codec_step(struct capture_codec *codec,
					     struct capture_codec_io *io)
{
	return codec->rules->step(codec, io);
}
