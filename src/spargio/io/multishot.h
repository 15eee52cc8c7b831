/*
 * spargio/io/multishot.h - an operation that completes many times
 *
 * A multishot operation is armed once and then reports by events, until one of
 * them is the last. It lives on the heap, in what it serves, and belongs to a
 * shard. A fiber that waits for the next event may give up (deadline, cancel)
 * without ending the operation; it is stopped before its memory is freed.
 *
 * Threads	The home shard's own.
 */
#ifndef SPARGIO_IO_MULTISHOT_H
#define SPARGIO_IO_MULTISHOT_H

#include "spargio/io/op.h"

struct sp__multishot {
	struct sp__op op; /* first */
	struct sp_shard *home;
	struct sp__waiter waiter; /* its fiber is NULL when none waits */
};

/* At home here. @event is called for each completion, and must not wait. */
void sp__multishot_init(struct sp__multishot *ms, struct sp_shard *home,
			void (*event)(struct sp__op *op));

static inline bool sp__multishot_armed(const struct sp__multishot *ms)
{
	return !ms->op.done;
}

/* Start it as its SQE says. It is not armed. */
static inline void sp__multishot_arm(struct sp__multishot *ms)
{
	sp__op_start(ms->home, &ms->op);
}

/* Ask it to end, from an event. It may be missed. */
void sp__multishot_cancel(struct sp__multishot *ms);

/* Wake who waits for it. */
void sp__multishot_wake(struct sp__multishot *ms);

/* Migrate the calling fiber to its shard. Yields. 0 or -EPERM. */
int sp__multishot_go_home(const struct sp__multishot *ms);

/*
 * Wait for sp__multishot_wake(), in two steps, so that the operation can be
 * armed or the waiter put into a list in between. 0, or how much above
 * SP__EVENT the code was that it was woken with; -ETIMEDOUT, -ECANCELED.
 * Yields.
 */
void sp__multishot_wait_begin(struct sp__multishot *ms);
int sp__multishot_wait_end(struct sp__multishot *ms, int64_t deadline,
			   const char *why);

/* See it end. Not cancelled itself. Yields. */
void sp__multishot_stop(struct sp__multishot *ms);

#endif
