/*
 * collector/checkpoint/restore_apply.h - apply one message of the log to a rib
 *
 * Threads	The shard of the router.
 */
#ifndef COLLECTOR_CHECKPOINT_RESTORE_APPLY_H
#define COLLECTOR_CHECKPOINT_RESTORE_APPLY_H

#include "bmp/wire.h"

struct router;

/*
 * Apply the updates of a batch: announced keys get unknown attributes,
 * withdrawn keys are removed. Updates that cannot be parsed are skipped and
 * counted in *@bad. -ENOMEM.
 */
int restore_updates(struct router *router, struct wire_view batch,
		    uint64_t *bad);

/*
 * The same for a log other than the one that the router's file refers to: only
 * the sequences of its tables are used.
 */
int restore_sequences(struct router *router, struct wire_view batch,
		      uint64_t *bad);

/* Apply events: after a RESYNC consumers have only what follows it. */
void restore_events(struct router *router, struct wire_view batch);

#endif
