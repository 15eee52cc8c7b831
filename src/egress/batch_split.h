/*
 * egress/batch_split.h - cut a batch where one of its messages ends
 *
 * A batch is whole Cap'n Proto messages back to back, so each stretch of them
 * is a batch, too. Pure.
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
 * As many messages from the start of @plain as @limit bytes hold. A first one
 * that is longer is a piece alone. -EBADMSG if there is no whole message.
 */
int egress_batch_split(struct wire_view plain, size_t limit,
		       struct egress_batch_part *out);

#endif
