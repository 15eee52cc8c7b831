/*
 * egress/batch_split.h - split a batch between two of its messages
 *
 * A batch is whole Cap'n Proto messages back to back, so each run of them is a
 * valid batch. Pure function.
 */
#ifndef EGRESS_BATCH_SPLIT_H
#define EGRESS_BATCH_SPLIT_H

#include "bmp/wire.h"

#include <stddef.h>
#include <stdint.h>

struct egress_batch_part {
	size_t len;
	uint32_t messages;
};

/*
 * The longest run of messages from the start of @plain that fits into @limit
 * bytes. If the first message is longer, it is a piece by itself. -EBADMSG if
 * there is no whole message.
 */
int egress_batch_split(struct wire_view plain, size_t limit,
		       struct egress_batch_part *out);

#endif
