/*
 * collector/checkpoint/checkpoint.h - the state of the whole collector across
 * restarts
 *
 *	start	checkpoint_open()		open the state store
 *		restore.h			restore the ribs from it
 *		checkpoint_write_manifest()	before any router connects
 *		checkpoint_start()		start a snapshotter on each
 *						shard, and the manifest fiber
 *	stop	checkpoint_pause()		the snapshotters end
 *		checkpoint_finish_worker()	write changed routers
 *		checkpoint_write_manifest()	write the last manifest
 *		checkpoint_close()
 *
 * One fiber on the first shard writes the manifest, every interval. The
 * manifest names the routers of which the log has messages; so the first
 * manifest must exist before the first router connects.
 *
 * Threads	One, outside of fibers, unless a function says otherwise.
 *		checkpoint_now() and checkpoint_look(): any.
 */
#ifndef COLLECTOR_CHECKPOINT_CHECKPOINT_H
#define COLLECTOR_CHECKPOINT_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

struct checkpoint;
struct collector_env;
struct snapshotter;
struct state_store;

/*
 * Open the state store. The workers of @env must exist. If curation is off
 * there is no state to keep: *@out is then NULL. Errors are logged.
 */
int checkpoint_open(const struct collector_env *env, struct checkpoint **out);
void checkpoint_close(struct checkpoint *c);

struct state_store *checkpoint_store(struct checkpoint *c);
struct snapshotter *checkpoint_snapshotter(struct checkpoint *c,
					   uint32_t worker);

int checkpoint_start(struct checkpoint *c);

/* Stop writing snapshots and manifests. */
void checkpoint_pause(struct checkpoint *c);

/*
 * Write the last snapshots of a worker, on its shard, after its last session:
 * see snapshotter_finish().
 */
int checkpoint_finish_worker(struct checkpoint *c, uint32_t worker,
			     int64_t deadline);

/*
 * Write the manifest, if the log position is known. After an error, which is
 * logged, the previous manifest stays, unless @outdated: it says that files are
 * valid which are not valid any more, so it is removed, and the next start
 * resyncs all routers. Any thread that may block, or a fiber: yields.
 */
void checkpoint_write_manifest(struct checkpoint *c, bool outdated);

/* True if a manifest of this run was written. Any thread. */
bool checkpoint_has_manifest(const struct checkpoint *c);

/*
 * Request that the snapshotters write all changed routers now, without waiting
 * for the interval.
 */
int checkpoint_now(struct checkpoint *c);

/*
 * Request a check whether the log lost messages. Called when the publisher has
 * news. @checkpoint is a struct checkpoint that was started. Any thread.
 */
void checkpoint_look(void *checkpoint);

#endif
