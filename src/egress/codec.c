#include "egress/codec.h"

#include "egress/capnp/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

struct egress_codec {
	uint8_t *bytes;
	uint32_t cap;
	ZSTD_CCtx *compress; /* made on first use */
	ZSTD_DCtx *decompress;
};

static const char *const names[EGRESS_ENCODINGS] = {
	[EGRESS_PLAIN] = "none",
	[EGRESS_PACKED] = "packed",
	[EGRESS_ZSTD] = "zstd",
};

int egress_codec_new(struct egress_codec **out)
{
	struct egress_codec *codec = calloc(1, sizeof(*codec));

	if (codec == NULL)
		return -ENOMEM;
	*out = codec;
	return 0;
}

void egress_codec_free(struct egress_codec *codec)
{
	if (codec == NULL)
		return;
	ZSTD_freeCCtx(codec->compress);
	ZSTD_freeDCtx(codec->decompress);
	free(codec->bytes);
	free(codec);
}

/* Make the buffer at least @len bytes long; its old content is lost. */
static int make_room(struct egress_codec *codec, size_t len)
{
	uint8_t *bytes;

	if (len <= codec->cap)
		return 0;
	bytes = malloc(len);
	if (bytes == NULL)
		return -ENOMEM;
	free(codec->bytes);
	codec->bytes = bytes;
	codec->cap = (uint32_t)len;
	return 0;
}

static int64_t close_zstd(struct egress_codec *codec, struct wire_view in)
{
	size_t len;
	int err = make_room(codec, ZSTD_compressBound(in.len));

	if (err < 0)
		return err;
	if (codec->compress == NULL)
		codec->compress = ZSTD_createCCtx();
	if (codec->compress == NULL)
		return -ENOMEM;
	len = ZSTD_compressCCtx(codec->compress, codec->bytes, codec->cap, in.p,
				in.len, EGRESS_ZSTD_LEVEL);
	return ZSTD_isError(len) ? -ENOMEM : (int64_t)len;
}

static int64_t close_packed(struct egress_codec *codec, struct wire_view in)
{
	size_t len;
	int err = make_room(codec, capnp_pack_bound(in.len));

	if (err < 0)
		return err;
	len = capnp_pack(in, codec->bytes);
	return len == 0 ? -EINVAL : (int64_t)len;
}

int egress_codec_close(struct egress_codec *codec, enum egress_encoding how,
		       struct egress_batch *batch)
{
	struct wire_view in = { batch->bytes, batch->len };
	int64_t len;

	if (how == EGRESS_PLAIN || in.len == 0)
		return 0;
	len = how == EGRESS_ZSTD ? close_zstd(codec, in)
				 : close_packed(codec, in);
	if (len < 0)
		return (int)len;
	if ((size_t)len >= in.len)
		return 0;
	/*
	 * Copied, because a buffer of exactly this length would not fit the
	 * next use of the batch.
	 */
	memcpy(batch->bytes, codec->bytes, (size_t)len);
	batch->len = (uint32_t)len;
	batch->encoding = (uint8_t)how;
	return 0;
}

static int64_t open_zstd(struct egress_codec *codec, struct wire_view in)
{
	unsigned long long size = ZSTD_getFrameContentSize(in.p, in.len);
	size_t len;
	int err;

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
		return -EBADMSG;
	if (size > EGRESS_PLAIN_MAX)
		return -E2BIG;
	err = make_room(codec, (size_t)size + 1);
	if (err < 0)
		return err;
	if (codec->decompress == NULL)
		codec->decompress = ZSTD_createDCtx();
	if (codec->decompress == NULL)
		return -ENOMEM;
	len = ZSTD_decompressDCtx(codec->decompress, codec->bytes, codec->cap,
				  in.p, in.len);
	return ZSTD_isError(len) ? -EBADMSG : (int64_t)len;
}

static int64_t open_packed(struct egress_codec *codec, struct wire_view in)
{
	int64_t len = capnp_unpack_length(in);
	int err;

	if (len < 0)
		return len;
	if (len > (int64_t)EGRESS_PLAIN_MAX)
		return -E2BIG;
	err = make_room(codec, (size_t)len + 1);
	return err < 0 ? err : capnp_unpack(in, codec->bytes, codec->cap);
}

int egress_codec_open(struct egress_codec *codec, enum egress_encoding how,
		      struct wire_view in, struct wire_view *out)
{
	int64_t len;

	switch (how) {
	case EGRESS_PLAIN:
		*out = in;
		return 0;
	case EGRESS_PACKED:
		len = open_packed(codec, in);
		break;
	case EGRESS_ZSTD:
		len = open_zstd(codec, in);
		break;
	default:
		return -ENOTSUP;
	}
	if (len < 0)
		return (int)len;
	*out = (struct wire_view){ codec->bytes, (size_t)len };
	return 0;
}

const char *egress_encoding_name(enum egress_encoding encoding)
{
	return encoding < EGRESS_ENCODINGS ? names[encoding] : "unknown";
}

int egress_encoding_find(const char *name, size_t len,
			 enum egress_encoding *out)
{
	for (int i = 0; i < EGRESS_ENCODINGS; i++) {
		if (strlen(names[i]) == len &&
		    memcmp(names[i], name, len) == 0) {
			*out = (enum egress_encoding)i;
			return 0;
		}
	}
	return -ENOENT;
}
