/*
 * egress/batch_split.h - split a batch between two of its messages
 *
 * A batch is a sequence of whole Cap'n Proto messages back to back, so any
 * consecutive messages of it are a valid batch, too. Pure function.
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
 * Find how many messages from the start of @plain fit into @limit bytes. If the
 * first message alone is longer, *@out is that one message. -EBADMSG if there
 * is no whole message.
 */
int egress_batch_split(struct wire_view plain, size_t limit,
		       struct egress_batch_part *out);

#endif
