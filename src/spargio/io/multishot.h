/*
 * spargio/io/multishot.h - an operation that completes many times
 *
 * A shot is started once and then reports by events, until one of them is the
 * last. It lives on the heap, in what it serves, and belongs to a shard. A
 * fiber that waits for the next event may give up (deadline, cancel) without
 * ending the shot; it is stopped before its memory is freed.
 *
 * Threads	The home shard's own.
 */
#ifndef SPARGIO_IO_MULTISHOT_H
#define SPARGIO_IO_MULTISHOT_H

#include "spargio/io/op.h"

struct sp__shot {
	struct sp__op op; /* first */
	struct sp_shard *home;
	struct sp__waiter waiter; /* its fiber is NULL when none waits */
};

/* At home here. @event is called for each completion, and must not wait. */
void sp__shot_init(struct sp__shot *shot, struct sp_shard *home,
		   void (*event)(struct sp__op *op));

static inline bool sp__shot_armed(const struct sp__shot *shot)
{
	return !shot->op.done;
}

/* Start it as its SQE says. It is not armed. */
static inline void sp__shot_arm(struct sp__shot *shot)
{
	sp__op_start(shot->home, &shot->op);
}

/* Ask it to end, from an event. It may be missed. */
void sp__shot_cancel(struct sp__shot *shot);

/* Wake who waits for it. */
void sp__shot_wake(struct sp__shot *shot);

/* Bring the calling fiber to the shot's shard. Yields. 0 or -EPERM. */
int sp__shot_go_home(const struct sp__shot *shot);

/*
 * Wait for sp__shot_wake(), in two steps, so that the shot can be armed or the
 * waiter put into a list in between. 0, or how much above SP__EVENT the code
 * was that it was woken with; -ETIMEDOUT, -ECANCELED. Yields.
 */
void sp__shot_wait_begin(struct sp__shot *shot);
int sp__shot_wait_end(struct sp__shot *shot, int64_t deadline, const char *why);

/* See it end. Not cancelled itself. Yields. */
void sp__shot_stop(struct sp__shot *shot);

#endif
