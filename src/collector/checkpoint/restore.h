/*
 * collector/checkpoint/restore.h - bring the ribs to what consumers have
 *
 *	snapshot files ---> ribs, each on its router's shard
 *	the epoch opens: nothing of an older run can reach the stream any more
 *	stream, from the lowest position up to the epoch's event -> ribs
 *	spool, what an older run could not publish any more ------> ribs
 *
 * From the log, a key that was announced is there with unknown attributes,
 * which differ from all, and a key that was withdrawn is not there. So a route
 * that its router still has is published again, and one that it does not have
 * is swept: no ghost, and nothing that is suppressed although nobody has it.
 *
 * Where the log cannot tell (another stream, one that does not reach back, a
 * damaged file), the router's consumers are told to forget what they have and
 * get its table again: a RESYNC.
 *
 * Before any listener is open, in the thread that starts the collector, with the
 * publisher on hold.
 */
#ifndef COLLECTOR_CHECKPOINT_RESTORE_H
#define COLLECTOR_CHECKPOINT_RESTORE_H

struct collector_env;

/*
 * 0, also if there was nothing to restore. An error is logged, and means that
 * starting would do harm: the state is of a later version or of another
 * collector.
 */
int restore_run(const struct collector_env *env);

#endif
