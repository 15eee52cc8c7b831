/*
 * collector/checkpoint/restore_apply.h - one message of the log back into a rib
 *
 * Threads	The shard of the router.
 */
#ifndef COLLECTOR_CHECKPOINT_RESTORE_APPLY_H
#define COLLECTOR_CHECKPOINT_RESTORE_APPLY_H

#include "bmp/wire.h"

struct router;

/*
 * Take the updates of a batch: keys are there with unknown attributes, or are
 * not. What cannot be read is left out and counted in *@bad. -ENOMEM.
 */
int restore_updates(struct router *router, struct wire_view batch,
		    uint64_t *bad);

/*
 * The same of a log that is not the one the router's file speaks of: only how
 * far the sequences of its tables are counts.
 */
int restore_sequences(struct router *router, struct wire_view batch,
		      uint64_t *bad);

/* Take events: after a RESYNC consumers have only what came behind it. */
void restore_events(struct router *router, struct wire_view batch);

#endif
