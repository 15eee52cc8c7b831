/*
 * collector/checkpoint/restore.h - restore the ribs to the state that consumers
 * have
 *
 *	snapshot files ---> ribs, each on its router's shard
 *	the epoch opens: nothing of an older run can reach the stream any more
 *	stream, from the lowest position up to the epoch's event -> ribs
 *	spool, what an older run could not publish any more ------> ribs
 *
 * Replaying the log marks announced routes as present with unknown attributes,
 * which differ from all others, and removes withdrawn routes. So a route that
 * its router still has is published again, and a route that it no longer has is
 * swept: no stale route stays, and no route is suppressed that consumers do not
 * have.
 *
 * If the log cannot tell (another stream, one that does not reach back far
 * enough, a damaged file), the router's consumers get a RESYNC and then its
 * tables again.
 *
 * Without curation no state is kept, but sequences continue above those of
 * earlier runs (docs/decisions/0116).
 *
 * Runs before any listener is open, in the thread that starts the collector,
 * while the publisher is on hold.
 */
#ifndef COLLECTOR_CHECKPOINT_RESTORE_H
#define COLLECTOR_CHECKPOINT_RESTORE_H

struct collector_env;

/*
 * 0, also if there was nothing to restore. An error is logged and means that
 * the collector must not start: the state is of a later version or of another
 * collector.
 */
int restore_run(const struct collector_env *env);

#endif
