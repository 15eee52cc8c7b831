/*
 * spargio/io/multishot.h - an operation that completes many times
 *
 * A multishot operation is armed once and then reports events until the last
 * one. It is part of a heap object, for instance a receive stream, and belongs
 * to one shard. A deadline or a cancel ends a fiber's wait for the next event,
 * but not the operation. The operation is stopped before its memory is freed.
 *
 * Threads	The home shard's own thread.
 */
#ifndef SPARGIO_IO_MULTISHOT_H
#define SPARGIO_IO_MULTISHOT_H

#include "spargio/io/op.h"

struct sp__multishot {
	struct sp__op op; /* must be the first member */
	struct sp_shard *home;
	struct sp__waiter waiter; /* its fiber is NULL when no fiber waits */
};

/*
 * Initialise @ms with @home as its shard. @event is called for each completion
 * and must not wait.
 */
void sp__multishot_init(struct sp__multishot *ms, struct sp_shard *home,
			void (*event)(struct sp__op *op));

static inline bool sp__multishot_armed(const struct sp__multishot *ms)
{
	return !ms->op.done;
}

/* Start the operation that the SQE describes. It must not be armed. */
static inline void sp__multishot_arm(struct sp__multishot *ms)
{
	sp__op_start(ms->home, &ms->op);
}

/*
 * Request that the operation ends; may be called from an event. The request
 * may have no effect, see sp__multishot_stop().
 */
void sp__multishot_cancel(struct sp__multishot *ms);

/* Wake the fiber that waits for an event. */
void sp__multishot_wake(struct sp__multishot *ms);

/* Migrate the calling fiber to the home shard. Yields. 0 or -EPERM. */
int sp__multishot_go_home(const struct sp__multishot *ms);

/*
 * Wait for sp__multishot_wake(), in two steps, so that the operation can be
 * armed or the waiter put into a list in between. Returns 0, or the wake-up
 * code minus SP__EVENT, or -ETIMEDOUT or -ECANCELED. Yields.
 */
void sp__multishot_wait_begin(struct sp__multishot *ms);
int sp__multishot_wait_end(struct sp__multishot *ms, int64_t deadline,
			   const char *why);

/*
 * Cancel the operation and wait until it has ended. The wait cannot be
 * cancelled. Yields.
 */
void sp__multishot_stop(struct sp__multishot *ms);

#endif
