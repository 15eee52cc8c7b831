/*
 * collector/checkpoint/checkpoint.h - the state over a restart, of the whole collector
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
 * The manifest is written by one fiber, on the first shard, every interval. It
 * names the routers that the log has something of; so the first one must be
 * there before the first router is.
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
 * The workers of @env must have been made. Curation off means that there is
 * nothing to keep: then *@out is NULL. Errors are logged.
 */
int checkpoint_open(const struct collector_env *env, struct checkpoint **out);
void checkpoint_close(struct checkpoint *c);

struct state_store *checkpoint_store(struct checkpoint *c);
struct snapshotter *checkpoint_snapshotter(struct checkpoint *c,
					   uint32_t worker);

int checkpoint_start(struct checkpoint *c);

/* No more snapshots, no more manifests. */
void checkpoint_pause(struct checkpoint *c);

/* After the last session: see snapshotter_finish(). On the worker's shard. */
int checkpoint_finish_worker(struct checkpoint *c, uint32_t worker,
			     int64_t deadline);

/* Write the manifest. An error is logged: the one of before is still right. */
void checkpoint_write_manifest(struct checkpoint *c);

/* Snapshots of all routers that have changed, now. */
int checkpoint_now(struct checkpoint *c);

/*
 * See at once whether consumers miss something: the publisher has news.
 * @checkpoint is a started struct checkpoint. Any thread.
 */
void checkpoint_look(void *checkpoint);

#endif
