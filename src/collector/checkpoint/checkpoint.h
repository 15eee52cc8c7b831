/*
 * collector/checkpoint/checkpoint.h - the state over a restart, of the whole collector
 *
 *	start	keeping_open()		the shelf, and what is on it
 *		restore.h		back into the ribs
 *		keeping_list()		a manifest, before any router comes
 *		keeping_start()		a keeper on each shard, and the manifest
 *	stop	keeping_rest()		they end
 *		keeping_finish_worker()	what changed
 *		keeping_list()		a last manifest
 *		keeping_close()
 *
 * The manifest is written by one fiber, on the first shard, every interval. It
 * names the routers that the log has something of; so the first one must be
 * there before the first router is.
 *
 * Threads	One, outside of fibers; keeping_now(): any.
 */
#ifndef COLLECTOR_CHECKPOINT_CHECKPOINT_H
#define COLLECTOR_CHECKPOINT_CHECKPOINT_H

#include "collector/checkpoint/snapshotter.h"

struct collector;
struct keeping;
struct outlet;

/*
 * @workers of @collector must have been made. Curation off means that there
 * is nothing to keep: then *@out is NULL. Errors are logged.
 */
int keeping_open(struct collector *collector, struct outlet *outlet,
		 struct keeping **out);
void keeping_close(struct keeping *k);

struct shelf *keeping_shelf(struct keeping *k);
struct keeper *keeping_keeper(struct keeping *k, uint32_t worker);

int keeping_start(struct keeping *k);

/* No more snapshots, no more manifests. */
void keeping_rest(struct keeping *k);

/* After the last session: see keeper_finish(). On the worker's shard. */
int keeping_finish_worker(struct keeping *k, uint32_t worker, int64_t deadline);

/* Write the manifest. An error is logged: the one of before is still right. */
void keeping_list(struct keeping *k);

/* Snapshots of all routers that have changed, now. */
int keeping_now(struct keeping *k);

#endif
