/*
 * collector/checkpoint/restore_apply.h - apply one message of the log to a rib
 *
 * Threads	The shard of the router only.
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
 * Apply only the sequence numbers of the updates of a batch. For messages of
 * another log than the one that the router's file refers to.
 */
int restore_sequences(struct router *router, struct wire_view batch,
		      uint64_t *bad);

/*
 * Apply the events of a batch. After a RESYNC event consumers have only the
 * routes that follow it.
 */
void restore_events(struct router *router, struct wire_view batch);

#endif
