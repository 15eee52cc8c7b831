#include "egress/batch_split.h"

#include "egress/capnp/reader.h"

#include <errno.h>

int egress_batch_split(struct wire_view plain, size_t limit,
		       struct egress_batch_part *out)
{
	struct egress_decoder r = egress_decode_start(plain);
	struct egress_batch_part piece = { 0 };
	struct egress_message m;

	while (egress_decode_next(&r, &m) == 1) {
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
