#include "egress/batch_split.h"

#include "egress/capnp/reader.h"

#include <errno.h>

int egress_piece_cut(struct wire_view plain, size_t limit,
		     struct egress_piece *out)
{
	struct egress_reader r = egress_read_start(plain);
	struct egress_piece piece = { 0 };
	struct egress_message m;

	while (egress_read_next(&r, &m) == 1) {
		size_t len = plain.len - r.c.left;

		if (len > limit && piece.messages > 0)
			break;
		piece.len = len;
		piece.messages++;
	}
	if (piece.messages == 0)
		return -EBADMSG;
	*out = piece;
	return 0;
}
