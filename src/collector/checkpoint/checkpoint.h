/*
 * collector/checkpoint/checkpoint.h - the state of the whole collector across
 * restarts
 *
 *	start	checkpoint_open()		the state store, and what is on it
 *		restore.h		back into the ribs
 *		checkpoint_write_manifest()		a manifest, before any router comes
 *		checkpoint_start()		a snapshotter on each shard, and the manifest
 *	stop	checkpoint_pause()		they end
 *		checkpoint_finish_worker()	what changed
 *		checkpoint_write_manifest()		a last manifest
 *		checkpoint_close()
 *
 * One fiber on the first shard writes the manifest, every interval. The
 * manifest names the routers of which the log has messages; so the first
 * manifest must exist before the first router connects.
 *
 * Threads	One, outside of fibers; checkpoint_now() and checkpoint_look(): any.
 */
#ifndef COLLECTOR_CHECKPOINT_CHECKPOINT_H
#define COLLECTOR_CHECKPOINT_CHECKPOINT_H

#include <stdint.h>

struct checkpoint;
struct collector_env;
struct snapshotter;
struct state_store;

/*
 * The workers of @env must exist. If curation is off there is no state to keep:
 * *@out is then NULL. Errors are logged.
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
 * Called after the last session, on the worker's shard: see
 * snapshotter_finish().
 */
int checkpoint_finish_worker(struct checkpoint *c, uint32_t worker,
			     int64_t deadline);

/* Write the manifest. An error is logged; the previous manifest stays valid. */
void checkpoint_write_manifest(struct checkpoint *c);

/* Write snapshots of all routers that have changed, now. */
int checkpoint_now(struct checkpoint *c);

/*
 * Check immediately whether the log lost messages; called when the publisher
 * has news. @checkpoint is a started struct checkpoint. Any thread.
 */
void checkpoint_look(void *checkpoint);

#endif
