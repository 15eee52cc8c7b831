/*
 * collector/checkpoint/restore.h - restore the ribs to the state that consumers
 * have
 *
 *	snapshot files ---> ribs, each router on its shard
 *	open the epoch: older runs cannot write to the stream any more
 *	stream, from the lowest position up to the epoch's event -> ribs
 *	spool, records that an older run did not publish ------> ribs
 *
 * Replaying the log marks announced routes as present with unknown attributes,
 * which differ from all others, and removes withdrawn routes. So a route that
 * its router still has is published again, and a route that it no longer has is
 * swept: no stale route stays, and no route is suppressed that consumers do not
 * have.
 *
 * If it cannot be found out which routes consumers have (the stream is another
 * one or does not reach back far enough, or a file is damaged), they get a
 * RESYNC of the router and then its tables again.
 *
 * With --curation off no state is stored, but sequences continue above those of
 * earlier runs (docs/decisions/0116).
 *
 * The restore runs before any listener is open, in the thread that starts the
 * collector, while the publisher is on hold.
 */
#ifndef COLLECTOR_CHECKPOINT_RESTORE_H
#define COLLECTOR_CHECKPOINT_RESTORE_H

#include <stdbool.h>

struct collector_env;

/*
 * Returns 0, also if there was nothing to restore. *@resyncs: some router gets
 * a RESYNC. An error is logged and means that the collector must not start,
 * because a later version or another collector has written the state.
 */
int restore_run(const struct collector_env *env, bool *resyncs);

#endif
