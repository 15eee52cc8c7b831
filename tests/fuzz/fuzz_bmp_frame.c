/*
 * Any bytes must be cut into frames that stay inside them, and cutting the
 * stream short anywhere must give the same frames up to the cut.
 */
#include "bmp/frame.h"

#include <stdlib.h>

#define MAX 66000

static void check_frame(const struct bmp_frame *f, struct wire_view in)
{
	if (f->whole.p != in.p || f->whole.len > in.len ||
	    f->whole.len < BMP_HEADER_LEN || f->whole.len > MAX ||
	    f->body.p != in.p + BMP_HEADER_LEN ||
	    f->body.len != f->whole.len - BMP_HEADER_LEN)
		abort();
}

/* One byte less than a whole frame is never a frame, and asks for the rest. */
static void check_cut(const struct bmp_frame *f)
{
	struct wire_view cut = { f->whole.p, f->whole.len - 1 };
	struct bmp_frame unused;
	size_t need = 0;

	if (bmp_frame_next(cut, MAX, &unused, &need) != BMP_FRAME_PARTIAL ||
	    need <= cut.len || need > f->whole.len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct wire_view in = { data, len };
	struct bmp_frame f;
	size_t need = 0;

	while (bmp_frame_next(in, MAX, &f, &need) == BMP_FRAME_WHOLE) {
		check_frame(&f, in);
		check_cut(&f);
		in.p += f.whole.len;
		in.len -= f.whole.len;
	}
	return 0;
}
