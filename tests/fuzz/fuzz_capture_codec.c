/*
 * A compressed file: the first byte says of which kind, the second how large
 * the steps are. Whatever it holds, each step gets on or ends, and no more is
 * written than there is room for.
 */
#include "capture/codec.h"

#include <stdlib.h>

#define OUTPUT_MAX (16 * 1024 * 1024) /* a short file may hold gigabytes */

static void demand(bool holds)
{
	if (!holds)
		abort();
}

/* False: it ended. */
static bool step(struct capture_codec *codec, struct capture_codec_io *io,
		 size_t in_step, size_t *written)
{
	static uint8_t room[65536];
	size_t offered = io->in_len < in_step ? io->in_len : in_step;
	struct capture_codec_io part = { io->in, offered, room, sizeof(room) };
	enum capture_codec_status status = capture_codec_step(codec, &part);

	demand(status < CAPTURE_CODEC_STATUSES);
	demand(part.in_len <= offered && part.out_len <= sizeof(room));
	demand(part.in == io->in + (offered - part.in_len));
	demand(part.out == room + (sizeof(room) - part.out_len));
	io->in = part.in;
	io->in_len -= offered - part.in_len;
	*written += sizeof(room) - part.out_len;
	if (status == CAPTURE_CODEC_DONE)
		return io->in_len > 0 && capture_codec_restart(codec) == 0;
	if (status != CAPTURE_CODEC_MORE)
		return false;
	/* It wants input that is not there, or it got on. */
	return part.in_len < offered || part.out_len < sizeof(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct capture_codec_io io = { .in = data + 2, .in_len = len - 2 };
	struct capture_codec *codec;
	size_t written = 0;

	if (len < 2 ||
	    capture_codec_new((enum capture_format)(data[0] % CAPTURE_FORMATS),
			      &codec) < 0)
		return 0;
	while (written < OUTPUT_MAX &&
	       step(codec, &io, 1 + (size_t)data[1] * 64, &written))
		;
	capture_codec_free(codec);
	return 0;
}
